//! What a claim waits for: all that was dropped before it is taken in.

use super::worker::Worker;
use super::{Mail, Room};
use crate::engine::words::Millis;
use crate::io::mailbox::{Mailbox, Waited};
use std::collections::HashSet;

/// While a claim waits for a drop, whether it can be taken is asked this often.
const SWEEP_AGAIN_MS: u64 = 20;
/// How long a claim waits for drops that cannot be taken, as they are still being written (protocol, a parent closes).
const SWEEP_MS: u64 = 2_000;

/// A sweep for claims that wait.
pub(super) struct Sweeping {
    number: u64,
    /// How often the zones had been listed when it began.
    listings: u64,
    /// What is still being written, once everything else was taken.
    written: Option<HashSet<Waited>>,
    until: Millis,
}

impl Sweeping {
    fn settle(&mut self, mailbox: &Mailbox, given_up: &HashSet<Waited>) {
        match &mut self.written {
            Some(written) => written.retain(|file| mailbox.waits_for(file)),
            None => {
                self.written = mailbox.still_written(self.listings);
                self.written.iter_mut().for_each(|written| written.retain(|file| !given_up.contains(file)));
            }
        }
    }
}

impl Worker {
    /// Begins a sweep.
    pub(super) fn sweep(&mut self, number: u64) {
        let now = self.clock.now();
        let (listings, until) = (self.mailbox.listings(), now.plus(SWEEP_MS));
        self.sweeps.push_back(Sweeping { number, listings, written: None, until });
        (self.look_at, self.gather_until) = (now, now);
    }

    /// Tells which sweeps are done: what lay there was told, or is waited for no longer. What there is no room for cannot be
    /// waited for. False if the loop is gone.
    pub(super) fn settle(&mut self) -> bool {
        let now = self.clock.now();
        let is_shut = self.room() == Room::Shut;
        let mut swept = None;
        self.given_up.retain(|file| self.mailbox.waits_for(file));
        self.sweeps.iter_mut().for_each(|sweep| sweep.settle(&self.mailbox, &self.given_up));
        while let Some(sweep) = self.sweeps.front_mut() {
            let is_done = sweep.written.as_ref().is_some_and(HashSet::is_empty);
            if !is_done && !is_shut && now < sweep.until {
                self.look_at = self.look_at.min(now.plus(SWEEP_AGAIN_MS).min(sweep.until));
                break;
            }
            swept = Some(sweep.number);
            if sweep.until <= now {
                self.given_up.extend(sweep.written.take().into_iter().flatten());
            }
            self.sweeps.pop_front();
        }
        swept.is_none() || self.send(Mail { swept, ..self.mail() })
    }
}
