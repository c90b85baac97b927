//! What an agent needs before anything can be typed to it: a person, or time.
//!
//! A need has an end that its screen names, or somebody ends it, or neither is known: then its screen is looked at again, ever
//! less often, by typing what comes next where that is safe. An error row says how the last turn ended, and nothing of the next.

use crate::engine::engine::Work;
use crate::engine::event::{AgentChange, Event, Why};
use crate::engine::life::Move;
use crate::engine::message::OnDoubt;
use crate::engine::state::{Agent, Phase};
use crate::engine::team::need::{Need, NeedKind, looks_again_ms};
use crate::engine::words::{AgentName, MessageId, Millis};
use std::sync::Arc;

impl Agent {
    /// What it needs at this moment.
    #[must_use]
    pub fn need(&self) -> Option<&Need> {
        self.blocked.as_ref().filter(|need| !need.over)
    }

    /// What its screen says of a need that is over, and may go on saying.
    pub(in crate::engine) fn past_need(&self) -> Option<Arc<str>> {
        self.blocked.as_ref().filter(|need| need.is_past()).map(|need| need.why.clone())
    }

    /// Whether its program runs.
    pub(in crate::engine) fn is_up(&self) -> bool {
        matches!(self.phase, Phase::Up { .. })
    }

    /// Whether it needs somebody, and not only time.
    pub(in crate::engine) fn needs_somebody(&self) -> bool {
        self.need().is_some_and(|need| need.until.is_none() || (need.open_ended && !need.may_be_tried()))
    }

    /// Whether its turn's clock is stopped.
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
        let over = need.is_none();
        let need = match (&agent.blocked, need) {
            (None, None) => return,
            (Some(before), None) if before.passed.is_some() => return,
            (Some(before), None) if before.over => Some(before.passed_at(self.now)),
            // What it says about the time may be meant of another day by now.
            (Some(before), Some(need))
                if before.passed.is_none() && before.says(&need) && !before.is_forgotten() =>
            {
                return;
            }
            (Some(before), Some(need)) => {
                let goes_on = !before.over && before.stops_the_clock() == need.stops_the_clock();
                let since = if goes_on { before.since } else { need.since };
                Some(Need { since, ..need }.found_after(before, self.now))
            }
            (_, need) => need,
        };
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
            return self.block(name, Some(need.postpone(self.now)));
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
        let turn = open.stage.turn().filter(|turn| open.stage.is_worked_on() && turn.token.is_none());
        if turn.is_some() && open.message.on_doubt == OnDoubt::Resend && !self.has_parts(id) {
            let to = Move::Retry { not_before: Millis(0), redelivered: true };
            let why = Why::Text("what stopped its agent is over, or may be".to_owned());
            return self.go_on_in_time(id, to, why);
        }
        self.turn_over(id, false);
    }

    /// Something was typed to an agent: what its screen says from now on is new, though it be the same words.
    pub(in crate::engine) fn forget_need(&mut self, name: &AgentName) {
        let past = self.state.agents.get(name).and_then(|agent| agent.blocked.as_ref());
        if let Some(need) = past.filter(|need| need.is_past()).map(|need| need.passed_at(self.now)) {
            self.emit(Event::Agent { name: name.clone(), change: AgentChange::Blocked { need: Some(need) } });
        }
    }

    /// Whether what an agent needs keeps it from its work.
    pub(in crate::engine) fn needs_something(&self, name: &AgentName) -> bool {
        self.state.agents.get(name).is_some_and(|agent| agent.need().is_some())
    }
}
