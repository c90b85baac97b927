//! The rotation of segments, as the loop sees it.

use crate::engine::input::Input;
use crate::engine::words::MessageId;
use std::collections::{BTreeSet, VecDeque};

/// How far a rotation is. Meanwhile nothing is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RotationStage {
    /// None is wanted.
    #[default]
    No,
    /// Steps and views under way are being written.
    Draining,
    /// The views are being made durable.
    Syncing,
    /// The new segment is being written.
    Writing,
}

impl RotationStage {
    /// Whether the views are being made durable or the snapshot is being written: nothing may change until that is done.
    #[must_use]
    pub fn is_making_snapshot(self) -> bool {
        matches!(self, Self::Syncing | Self::Writing)
    }
}

/// What is kept for it and over it.
#[derive(Debug, Default)]
pub struct Rotation {
    pub(in crate::daemon) stage: RotationStage,
    /// What came while the snapshot was being made: a step then would take its number, or be newer than the views on
    /// the disk. At most what the workers that are ending still say, since nothing else is heard meanwhile.
    pub(in crate::daemon) held_back: VecDeque<Input>,
    /// Messages that ended in earlier segments and are still kept, since their views may be owed: after a write to the
    /// journal has failed, in this life or in one before, or since they could not be written.
    pub(in crate::daemon) closed: BTreeSet<MessageId>,
    /// Those of which the snapshot that is being written says so.
    pub(in crate::daemon) owed: BTreeSet<MessageId>,
}
