//! A session as a JSON document: names, order and words are a contract with other tools. What may be missing is `null` there. What
//! tasuki knows besides stands under the one key `tasuki`.
//!
//! [`import`] is strict: a key that is not known would be lost with the next [`export`], so it is refused.

mod check;
mod error;
mod read;
mod spot;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub use error::DocumentError;
pub use words::{
    DetectedBy, MessageRole, SessionStatus, SubAgentStatus, SubAgentType, TaskStatus, WorktreeStrategy,
};

use crate::engine::flow::branch::BranchName;
use crate::engine::flow::name::StepName;
use crate::engine::words::Millis;
use crate::wire::message::json::{self, Unread};
use crate::wire::time;
use chrono::DateTime;
use serde::Serialize;
use serde_json::Value as Json;

/// Largest document that is read, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;

/// A whole session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentSession {
    pub id: SessionId,
    pub created_at: SessionTime,
    pub updated_at: SessionTime,
    pub status: SessionStatus,
    /// The repository in which the session works.
    pub repository_path: String,
    pub conversation: Conversation,
    pub tasks: Vec<SessionTask>,
    /// The worktrees that are in use.
    pub worktrees: Vec<WorktreeRef>,
    /// What tasuki knows besides; left out if there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasuki: Option<Json>,
}

/// What was said between a person and the master agent, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Conversation {
    pub messages: Vec<SessionMessage>,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionMessage {
    pub role: MessageRole,
    pub content: String,
    pub timestamp: SessionTime,
}

/// One of the tasks that the work was parted into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionTask {
    pub id: StepName,
    pub name: String,
    pub description: String,
    pub status: TaskStatus,
    pub dependencies: Vec<StepName>,
    pub worktree_strategy: WorktreeStrategy,
    pub assigned_worktree: Option<WorktreeRef>,
    pub sub_agent: Option<SubAgent>,
    pub created_at: SessionTime,
    pub started_at: Option<SessionTime>,
    pub completed_at: Option<SessionTime>,
    /// What came of it; none before it has ended.
    pub result: Option<TaskResult>,
}

/// The agent that does a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubAgent {
    pub id: String,
    pub agent_type: SubAgentType,
    /// tmux's number of its pane, such as `%5`.
    pub pane_id: String,
    pub pid: u32,
    pub status: SubAgentStatus,
    pub started_at: SessionTime,
    pub completed_at: Option<SessionTime>,
    /// How it is known that it is done.
    pub completion_source: Option<DetectedBy>,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskResult {
    pub success: bool,
    pub summary: String,
    pub pull_request: Option<PullRequestRef>,
    /// What went wrong, if it failed.
    pub error: Option<String>,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PullRequestRef {
    pub number: u64,
    pub url: String,
}

/// A worktree, and who uses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorktreeRef {
    pub branch_name: BranchName,
    /// Its folder, which is called as the branch is, with `-` for `/`.
    pub path: String,
    pub created_at: SessionTime,
    pub task_ids: Vec<StepName>,
}

/// The id of a session: a UUID of any version in its usual form, as it came. The name of its file is made of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct SessionId(String);

impl SessionId {
    /// The id, if it is 32 hexadecimal digits with their four dashes.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let has_form = text.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(text).is_ok();
        has_form.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A moment in RFC 3339, letter by letter as it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct SessionTime(String);

impl SessionTime {
    /// The moment, if the text is one.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).is_ok().then(|| Self(text.to_owned()))
    }

    /// A moment of tasuki's own.
    #[must_use]
    pub fn of(at: Millis) -> Self {
        Self(time::rfc3339(at))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

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
