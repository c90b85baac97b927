//! An open message as it stood when a snapshot was taken.

use super::field::{self, Wire, is_default};
use super::life::StagePart;
use crate::engine::life::said::Said;
use crate::engine::message::seldom::Seldom;
use crate::engine::message::{BodyRef, Message, Outcome};
use crate::engine::state::{Open, Progress, Told};
use crate::engine::words::{AgentName, MessageId, Millis, Nonce, Token};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Error;
use std::sync::Arc;

/// All but the message and its stage; part of `kept_open`.
#[derive(Serialize, Deserialize)]
pub(super) struct OpenPart {
    #[serde(with = "field")]
    body: BodyRef,
    #[serde(with = "field")]
    since: Millis,
    #[serde(default, skip_serializing_if = "is_default")]
    attempts: u8,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    agent: Option<AgentName>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    tokens: Vec<Token>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    due: Option<Millis>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    unread: Vec<MessageId>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    answers: Vec<Told>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    unmet: Vec<MessageId>,
    #[serde(default, skip_serializing_if = "is_default")]
    turns: u16,
    #[serde(default, skip_serializing_if = "is_default")]
    reminded: bool,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    launch: Option<Nonce>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    typed_at: Option<Millis>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    note: Option<Arc<str>>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    said: Option<Box<Said>>,
}

impl OpenPart {
    /// The parts of an open message besides the message itself, which needs no copy.
    pub(super) fn split(open: &Open) -> (StagePart, Self) {
        let Open { message: _, body, stage, since, progress } = open;
        let Progress {
            attempts,
            agent,
            tokens,
            due,
            unread,
            answers,
            unmet,
            turns,
            reminded,
            launch,
            typed_at,
            note,
            said,
        } = &**progress;
        let part = Self {
            body: *body,
            since: *since,
            attempts: *attempts,
            agent: agent.clone(),
            tokens: tokens.clone(),
            due: *due,
            unread: unread.clone(),
            answers: answers.clone(),
            unmet: unmet.clone(),
            turns: *turns,
            reminded: *reminded,
            launch: *launch,
            typed_at: *typed_at,
            note: note.clone(),
            said: said.clone(),
        };
        (StagePart::from(*stage), part)
    }

    /// The open message.
    pub(super) fn join(self, message: Message, stage: StagePart) -> Result<Open, Error> {
        let Self {
            body,
            since,
            attempts,
            agent,
            tokens,
            due,
            unread,
            answers,
            unmet,
            turns,
            reminded,
            launch,
            typed_at,
            note,
            said,
        } = self;
        let stage = stage.try_into()?;
        let progress = Progress {
            attempts,
            agent,
            tokens,
            due,
            unread,
            answers,
            unmet,
            turns,
            reminded,
            launch,
            typed_at,
            note,
            said,
        };
        Ok(Open { message, body, stage, since, progress: Seldom::new(progress) })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Told")]
struct ToldWire {
    #[serde(with = "field")]
    child: MessageId,
    #[serde(with = "field")]
    from: AgentName,
    #[serde(with = "field")]
    outcome: Outcome,
    #[serde(with = "field")]
    body: BodyRef,
    #[serde(default, skip_serializing_if = "is_default")]
    refused: bool,
}

impl Wire for Told {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ToldWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ToldWire::deserialize(from)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Said")]
struct SaidWire {
    #[serde(with = "field", default = "nothing", skip_serializing_if = "str::is_empty")]
    before: Arc<str>,
    turn: u16,
    #[serde(with = "field", default = "nothing", skip_serializing_if = "str::is_empty")]
    text: Arc<str>,
    #[serde(default, skip_serializing_if = "is_default")]
    truncated: bool,
    #[serde(with = "field", default = "nothing", skip_serializing_if = "str::is_empty")]
    early: Arc<str>,
    #[serde(with = "field", default = "nothing", skip_serializing_if = "str::is_empty")]
    notice: Arc<str>,
    #[serde(default, skip_serializing_if = "is_default")]
    notice_cut: bool,
}

fn nothing() -> Arc<str> {
    "".into()
}

impl Wire for Said {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        SaidWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        SaidWire::deserialize(from)
    }
}
