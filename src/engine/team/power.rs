//! What the team file may let an agent command, and whose.

use crate::engine::words::AgentName;
use std::collections::{BTreeMap, BTreeSet};

/// What the team file may let an agent do (`may:`), each called like its verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Power {
    /// Call messages off.
    Cancel,
    /// Let held messages go on.
    Retry,
    /// Start, stop, restart, hire and dismiss agents.
    Agent,
    /// Type into panes, and clear them.
    Pane,
    /// Make and remove `queue/STOP`.
    Stop,
    /// End the daemon.
    Down,
}

/// What each agent may command besides what is its own, and whose.
pub type Powers = BTreeMap<AgentName, BTreeMap<Power, Whose>>;

/// Whose agents and messages a power is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    Everybodys,
    /// Those of these agents.
    Of(BTreeSet<AgentName>),
}

impl Whose {
    /// Over those of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Of(names), Self::Of(others)) => Self::Of(names.union(others).cloned().collect()),
            _ => Self::Everybodys,
        }
    }
}

impl Power {
    /// All, in the order of the documents.
    pub const ALL: [Self; 6] = [Self::Cancel, Self::Retry, Self::Agent, Self::Pane, Self::Stop, Self::Down];

    /// The word in `may:`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Retry => "retry",
            Self::Agent => "agent",
            Self::Pane => "pane",
            Self::Stop => "stop",
            Self::Down => "down",
        }
    }

    /// Whether it is over one agent at a time, and not over all that is there.
    #[must_use]
    pub const fn has_whose(self) -> bool {
        !matches!(self, Self::Stop | Self::Down)
    }
}
