//! The worktrees of agents that have one of their own. Each is made, or found made, before its agent starts there.

use crate::daemon::panes::orders::Launched;
use crate::engine::words::{AgentName, Nonce};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which worktrees are there, and whose start waits for one.
#[derive(Debug, Default)]
pub struct AgentTrees {
    waiting: BTreeMap<AgentName, Launched>,
    there: BTreeMap<AgentName, PathBuf>,
}

impl AgentTrees {
    /// A launch waits for its worktree; one of the same agent that waited is not wanted any more.
    pub fn wait(&mut self, launched: Launched) {
        self.waiting.insert(launched.agent.clone(), launched);
    }

    /// The launch that waits, which is to go on.
    pub fn take(&mut self, agent: &AgentName) -> Option<Launched> {
        self.waiting.remove(agent)
    }

    /// This launch is not wanted any more; whether it waited.
    pub fn give_up(&mut self, agent: &AgentName, nonce: Nonce) -> bool {
        let waits = self.waiting.get(agent).is_some_and(|launched| launched.nonce == nonce);
        waits && self.waiting.remove(agent).is_some()
    }

    /// Its worktree is there.
    pub fn found(&mut self, agent: &AgentName, path: &Path) {
        self.there.insert(agent.clone(), path.to_owned());
    }

    /// Whether this worktree is there.
    #[must_use]
    pub fn is_there(&self, agent: &AgentName, path: &Path) -> bool {
        self.there.get(agent).is_some_and(|there| there == path)
    }
}
