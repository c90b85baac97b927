//! Messages and answers in the journal: the contract's names and words (protocol.md §2), times in ms.

use super::field::{self, Wire, is_default};
use crate::engine::event::Answer;
use crate::engine::life::CompletionSource;
use crate::engine::message::seldom::Seldom;
use crate::engine::message::{Besides, Body, BodyRef, Expect, Kind, Message, OnDoubt, Outcome, Priority};
use crate::engine::words::{AgentName, Digest, MessageId, Millis, Seq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Message")]
struct MessageWire {
    #[serde(with = "field")]
    id: MessageId,
    #[serde(with = "field")]
    from: AgentName,
    #[serde(with = "field")]
    to: AgentName,
    #[serde(with = "KindWire", rename = "type")]
    kind: Kind,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    in_reply_to: Option<MessageId>,
    #[serde(with = "field", getter = "parent", default, skip_serializing_if = "is_default")]
    parent: Option<MessageId>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    retry_of: Option<MessageId>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    depends_on: Vec<MessageId>,
    #[serde(with = "PriorityWire", default, skip_serializing_if = "is_default")]
    priority: Priority,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    sent_at: Option<Millis>,
    #[serde(with = "field")]
    accepted_at: Millis,
    #[serde(default, skip_serializing_if = "is_default")]
    timeout_ms: Option<u64>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    deadline: Option<Millis>,
    #[serde(with = "OnDoubtWire", default, skip_serializing_if = "is_default")]
    on_doubt: OnDoubt,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    expect: Option<Box<Expect>>,
    #[serde(default, skip_serializing_if = "is_default")]
    hops: u8,
    #[serde(default, skip_serializing_if = "is_default")]
    verified: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    inferred: bool,
    #[serde(with = "field")]
    digest: Digest,
}

/// For the macro: that what it reads is made a message below.
fn parent(message: &Message) -> &Option<MessageId> {
    &message.parent
}

impl From<MessageWire> for Message {
    fn from(wire: MessageWire) -> Self {
        let besides = Besides {
            in_reply_to: wire.in_reply_to,
            parent: wire.parent,
            retry_of: wire.retry_of,
            depends_on: wire.depends_on,
            timeout_ms: wire.timeout_ms,
            deadline: wire.deadline,
            expect: wire.expect,
        };
        Self {
            id: wire.id,
            from: wire.from,
            to: wire.to,
            kind: wire.kind,
            priority: wire.priority,
            sent_at: wire.sent_at,
            accepted_at: wire.accepted_at,
            on_doubt: wire.on_doubt,
            hops: wire.hops,
            verified: wire.verified,
            inferred: wire.inferred,
            digest: wire.digest,
            besides: Seldom::new(besides),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Expect")]
struct ExpectWire {
    #[serde(default, skip_serializing_if = "is_default")]
    commit: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    files: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    command: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    report: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Answer")]
struct AnswerWire {
    #[serde(with = "field")]
    id: MessageId,
    #[serde(with = "KindWire", rename = "type")]
    kind: Kind,
    #[serde(with = "field")]
    from: AgentName,
    /// Stands at the top of the event, where every body stands.
    #[serde(skip)]
    body: Body,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    source: Option<CompletionSource>,
    #[serde(default, skip_serializing_if = "is_default")]
    weak: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    truncated: bool,
    #[serde(with = "field")]
    at: Millis,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "BodyRef")]
struct BodyRefWire {
    #[serde(with = "field")]
    seq: Seq,
    #[serde(default, skip_serializing_if = "is_default")]
    index: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Kind", rename_all = "snake_case")]
enum KindWire {
    Task,
    Info,
    Result,
    Error,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Priority", rename_all = "snake_case")]
enum PriorityWire {
    Low,
    Normal,
    High,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "OnDoubt", rename_all = "snake_case")]
enum OnDoubtWire {
    Resend,
    Hold,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Outcome", rename_all = "snake_case")]
enum OutcomeWire {
    Completed,
    Failed,
    Cancelled,
}

impl Wire for Message {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        MessageWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        MessageWire::deserialize(from)
    }
}

impl Wire for Expect {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ExpectWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ExpectWire::deserialize(from)
    }
}

impl Wire for Answer {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        AnswerWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        AnswerWire::deserialize(from)
    }
}

impl Wire for BodyRef {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        BodyRefWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        BodyRefWire::deserialize(from)
    }
}

impl Wire for Outcome {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        OutcomeWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        OutcomeWire::deserialize(from)
    }
}
