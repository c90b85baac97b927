//! When a step is made, and what was found in tmux.

use super::words::{AgentName, Millis, Nonce, PaneId, ProcessKey};

/// What was found in tmux when the daemon, or the connection, came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPane {
    /// Whose tag it bears.
    pub agent: AgentName,
    /// Of which launch.
    pub nonce: Nonce,
    pub pane: PaneId,
    /// Its process, if it lives.
    pub process: Option<ProcessKey>,
}

/// Now, and the chance that ids and tokens are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The time, which never goes back: by it everything lasts and is told.
    pub now: Millis,
    /// The wall clock, as far as it is believed: by it deadlines pass. It may go back.
    pub wall: Millis,
    /// 64 random bits, new for each step.
    pub chance: u64,
}
