//! Anthropic Messages: `POST /v1/messages`.

use super::flow::{Flow, event};
use super::script::Said;
use serde_json::{Value, json};

pub(crate) fn whole(said: &Said, model: &str) -> Value {
    let mut message = message(said, model);
    message["content"] = content(said).into();
    message["stop_reason"] = stop_reason(said).into();
    message
}

pub(crate) fn stream(said: &Said, model: &str) -> Flow {
    let named = |data: Value| event(data["type"].as_str().unwrap_or_default(), &data);
    let mut head = vec![named(json!({"type": "message_start", "message": message(said, model)}))];
    let mut tail = Vec::new();
    let delta = |index: usize, delta: Value| {
        named(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let stop = |index: usize| named(json!({"type": "content_block_stop", "index": index}));
    let start = |index: usize, block: Value| {
        named(json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let has_words = !said.text.is_empty();
    if has_words {
        head.push(start(0, json!({"type": "text", "text": ""})));
        tail.push(stop(0));
    }
    if let Some(tool) = &said.tool {
        let index = usize::from(has_words);
        tail.push(start(
            index,
            json!({"type": "tool_use", "id": format!("toolu_stub_{}", said.number), "name": tool.name, "input": {}}),
        ));
        tail.push(delta(index, json!({"type": "input_json_delta", "partial_json": tool.input.to_string()})));
        tail.push(stop(index));
    }
    let end = json!({"stop_reason": stop_reason(said), "stop_sequence": null});
    tail.push(named(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 20}})));
    tail.push(named(json!({"type": "message_stop"})));
    let words =
        said.chunks().iter().map(|text| delta(0, json!({"type": "text_delta", "text": text}))).collect();
    Flow { head, words, tail }
}

pub(crate) fn refusal(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_stub"})
}

/// A title is wanted in a form; a turn never is.
pub(crate) fn is_aside(body: &Value) -> bool {
    !body["output_config"]["format"].is_null()
}

fn message(said: &Said, model: &str) -> Value {
    json!({
        "id": format!("msg_stub_{}", said.number), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 1},
    })
}

fn content(said: &Said) -> Vec<Value> {
    let words = (!said.text.is_empty()).then(|| json!({"type": "text", "text": said.text}));
    let tool = said.tool.as_ref().map(
        |tool| json!({"type": "tool_use", "id": format!("toolu_stub_{}", said.number), "name": tool.name, "input": tool.input}),
    );
    words.into_iter().chain(tool).collect()
}

fn stop_reason(said: &Said) -> &'static str {
    if said.tool.is_some() { "tool_use" } else { "end_turn" }
}
