//! Requests that wait for what becomes of turns.

use crate::engine::message::RequestId;
use crate::engine::words::{AgentName, MessageId};
use std::collections::BTreeSet;

/// A request that is answered once it is known what became of some turns.
#[derive(Debug)]
pub(in crate::engine) struct Owed {
    pub(in crate::engine) request: RequestId,
    pub(in crate::engine) id: MessageId,
    /// What has been done so far, in words.
    pub(in crate::engine) what: String,
    /// Whose turns are awaited.
    pub(in crate::engine) agents: BTreeSet<AgentName>,
}
