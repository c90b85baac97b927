//! A sweep of the drop zones for claims that wait.

use crate::engine::words::Millis;
use crate::io::mailbox::{Mailbox, Waited};
use std::collections::HashSet;

/// A sweep for claims that wait.
pub(super) struct Sweeping {
    pub(super) number: u64,
    /// How often the zones had been listed when it began.
    pub(super) listings: u64,
    /// What is still being written, once everything else was taken.
    pub(super) written: Option<HashSet<Waited>>,
    pub(super) until: Millis,
}

impl Sweeping {
    pub(super) fn finish(&mut self, mailbox: &Mailbox, given_up: &HashSet<Waited>) {
        match &mut self.written {
            Some(written) => written.retain(|file| mailbox.waits_for(file)),
            None => {
                self.written = mailbox.still_written(self.listings);
                self.written.iter_mut().for_each(|written| written.retain(|file| !given_up.contains(file)));
            }
        }
    }
}
