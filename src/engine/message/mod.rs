//! What a message is, in four shapes:
//!
//! 1. as it came: a [`Draft`], which the border makes of each document of a drop (`wire/message/draft.rs`);
//! 2. as it was accepted, with its state: [`Message`] in [`super::state::Open`] until it ends, in [`super::state::Finished`] then;
//! 3. its event: [`super::event::Event::Accepted`], and those that move and end it, which are the journal's lines;
//! 4. its view: `wire/message/view.rs`, one type for the files, the socket, and whoever reads either.
//!
//! What most messages do not say is in [`Besides`], which goes from the draft into the accepted message as it is: a field more
//! is one there, where it is read, and in the view. Contents pass through the engine untouched as a [`Body`]; its state keeps only
//! where the journal holds one.

pub(in crate::engine) mod accept;
mod accepted;
pub(in crate::engine) mod admission;
pub(in crate::engine) mod bounces;
pub mod keys;
pub(in crate::engine) mod loop_guard;
pub mod part_answer;
pub mod refusal;
pub(in crate::engine) mod refusal_notice;
pub(in crate::engine) mod reply;
pub mod route;
pub mod seldom;
pub(in crate::engine) mod sender;
mod terms;
pub(in crate::engine) mod together;
pub(in crate::engine) mod validate;
pub(in crate::engine) mod wait_cycle;

pub use accepted::{Besides, Message};
pub use terms::{Expect, Kind, OnDoubt, Priority, Status};

use super::words::{AgentName, Digest, MessageId, Millis, Seq, Token};
use crate::engine::form::{self, is_default};
use crate::engine::message::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// What a message carries, untouched by the engine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Body {
    /// The text (`content:`).
    #[serde(with = "form::shared")]
    pub content: Arc<str>,
    /// `metadata` and unknown top-level keys as one JSON object, in their order: `{"metadata":{…},"colour":"red"}`; empty if none.
    /// It is in the journal as it is, so whoever reads and writes the journal's text puts it there.
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
    /// The sender's turn token.
    pub token: Option<Token>,
    pub priority: Priority,
    /// Why it is refused unless it is known already: its deadline was past when it was read.
    pub late: Option<Box<Refusal>>,
    pub on_doubt: OnDoubt,
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
    /// What most messages do not say; read as if it was here, and taken over as it is.
    pub besides: Besides,
}

impl Deref for Draft {
    type Target = Besides;

    fn deref(&self) -> &Besides {
        &self.besides
    }
}

impl DerefMut for Draft {
    fn deref_mut(&mut self) -> &mut Besides {
        &mut self.besides
    }
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
