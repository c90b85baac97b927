//! What was found while the journal was read: nothing that is wrong stays unsaid.

use std::path::PathBuf;

use super::error::Flaw;
use crate::engine::words::Seq;

/// Bytes that did not count as a line. The rest of the segment was read as if they were not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Number of the segment.
    pub segment: u32,
    /// Where they begin, in bytes.
    pub offset: u64,
    /// How many they are.
    pub bytes: u64,
    /// What is wrong.
    pub flaw: Flaw,
    /// Where a copy of them lies, if one could be made (`fsck` makes none, and finds those of starts).
    pub copy: Option<PathBuf>,
    /// Whether an earlier start had found and copied them already.
    pub seen_before: bool,
}

/// Numbers of steps that are missing between two that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The first missing step.
    pub first: Seq,
    /// The last missing step.
    pub last: Seq,
}

/// The end of an append that never became durable: nobody was told of it, and it is cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Number of the segment.
    pub segment: u32,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many whole lines are among them, after the part that is missing.
    pub lines: u64,
    /// Where a copy of it lies, if one could be made (`fsck` makes none).
    pub copy: Option<PathBuf>,
}

/// A list of finished ids that could not be used; it is (or can be) made again from its segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadIds {
    /// Number of the segment.
    pub segment: u32,
    /// What is wrong with the list.
    pub why: String,
}

/// What was read, and what was found wrong on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanReport {
    /// Segments read, in the order of reading.
    pub segments: Vec<u32>,
    /// Whole lines read, snapshots among them.
    pub lines: u64,
    /// Lines of a failed append in a segment that was left for that reason: written, but never counted.
    pub uncounted: u64,
    /// Damaged places.
    pub damaged: Vec<Damage>,
    /// Missing steps. A message that was open across one may have missed something.
    pub gaps: Vec<Gap>,
    /// The torn end of the newest segment. Ordinary after a power cut.
    pub torn: Option<Torn>,
    /// Lists of finished ids that were made again (`open`) or would be (`fsck`).
    pub ids: Vec<BadIds>,
}

impl ScanReport {
    /// Whether nothing that was durable is damaged or missing. A torn end is no damage.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.gaps.is_empty() && self.ids.is_empty()
    }
}
