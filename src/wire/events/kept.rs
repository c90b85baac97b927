//! An ended message whose views were still owed when a snapshot was taken.

use super::field::{self, is_default};
use crate::engine::message::{BodyRef, Known, Message, Outcome};
use crate::engine::state::Finished;
use crate::engine::words::{AgentName, Millis, Seq};
use serde::{Deserialize, Serialize};

/// All but the message; part of `kept_finished`.
#[derive(Serialize, Deserialize)]
pub(super) struct FinishedPart {
    #[serde(with = "field")]
    outcome: Outcome,
    #[serde(with = "field")]
    body: BodyRef,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    answer: Option<BodyRef>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    agent: Option<AgentName>,
    #[serde(default, skip_serializing_if = "is_default")]
    attempts: u8,
    /// The step that ended it.
    #[serde(with = "field")]
    ended_in: Seq,
    #[serde(with = "field")]
    ended_at: Millis,
}

impl FinishedPart {
    /// What there is to say besides the message itself.
    pub(super) fn of(finished: &Finished) -> Self {
        let Finished { known, message: _, body, answer, agent, attempts, seq, at } = finished;
        Self {
            outcome: known.outcome,
            body: *body,
            answer: *answer,
            agent: agent.clone(),
            attempts: *attempts,
            ended_in: *seq,
            ended_at: *at,
        }
    }

    /// The ended message.
    pub(super) fn join(self, message: Box<Message>) -> Finished {
        let Self { outcome, body, answer, agent, attempts, ended_in, ended_at } = self;
        let known = Known { digest: message.digest, outcome };
        Finished { known, message, body, answer, agent, attempts, seq: ended_in, at: ended_at }
    }
}
