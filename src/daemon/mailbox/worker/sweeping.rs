//! What a claim waits for: all that was dropped before it is taken in.

use super::state::{DEFERRED_MS, Worker};
use super::sweep::Sweeping;
use crate::daemon::mailbox::mail::Mail;
use crate::daemon::mailbox::room::Room;
use crate::engine::words::Millis;
use std::collections::HashSet;

/// While a claim waits for a drop, whether it can be taken is asked this often.
const SWEEP_AGAIN_MS: u64 = 20;
/// How long a claim waits for drops that cannot be taken, as they are still being written (protocol, a parent closes).
const SWEEP_MS: u64 = 2_000;

impl Worker {
    /// Begins a sweep.
    pub(super) fn sweep(&mut self, number: u64) {
        let now = self.clock.now();
        let (listings, until) = (self.mailbox.listings(), now.plus(SWEEP_MS));
        self.sweeps.push_back(Sweeping { number, listings, written: None, until });
        (self.look_at, self.look_from) = (now, now);
    }

    /// Tells which sweeps are done: what lay there was told, or is still being written and waited for no longer. What cannot be
    /// taken though it is whole holds claims up until it can be, or is gone: it may be a part. False if the loop is gone.
    pub(super) fn finish(&mut self) -> bool {
        let now = self.clock.now();
        let is_shut = self.room() == Room::Shut;
        let mut swept = None;
        self.given_up.retain(|file| self.mailbox.waits_for(file));
        self.sweeps.iter_mut().for_each(|sweep| sweep.finish(&self.mailbox, &self.given_up));
        let stuck = if self.sweeps.is_empty() || is_shut { None } else { self.untaken(now) };
        while let Some(sweep) = self.sweeps.front_mut() {
            let is_done = sweep.written.as_ref().is_some_and(HashSet::is_empty);
            let is_late = sweep.written.is_some() && sweep.until <= now;
            if !is_shut && (stuck.is_some() || !(is_done || is_late)) {
                let again = now.plus(if stuck.is_some() { DEFERRED_MS } else { SWEEP_AGAIN_MS });
                let ends = sweep.written.is_some() && sweep.until > now;
                self.look_at = self.look_at.min(if ends { again.min(sweep.until) } else { again });
                break;
            }
            swept = Some(sweep.number);
            if is_late {
                self.given_up.extend(sweep.written.take().into_iter().flatten());
            }
            self.sweeps.pop_front();
        }
        let is_news = swept.is_some() || self.stuck != stuck;
        self.stuck = stuck;
        !is_news || self.send(Mail { swept, ..self.mail() })
    }

    /// Why something that is whole cannot be taken.
    fn untaken(&self, now: Millis) -> Option<String> {
        let unknowable = || self.part_waits.then(|| "the list of known messages cannot be read".to_owned());
        self.mailbox.stuck(now).or_else(unknowable)
    }
}
