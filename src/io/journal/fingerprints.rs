//! What is left of a finished message when its segment is closed: enough to tell a duplicate from a conflict.
//!
//! `NNNNNN.ids` beside a closed `NNNNNN.jsonl` (all numbers little-endian):
//!
//! ```text
//! 0   "TASUKIDS"                      64  the filter (filter.rs)
//! 8   version, u32: 1                 …   records of 48 bytes, sorted by id, each id once:
//! 12  segment, u32                        0   id: the first 16 bytes of its SHA-256, big-endian, so that bytes sort
//! 16  records, u64                        16  digest, u128
//! 24  bytes of the filter, u64            32  seq, u64
//! 32  closed at, u64, ms                  40  outcome, u8, and three zero bytes
//! 40  number of the snapshot that         44  CRC-32 of the 44 bytes before
//!     closed the segment, u64
//! 48  CRC-32 of the filter, u32
//! 52  8 zero bytes
//! 60  CRC-32 of the 60 bytes before
//! ```
//!
//! Each record carries its own checksum, so that a probe proves what it reads and start-up reads no records at all.

use super::entry::Entry;
use super::filter::Filter;
use super::id_hash::IdHash;
use crate::engine::words::{Digest, Millis, Seq};

/// A finished message, as its segment's list remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint {
    /// Which message.
    pub id: IdHash,
    /// The step that finished it.
    pub seq: Seq,
    /// The digest of its fields: equal for a duplicate, other for a conflict.
    pub digest: Digest,
    /// How it ended; the number's meaning is the caller's.
    pub outcome: u8,
}

/// What is known of a message that is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedEntry {
    /// The digest of its fields.
    pub digest: Digest,
    /// How it ended.
    pub outcome: u8,
    /// The step that finished it.
    pub seq: Seq,
    /// The segment that this step is in.
    pub segment: u32,
}

/// Gives the messages that an entry finished. Used only where a list of ids is missing or damaged.
///
/// It makes a fresh walker for one segment, which is then given the segment's entries in order, its snapshot first.
pub type Extract = fn() -> Walk;

/// Goes through one segment and gives the messages that each entry finished.
pub type Walk = Box<dyn FnMut(&Entry<'_>, &mut dyn FnMut(Fingerprint))>;

pub(super) const HEADER_BYTES: usize = 64;
pub(super) const RECORD_BYTES: usize = 48;
const MAGIC: &[u8; 8] = b"TASUKIDS";
const VERSION: u32 = 1;

/// The beginning of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) segment: u32,
    pub(super) records: u64,
    pub(super) filter_bytes: u64,
    pub(super) closed_at: Millis,
    /// The snapshot that closed the segment.
    pub(super) closed_by: Seq,
    pub(super) filter_crc: u32,
}

impl Header {
    /// Bytes of the whole file; `None` if no file can be so large.
    pub(super) fn file_bytes(&self) -> Option<u64> {
        self.records.checked_mul(RECORD_BYTES as u64)?.checked_add(self.filter_bytes)?.checked_add(64)
    }

    pub(super) fn parse(bytes: &[u8; HEADER_BYTES]) -> Result<Self, &'static str> {
        if !bytes.starts_with(MAGIC) {
            return Err("it does not begin like a list of ids");
        }
        if crc32fast::hash(&bytes[..60]) != u32_at(bytes, 60) {
            return Err("the checksum of its header does not match");
        }
        if u32_at(bytes, 8) != VERSION {
            return Err("another version of tasuki wrote it");
        }
        Ok(Self {
            segment: u32_at(bytes, 12),
            records: u64_at(bytes, 16),
            filter_bytes: u64_at(bytes, 24),
            closed_at: Millis(u64_at(bytes, 32)),
            closed_by: Seq(u64_at(bytes, 40)),
            filter_crc: u32_at(bytes, 48),
        })
    }

    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.segment.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.records.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.filter_bytes.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.closed_at.0.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.closed_by.0.to_le_bytes());
        bytes[48..52].copy_from_slice(&self.filter_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..60]);
        bytes[60..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }
}

/// A whole list as bytes, and what of it is kept in memory.
pub(super) fn encode(
    segment: u32,
    closed_at: Millis,
    closed_by: Seq,
    mut finished: Vec<Fingerprint>,
) -> (Vec<u8>, Header, Filter) {
    // Of an id that was finished twice the later record stays.
    finished.sort_unstable_by(|a, b| a.id.cmp(&b.id).then(b.seq.cmp(&a.seq)));
    finished.dedup_by_key(|record| record.id);
    let filter = Filter::of(finished.iter().map(|record| record.id));
    let header = Header {
        segment,
        records: finished.len() as u64,
        filter_bytes: filter.as_bytes().len() as u64,
        closed_at,
        closed_by,
        filter_crc: crc32fast::hash(filter.as_bytes()),
    };
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend_from_slice(filter.as_bytes());
    for record in finished {
        bytes.extend_from_slice(&record.to_bytes());
    }
    (bytes, header, filter)
}

impl Fingerprint {
    /// Reads a record; `None` if its checksum does not fit.
    pub(super) fn parse(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let crc_fits = crc32fast::hash(&bytes[..44]) == u32_at(bytes, 44);
        crc_fits.then(|| Self {
            id: IdHash(u128::from_be_bytes(part(bytes, 0))),
            digest: Digest(u128::from_le_bytes(part(bytes, 16))),
            seq: Seq(u64_at(bytes, 32)),
            outcome: bytes[40],
        })
    }

    fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..16].copy_from_slice(&self.id.0.to_be_bytes());
        bytes[16..32].copy_from_slice(&self.digest.0.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.seq.0.to_le_bytes());
        bytes[40] = self.outcome;
        let crc = crc32fast::hash(&bytes[..44]);
        bytes[44..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(part(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(part(bytes, at))
}

/// `N` bytes from `at` on; zeros where there are none.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|part| part.try_into().ok()).unwrap_or([0; N])
}
