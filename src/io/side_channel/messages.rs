//! The messages of OpenCode's API, as much of them as is needed: in `GET /session/ID/message` the oldest is first.

use super::turn_record::Line;
use crate::engine::screen::answer::Spoken;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::words::Millis;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Session {
    pub(super) id: String,
    #[serde(default)]
    pub(super) time: Times,
}

/// Moments of the wall clock, in ms.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Times {
    #[serde(default)]
    pub(super) created: u64,
    #[serde(default)]
    pub(super) updated: u64,
    #[serde(default)]
    completed: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) info: Info,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Info {
    pub(super) id: String,
    role: String,
    #[serde(default)]
    pub(super) time: Times,
    /// A summary of what went before, not said to anybody.
    #[serde(default)]
    summary: serde_json::Value,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    /// Put in by the program itself.
    #[serde(default)]
    synthetic: bool,
}

/// What `GET /session/status` says of one; a session that is idle is not named there.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Status {
    Idle,
    Busy,
    Retry {
        #[serde(default)]
        message: String,
        /// When, in ms of the wall clock.
        #[serde(default)]
        next: u64,
    },
    #[serde(other)]
    Other,
}

impl Message {
    /// Whether it is the line that was typed.
    pub(super) fn is(&self, line: &Line) -> bool {
        let at = Some(Millis(self.info.time.created));
        self.info.role == "user" && self.texts().any(|text| line.is_in(text, at))
    }

    /// What was said in it.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let said = self.parts.iter().filter(|part| part.kind == "text" && !part.synthetic);
        said.filter_map(|part| part.text.as_deref()).filter(|text| !text.trim().is_empty())
    }

    fn is_answer(&self) -> bool {
        self.info.role == "assistant" && self.info.summary != serde_json::Value::Bool(true)
    }
}

/// What was said after the message with this id, up to the next line of tasuki's, if that is all of it. None if it was not
/// begun or not ended yet, or if there is no such message.
pub(super) fn said_after(messages: &[Message], id: &str) -> Option<Spoken> {
    let at = messages.iter().position(|message| message.info.id == id)?;
    let later = messages.get(at + 1..)?;
    let is_ours = |message: &Message| message.texts().any(|text| text.trim_start().starts_with(HEAD));
    let end = later.iter().position(|message| message.info.role == "user" && is_ours(message));
    let turn = later.get(..end.unwrap_or(later.len()))?;
    let last = turn.iter().rev().find(|message| message.is_answer())?;
    last.info.time.completed?;
    Some(Spoken::of(turn.iter().filter(|message| message.is_answer()).flat_map(Message::texts)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages(of: serde_json::Value) -> Vec<Message> {
        serde_json::from_value(of).unwrap()
    }

    fn text(role: &str, id: &str, text: &str, completed: bool) -> serde_json::Value {
        let time = if completed { json!({"created": 1, "completed": 2}) } else { json!({"created": 1}) };
        json!({"info": {"id": id, "role": role, "time": time}, "parts": [{"type": "text", "text": text}]})
    }

    #[test]
    fn an_answer_is_what_was_said_between_two_messages() {
        let asked = text("user", "u1", "[tasuki] do it (token k7qf2m)", false);
        let tool = json!({"info": {"id": "a1", "role": "assistant", "time": {"created": 1, "completed": 2}}, "parts": [
            {"type": "step-start"}, {"type": "reasoning", "text": "CODING OK k7qf2m"}, {"type": "text", "text": "まず見る。"},
            {"type": "tool", "state": {"output": "CODING OK k7qf2m"}},
        ]});
        let summary = json!({"info": {"id": "a2", "role": "assistant", "summary": true, "time": {"completed": 2}},
            "parts": [{"type": "text", "text": "a summary"}]});
        let goes_on = json!({"info": {"id": "u2", "role": "user"},
            "parts": [{"type": "text", "text": "Continue.", "synthetic": true}]});
        let answer = text("assistant", "a3", "Done.\n\nCODING OK k7qf2m", true);
        let person = text("user", "u4", "Make haste!", false);
        let next = text("user", "u3", "[tasuki] something else", false);
        let other = text("assistant", "a4", "not of this turn", true);
        let all = messages(json!([asked, tool, summary, goes_on, person, answer, next, other]));
        assert!(all[0].is(&Line::from("[tasuki] do it (token k7qf2m)")));
        assert!(!all[0].is(&Line::from("[tasuki] do it (token k7qf2n)")));
        // Without a token the same line may have been another turn's.
        let told = text("user", "u5", "Say **hi**.", true);
        let told = &messages(json!([told]))[0];
        assert!(
            told.is(&Line::since("Say **hi**.", Millis(1)))
                && !told.is(&Line::since("Say **hi**.", Millis(2)))
        );
        assert!(!told.is(&Line::since("**hi**", Millis(1))), "which is another line");
        assert_eq!(
            said_after(&all, "u1").map(|said| said.text).as_deref(),
            Some("まず見る。\n\nDone.\n\nCODING OK k7qf2m")
        );
        assert_eq!(said_after(&all, "u3").map(|said| said.text).as_deref(), Some("not of this turn"));
        assert_eq!(said_after(&all, "none"), None);
    }

    #[test]
    fn an_answer_that_was_not_ended_is_none() {
        let asked = || text("user", "u1", "line", false);
        assert_eq!(said_after(&messages(json!([asked()])), "u1"), None);
        let streamed = text("assistant", "a1", "half", false);
        assert_eq!(said_after(&messages(json!([asked(), streamed])), "u1"), None);
        let before = text("assistant", "a1", "before", true);
        assert_eq!(said_after(&messages(json!([before, asked()])), "u1"), None);
        // The agent's own words that look like a line of tasuki's are nobody's message.
        assert!(!messages(json!([text("assistant", "a1", "line", true)]))[0].is(&Line::from("line")));
    }
}
