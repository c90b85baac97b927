//! Why a question has no answer.

use crate::engine::words::MessageId;
use crate::wire::api::Problem;

/// A question that cannot be answered as it is.
pub(super) fn bad(field: &str, text: &str, is_no: &str) -> Problem {
    Problem {
        code: "bad-request".to_owned(),
        why: format!("`{field}`: `{}` is not {is_no}", text.escape_debug()),
        cure: "see protocol/API.md for what each address takes".to_owned(),
        field: Some(field.to_owned()),
        ..Problem::default()
    }
}

/// An id of a question.
pub(super) fn message_id(text: &str) -> Result<MessageId, Problem> {
    MessageId::new(text).map_err(|error| Problem {
        code: "bad-id".to_owned(),
        ..bad("id", text, &format!("an id: it {error}"))
    })
}

/// A message that nobody knows.
#[must_use]
pub fn no_message(id: &MessageId) -> Problem {
    Problem {
        code: "no-message".to_owned(),
        why: format!("there is no message {id}"),
        cure: "`tasuki list` lists the messages".to_owned(),
        ..Problem::default()
    }
}

/// What a person has seen or put aside, where that could not be written down.
pub(super) fn unwritten(error: &dyn std::fmt::Display) -> Problem {
    Problem {
        code: "unavailable".to_owned(),
        why: format!("it could not be written down, so it is shown again: {error}"),
        cure: "see to the disk, and try again".to_owned(),
        ..Problem::default()
    }
}

/// An agent that nobody knows.
pub(super) fn no_agent(name: &str) -> Problem {
    Problem {
        code: "unknown-agent".to_owned(),
        why: format!("there is no agent `{}`", name.escape_debug()),
        cure: "`tasuki status` lists the agents".to_owned(),
        ..Problem::default()
    }
}

/// A problem of the machine's.
pub(super) fn unreadable(error: &dyn std::fmt::Display) -> Problem {
    Problem {
        code: "unavailable".to_owned(),
        why: format!("the journal cannot be read: {error}"),
        cure: "try again in a moment; `tasuki fsck` checks the journal".to_owned(),
        ..Problem::default()
    }
}

/// The same with a log.
pub(super) fn unreadable_log(error: &std::io::Error) -> Problem {
    Problem {
        code: "unavailable".to_owned(),
        why: format!("the log cannot be read: {error}"),
        cure: "look at the files in status/".to_owned(),
        ..Problem::default()
    }
}
