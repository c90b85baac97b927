//! OpenAI Responses: `POST /v1/responses`.

use super::flow::{Flow, event};
use super::script::Said;
use serde_json::{Value, json};

pub(crate) fn whole(said: &Said, model: &str) -> Value {
    response("completed", model, &output(said))
}

pub(crate) fn stream(said: &Said, model: &str) -> Flow {
    let named = |data: Value| event(data["type"].as_str().unwrap_or_default(), &data);
    let item = |kind: &str, index: usize, item: &Value| {
        named(json!({"type": kind, "output_index": index, "item": item}))
    };
    let mut head =
        vec![named(json!({"type": "response.created", "response": response("in_progress", model, &[])}))];
    let mut tail = Vec::new();
    let output = output(said);
    for (index, done) in output.iter().enumerate() {
        let mut begun = done.clone();
        if done["type"] == "message" {
            begun["content"] = json!([]);
            begun["status"] = "in_progress".into();
            head.push(item("response.output_item.added", index, &begun));
        } else {
            tail.push(item("response.output_item.added", index, &begun));
        }
        tail.push(item("response.output_item.done", index, done));
    }
    let end = response("completed", model, &output);
    tail.push(named(json!({"type": "response.completed", "response": end})));
    let delta = |text: &String| {
        named(json!({
            "type": "response.output_text.delta", "item_id": format!("msg_stub_{}", said.number), "output_index": 0,
            "content_index": 0, "delta": text,
        }))
    };
    Flow { head, words: said.chunks().iter().map(delta).collect(), tail }
}

/// A title is wanted in a form; a turn never is.
pub(crate) fn is_aside(body: &Value) -> bool {
    !body["text"]["format"].is_null()
}

fn response(status: &str, model: &str, output: &[Value]) -> Value {
    json!({
        "id": "resp_stub", "object": "response", "status": status, "model": model, "output": output,
        "usage": {"input_tokens": 10, "input_tokens_details": null, "output_tokens": 20,
            "output_tokens_details": null, "total_tokens": 30},
    })
}

fn output(said: &Said) -> Vec<Value> {
    let words = (!said.text.is_empty()).then(|| {
        json!({
            "type": "message", "id": format!("msg_stub_{}", said.number), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": said.text, "annotations": []}],
        })
    });
    let tool = said.tool.as_ref().map(|tool| match tool.input.as_str() {
        Some(text) => json!({
            "type": "custom_tool_call", "id": format!("ctc_stub_{}", said.number), "call_id": format!("call_stub_{}", said.number), "name": tool.name,
            "input": text,
        }),
        None => json!({
            "type": "function_call", "id": format!("fc_stub_{}", said.number), "call_id": format!("call_stub_{}", said.number), "name": tool.name,
            "arguments": tool.input.to_string(),
        }),
    });
    words.into_iter().chain(tool).collect()
}
