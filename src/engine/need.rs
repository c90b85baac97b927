//! What an agent needs before anything can be typed to it: a person, or time.

use super::deliver::Hands;
use super::engine::Work;
use super::event::{AgentChange, Event};
use super::life::Stage;
use super::message::OnDoubt;
use super::reading::Dialog;
use super::state::{Agent, Phase};
use super::words::{AgentName, MessageId, Millis};
use std::sync::Arc;

/// What an agent needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What kind of thing.
    pub kind: NeedKind,
    /// What its screen says, in one line.
    pub why: Arc<str>,
    /// What it asks, if it shows a dialog.
    pub asks: Option<Arc<Dialog>>,
    /// Since when: its turns' clock stands still from then on.
    pub since: Millis,
    /// When it is over by itself, if that is known.
    pub until: Option<Millis>,
    /// Whether that time has come. What its screen says stays known until it says something else.
    pub over: bool,
}

/// What kind of thing an agent needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedKind {
    /// Somebody's answer to what it asks.
    Input,
    /// Time: its provider takes no more requests for now.
    Limit,
    /// Somebody who mends it.
    Repair,
}

impl Need {
    /// Whether a screen that says this says nothing new.
    fn says(&self, other: &Self) -> bool {
        let asks_the_same = self.asks == other.asks;
        let same = match (self.kind, other.kind) {
            (NeedKind::Limit, NeedKind::Limit) => self.asks.is_some() == other.asks.is_some(),
            // The dialog of a limit that is over.
            (NeedKind::Input, NeedKind::Limit) => {
                let words =
                    |need: &Self| need.asks.as_ref().map(|asks| (asks.text.clone(), asks.choices.clone()));
                words(self).is_some() && words(self) == words(other)
            }
            (kind, other) => kind == other && asks_the_same,
        };
        same && self.why == other.why
    }
}

impl NeedKind {
    /// The state of an agent that needs this, as its status file has it.
    #[must_use]
    pub const fn state(self) -> &'static str {
        match self {
            Self::Input => "waiting_input",
            Self::Limit => "rate_limited",
            Self::Repair => "error",
        }
    }
}

/// Who answered what an agent asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnsweredBy {
    /// Somebody, with `tasuki answer`.
    Person,
    /// Its profile, which was told to.
    Profile,
}

impl AnsweredBy {
    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Person => "a person",
            Self::Profile => "its profile",
        }
    }
}

impl Agent {
    /// What it needs at this moment.
    #[must_use]
    pub fn need(&self) -> Option<&Need> {
        self.blocked.as_ref().filter(|need| !need.over)
    }

    /// What its screen says of a limit that is over, and may go on saying.
    pub(super) fn past_limit(&self) -> Option<Arc<str>> {
        let past = self.blocked.as_ref().filter(|need| need.over && need.kind == NeedKind::Limit);
        past.map(|need| need.why.clone())
    }

    /// Whether its program runs.
    pub(super) fn is_up(&self) -> bool {
        matches!(self.phase, Phase::Up { .. })
    }

    /// Whether it needs somebody, and not only time.
    pub(super) fn needs_somebody(&self) -> bool {
        self.need().is_some_and(|need| need.until.is_none())
    }
}

impl Work<'_> {
    /// What an agent's screen says that it needs, nothing included.
    pub(super) fn needs(&mut self, name: &AgentName, need: Option<Need>) {
        let Some(agent) = self.state.agents.get(name) else { return };
        let need = match (&agent.blocked, need) {
            (None, None) => return,
            // What it says about the time may be meant of another day by now.
            (Some(before), Some(need)) if before.says(&need) => return,
            (Some(before), Some(need)) if !before.over => Some(Need { since: before.since, ..need }),
            (_, need) => need,
        };
        let over = need.is_none();
        self.emit(Event::Agent { name: name.clone(), change: AgentChange::Blocked { need } });
        self.live.seeking.remove(name);
        self.touch(name);
        if over {
            self.offer(name);
        }
    }

    /// The time is over that an agent needed: it is given what waits, and told to go on with what it was in. A dialog does not go
    /// away by itself: somebody has to choose.
    pub(super) fn need_due(&mut self, name: &AgentName) {
        let Some(agent) = self.state.agents.get(name) else { return };
        let Some(need) = agent.need().filter(|need| need.until.is_some_and(|until| until <= self.now)) else {
            return;
        };
        if need.asks.is_some() {
            let need = Need { kind: NeedKind::Input, until: None, ..need.clone() };
            self.emit(Event::Agent { name: name.clone(), change: AgentChange::Blocked { need: Some(need) } });
            return self.touch(name);
        }
        let (need, current) = (Need { over: true, ..need.clone() }, agent.current.clone());
        self.emit(Event::Agent { name: name.clone(), change: AgentChange::Blocked { need: Some(need) } });
        self.touch(name);
        if let Some(id) = current {
            self.go_on_with(&id);
        }
        self.offer(name);
    }

    /// The agent of a turn met a limit in it, which is over: it is reminded; without tokens it cannot be, and is given the same again,
    /// unless that is not to be sent twice.
    fn go_on_with(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let again = match open.stage {
            Stage::Submitted(turn) | Stage::Working(turn) => {
                turn.token.is_none() && open.message.on_doubt == OnDoubt::Resend && !self.has_parts(id)
            }
            _ => false,
        };
        if again {
            let why = "the limit that its agent met is over";
            return self.put_off(id, why, Millis(0), true, Hands::Same);
        }
        self.turn_over(id);
    }

    /// Something was typed to an agent: what its screen says from now on is new, though it be the same words.
    pub(super) fn forget_need(&mut self, name: &AgentName) {
        if self
            .state
            .agents
            .get(name)
            .is_some_and(|agent| agent.blocked.as_ref().is_some_and(|need| need.over))
        {
            self.emit(Event::Agent { name: name.clone(), change: AgentChange::Blocked { need: None } });
        }
    }

    /// Whether what an agent needs keeps it from its work.
    pub(super) fn needs_something(&self, name: &AgentName) -> bool {
        self.state.agents.get(name).is_some_and(|agent| agent.need().is_some())
    }
}
