//! Bursts: what comes in numbers is taken in numbers, and what nobody waits for is put off meanwhile.

use super::gathering::Gathering;
use super::state::Worker;
use crate::daemon::mailbox::mail::Asked;
use crate::engine::words::Millis;

/// Files found at one look that are a burst: to take fewer costs less than arming the watch anew.
const BURST_FILES: usize = 32;
/// Requests over the socket that come at once and are a burst, and how long it lasts after the last so many.
const BURST_ASKED: usize = 32;
const BURST_ASKED_MS: u64 = 50;
/// Where so many lie there no more are waited for: the next ones come while these are on their way through the other threads,
/// and a flush for each 32 is few enough.
const ENOUGH: usize = 32;

impl Worker {
    /// Ends the wait for more where enough lies there or no more comes: counts what lies there now and then, which costs a
    /// hundredth of what it takes to take it.
    pub(super) fn gather(&mut self, now: Millis) {
        self.gathering = self.gathering.filter(|_| now < self.gather_until);
        let Some(gathering) = self.gathering.filter(|gathering| gathering.count_at <= now) else { return };
        let lying = self.mailbox.count();
        self.gathering = Some(Gathering { count_at: now.plus(super::gathering::COUNT_AGAIN_MS), lay: lying });
        if lying >= ENOUGH || (lying > 0 && lying == gathering.lay) {
            (self.gathering, self.gather_until, self.look_at) = (None, now, now);
        }
    }

    /// In a burst nobody needs to be woken: each claim is an event or five in the folder that is watched, and costs as much
    /// as what it tells. So the watch rests while much is found at each look, and there is a look every few ms; then it is
    /// armed, and what came meanwhile is listed. Whether a burst is over.
    pub(super) fn listen(&mut self, found: usize, now: Millis) -> bool {
        if found >= BURST_FILES {
            self.burst = true;
            self.watch.rest();
            self.look_at = self.look_at.min(self.gather_until);
            return false;
        }
        let over = std::mem::take(&mut self.burst);
        if over {
            self.look_at = now; // which arms it first
        }
        over
    }

    /// What came over the socket, as if it had been dropped; false if the loop is gone.
    pub(super) fn answer_all(&mut self, asked: Vec<Asked>) -> bool {
        if asked.len() >= BURST_ASKED {
            self.asked_burst_until = Some(self.clock.now().plus(BURST_ASKED_MS));
        }
        self.disk.full = self.is_full();
        let dropped = asked.into_iter().map(|asked| self.look_up_request(asked)).collect();
        self.tell(dropped, Vec::new(), Vec::new())
    }

    /// Says when no more comes over the socket; false if the loop is gone.
    pub(super) fn end_burst(&mut self, now: Millis) -> bool {
        let over = self.asked_burst_until.take_if(|until| *until <= now).is_some();
        !over || self.tell(Vec::new(), Vec::new(), Vec::new())
    }
}
