//! Time: what has run out, and what that means.

use super::engine::Work;
use super::life::Stage;
use super::state::Timer;
use super::words::{AgentName, MessageId};

impl Work<'_> {
    /// Sees to every timer that has run out.
    pub(super) fn wake(&mut self) {
        let from = (self.live.fired.plus(1), Timer::FIRST);
        let due: Vec<Timer> = self
            .state
            .timers
            .range(from..)
            .take_while(|(at, _)| *at <= self.now)
            .map(|(_, timer)| timer.clone())
            .collect();
        self.live.fired = self.live.fired.max(self.now);
        for timer in due {
            match timer {
                Timer::Message(id) => self.message_due(&id),
                Timer::Agent(name) => self.agent_due(&name),
                Timer::None => {}
            }
        }
    }

    fn message_due(&mut self, id: &MessageId) {
        if self.expire(id) {
            return;
        }
        let Some(open) = self.state.open.get(id) else { return };
        match open.stage {
            Stage::Queued { .. } => {
                let queue = open.queue().clone();
                self.touch(&queue);
            }
            _ if open.due.is_some_and(|due| due <= self.now) => self.overdue(id),
            _ => {}
        }
    }

    /// Ends a message whose deadline has passed.
    fn expire(&mut self, id: &MessageId) -> bool {
        let Some(open) = self.state.open.get(id) else { return false };
        let late = open.message.deadline.is_some_and(|deadline| deadline <= self.now);
        if late {
            let why = format!("its deadline passed while it was {}", open.stage.word());
            self.fail(id, &why);
        }
        late
    }

    /// Ends what expired while the daemon was away; overdue turns are looked for on their screens first.
    pub(super) fn expire_all(&mut self) {
        let passed = self.state.timers.iter().take_while(|(at, _)| *at <= self.now);
        let ids: Vec<MessageId> = passed
            .filter_map(|(_, timer)| match timer {
                Timer::Message(id) => Some(id.clone()),
                Timer::None | Timer::Agent(_) => None,
            })
            .collect();
        for id in ids {
            self.expire(&id);
        }
    }

    /// The turn took longer than its agent may work.
    fn overdue(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let agent = open.agent.as_ref().map_or("its agent", AgentName::as_str).to_owned();
        let seconds = self.patience(open).div_ceil(1_000);
        self.fail(id, &format!("timed out: {agent} has not answered within {seconds} s"));
    }
}
