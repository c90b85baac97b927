//! What an agent needs before anything can be typed to it: a person, or time.
//!
//! A need has an end that its screen names, or somebody ends it, or neither is known: then its screen is looked at again, ever
//! less often, by typing what comes next where that is safe. An error row says how the last turn ended, and nothing of the next.

use crate::engine::engine::Work;
use crate::engine::event::{AgentChange, Event, Why};
use crate::engine::life::{Move, Stage};
use crate::engine::message::OnDoubt;
use crate::engine::screen::reading::Dialog;
use crate::engine::state::{Agent, Phase};
use crate::engine::team::timeouts::LOOKS_AGAIN_MS;
use crate::engine::words::{AgentName, MessageId, Millis};
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
    /// Since when.
    pub since: Millis,
    /// When it is over by itself; or, where nobody knows that, when it is looked at again.
    pub until: Option<Millis>,
    /// Whether nobody knows when it is over.
    pub open_ended: bool,
    /// Whether nothing can be typed there: no input box is shown.
    pub hidden: bool,
    /// How often it was looked at again before, since its agent last got something done.
    pub looks: u8,
    /// Whether that time has come. What its screen says stays known until it says something else.
    pub over: bool,
}

/// What kind of thing an agent needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedKind {
    /// Somebody's answer to what it asks.
    Input,
    /// Time: its provider accepts no more requests for now.
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
        same && self.why == other.why && self.hidden == other.hidden
    }

    /// Whether its turn's clock stands still: while somebody is asked, and until an end that is known.
    #[must_use]
    pub fn stops_the_clock(&self) -> bool {
        self.kind == NeedKind::Input || (self.kind == NeedKind::Limit && !self.open_ended)
    }

    /// Whether what comes next may be typed, to see whether it still is so: its screen has room for a line, and asks nothing.
    pub(in crate::engine) fn may_be_tried(&self) -> bool {
        self.asks.is_none() && !self.hidden && self.kind != NeedKind::Input
    }

    /// What its screen says, and when it is looked at again.
    pub(in crate::engine) fn told(&self) -> String {
        match self.until.filter(|_| self.open_ended) {
            Some(at) => format!("{}; checked again at {}", self.why, at.time_of_day()),
            None => self.why.to_string(),
        }
    }

    /// What a person can do about it, in words that follow a colon.
    pub(in crate::engine) fn cure(&self, name: &AgentName, current: Option<&MessageId>) -> String {
        let mut cures = match self.kind {
            NeedKind::Input if self.asks.is_some() => vec![format!("`tasuki answer {name}` answers it")],
            _ => vec![format!("`tasuki attach {name}` shows it")],
        };
        if self.asks.is_none() && self.kind != NeedKind::Input {
            cures.push(format!("`tasuki pane send --force {name} TEXT` types there anyway"));
        }
        if let Some(id) = current {
            if self.may_be_tried() {
                cures.push(format!("`tasuki retry {id}` tries it again at once"));
            }
            cures.push(format!("`tasuki cancel {id}` calls its task off"));
        }
        cures.push(format!("`tasuki agent restart {name}` restarts it"));
        cures.join(", ")
    }

    /// Whether nobody would ever look at it again: an older tasuki kept it so.
    fn is_forgotten(&self) -> bool {
        !self.over && self.kind != NeedKind::Input && self.until.is_none()
    }

    /// The same, to be looked at again after a while.
    fn put_off(&self, now: Millis) -> Self {
        let looks = self.looks.saturating_add(1);
        Self { until: Some(now.plus(looks_again_ms(looks))), open_ended: true, looks, ..self.clone() }
    }
}

/// How long it takes until a need is looked at again that has been so often.
fn looks_again_ms(looks: u8) -> u64 {
    let at = usize::from(looks).min(LOOKS_AGAIN_MS.len() - 1);
    LOOKS_AGAIN_MS[at]
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

    /// What its screen says of a need that is over, and may go on saying.
    pub(in crate::engine) fn past_need(&self) -> Option<Arc<str>> {
        self.blocked.as_ref().filter(|need| need.over).map(|need| need.why.clone())
    }

    /// Whether its program runs.
    pub(in crate::engine) fn is_up(&self) -> bool {
        matches!(self.phase, Phase::Up { .. })
    }

    /// Whether it needs somebody, and not only time.
    pub(in crate::engine) fn needs_somebody(&self) -> bool {
        self.need().is_some_and(|need| need.until.is_none() || (need.open_ended && !need.may_be_tried()))
    }

    /// Whether its turn's clock stands still.
    pub(in crate::engine) fn clock_stands(&self) -> bool {
        self.need().is_some_and(Need::stops_the_clock)
    }
}

