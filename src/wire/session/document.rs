//! A session as a JSON document: names, order and words are a contract with other tools. What may be missing is `null` there. What
//! tasuki knows besides stands under the one key `tasuki`.
//!
//! [`import`] is strict: a key that is not known would be lost with the next [`export`], so it is refused.

mod called_off;
mod check;
mod error;
mod form;
mod of_flow;
mod read;
mod spot;
#[cfg(test)]
mod tests;
mod to_flow;
mod words;
mod write;

pub use check::check_status;
pub use error::DocumentError;
pub use form::{
    AgentSession, Conversation, PullRequestRef, SessionMessage, SessionTask, SessionTime, SessionUuid,
    SubAgent, TaskResult, WorktreeRef,
};
pub use of_flow::{Texts, of_flow};
pub use to_flow::to_flow;
pub use words::{
    DetectedBy, MessageRole, SessionStatus, SubAgentStatus, SubAgentType, TaskStatus, WorktreeStrategy,
};

use crate::wire::message::json::{self, Unread};

/// Largest document that is read, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// Reads a document.
///
/// # Errors
/// [`DocumentError`] for the first thing that is wrong: where it is, what is there, and the cure.
pub fn import(text: &str) -> Result<AgentSession, DocumentError> {
    if text.len() > DOCUMENT_BYTES_MAX {
        let why = format!("has {} bytes; at most {DOCUMENT_BYTES_MAX} are read", text.len());
        return Err(DocumentError::whole(why, "move long texts into files, and name their paths"));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = json::parse(text.as_bytes()).map_err(|unread| match unread {
        Unread::NotJson(error) => DocumentError::whole(
            format!("is not JSON: {error}"),
            "correct it there; a text from a program is best written by a JSON library",
        ),
        Unread::Twice(refusal) => {
            let (line, column) = (refusal.line.unwrap_or_default(), refusal.column.unwrap_or_default());
            let why = format!("is not clear: {} (line {line}, column {column})", refusal.why);
            DocumentError::whole(why, "keep one of the two")
        }
    })?;
    let session = read::session(&value)?;
    check::check(&session)?;
    Ok(session)
}

/// The document, with an end of line behind it. What was read of it before comes out letter by letter if it had this form.
#[must_use]
pub fn export(session: &AgentSession) -> String {
    // Every key of it is a text, so it can be written.
    serde_json::to_value(session).map(|value| write::pretty(&value) + "\n").unwrap_or_default()
}
