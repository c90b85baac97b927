//! A message as it was accepted, and its form in an event: all its members side by side, in the order of the contract
//! (protocol.md §2), times in ms.

use super::terms::{Expect, Kind, OnDoubt, Priority};
use crate::engine::flow::id::StepRef;
use crate::engine::form::{self, is_default};
use crate::engine::message::seldom::{Seldom, Usual};
use crate::engine::words::{AgentName, Digest, MessageId, Millis};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

/// An accepted message without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    /// Who sent it.
    pub from: AgentName,
    /// Who is to get it: an agent (aliases resolved), a pool, or `user`.
    pub to: AgentName,
    pub kind: Kind,
    /// When its sender wrote it, as far as it said so.
    pub sent_at: Option<Millis>,
    pub accepted_at: Millis,
    /// Order in the queue.
    pub priority: Priority,
    pub on_doubt: OnDoubt,
    /// How many hands it went through since `user`.
    pub hops: u8,
    /// Whether the sender proved who it is.
    pub verified: bool,
    /// Whether it said nothing of the task that it belongs to, which is the one that its sender had then.
    pub inferred: bool,
    /// Digest of the draft.
    pub digest: Digest,
    /// What most messages do not say; read as if it was here.
    pub besides: Seldom<Besides>,
}

/// What most messages do not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Besides {
    /// The task it answers.
    pub in_reply_to: Option<MessageId>,
    /// The task it is a part of; see [`Message::part_of`].
    pub parent: Option<MessageId>,
    /// Not typed before these are completed.
    pub depends_on: Vec<MessageId>,
    /// Working time it may take, in ms; none means the agent's own limit.
    pub timeout_ms: Option<u64>,
    /// When it is too late.
    pub deadline: Option<Millis>,
    /// Evidence that closes it.
    pub expect: Option<Box<Expect>>,
    /// The failed message that this one tries again.
    pub retry_of: Option<MessageId>,
    /// The step of a flow that it is.
    pub step: Option<Box<StepRef>>,
    /// The folder in which it is done, if that is not where its agent works anyway.
    pub folder: Option<Arc<str>>,
}

impl Usual for Besides {
    fn usual() -> &'static Self {
        static NOTHING: OnceLock<Besides> = OnceLock::new();
        NOTHING.get_or_init(Besides::default)
    }
}

impl Deref for Message {
    type Target = Besides;

    fn deref(&self) -> &Besides {
        &self.besides
    }
}

impl DerefMut for Message {
    fn deref_mut(&mut self) -> &mut Besides {
        &mut self.besides
    }
}

impl Message {
    /// Whether it asks for the steps of a flow: its answer is a plan.
    #[must_use]
    pub fn asks_for_plan(&self) -> bool {
        self.step.as_deref().is_some_and(|step| step.step.is_none())
    }

    /// The task that waits for this one: that in which an agent asked for it. What a person writes as `parent` only says
    /// what belongs together.
    #[must_use]
    pub fn part_of(&self) -> Option<&MessageId> {
        self.parent.as_ref().filter(|_| self.kind == Kind::Task && !self.from.is_user())
    }
}

/// The same as its event has it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Message")]
struct Flat {
    id: MessageId,
    from: AgentName,
    to: AgentName,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default, skip_serializing_if = "is_default")]
    in_reply_to: Option<MessageId>,
    #[serde(getter = "parent", default, skip_serializing_if = "is_default")]
    parent: Option<MessageId>,
    #[serde(default, skip_serializing_if = "is_default")]
    retry_of: Option<MessageId>,
    #[serde(default, skip_serializing_if = "is_default")]
    depends_on: Vec<MessageId>,
    #[serde(default, skip_serializing_if = "is_default")]
    priority: Priority,
    #[serde(default, skip_serializing_if = "is_default")]
    sent_at: Option<Millis>,
    accepted_at: Millis,
    #[serde(default, skip_serializing_if = "is_default")]
    timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    deadline: Option<Millis>,
    #[serde(default, skip_serializing_if = "is_default")]
    on_doubt: OnDoubt,
    #[serde(default, skip_serializing_if = "is_default")]
    expect: Option<Box<Expect>>,
    #[serde(default, skip_serializing_if = "is_default")]
    hops: u8,
    #[serde(default, skip_serializing_if = "is_default")]
    verified: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    inferred: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    step: Option<Box<StepRef>>,
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    folder: Option<Arc<str>>,
    digest: Digest,
}

/// For the macro: that what it reads is made a message below.
fn parent(message: &Message) -> &Option<MessageId> {
    &message.parent
}

impl From<Flat> for Message {
    fn from(flat: Flat) -> Self {
        let besides = Besides {
            in_reply_to: flat.in_reply_to,
            parent: flat.parent,
            retry_of: flat.retry_of,
            depends_on: flat.depends_on,
            timeout_ms: flat.timeout_ms,
            deadline: flat.deadline,
            expect: flat.expect,
            step: flat.step,
            folder: flat.folder,
        };
        Self {
            id: flat.id,
            from: flat.from,
            to: flat.to,
            kind: flat.kind,
            priority: flat.priority,
            sent_at: flat.sent_at,
            accepted_at: flat.accepted_at,
            on_doubt: flat.on_doubt,
            hops: flat.hops,
            verified: flat.verified,
            inferred: flat.inferred,
            digest: flat.digest,
            besides: Seldom::new(besides),
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Flat::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Flat::deserialize(from)
    }
}
