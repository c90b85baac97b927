//! What is known of an agent besides the journal, to be shown where only the journal is read.

use super::engine::Engine;
use super::team::Team;
use super::words::{AgentName, Millis};
use crate::engine::screen::guard::{Guard, Shut};
use std::sync::Arc;

/// What is known of an agent besides the journal: it is found out again after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveAgent {
    /// Whether it was ready once since its launch.
    pub greeted: bool,
    /// Whether it works on something that is no open turn.
    pub busy: bool,
    /// Why it is not typed to just now, and since when it has not been.
    pub guard: Option<(Guard, Millis)>,
    /// A person's words in its input, and whether that is an input box.
    pub unsent: Option<(Arc<str>, bool)>,
}

impl Engine {
    /// What is known of an agent besides the journal.
    #[must_use]
    pub fn live_agent(&self, name: &AgentName) -> LiveAgent {
        LiveAgent {
            greeted: self.live.greeted.contains(name),
            busy: self.live.busy.contains(name),
            guard: self.live.guards.get(name).map(|shut| (shut.guard, shut.since)),
            unsent: self.live.unsent.get(name).cloned(),
        }
    }

    /// Takes that over, where only the journal is read.
    pub fn set_live_agent(&mut self, name: &AgentName, known: &LiveAgent) {
        let LiveAgent { greeted, busy, guard, unsent } = known;
        for (set, is_in) in [(&mut self.live.greeted, *greeted), (&mut self.live.busy, *busy)] {
            if is_in {
                set.insert(name.clone());
            } else {
                set.remove(name);
            }
        }
        match guard {
            Some((guard, since)) => {
                self.live.guards.insert(name.clone(), Shut { guard: *guard, since: *since });
            }
            None => {
                self.live.guards.remove(name);
            }
        }
        match unsent {
            Some(unsent) => {
                self.live.unsent.insert(name.clone(), unsent.clone());
            }
            None => {
                self.live.unsent.remove(name);
            }
        }
    }

    /// Whether the tmux server is gone, or the connection to it.
    #[must_use]
    pub fn is_tmux_lost(&self) -> bool {
        self.live.tmux_lost
    }

    /// The moment, where only the journal is read: what was due by then has been done.
    pub fn set_moment(&mut self, now: Millis) {
        self.live.fired = now;
    }

    /// Since when `queue/STOP` is there, where only the journal is read and nobody has written that yet.
    pub fn set_halted(&mut self, since: Option<Millis>) {
        self.state.halted = since;
    }

    /// Whether tmux is out of reach, and the team in force, where only the journal is read.
    pub fn set_surroundings(&mut self, tmux_lost: bool, team: &Team) {
        self.live.tmux_lost = tmux_lost;
        if self.file != *team {
            self.file = team.clone();
            self.team = team.with(&self.state.hired);
        }
    }
}
