//! Time: what has run out, and what that means.

use crate::engine::engine::{Engine, Work};
use crate::engine::state::{Agent, Timer};
use crate::engine::words::{AgentName, MessageId};
use std::collections::BTreeSet;

impl Engine {
    /// Messages for which no time runs out: of each it was said already that it is over, which is to be heard before that.
    pub fn spare(&mut self, messages: BTreeSet<MessageId>) {
        self.live.spared = messages;
    }

    /// Whether a timer has run out of a message that was spared then and is not now: it wants an [`crate::engine::input::Input::Wake`].
    #[must_use]
    pub fn has_put_off(&self) -> bool {
        let late = self.state.deadlines.iter().take_while(|(at, _)| *at <= self.live.judged);
        let late = late.filter_map(|(_, timer)| timer.message());
        self.live.postponed.iter().chain(late).any(|id| !self.live.spared.contains(id))
    }
}

impl Work<'_> {
    /// Sees to every timer that has run out.
    pub(in crate::engine) fn wake(&mut self) {
        self.expire_all();
        let from = (self.live.fired.plus(1), Timer::FIRST);
        let due: Vec<Timer> = self
            .state
            .timers
            .range(from..)
            .take_while(|(at, _)| *at <= self.now)
            .map(|(_, timer)| timer.clone())
            .collect();
        let postponed = std::mem::take(&mut self.live.postponed).into_iter().map(Timer::Message);
        let due: Vec<Timer> = postponed.chain(due).collect();
        self.live.fired = self.live.fired.max(self.now);
        for timer in due {
            match timer {
                Timer::Message(id) if self.live.spared.contains(&id) => drop(self.live.postponed.insert(id)),
                Timer::Message(id) => self.message_due(&id),
                Timer::Agent(name) => self.agent_due(&name),
                Timer::None => {}
            }
        }
    }

    fn message_due(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let agent = open.agent.as_ref().and_then(|name| self.state.agents.get(name));
        match open.stage {
            stage if stage.is_queued() => {
                let queue = open.queue().clone();
                self.touch(&queue);
            }
            // Its clock stops while its agent waits for somebody, or for an end that is known.
            _ if agent.is_some_and(Agent::clock_stands) => {}
            _ if open.due.is_some_and(|due| due <= self.now) => self.overdue(id),
            _ => {}
        }
    }

    /// Ends every message whose deadline has passed, as the wall clock says: before anything else is seen to, and what passed
    /// while the daemon was away before an overdue turn is looked for on its screen.
    pub(in crate::engine) fn expire_all(&mut self) {
        let passed = self.state.deadlines.iter().take_while(|(at, _)| *at <= self.wall);
        let late: Vec<Timer> = passed.map(|(_, timer)| timer.clone()).collect();
        self.live.judged = self.wall;
        for timer in late {
            let Timer::Message(id) = timer else { continue };
            // What was claimed in time is in time; its check says what becomes of it.
            if self.live.spared.contains(&id) || self.state.claimed.contains(&id) {
                continue;
            }
            let Some(open) = self.state.open.get(&id) else { continue };
            let why = format!("its deadline passed while it was {}", open.stage.word());
            self.fail_in_time(&id, &why);
        }
    }

    /// The turn took longer than its agent may work.
    fn overdue(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let agent = open.agent.as_ref().map_or("its agent", AgentName::as_str).to_owned();
        let seconds = self.longest_ms(open).div_ceil(1_000);
        let need = open.agent.as_ref().and_then(|name| self.state.agents.get(name)?.need());
        let says = need.map(|need| format!("; its screen says: {}", need.why)).unwrap_or_default();
        self.fail_in_time(id, &format!("timed out: {agent} has not answered within {seconds} s{says}"));
    }
}
