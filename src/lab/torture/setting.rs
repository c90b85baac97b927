//! What a run is given: by whoever starts it, and by its flags.

use crate::io::workspace::Surroundings;
use std::time::Duration;

/// What a run is given besides its flags.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// Folders and variables of whoever started it.
    pub around: &'a Surroundings,
    /// Whether nobody watches the progress: what is printed is JSON.
    pub json: bool,
    /// Prints a line beside the report.
    pub remark: &'a dyn Fn(&str),
}

impl std::fmt::Debug for Setting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("json", &self.json).finish_non_exhaustive()
    }
}

/// What is wished for by the flags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    pub(super) seed: u64,
    /// For how long; without it, until the numbers are reached.
    pub(super) time: Option<Duration>,
    /// Messages to give; without a number, until it is stopped.
    pub(super) messages: Option<u64>,
    /// How many kills; without a number, until it is stopped.
    pub(super) kills: Option<u64>,
    /// Between two blows, on average.
    pub(super) gap: Duration,
    /// Agents that report to the user.
    pub(super) agents: usize,
    /// How often a message is tried again.
    pub(super) retries: u16,
    /// Whether the workspace is to have a disk of its own.
    pub(super) own_disk: bool,
    /// The agents and tmux are left alone.
    pub(super) spare_agents: bool,
    /// A start that takes longer, in ms, is a finding.
    pub(super) start_limit_ms: u64,
}
