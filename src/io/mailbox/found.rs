//! What a sweep may take, and what it found.

use crate::engine::message::refusal::Refusal;
use crate::io::folder::FolderError;
use std::sync::Arc;

/// How much one sweep may take.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Files that are claimed and read.
    pub files: usize,
    /// Bytes of them; the file that passes it is the last one.
    pub bytes: usize,
}

impl Default for Budget {
    /// 256 files make a flush worth its while, and as many of 1 KiB fit in. Where each file holds a hundred short messages, what is
    /// read of them takes ten times as much.
    fn default() -> Self {
        Self { files: 256, bytes: 256 << 10 }
    }
}

/// What one sweep found.
#[derive(Debug, Default)]
pub struct Sweep {
    /// In the order in which the files were written.
    pub found: Vec<Found>,
    /// The budget is used up, so there may be more: sweep again at once.
    pub more: bool,
    /// Something is waited for: sweep again after this time, if nothing wakes us before.
    pub again_in_ms: Option<u64>,
}

/// One thing that a sweep found.
#[derive(Debug)]
pub enum Found {
    /// A whole file. To be parsed, then [`super::Mailbox::forget`] or [`super::Mailbox::reject`].
    Read {
        /// Name of the claimed file.
        claim: Arc<str>,
        /// Name it was dropped under.
        name: Arc<str>,
        /// The drop zone, which verifies a sender.
        zone: u32,
        bytes: Vec<u8>,
    },
    /// Something that cannot be a message. To be given to [`super::Mailbox::reject`].
    Bad {
        /// Name of the claimed file.
        claim: Arc<str>,
        /// Name it was dropped under, or a likeness of it.
        name: Arc<str>,
        /// The drop zone.
        zone: u32,
        /// Why.
        refusal: Refusal,
    },
    /// A file that is waited for, said once; it stays where it is.
    Later {
        /// Name it was dropped under, or a likeness of it.
        name: String,
        /// The drop zone.
        zone: u32,
        /// Why.
        refusal: Refusal,
    },
    /// A file that is perhaps meant to be taken, but is not called `.yaml`, or a folder with such as are; said once.
    Hint {
        /// Its name, or a likeness of it.
        name: String,
        is_folder: bool,
        /// The drop zone.
        zone: u32,
    },
    /// A drop zone cannot be swept; said once, until it can be again.
    Trouble {
        /// The drop zone.
        zone: u32,
        /// What is wrong with it.
        error: FolderError,
    },
    /// A drop zone besides `queue/` that could not be swept can be again.
    Healed {
        /// The drop zone.
        zone: u32,
    },
}

/// What is left of a budget.
pub(super) struct Left(pub(super) Budget);

impl Left {
    pub(super) fn some(&self) -> bool {
        self.0.files > 0 && self.0.bytes > 0
    }

    /// What is still waited for costs nothing: its number is small, and it would come first every time.
    pub(super) fn add(&mut self, sweep: &mut Sweep, found: Option<Found>) {
        let Some(found) = found else { return };
        self.0.files = self.0.files.saturating_sub(1);
        if let Found::Read { bytes, .. } = &found {
            self.0.bytes = self.0.bytes.saturating_sub(bytes.len());
        }
        sweep.found.push(found);
    }
}
