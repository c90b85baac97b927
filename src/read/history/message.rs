//! What the journal says of one message: its steps as sentences, and how long it waited, was worked on and rested. Pure.

use super::sentence::Sentence;
use crate::engine::event::{Event, Why};
use crate::engine::history;
use crate::engine::life::{Move, Spent, Stage, StageName, TurnKind, next};
use crate::engine::message::Message;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};

/// The history of one message.
#[derive(Debug, Clone)]
pub struct MessageHistory {
    /// All but its content; none if the segment in which it was accepted is gone.
    pub message: Option<Box<Message>>,
    /// What happened to it, in order.
    pub steps: Vec<HistoryStep>,
    stage: Stage,
    /// Since when it is in that stage.
    pub since: Millis,
    pub ended: Option<Millis>,
    /// Who works on it, or worked.
    pub agent: Option<AgentName>,
    /// What it depends on and was not completed when it was accepted.
    pub unmet: Vec<MessageId>,
    /// Why it is where it is.
    pub note: Option<String>,
    /// Turns that it was given.
    pub turns: u16,
    /// Of these, reminders.
    pub reminders: u32,
    /// Turns that were typed again.
    pub redeliveries: u32,
    times: Times,
}

/// One step, without the message's id before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryStep {
    pub at: Millis,
    /// Number of the step in the journal.
    pub seq: Seq,
    /// The agent it is about.
    pub agent: Option<AgentName>,
    /// What happened.
    pub text: String,
    /// Whether the next step says it too: left out where many messages are told together.
    pub is_minor: bool,
}

/// Where a message's time went, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// In a queue, held, or in doubt.
    pub waited: u64,
    /// With its agent.
    pub worked: u64,
    /// Resting for answers.
    pub rested: u64,
}

impl MessageHistory {
    /// Of a message of which nothing is known yet.
    #[must_use]
    pub fn new(at: Millis) -> Self {
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
    pub fn take(&mut self, at: Millis, seq: Seq, event: &Event) {
        let to = self.message.as_ref().map(|message| &message.to);
        let whose = self.agent.as_ref().or(to).cloned();
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
        if let Some(told) = history::tell(event, whose.as_ref()) {
            let is_minor =
                matches!(event, Event::Moved { to: Move::Submit | Move::Claim | Move::Verify, .. });
            self.steps.push(HistoryStep { at, seq, agent: told.agent, text: told.text, is_minor });
        }
    }

    /// Where it is.
    #[must_use]
    pub fn stage(&self) -> StageName {
        self.stage.name()
    }

    /// Before which moment it is not typed, where it is queued.
    #[must_use]
    pub fn not_before(&self) -> Option<Millis> {
        self.stage.not_before()
    }

    /// How long it waited, was worked on and rested until `now`.
    #[must_use]
    pub fn times(&self, now: Millis) -> Times {
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
        // What cannot be is a gap in the journal: the history goes on from where it was.
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
        match stage.name().spent() {
            Spent::InQueue => self.waited += ms,
            Spent::ByAgent => self.worked += ms,
            Spent::OnAnswers => self.rested += ms,
            Spent::Over => {}
        }
    }
}

impl HistoryStep {
    /// As it is printed, in the history of this message.
    #[must_use]
    pub fn sentence(&self, id: &MessageId) -> Sentence {
        Sentence::new((self.at, self.seq), (Some(id), self.agent.as_ref()), self.text.clone())
    }
}
