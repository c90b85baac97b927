//! What is known of the files of debates that were written.

use crate::engine::flow::id::FlowId;
use crate::io::folder::Stamp;
use std::collections::HashMap;

/// What was written of debates that are under way.
#[derive(Debug, Default)]
pub(super) struct DebatesWritten {
    /// By debate and round: how many roles are in the file, and the file.
    pub(super) rounds: HashMap<(FlowId, u8), (usize, Stamp)>,
}

/// What is to be written of a round, and what was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundFile {
    /// It was written for so many roles, and nobody has touched it since.
    Current,
    /// It is to be written.
    Due,
    /// So is this one, and somebody has changed or removed what was there.
    Damaged,
}
