//! OpenAI Chat Completions: `POST /v1/chat/completions`.

use super::flow::{Flow, event};
use super::script::Said;
use serde_json::{Value, json};

/// How the requests begin that an agent makes beside its turns.
const ASIDES: &[&str] = &["You are a title generator", "You are now acting as the managed memory"];

pub(crate) fn whole(said: &Said, model: &str) -> Value {
    let mut message = json!({"role": "assistant", "content": said.text});
    if let Some(calls) = calls(said) {
        message["tool_calls"] = calls;
    }
    let choice = json!({"index": 0, "finish_reason": finish_reason(said), "message": message});
    json!({
        "id": "chatcmpl-stub", "object": "chat.completion", "created": 0, "model": model,
        "choices": [choice], "usage": usage(),
    })
}

pub(crate) fn stream(said: &Said, model: &str) -> Flow {
    let chunk = |choices: Value, usage: Value| {
        event(
            "",
            &json!({
                "id": "chatcmpl-stub", "object": "chat.completion.chunk", "created": 0, "model": model,
                "choices": choices, "usage": usage,
            }),
        )
    };
    let delta = |delta: Value, reason: Option<&str>| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), Value::Null)
    };
    let head = vec![delta(json!({"role": "assistant", "content": ""}), None)];
    let words = said.chunks().iter().map(|text| delta(json!({"content": text}), None)).collect();
    let mut tail: Vec<String> =
        calls(said).map(|calls| delta(json!({"tool_calls": calls}), None)).into_iter().collect();
    tail.push(delta(json!({}), Some(finish_reason(said))));
    tail.push(chunk(json!([]), usage()));
    tail.push("data: [DONE]\n\n".to_owned());
    Flow { head, words, tail }
}

pub(crate) fn refusal(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "code": kind, "param": null}})
}

pub(crate) fn is_aside(body: &Value) -> bool {
    let first = &body["messages"][0]["content"];
    let text = first.as_str().or_else(|| first[0]["text"].as_str()).unwrap_or_default();
    ASIDES.iter().any(|start| text.starts_with(start))
}

fn calls(said: &Said) -> Option<Value> {
    let tool = said.tool.as_ref()?;
    let function = json!({"name": tool.name, "arguments": tool.input.to_string()});
    Some(
        json!([{"index": 0, "id": format!("call_stub_{}", said.number), "type": "function", "function": function}]),
    )
}

fn finish_reason(said: &Said) -> &'static str {
    if said.tool.is_some() { "tool_calls" } else { "stop" }
}

fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30})
}
