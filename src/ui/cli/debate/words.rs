//! How a debate stands, in words.

use crate::ui::cli::table::harmless_lines;
use crate::wire::clean::straight;
use crate::wire::debate::document::{DebateResult, DebateStatus};

/// How it stands in a sentence, whose first words are the status.
pub(super) fn in_words(result: &DebateResult) -> String {
    let message = tame(&result.message);
    match &result.status {
        DebateStatus::Failed(_) => format!("failed: {message}"),
        _ if message.is_empty() => of_status(&result.status),
        _ => message,
    }
}

/// The same in one line that is read at a glance.
pub(super) fn in_a_line(result: &DebateResult) -> String {
    let words = in_words(result).split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LINE_CHARS {
        return words;
    }
    let begun: String = words.chars().take(LINE_CHARS).collect();
    format!("{begun}… (`tasuki debate show {}` has all of it)", result.debate_id)
}

/// Characters of a line that people read without looking for its end: three rows of a terminal.
const LINE_CHARS: usize = 240;

/// The status in a word or two.
pub(super) fn of_status(status: &DebateStatus) -> String {
    match status {
        DebateStatus::Pending => "pending".to_owned(),
        DebateStatus::Round1InProgress => "round 1".to_owned(),
        DebateStatus::Round2InProgress => "round 2".to_owned(),
        DebateStatus::Round3InProgress => "round 3".to_owned(),
        DebateStatus::Round4InProgress => "round 4".to_owned(),
        DebateStatus::Round5InProgress => "round 5".to_owned(),
        DebateStatus::Completed => "completed".to_owned(),
        DebateStatus::Failed(_) => "failed".to_owned(),
        DebateStatus::Cancelled => "cancelled".to_owned(),
    }
}

/// A text that may stand on a terminal. What turns the text around it is shown as what it is, also into a pipe: it hides what was said.
pub(super) fn tame(text: &str) -> String {
    harmless_lines(&straight(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_the_text_around_it_is_shown_as_what_it_is() {
        assert_eq!(tame("a\u{202e}b\n\tc 襷 🎏"), "a\\u{202e}b\n\tc 襷 🎏");
    }
}
