//! The parts of a document, in its own order and under its own names.

use super::words::{
    DetectedBy, MessageRole, SessionStatus, SubAgentStatus, SubAgentType, TaskStatus, WorktreeStrategy,
};
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::name::StepName;
use crate::engine::words::Millis;
use crate::wire::time;
use chrono::DateTime;
use serde::Serialize;
use serde_json::Value as Json;

/// A whole session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentSession {
    pub id: SessionUuid,
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
    /// What tasuki knows besides; left out if there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasuki: Option<Json>,
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
pub struct SessionUuid(String);

impl SessionUuid {
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