impl Work<'_> {
    /// What an agent's screen says that it needs, nothing included.
    pub(in crate::engine) fn needs(&mut self, name: &AgentName, need: Option<Need>) {
        if need.is_some() {
            self.live.free.remove(name);
        }
        let Some(agent) = self.state.agents.get(name) else { return };
        let need = need.map(|need| self.with_a_look_again(agent, need));
        let need = match (&agent.blocked, need) {
            (None, None) => return,
            // What it says about the time may be meant of another day by now.
            (Some(before), Some(need)) if before.says(&need) && !before.is_forgotten() => return,
            (Some(before), Some(need)) if !before.over => {
                let goes_on = before.stops_the_clock() == need.stops_the_clock();
                Some(Need { since: if goes_on { before.since } else { need.since }, ..need })
            }
            (_, need) => need,
        };
        let over = need.is_none();
        self.block(name, need);
        self.live.seeking.remove(name);
        if over {
            self.offer(name);
        }
    }

    /// A need whose end nobody knows is looked at again; a dialog is somebody's to answer.
    fn with_a_look_again(&self, agent: &Agent, need: Need) -> Need {
        if need.kind == NeedKind::Input || need.until.is_some() {
            return need;
        }
        let until = Some(self.now.plus(looks_again_ms(agent.looks)));
        Need { until, open_ended: true, looks: agent.looks, ..need }
    }

    fn block(&mut self, name: &AgentName, need: Option<Need>) {
        self.emit(Event::Agent { name: name.clone(), change: AgentChange::Blocked { need } });
        self.touch(name);
    }

    /// The time of a need has come: it is over, or looked at again.
    pub(in crate::engine) fn need_due(&mut self, name: &AgentName) {
        let Some(agent) = self.state.agents.get(name) else { return };
        let Some(need) = agent.need().filter(|need| need.until.is_some_and(|until| until <= self.now)) else {
            return;
        };
        self.look_again(name, &need.clone());
    }

    /// An agent is given what waits, and told to go on with what it was in. A dialog does not go away by itself: somebody has to
    /// choose; and where nothing can be typed it is only told once more.
    pub(in crate::engine) fn look_again(&mut self, name: &AgentName, need: &Need) {
        if need.asks.is_some() && need.kind == NeedKind::Limit {
            let kind = NeedKind::Input;
            return self.block(name, Some(Need { kind, until: None, open_ended: false, ..need.clone() }));
        }
        if !need.may_be_tried() {
            return self.block(name, Some(need.put_off(self.now)));
        }
        let current = self.current_of(name);
        let looks = need.looks.saturating_add(u8::from(need.open_ended));
        self.block(name, Some(Need { over: true, looks, ..need.clone() }));
        if let Some(id) = current {
            self.go_on_with(&id);
        }
        self.offer(name);
    }

    /// The turn that met a need was called off: what its screen says of that says nothing of the next turn. An end that is known
    /// is waited for all the same.
    pub(in crate::engine) fn let_go(&mut self, name: &AgentName) {
        let need = self.state.agents.get(name).and_then(Agent::need);
        if let Some(need) = need.filter(|need| need.open_ended && need.may_be_tried()).cloned() {
            self.block(name, Some(Need { over: true, ..need }));
        }
    }

    /// The agent of a turn met an error or a limit in it: it is reminded; without tokens it cannot be, and is given the same again,
    /// unless that is not to be sent twice. What is left of its time stays as it is.
    fn go_on_with(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let again = match open.stage {
            Stage::Submitted(turn) | Stage::Working(turn) => {
                turn.token.is_none() && open.message.on_doubt == OnDoubt::Resend && !self.has_parts(id)
            }
            _ => false,
        };
        if again {
            let to = Move::Retry { not_before: Millis(0), redelivered: true };
            let why = Why::Text("what stopped its agent is over, or may be".to_owned());
            return self.go_on_in_time(id, to, why);
        }
        self.turn_over(id, false);
    }

    /// Something was typed to an agent: what its screen says from now on is new, though it be the same words.
    pub(in crate::engine) fn forget_need(&mut self, name: &AgentName) {
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
    pub(in crate::engine) fn needs_something(&self, name: &AgentName) -> bool {
        self.state.agents.get(name).is_some_and(|agent| agent.need().is_some())
    }
}
