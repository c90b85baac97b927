//! The segment that is being written, and how much of it is on the disk.

use super::disk::Named;
use crate::engine::words::{Millis, Seq};

/// The segment that is being written.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) number: u32,
    pub(super) file: Named,
    /// Where the next line begins.
    pub(super) end: u64,
    /// How far there are newlines in front of it.
    pub(super) prepared: u64,
    /// Time of its first line.
    pub(super) began: Option<Millis>,
    pub(super) snapshot_bytes: u64,
    pub(super) steps: u64,
    /// Whether its snapshot is of no use, so that it should be left soon.
    pub(super) headless: bool,
}

/// Up to where everything is known to be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Durable {
    pub(super) seq: Seq,
    /// In bytes of the newest segment.
    pub(super) end: u64,
}
