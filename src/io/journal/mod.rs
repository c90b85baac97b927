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
//! where it ends, is in segment.rs and tail_scan.rs; what each crash leaves is in rotate.rs and open.rs.
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
mod counters;
mod disk;
mod entry;
mod error;
mod filter;
mod find;
mod fingerprints;
mod follow;
mod fragments;
mod fsck;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod id_hash;
mod line;
mod location;
mod names;
mod new_file;
mod open;
mod parts;
mod read;
mod report;
mod reserve;
mod rotate;
mod segment;
mod tail;
mod tail_scan;
#[cfg(test)]
mod tests;
mod writer;

pub use archive::Archive;
pub use counters::Counters;
pub use entry::{Entry, StepLine};
pub use error::{Flaw, JournalError};
pub use fingerprints::{Extract, Fingerprint, FinishedEntry, Walk};
pub use follow::{Cursor, Extent, Extents};
pub use fsck::fsck;
pub use id_hash::IdHash;
pub use line::Kind;
pub use location::Location;
pub(crate) use names::{segment_name, segment_of};
pub use read::{ReadOrder, Reader, Record, scan};
pub use report::{BadIds, Damage, Gap, ScanReport, Torn};
pub use reserve::{LOW_SPACE_BYTES, RESERVE_BYTES, free_reserve, is_short_of_space, low_space, make_reserve};
pub use writer::Journal;
