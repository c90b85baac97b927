//! What the mailbox's thread does: looks, reads, and does away with what is dealt with.

use super::reading::Reading;
use super::state::{DEFERRED_MS, Worker};
use crate::daemon::inbox::News;
use crate::daemon::mailbox::mail::{Dropped, Job, Mail, Rejected};
use crate::engine::words::{AgentName, Millis};
use crate::io::mailbox::{Budget, Found, Sweep};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// While somebody still writes a file, or a folder is in trouble, it is looked at again no sooner than this.
const AGAIN_MS_MIN: u64 = 5;
/// Files that are in the journal are removed so many at once: some ms, for which a drop waits that comes meanwhile.
const FORGET_FILES: usize = 64;
/// And they lie there while there are drops to be taken, and for a while after several came at once, since more are coming: up to
/// so many. A start after a crash would find them; each takes some 200 bytes meanwhile.
const FORGET_LATER_MAX: usize = 65_536;
const FORGET_LATER_MS: u64 = 50;
/// And no longer than this, where drops come in twos and threes without end.
const FORGET_LATER_MS_MAX: u64 = 10_000;

/// Where nothing is taken any more, since the daemon ends, it is looked no sooner than this.
const LOST_LOOK_MS: u64 = 1_000;

impl Worker {
    pub(super) fn work(&mut self, jobs: &Receiver<Job>) {
        loop {
            let job = match jobs.recv_timeout(Duration::from_millis(self.wait_ms())) {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !self.go_round(job) {
                return;
            }
        }
    }

    /// For how long there is nothing to do where no job comes.
    pub(in crate::daemon) fn wait_ms(&self) -> u64 {
        let asked = self.signs.look.load(Ordering::Acquire);
        let look_at = if asked { self.look_at.min(self.look_from) } else { self.look_at };
        let others = [self.burst.until(), self.forgets_at()].into_iter().flatten();
        others.fold(look_at, Millis::min).since(self.clock.now())
    }

    /// Does a job, and what it is time for; false if the loop is gone.
    pub(in crate::daemon) fn go_round(&mut self, job: Option<Job>) -> bool {
        let more = job.is_none_or(|job| self.take(job));
        if !more || self.has_ended() {
            return false;
        }
        // Jobs may come without end; what lies in the queue is looked for between any two.
        let now = self.clock.now();
        if self.burst.ends(now) && !self.tell(Vec::new(), Vec::new(), Vec::new()) {
            return false;
        }
        let asked = self.signs.look.load(Ordering::Acquire) && self.look_from <= now;
        if asked || self.look_at <= now {
            self.signs.look.store(false, Ordering::Release);
            if !self.look() {
                return false;
            }
            if self.forget.len() < FORGET_LATER_MAX {
                return true;
            }
        }
        self.forgets_at().is_none_or(|at| at > now) || self.forget_some()
    }

    fn has_ended(&self) -> bool {
        self.signs.ended.load(Ordering::Acquire)
    }

    /// Does a job; false if the loop is gone.
    fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Look => {}
            Job::Sweep(number) => self.sweep(number),
            Job::Forget(claims) => {
                if self.forget.is_empty() {
                    self.forget_by = self.clock.now().plus(FORGET_LATER_MS_MAX);
                }
                self.forget.extend(claims);
            }
            Job::Reject(rejected) => {
                let aside = self.reject(rejected);
                return self.tell_gone(aside);
            }
            Job::Defer(claims) => {
                claims.iter().for_each(|claim| self.mailbox.defer(claim));
                self.deferred_until = self.clock.now().plus(DEFERRED_MS);
            }
            Job::LowDisk(bytes) => self.disk.low_bytes = bytes,
            Job::Zones(specs) => {
                let notes = self.set_zones(&specs);
                return notes.is_empty() || self.tell(Vec::new(), notes, Vec::new());
            }
            Job::LookUp(asked) => {
                self.burst.came(asked.len(), self.clock.now());
                self.disk.full = self.is_full();
                let dropped = asked.into_iter().map(|asked| self.look_up_request(asked)).collect();
                return self.tell(dropped, Vec::new(), Vec::new());
            }
            Job::Names(names) => {
                self.names = names;
                self.mailbox.forget_not_priority(); // a name may have made it one
            }
            Job::Archive(archive) => {
                self.archive = archive;
                self.archives += 1;
            }
        }
        true
    }

    /// When files that are in the journal may be removed, if there are any.
    fn forgets_at(&self) -> Option<Millis> {
        let are_many = self.forget.len() >= FORGET_LATER_MAX;
        let at = if are_many { Millis(0) } else { self.forget_at.min(self.forget_by) };
        (!self.forget.is_empty() && !self.forget_failed).then_some(at)
    }

    /// Removes some of the files that are in the journal; false if the loop is gone.
    fn forget_some(&mut self) -> bool {
        // As many as a look may bring, where they are too many.
        let are_many = self.forget.len() >= FORGET_LATER_MAX;
        let some = self.forget.len().min(if are_many { Budget::default().files } else { FORGET_FILES });
        let claims: Vec<_> = self.forget.drain(..some).collect();
        let gone = self.remove(claims);
        self.tell_gone(gone)
    }

    fn tell_gone(&self, gone: Vec<Arc<str>>) -> bool {
        gone.is_empty() || self.tell(Vec::new(), Vec::new(), gone)
    }

    /// Removes files that are in the journal. Gives those that are gone.
    fn remove(&mut self, claims: Vec<Arc<str>>) -> Vec<Arc<str>> {
        let failed = self.mailbox.forget_each(&claims);
        let Some((_, error)) = failed.first() else { return claims };
        tracing::warn!(%error, "files already in the journal could not be removed; the removal is retried");
        let failed: BTreeSet<Arc<str>> = failed.into_iter().map(|(claim, _)| claim).collect();
        let gone = claims.into_iter().filter(|claim| !failed.contains(claim)).collect();
        self.forget.extend(failed);
        self.forget_failed = true;
        gone
    }

    /// Sets refused files aside. Gives those that are.
    fn reject(&mut self, rejected: Vec<Rejected>) -> Vec<Arc<str>> {
        let mut aside = Vec::new();
        for file in rejected {
            let from = file.from.as_ref().map(AgentName::as_str);
            match self.mailbox.reject(&file.claim, &file.refusal, from, self.clock.wall()) {
                Ok(_) => aside.push(file.claim),
                Err(error) => {
                    tracing::error!(%error, claim = %file.claim, "a refused file could not be moved to rejected/; it is retried");
                    self.reject.push(file);
                }
            }
        }
        aside
    }

    /// What could not be removed or set aside, once more; what is set aside now.
    fn catch_up(&mut self) -> Vec<Arc<str>> {
        self.forget_failed = false;
        let rejected = std::mem::take(&mut self.reject);
        self.reject(rejected)
    }

    /// Takes what lies in the drop zones, a batch, and says when to look again; false if the loop is gone.
    fn look(&mut self) -> bool {
        if self.disk.ground.as_ref().is_some_and(|ground| ground.lost().is_some()) {
            self.look_at = self.clock.now().plus(LOST_LOOK_MS);
            return true; // the daemon ends, and whoever comes next takes what is there
        }
        self.follow();
        let halts = self.signs.halts.load(Ordering::Acquire);
        // Where it cannot be known whether queue/STOP exists, what was known holds.
        let was_stopped = self.halted.is_some_and(|(stopped, _)| stopped);
        let stopped = self.mailbox.stopped_since().map_or(was_stopped, |since| since.is_some());
        let halted = (stopped, halts);
        let full = self.is_full();
        let was_full = std::mem::replace(&mut self.disk.full, full);
        let had_halted = self.halted.replace(halted);
        let polling = self.watch.polling();
        let news = had_halted != Some(halted) || full != was_full || polling != self.polling;
        self.polling = polling;
        if news && !self.tell(Vec::new(), Vec::new(), Vec::new()) {
            return false; // what is told before the sweep holds for what it finds
        }
        let now = self.clock.now();
        if self.signs.in_flight.is_full() {
            self.look_at = now.plus(self.period.next_in_ms(now, self.polling.is_some()));
            return true; // the loop says when it has taken some of them in
        }
        let mut sweep = self.mailbox.scan(now, self.budget());
        let now = self.clock.now();
        if !sweep.found.is_empty() {
            self.period.active(now);
        }
        let period = self.period.next_in_ms(now, self.polling.is_some()).min(self.heals_in_ms());
        if sweep.found.len() > 1 {
            self.forget_at = now.plus(FORGET_LATER_MS);
        }
        let again = sweep.again_in_ms.map(|again| again.max(AGAIN_MS_MIN));
        self.look_at = now.plus(again.map_or(period, |again| again.min(period)));
        self.look_from = self.deferred_until;
        if sweep.more && self.budget().files > 0 {
            self.look_at = now.max(self.deferred_until);
        }
        self.take_urgent(&mut sweep);
        self.burst.came(sweep.found.len(), now);
        let aside = self.catch_up();
        self.tell_gone(aside) && self.report(sweep) && self.finish()
    }

    /// Tells what a sweep found.
    fn report(&mut self, sweep: Sweep) -> bool {
        let (mut files, mut notes) = (Vec::with_capacity(sweep.found.len()), Vec::new());
        let (mut known, mut refused) = (Vec::new(), Vec::new());
        for found in sweep.found {
            match found {
                // A power cut put back what the journal has.
                Found::Read { claim, .. } | Found::Bad { claim, .. } if self.known.taken.contains(&claim) => {
                    known.push(claim);
                }
                Found::Read { claim, .. } | Found::Bad { claim, .. }
                    if self.known.refused.contains_key(&claim) =>
                {
                    refused.extend(self.known.refused.get(&claim).cloned());
                }
                file @ (Found::Read { .. } | Found::Bad { .. }) => files.push(file),
                other => notes.push(self.note(other)),
            }
        }
        let whose = self.mailbox.whose();
        let reading = Reading { names: &self.names, whose: &whose, wall: self.clock.wall() };
        let mut drops = reading.read_all(&files);
        notes.extend(self.look_up_files(&mut drops));
        // At once, even in a burst: the loop does not know of them, so that no snapshot would name them.
        let mut gone = self.remove(known);
        gone.extend(self.reject(refused));
        let nothing = drops.is_empty() && notes.is_empty() && gone.is_empty();
        nothing || self.tell(drops, notes, gone)
    }

    pub(super) fn tell(&self, drops: Vec<Dropped>, notes: Vec<String>, forgotten: Vec<Arc<str>>) -> bool {
        self.send(Mail { drops, notes, forgotten, ..self.mail() })
    }

    /// What holds for whatever is told.
    pub(super) fn mail(&self) -> Mail {
        let halted = self.halted.unwrap_or_default();
        let (drops, notes, forgotten) = (Vec::new(), Vec::new(), Vec::new());
        let (polling, stuck) = (self.polling.clone(), self.stuck.clone());
        let burst = self.burst.until().is_some();
        let (full, swept) = (self.disk.full, None);
        Mail { drops, notes, halted, forgotten, full, polling, stuck, burst, archives: self.archives, swept }
    }

    pub(super) fn send(&self, mail: Mail) -> bool {
        self.signs.in_flight.add(&mail.drops);
        self.news.blocking_send(News::Mail(mail)).is_ok()
    }
}
