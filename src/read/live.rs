//! What is shown and is not in the journal: which agents are free, what they do, and what is amiss.

use crate::engine::live::LiveAgent;
use crate::engine::words::{AgentName, Millis};
use crate::wire::api::DaemonInfo;
use crate::wire::team_file::Settings;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a daemon says of itself and of its agents besides the journal.
#[derive(Debug, Clone, Default)]
pub struct Live {
    /// The daemon; none if none runs.
    pub daemon: Option<DaemonInfo>,
    /// The team in force; none if its file cannot be used and no daemon runs.
    pub settings: Option<Arc<Settings>>,
    /// Agents of which anything is known.
    pub agents: BTreeMap<AgentName, Arc<LiveInfo>>,
    /// What does not work as it should.
    pub notes: Vec<String>,
    /// Whether the tmux server is gone.
    pub tmux_lost: bool,
    /// Counts each change: whoever has seen this one has nothing new to see.
    pub version: u64,
}

/// What is known of an agent besides the journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveInfo {
    /// What the engine knows.
    pub known: LiveAgent,
    /// Another word than the engine's state, while its result is being written.
    pub state: Option<&'static str>,
    /// The last meaningful line of its pane.
    pub doing: Option<Arc<str>>,
    /// Since when it is in its state.
    pub since: Option<Millis>,
    /// Whether its process has ended though nobody has written that yet.
    pub has_ended: bool,
}
