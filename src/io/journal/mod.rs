//! The journal: the one truth, a folder of line files that any tool can read.
//!
//! ```text
//! .tasuki/journal/
//!   000001.jsonl     a segment: one line a step, newest segment last; closed ones are never written again
//!   000001.ids       the messages that were finished in a closed segment (fingerprints.rs)
//!   reserve          room for a disk that is full (reserve.rs)
//!   damaged/         copies of bytes that did not count: SEGMENT-OFFSET-CRC
//! ```
//!
//! A line is `{"seq":…,"at":…,"boot":…,"synced":…,"crc":…,"events":[…]}` (line.rs); a segment after the first begins with
//! a snapshot, the same with `"snapshot":{…}` in place of the events, which has a number of its own. The events are
//! opaque here. `synced` is the last step that was on the disk when the line was written. It tells a power cut from a
//! fault of the disk: a step up to there must be there, a hole in what came after it is an append that never ended.
//! In a snapshot it is the last step before it that counts.
//!
//! Behind the last line there are newlines, prepared so that a flush has no size to change. How the log is read, and
//! where it ends, is in segment.rs and survey.rs; what each crash leaves is in turn.rs and open.rs.
//!
//! After a failed write nothing more is written to a segment ([`Journal::append`] refuses). The way on:
//!
//! ```text
//! append fails ─► [no_space(): free_reserve] ─► reread: a new engine from what was durable ─► start_new_segment(its snapshot)
//!                                                   ▲────────── back-off, while the machine refuses ──────────┘
//! ```

mod append;
mod archive;
mod closed;
mod disk;
mod error;
mod filter;
mod find;
mod fingerprints;
mod fsck;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod line;
mod open;
mod parts;
mod pieces;
mod read;
mod report;
mod reserve;
mod segment;
mod survey;
#[cfg(test)]
mod tests;
mod turn;

pub use archive::Archive;
pub use error::{Flaw, JournalError};
pub use fingerprints::{Extract, Fingerprint, Finished, IdHash, Walk};
pub use fsck::fsck;
pub use read::{Order, Reader, Record, scan};
pub use report::{BadIds, Damage, Gap, Report, Torn};
pub use reserve::{LOW_SPACE_BYTES, RESERVE_BYTES, free_reserve, is_short_of_space, low_space, make_reserve};

use crate::engine::words::{Digest, MessageId, Millis, Seq};
use append::{Durable, Tail};
use closed::Closed;
use disk::{Disk, Folder};
use filter::Filter;

/// The writer. It owns the folder; there is one in a workspace.
#[derive(Debug)]
pub struct Journal {
    disk: Disk,
    boot: Box<str>,
    extract: Extract,
    tail: Tail,
    next: Seq,
    next_segment: u32,
    durable: Durable,
    /// Oldest first.
    closed: Vec<Closed>,
    keep_from: u32,
    /// The failure that stopped it.
    failed: Option<String>,
    buffer: Vec<u8>,
}

/// A step to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLine {
    /// Its number: [`Journal::next_seq`] and on.
    pub seq: Seq,
    /// When it happened.
    pub at: Millis,
    /// Its events: a JSON array on one line.
    pub events: Box<str>,
}

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Number of the segment.
    pub segment: u32,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length without the newline, in bytes.
    pub len: u32,
}

/// What a line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The events of a step.
    Step,
    /// The state after the step before it.
    Snapshot,
}

/// A line that was read.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: Kind,
    /// Its number.
    pub seq: Seq,
    /// When it happened.
    pub at: Millis,
    /// Which start of the daemon wrote it.
    pub boot: &'a str,
    /// The last step that was durable when it was written.
    pub synced: Seq,
    /// Where it is.
    pub place: Location,
    /// The JSON text: an array of events, or the snapshot's object.
    pub payload: &'a str,
}

impl<'a> Entry<'a> {
    const fn new(place: Location, line: &line::Line<'a>) -> Self {
        let line::Head { kind, seq, at, boot, synced } = line.head;
        Self { kind, seq, at, boot, synced, place, payload: line.payload }
    }
}

/// What was done, counted: for tests and `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Appends that wrote something.
    pub appends: u64,
    /// Steps appended.
    pub lines: u64,
    /// Flushes of the segment that is written: one an append that must be durable.
    pub fdatasyncs: u64,
    /// Flushes of new files and of the folder: at start and at a turn.
    pub fsyncs: u64,
    /// Bytes written, prepared newlines included.
    pub bytes: u64,
    /// New segments begun.
    pub turns: u64,
}

impl Journal {
    /// Which start of the daemon writes it.
    #[must_use]
    pub fn boot(&self) -> &str {
        &self.boot
    }

    /// A reader that may be used beside the writer, on any thread.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::of(self.disk.folder.clone())
    }
}

/// The file of a segment.
pub(crate) fn segment_name(number: u32) -> String {
    format!("{number:06}.jsonl")
}

fn ids_name(number: u32) -> String {
    format!("{number:06}.ids")
}

/// The segment that a file of this name is.
pub(crate) fn segment_of(name: &str) -> Option<u32> {
    let number = name.strip_suffix(".jsonl")?.parse().ok()?;
    (segment_name(number) == name && number > 0).then_some(number)
}

/// The segments in a folder, oldest first.
fn segments_of(folder: &Folder) -> Result<Vec<u32>, JournalError> {
    let mut numbers: Vec<u32> = folder.names()?.iter().filter_map(|name| segment_of(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
