//! The documents of one file: they are accepted together, and know of one another.

use crate::engine::words::{AgentName, MessageId};
use std::collections::BTreeMap;

/// The documents of one file.
#[derive(Debug, Default)]
pub(in crate::engine) struct Together {
    /// On what each depends.
    pub(in crate::engine) all: BTreeMap<MessageId, Beside>,
    /// Those that were looked at and are parts, by their tasks.
    pub(in crate::engine) parts: BTreeMap<MessageId, Vec<MessageId>>,
}

/// What a document needs, as far as the others of its file must know.
#[derive(Debug, Default)]
pub(in crate::engine) struct Beside {
    pub(in crate::engine) depends_on: Vec<MessageId>,
    /// Who is to do it, aliases resolved.
    pub(in crate::engine) to: Option<AgentName>,
}
