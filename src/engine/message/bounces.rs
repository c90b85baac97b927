//! What agents sent one another lately, so far as a loop is known by it.

use crate::engine::words::{AgentName, Millis};
use std::collections::VecDeque;

/// A content that went between two agents.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Seen {
    pub(in crate::engine) content: u64,
    /// Who sent it last.
    pub(in crate::engine) from: AgentName,
    /// How often it came back.
    pub(in crate::engine) bounces: u8,
    pub(in crate::engine) at: Millis,
}

/// What has been sent, by pairs of agents.
pub(in crate::engine) type Bounces = std::collections::BTreeMap<(AgentName, AgentName), VecDeque<Seen>>;
