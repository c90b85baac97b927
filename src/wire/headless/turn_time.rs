//! How long the program of a turn may take, and what is said of its answer.

use crate::engine::flow::speaking::BEFORE_THE_END_MS;
use crate::engine::words::Millis;
use crate::wire::FILE_BYTES_MAX;
use crate::wire::api::UsageInfo;
use crate::wire::message::view::MessageView;
use crate::wire::time::{read_duration, read_moment, write_duration};
use std::time::Duration;

/// The time of a turn whose task says none: what a turn has unless the team file says otherwise.
const USUAL_MS: u64 = 30 * 60 * 1_000;
/// Of a short time, which part that is.
const SHARE: u64 = 2;
/// What is left of a body for the text of an answer: the rest has its other fields.
const ANSWER_BYTES_MAX: usize = FILE_BYTES_MAX - 1_024;
const CUT: &str = "\n\n(The rest is left out: an answer has at most 1 MiB.)\n";

/// The time of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnTime {
    /// As people are told it.
    words: String,
    limit_ms: u64,
}

impl TurnTime {
    /// The time that a task gives, at this moment of the wall clock.
    #[must_use]
    pub fn of(task: &MessageView, now: Millis) -> Self {
        let working = task.file.timeout.as_deref().and_then(read_duration);
        let deadline = task.file.deadline.as_deref().and_then(|text| read_moment(text, &chrono::Utc));
        let left = deadline.map(|deadline| deadline.since(now));
        let given = working.unwrap_or(USUAL_MS).min(left.unwrap_or(u64::MAX));
        let limit_ms = given - BEFORE_THE_END_MS.min(given / SHARE);
        // Parts of a second say nothing to anybody, unless there is nothing else.
        let told = if limit_ms < 10_000 { limit_ms } else { limit_ms - limit_ms % 1_000 };
        Self { words: write_duration(told), limit_ms }
    }

    /// How long the program may take, for people: `5m`.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// When the program is ended.
    #[must_use]
    pub fn limit(&self) -> Duration {
        Duration::from_millis(self.limit_ms)
    }
}

/// The answer, or as much of it as an answer may have.
#[must_use]
pub fn fitting(mut text: String) -> String {
    let mut room = ANSWER_BYTES_MAX;
    let escaped = |c: char| match c {
        '"' | '\\' | '\n' | '\t' | '\r' => 2,
        c if c.is_ascii_control() => 6,
        c => c.len_utf8(),
    };
    let mut end = None;
    for (at, c) in text.char_indices() {
        if end.is_none() && room < escaped(c) + 2 * CUT.len() {
            end = Some(at);
        }
        let Some(left) = room.checked_sub(escaped(c)) else {
            text.truncate(end.unwrap_or_default());
            text.push_str(CUT);
            return text;
        };
        room = left;
    }
    text
}

/// What an answer took, behind its size.
#[must_use]
pub fn spent(usage: &UsageInfo) -> String {
    let tokens = usage.tokens.map_or_else(String::new, |tokens| format!(", {tokens} tokens"));
    let cost = usage.cost_usd.map_or_else(String::new, |cost| format!(", ${cost:.4}"));
    tokens + &cost
}

/// The phrase whose letters a task's file has with hyphens between them.
#[must_use]
pub fn joined(letters: &str) -> String {
    letters.chars().step_by(2).collect()
}

/// A text on one line, cut where it is long.
#[must_use]
pub fn cut(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    match text.char_indices().nth(CHARS_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_ends_before_the_time_of_its_turn_is_over() {
        let time = |rest: &str| {
            let task = MessageView::read(&format!(
                "id: a\nfrom: b\nto: c\ntype: task\nstatus: in_progress\ncontent: x\n{rest}"
            ));
            let time = TurnTime::of(&task.expect("a task"), Millis(1_767_225_600_000));
            format!("{} {}", time.words(), time.limit().as_millis())
        };
        assert_eq!(time(""), "29m 54s 1794000");
        assert_eq!(time("timeout: 5m\n"), "4m 54s 294000");
        assert_eq!(time("timeout: 10s\n"), "5s 5000");
        assert_eq!(time("timeout: 5m\ndeadline: \"2026-01-01T00:01:00.5Z\"\n"), "54s 54500");
        assert_eq!(time("deadline: \"2025-01-01T00:00:00Z\"\n"), "0s 0");
        assert_eq!(time("timeout: nonsense\n"), "29m 54s 1794000");
    }

    #[test]
    fn an_answer_has_as_much_as_there_is_room_for() {
        let body = |text: &str| serde_json::json!({"text": text, "failed": false}).to_string().len();
        for text in ["襷\n".repeat(400_000), "\"".repeat(1 << 20), "x".repeat(2 << 20)] {
            let cut = fitting(text);
            assert!(cut.ends_with(CUT) && body(&cut) <= FILE_BYTES_MAX, "{}", body(&cut));
            assert!(body(&cut) > FILE_BYTES_MAX - 2_048, "{}", body(&cut));
            assert_eq!(fitting(cut.clone()), cut);
        }
        let whole = "x".repeat(ANSWER_BYTES_MAX);
        assert_eq!(fitting(whole.clone()), whole);
        assert_eq!(joined("C-O-D- -襷"), "COD 襷");
    }
}
