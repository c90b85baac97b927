//! What a message is. A drop becomes [`Draft`]s at the border; the engine makes a [`Message`] of each that it accepts.
//! Contents pass through the engine untouched as a [`Body`]; its state keeps only where the journal holds one.

pub(in crate::engine) mod accept;
mod accepted;
pub(in crate::engine) mod admission;
pub(in crate::engine) mod bounces;
pub(in crate::engine) mod loop_guard;
pub mod refusal;
pub(in crate::engine) mod refusal_notice;
pub(in crate::engine) mod reply;
pub mod route;
pub mod seldom;
pub(in crate::engine) mod sender;
pub(in crate::engine) mod together;
pub(in crate::engine) mod validate;
pub(in crate::engine) mod wait_cycle;

pub use accepted::{Besides, Message};

use super::words::{AgentName, Digest, MessageId, Millis, Seq, Token};
use crate::engine::form::{self, is_default};
use crate::engine::message::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a message is for (`type:`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Work to be done; ends in exactly one result or error.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Accepted and not given to its agent yet.
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
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
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

/// The evidence that closes a task besides its claim (`expect:`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Expect {
    /// A new commit in the agent's tree.
    #[serde(default, skip_serializing_if = "is_default")]
    pub commit: bool,
    /// Files that must exist, relative to the workspace.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: Vec<String>,
    /// A command that must succeed; only from the team file's list.
    #[serde(default, skip_serializing_if = "is_default")]
    pub command: Vec<String>,
    /// A report that must exist and not be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub report: Option<String>,
}

/// What a message carries, untouched by the engine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Body {
    /// The text (`content:`).
    #[serde(with = "form::shared")]
    pub content: Arc<str>,
    /// `metadata` and unknown top-level keys as one JSON object, in their order: `{"metadata":{…},"colour":"red"}`; empty if none.
    /// It stands in the journal as it is, so whoever reads and writes the journal's text puts it there.
    #[serde(skip)]
    pub extra: Arc<str>,
}

/// Where the journal holds a body: the step that brought it and the place of the event in that step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BodyRef {
    /// The step.
    pub seq: Seq,
    /// The event's index in the step.
    #[serde(default, skip_serializing_if = "is_default")]
    pub index: u32,
}

/// One document of a drop, each field checked by itself; whether it makes sense is the engine's to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Given by the drop, or made at the border (`msg-` and 12 hex digits of a UUID v4).
    pub id: MessageId,
    /// Whether the drop itself gave the id.
    pub id_given: bool,
    /// `from:`, or from the file's name; none means `user`, or whom a proof names.
    pub from: Option<AgentName>,
    /// An agent, an alias, a pool, or `user`.
    pub to: AgentName,
    /// `type:`.
    pub kind: Kind,
    /// `status:`: pending, or completed/failed on a result or error.
    pub status: Status,
    /// `timestamp:` as the sender wrote it.
    pub sent_at: Option<Millis>,
    /// The task that a result or error answers.
    pub in_reply_to: Option<MessageId>,
    /// The task that this one is a part of, as written.
    pub parent: Option<MessageId>,
    /// The failed message that this one repeats.
    pub retry_of: Option<MessageId>,
    /// The sender's turn token.
    pub token: Option<Token>,
    /// Not typed before these are completed.
    pub depends_on: Vec<MessageId>,
    /// `priority:`.
    pub priority: Priority,
    /// `timeout:` in ms of working time.
    pub timeout_ms: Option<u64>,
    /// `deadline:`, on the wall.
    pub deadline: Option<Millis>,
    /// Why it is refused unless it is known already: its deadline was past when it was read.
    pub late: Option<Box<Refusal>>,
    /// `on_doubt:`.
    pub on_doubt: OnDoubt,
    /// `expect:`.
    pub expect: Option<Expect>,
    /// Of the parsed fields without `timestamp` and `token`, for telling a duplicate from a conflict.
    pub digest: Digest,
    /// Content, metadata and unknown keys.
    pub body: Body,
    /// Unknown top-level keys (kept, and noted in the activity log).
    pub unknown_keys: Vec<String>,
    /// What else its sender should know, a sentence each: keys that only tasuki writes and that were left out, a content
    /// that looks like it holds a secret. For the activity log; never a reason to refuse.
    pub notes: Vec<String>,
    /// What the closed segments know of this id; filled in by the daemon before the step.
    pub known: Option<Known>,
    /// What the closed segments know of the ids in `depends_on`, `in_reply_to`, `retry_of` and `parent`; filled in by the daemon.
    pub known_refs: Vec<(MessageId, Known)>,
}

/// What is remembered of a finished message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Digest of what was accepted.
    pub digest: Digest,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done.
    Completed,
    /// Not done; the sender was told why.
    Failed,
    /// Called off.
    Cancelled,
}

impl Outcome {
    /// The contract's word for it.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Completed => Status::Completed,
            Self::Failed => Status::Failed,
            Self::Cancelled => Status::Cancelled,
        }
    }
}

/// Where a drop came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A file taken from a drop zone, now under this name in `.tasuki/claim/`.
    File {
        /// Name of the claimed file (`SEQ-ZONE-NAME`), never used twice.
        claim: Arc<str>,
        /// Name the file had in its drop zone.
        name: Arc<str>,
    },
    /// A request on the socket, answered when the message is durable.
    Request(RequestId),
}

/// Number of a request that waits for its answer; never used twice by one daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);
