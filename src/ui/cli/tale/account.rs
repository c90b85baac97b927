//! What the journal says of one message: its steps as sentences, and how long it waited, was worked on and rested. Pure.

use super::super::story::Sentence;
use crate::engine::event::{Event, Why};
use crate::engine::history as story;
use crate::engine::life::{Move, Stage, TurnKind, next};
use crate::engine::message::Message;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
use crate::wire::time;

/// One message.
#[derive(Debug, Clone)]
pub(super) struct Account {
    /// None if the segment in which it was accepted is gone.
    pub(super) message: Option<Box<Message>>,
    pub(super) steps: Vec<Step>,
    pub(super) stage: Stage,
    /// Since when it is in that stage.
    pub(super) since: Millis,
    pub(super) ended: Option<Millis>,
    pub(super) agent: Option<AgentName>,
    /// What it depends on and was not completed when it was accepted.
    pub(super) unmet: Vec<MessageId>,
    /// Why it stands where it stands.
    pub(super) note: Option<String>,
    pub(super) turns: u16,
    pub(super) reminders: u32,
    pub(super) redeliveries: u32,
    times: Times,
}

/// One step, without the message's id before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) at: Millis,
    pub(super) seq: Seq,
    pub(super) agent: Option<AgentName>,
    pub(super) text: String,
    /// Whether the next step says it too: left out where many messages are told together.
    pub(super) is_minor: bool,
}

/// Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Times {
    pub(super) waited: u64,
    pub(super) worked: u64,
    pub(super) rested: u64,
}

impl Account {
    /// Of a message of which nothing is known yet.
    pub(super) fn new(at: Millis) -> Self {
        Self {
            message: None,
            steps: Vec::new(),
            stage: Stage::accepted(Millis(0)),
            since: at,
            ended: None,
            agent: None,
            unmet: Vec::new(),
            note: None,
            turns: 0,
            reminders: 0,
            redeliveries: 0,
            times: Times::default(),
        }
    }

    /// Takes in what happened to it.
    pub(super) fn take(&mut self, at: Millis, seq: Seq, event: &Event) {
        match event {
            Event::Accepted { message, not_before, unmet, .. } => {
                *self = Self { steps: std::mem::take(&mut self.steps), ..Self::new(at) };
                self.message = Some(message.clone());
                self.stage = Stage::accepted(*not_before);
                self.unmet.clone_from(unmet);
            }
            Event::Moved { to, agent, why, .. } => self.go(at, *to, agent.as_ref(), why),
            Event::Ended { outcome, answer, why, .. } => {
                self.enter(at, Stage::Finished(*outcome));
                self.ended = Some(at);
                self.note.clone_from(why);
                let answered = answer.as_ref().map(|answer| answer.from.clone());
                self.agent = self.agent.take().or(answered);
            }
            _ => {}
        }
        if let Some(told) = story::tell(event) {
            let is_minor =
                matches!(event, Event::Moved { to: Move::Submit | Move::Claim | Move::Verify, .. });
            self.steps.push(Step { at, seq, agent: told.agent, text: told.text, is_minor });
        }
    }

    /// How long it waited, was worked on and rested until `now`.
    pub(super) fn times(&self, now: Millis) -> Times {
        let mut times = self.times;
        times.add(self.stage, now.since(self.since));
        times
    }

    fn go(&mut self, at: Millis, to: Move, agent: Option<&AgentName>, why: &Why) {
        if let Move::Intend(turn) = to {
            self.turns = self.turns.max(turn.number);
            self.redeliveries += u32::from(turn.redelivered);
            self.reminders += u32::from(turn.kind == TurnKind::Reminder && !turn.redelivered);
        }
        self.note = match why {
            Why::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.agent = match (to, agent) {
            (Move::Return { .. }, _) => None,
            (_, Some(agent)) => Some(agent.clone()),
            (_, None) => self.agent.take(),
        };
        // What cannot be is a gap in the journal: the story goes on from where it stood.
        if let Ok(stage) = next(self.stage, to) {
            self.enter(at, stage);
        }
    }

    fn enter(&mut self, at: Millis, stage: Stage) {
        self.times.add(self.stage, at.since(self.since));
        self.stage = stage;
        self.since = at;
    }
}

impl Times {
    fn add(&mut self, stage: Stage, ms: u64) {
        match stage {
            Stage::Queued { .. } | Stage::Held(_) | Stage::InDoubt(_) => self.waited += ms,
            Stage::Waiting(_) => self.rested += ms,
            Stage::Finished(_) => {}
            Stage::Intent(_)
            | Stage::Submitted(_)
            | Stage::Working(_)
            | Stage::Claimed(_)
            | Stage::Verified(_) => self.worked += ms,
        }
    }
}

impl Step {
    pub(super) fn sentence(&self, id: &MessageId) -> Sentence {
        Sentence {
            at: time::rfc3339_ms(self.at),
            seq: self.seq.0,
            id: Some(id.to_string()),
            agent: self.agent.as_ref().map(ToString::to_string),
            text: self.text.clone(),
        }
    }
}
