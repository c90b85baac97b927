//! Ollama's own API: `POST /api/chat` and `/api/generate`, in lines of JSON.

use super::flow::{Flow, line};
use super::script::Said;
use serde_json::{Value, json};

/// Which of the two is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Chat,
    Generate,
}

pub(crate) fn whole(form: Form, said: &Said, model: &str) -> Value {
    let mut answer = part(form, &said.text, said, model);
    finish(&mut answer);
    answer
}

pub(crate) fn stream(form: Form, said: &Said, model: &str) -> Flow {
    let bare = Said { tool: None, ..said.clone() };
    let words = said.chunks().iter().map(|text| line(&part(form, text, &bare, model))).collect();
    let mut last = part(form, "", said, model);
    finish(&mut last);
    Flow { head: Vec::new(), words, tail: vec![line(&last)] }
}

pub(crate) fn refusal(message: &str) -> Value {
    json!({"error": message})
}

fn part(form: Form, text: &str, said: &Said, model: &str) -> Value {
    let mut answer = json!({"model": model, "created_at": "2026-01-01T00:00:00Z", "done": false});
    match form {
        Form::Generate => answer["response"] = text.into(),
        Form::Chat => answer["message"] = json!({"role": "assistant", "content": text}),
    }
    if let (Form::Chat, Some(tool)) = (form, &said.tool) {
        answer["message"]["tool_calls"] = json!([{"function": {"name": tool.name, "arguments": tool.input}}]);
    }
    answer
}

fn finish(answer: &mut Value) {
    answer["done"] = true.into();
    answer["done_reason"] = "stop".into();
    answer["prompt_eval_count"] = 10.into();
    answer["eval_count"] = 20.into();
}
