//! Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent?alt=sse`.

use super::flow::{Flow, event};
use super::script::Said;
use serde_json::{Value, json};

pub(crate) fn whole(said: &Said, model: &str) -> Value {
    let words = (!said.text.is_empty()).then(|| json!({"text": said.text}));
    let parts: Vec<Value> = words.into_iter().chain(call(said)).collect();
    candidate(&parts, Some("STOP"), model)
}

pub(crate) fn stream(said: &Said, model: &str) -> Flow {
    let part = |part: Value| event("", &candidate(&[part], None, model));
    let words = said.chunks().iter().map(|text| part(json!({"text": text}))).collect();
    let mut tail: Vec<String> = call(said).map(part).into_iter().collect();
    tail.push(event("", &candidate(&[json!({"text": ""})], Some("STOP"), model)));
    Flow { head: Vec::new(), words, tail }
}

pub(crate) fn refusal(status: u16, kind: &str, message: &str) -> Value {
    json!({"error": {"code": status, "message": message, "status": kind}})
}

/// What is asked beside the turns has no tools.
pub(crate) fn is_aside(body: &Value) -> bool {
    body["tools"].is_null() && body["generationConfig"]["responseMimeType"] == "application/json"
}

fn call(said: &Said) -> Option<Value> {
    let tool = said.tool.as_ref()?;
    Some(json!({"functionCall": {"name": tool.name, "args": tool.input}}))
}

fn candidate(parts: &[Value], reason: Option<&str>, model: &str) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(reason) = reason {
        candidate["finishReason"] = reason.into();
    }
    let usage = json!({"promptTokenCount": 10, "candidatesTokenCount": 20, "totalTokenCount": 30});
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": model})
}
