//! What the journal says of one message: its steps as sentences, and how long it waited, was worked on and rested. Pure.

use super::step::step;
use crate::engine::event::{Event, Why};
use crate::engine::life::{Category, Move, Spent, Stage, StageName, TurnKind, next};
use crate::engine::message::{Message, Outcome};
use crate::engine::team::need::NeedKind;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
use crate::read::titles::title_of;
use crate::wire::api::{HistoryStepInfo, SpanInfo};
use crate::wire::time::rfc3339_ms;

/// The history of one message.
#[derive(Debug, Clone)]
pub struct MessageHistory {
    /// All but its content; none if the segment in which it was accepted is gone.
    pub message: Option<Box<Message>>,
    /// The first line of its content.
    pub title: Option<String>,
    /// What happened to it, in order.
    pub steps: Vec<HistoryStepInfo>,
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
    spans: Vec<Span>,
    /// Whether its agent needs a person or time, and whether it rests because it asks.
    blocked: Option<NeedKind>,
    blocked_since: Millis,
    asks: bool,
    /// Whether it has no parts: where it rests, it is its agent or a person who is waited for.
    pub(super) is_alone: bool,
}

/// A stretch of its time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    how: &'static str,
    agent: Option<AgentName>,
    from: Millis,
}

/// Where a message's time went, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// In a queue, held, or in doubt.
    pub waited: u64,
    /// With its agent, which could work.
    pub worked: u64,
    /// With its agent, which asked a person or waited for a limit to pass.
    pub stopped: u64,
    /// Resting for answers.
    pub rested: u64,
}

impl MessageHistory {
    /// Of a message of which nothing is known yet.
    #[must_use]
    pub fn new(at: Millis) -> Self {
        Self {
            message: None,
            title: None,
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
            spans: Vec::new(),
            blocked: None,
            blocked_since: at,
            asks: false,
            is_alone: false,
        }
    }

    /// Takes in what happened to it.
    pub fn take(&mut self, at: Millis, seq: Seq, event: &Event) {
        let to = self.message.as_ref().map(|message| &message.to);
        let whose = self.agent.as_ref().or(to).cloned();
        match event {
            Event::Accepted { message, not_before, unmet, body, .. } => {
                *self = Self { steps: std::mem::take(&mut self.steps), ..Self::new(at) };
                self.message = Some(message.clone());
                self.title = Some(title_of(&body.content)).filter(|title| !title.is_empty());
                self.stage = Stage::accepted(*not_before);
                self.unmet.clone_from(unmet);
                self.span(at);
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
        if let Event::Ended { outcome: Outcome::Failed, .. } = event {
            // It was reported done by what failed it, in one step.
            self.steps
                .retain(|step| step.seq != seq.0 || !matches!(&*step.event.what, "claimed" | "verified"));
        }
        if let Some(mut step) = step((at, seq), event, whose.as_ref()) {
            step.event.turn = step.event.turn.or_else(|| Some(self.stage.turn()?.number));
            self.steps.push(step);
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
        let stopped = times.stopped + self.stopped(now);
        // What is stopped is with its agent all the same.
        Times { stopped, worked: times.worked.saturating_sub(stopped), ..times }
    }

    /// Who had it, and how, oldest first.
    #[must_use]
    pub fn spans(&self) -> Vec<SpanInfo> {
        let ends = self.spans.iter().skip(1).map(|next| Some(next.from)).chain([self.ended]);
        let spans = self.spans.iter().zip(ends);
        // What was over at once is no stretch.
        let spans = spans.filter(|(span, end)| *end != Some(span.from));
        spans
            .map(|(span, end)| SpanInfo {
                how: span.how.to_owned(),
                agent: span.agent.as_ref().map(ToString::to_string),
                from: rfc3339_ms(span.from),
                to: end.map(rfc3339_ms),
            })
            .collect()
    }

    /// Its agent needs somebody, or time, from now on, or no longer.
    pub(super) fn block(&mut self, at: Millis, need: Option<NeedKind>) {
        self.times.stopped += self.stopped(at);
        (self.blocked, self.blocked_since) = (need, at);
        if self.ended.is_none() {
            self.span(at);
        }
    }

    /// For how long its agent could not work on it, since that was counted last.
    fn stopped(&self, now: Millis) -> u64 {
        let is_stopped = self.blocked.is_some() && self.stage.name().spent() == Spent::ByAgent;
        if is_stopped { now.since(self.blocked_since.max(self.since)) } else { 0 }
    }

    /// Begins a stretch, if it is another than before.
    fn span(&mut self, at: Millis) {
        let how = match self.stage.category() {
            Category::UnderWay if self.stage.is_in_doubt() => "doubt",
            Category::UnderWay | Category::Waiting if self.blocked == Some(NeedKind::Limit) => "limit",
            Category::UnderWay | Category::Waiting if self.blocked.is_some() => "person",
            Category::Queued => "queue",
            Category::UnderWay | Category::Closing => "work",
            Category::Waiting if self.asks || self.is_alone => "person",
            Category::Waiting => "parts",
            Category::Held => "person",
            Category::Ended => return,
        };
        let agent = self.agent.clone();
        let is_same = |last: &Span| last.how == how && last.agent == agent;
        // Stretches of one kind and agent that follow each other are one.
        while self.spans.last().is_some_and(|last| last.from == at) {
            self.spans.pop();
        }
        if !self.spans.last().is_some_and(is_same) {
            self.spans.push(Span { how, agent, from: at });
        }
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
        self.times.stopped += self.stopped(at);
        self.blocked_since = at;
        let had = self.agent.clone();
        self.asks = matches!(to, Move::Ask);
        self.agent = match (to, agent) {
            (Move::Return { .. }, _) => None,
            (_, Some(agent)) => Some(agent.clone()),
            (_, None) => self.agent.take(),
        };
        self.blocked = self.blocked.take().filter(|_| had == self.agent);
        // What cannot be is a gap in the journal: the history goes on from where it was.
        if let Ok(stage) = next(self.stage, to) {
            self.enter(at, stage);
        }
    }

    fn enter(&mut self, at: Millis, stage: Stage) {
        self.times.add(self.stage, at.since(self.since));
        self.times.stopped += self.stopped(at);
        self.blocked_since = at;
        self.stage = stage;
        self.since = at;
        self.span(at);
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
