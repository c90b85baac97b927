//! An answer to a part, as it stands in the file of the task that it is for.

use crate::engine::event::Answer;
use crate::engine::message::Status;
use crate::engine::state::PartAnswer;
use crate::engine::words::{AgentName, MessageId};
use crate::wire::time::rfc3339;
use crate::wire::yaml::write::Prose;
use serde::ser::{Serialize, Serializer};
use serde::{Deserialize, Serialize as DeriveSerialize};

/// Longest answer of a part that is in its parent's file; a longer one is named by its path, since agents read the
/// file whole.
pub(in crate::wire) const NOTE_BYTES_MAX: usize = 64 << 10;

/// One answer in a task's file.
#[derive(Debug, Clone, PartialEq, Eq, Default, DeriveSerialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The part that this answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// Who answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    /// How the part ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// When (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Whether only the end of its answer could be kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "prose")]
    pub content: Option<String>,
    /// Where the whole text is if it is long, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Note {
    /// The answer to a part.
    #[must_use]
    pub fn of(told: &PartAnswer, answer: &Answer) -> Self {
        let is_long = answer.body.content.len() > NOTE_BYTES_MAX;
        Self {
            id: Some(told.child.clone()),
            from: Some(told.from.clone()),
            status: Some(told.outcome.status()),
            at: Some(rfc3339(answer.at)),
            truncated: answer.truncated,
            content: (!is_long).then(|| answer.body.content.to_string()),
            path: is_long.then(|| format!("queue/results/{}.yaml", told.child)),
        }
    }
}

fn prose<S: Serializer>(text: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    text.as_deref().map(Prose).serialize(to)
}
