//! The writer of a journal: what it knows of its folder. What it does is in `open.rs`, `append.rs`, `rotate.rs` and `archive.rs`.

use super::closed::Closed;
use super::disk::Disk;
use super::fingerprints::Extract;
use super::read::Reader;
use super::tail::{Durable, Tail};
use crate::engine::words::Seq;

/// The writer. It owns the folder; there is one in a workspace.
#[derive(Debug)]
pub struct Journal {
    pub(super) disk: Disk,
    pub(super) boot: Box<str>,
    pub(super) extract: Extract,
    pub(super) tail: Tail,
    pub(super) next: Seq,
    pub(super) next_segment: u32,
    pub(super) durable: Durable,
    /// Oldest first.
    pub(super) closed: Vec<Closed>,
    pub(super) keep_from: u32,
    /// The failure that stopped it.
    pub(super) failed: Option<String>,
    pub(super) buffer: Vec<u8>,
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
