//! The words of a message's fields, with all that each of them may say.

use crate::engine::form::is_default;
use serde::{Deserialize, Serialize};

/// What a message is for (`type:`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Work to be done; ends in exactly one result or error.
    #[default]
    Task,
    /// Something to know; done when it is delivered.
    Info,
    /// The answer to a task.
    Result,
    /// The answer to a task that could not be done, or a notice of a refused drop.
    Error,
}

impl Kind {
    /// Every one of them, in order.
    pub const ALL: [Self; 4] = [Self::Task, Self::Info, Self::Result, Self::Error];

    /// The word in `type:`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Info => "info",
            Self::Result => "result",
            Self::Error => "error",
        }
    }

    /// The same with its article: `a task`.
    #[must_use]
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Task => "a task",
            Self::Info => "an info",
            Self::Result => "a result",
            Self::Error => "an error",
        }
    }
}

/// The five words of the contract (`status:`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Accepted and not given to its agent yet.
    #[default]
    Pending,
    /// Being typed, worked on, waited for or checked.
    InProgress,
    /// Done.
    Completed,
    /// Ended without being done; the sender was told.
    Failed,
    /// Called off.
    Cancelled,
}

impl Status {
    /// Every one of them, in order.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Cancelled];

    /// The word in `status:`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing changes it any more.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Order within an agent's queue (`priority:`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// After all others.
    Low,
    /// The default.
    #[default]
    Normal,
    /// Before all others.
    High,
}

impl Priority {
    /// Every one of them, in order.
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    /// The word in `priority:`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// What to do when nobody can tell whether a turn was delivered (`on_doubt:`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDoubt {
    /// Send the same turn again, marked `redelivered: true`.
    #[default]
    Resend,
    /// Wait for a person.
    Hold,
}

impl OnDoubt {
    /// Every one of them, in order.
    pub const ALL: [Self; 2] = [Self::Resend, Self::Hold];

    /// The word in `on_doubt:`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Resend => "resend",
            Self::Hold => "hold",
        }
    }
}

/// The evidence that closes a task besides its claim (`expect:`). Paths are relative to the folder in which its agent works.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Expect {
    /// A commit that was made in the agent's tree since the task was first typed, and changes something.
    #[serde(default, skip_serializing_if = "is_default")]
    pub commit: bool,
    /// Files that must be there and not be blank.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: Vec<String>,
    /// A command that must succeed: the name of one of the team file's `commands:`, or one of them word by word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub command: Vec<String>,
    /// A report that must be there, not be blank, and have been written or changed since the task was first typed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub report: Option<String>,
}
