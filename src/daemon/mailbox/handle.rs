//! The loop's side of the mailbox: claimed files that can go, and those to be set aside.

#[cfg(test)]
mod tests;

use crate::daemon::claims::barrier::ClaimBarrier;
use crate::daemon::mailbox::channel::Mailing;
use crate::daemon::mailbox::handled::Handled;
use crate::daemon::mailbox::mail::{Asked, Dropped, Job, Rejected};
use crate::daemon::mailbox::room::Room;
use crate::engine::message::refusal::Refusal;
use crate::engine::message::{Draft, Source};
use crate::engine::words::{AgentName, Millis};
use crate::io::journal::Archive;
use crate::wire::zone::ZoneSpec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::oneshot;

/// With less room than this there may be files that wait for more: a file holds at most 100 messages.
const ROOM_TIGHT: usize = 100;

/// While it has no place for more jobs, and may not tell when it has.
const AGAIN_MS: u64 = 10;

/// How long a file waits for room before places are kept for it: by then whatever was quick has ended.
const KEEPS_AFTER_MS: u64 = 10_000;

/// A claimed file that waits for room.
#[derive(Debug, Clone, Copy)]
struct Waits {
    since: Millis,
    /// So many of its messages need some.
    places: usize,
}

/// Jobs on their way to the mailbox.
#[derive(Debug)]
pub struct MailboxHandle {
    mailing: Mailing,
    /// Resolves when the thread ends, which it does not do by itself.
    pub(in crate::daemon) alive: oneshot::Receiver<Infallible>,
    forget: Vec<Arc<str>>,
    defer: Vec<Arc<str>>,
    reject: Vec<Rejected>,
    /// What came over the socket since the last time.
    asked: Vec<Asked>,
    /// Other jobs, in order; as many as there are callers at most.
    others: VecDeque<Job>,
    /// Claims that wait for a sweep of the drop zones.
    pub(in crate::daemon) claims: ClaimBarrier,
    halts: usize,
    /// Archives that it was given.
    archives: usize,
    /// Sweeps that were asked for, and whether another one is wanted.
    sweeps: u64,
    sweep: bool,
    /// Dropped files that are in the journal and perhaps still on the disk.
    handled: Handled,
    /// Claimed files for which there was no room.
    waiting: BTreeMap<Arc<str>, Waits>,
}

impl MailboxHandle {
    /// A handle that knows which dropped files are in the journal and still on the disk.
    #[must_use]
    pub fn new(mailing: Mailing, alive: oneshot::Receiver<Infallible>, handled: Handled) -> Self {
        let (forget, defer, reject) = (Vec::new(), Vec::new(), Vec::new());
        let (asked, others) = (Vec::new(), VecDeque::new());
        Self {
            mailing,
            alive,
            forget,
            defer,
            reject,
            asked,
            others,
            claims: ClaimBarrier::default(),
            halts: 0,
            archives: 0,
            sweeps: 0,
            sweep: false,
            handled,
            waiting: BTreeMap::new(),
        }
    }

    /// These were told, and are taken in now.
    pub fn taken(&self, drops: &[Dropped]) {
        self.mailing.taken(drops);
    }

    /// This file is in the journal.
    pub fn forget(&mut self, source: Source) {
        if let Source::File { claim, .. } = source {
            self.waiting.remove(&claim);
            self.handled.taken.insert(claim.clone());
            self.forget.push(claim);
        }
    }

    /// These files are gone, or set aside.
    pub fn forgotten(&mut self, claims: &[Arc<str>]) {
        self.handled.forget(claims);
    }

    /// Dropped files that are in the journal and perhaps still on the disk: a snapshot has to name them.
    #[must_use]
    pub fn handled(&self) -> &Handled {
        &self.handled
    }

    /// There is no room for what this file says, which needs so many places: it waits.
    pub fn defer(&mut self, source: Source, places: usize, now: Millis) {
        if let Source::File { claim, .. } = source {
            let since = self.waiting.get(&claim).map_or(now, |waits| waits.since);
            self.waiting.insert(claim.clone(), Waits { since, places });
            self.defer.push(claim);
        }
    }

    /// How many places are kept free for the file that has waited longest, once that is long: others that need fewer would
    /// take each place as it comes free, for ever.
    #[must_use]
    pub fn places_kept(&self, now: Millis) -> usize {
        let late = self.waiting.values().filter(|waits| now.since(waits.since) >= KEEPS_AFTER_MS);
        late.min_by_key(|waits| waits.since).map_or(0, |waits| waits.places)
    }

    /// Whether files wait for room that were claimed already.
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// This file is refused.
    pub fn reject(&mut self, source: Source, from: Option<AgentName>, refusal: Refusal) {
        if let Source::File { claim, .. } = source {
            self.waiting.remove(&claim);
            let rejected = Rejected { claim, from, refusal };
            self.handled.refuse(rejected.clone());
            self.reject.push(rejected);
        }
    }

    /// Messages that came over the socket: what does the archive know of them?
    pub fn look_up(&mut self, source: Source, drafts: Vec<Draft>, proof: Option<AgentName>) {
        self.asked.push(Asked { source, drafts, proof });
    }

    /// The names that a file's name may hold changed.
    pub fn names(&mut self, names: BTreeSet<String>) {
        self.others.push_back(Job::Names(names));
    }

    /// The archive has one more segment.
    pub fn archive(&mut self, archive: Archive) {
        self.archives += 1;
        self.others.push_back(Job::Archive(archive));
    }

    /// How many of the archives that it was given the mailbox had not got when it had got so many.
    #[must_use]
    pub fn archives_behind(&self, got: usize) -> usize {
        self.archives.saturating_sub(got)
    }

    /// The loop itself made or removed `queue/STOP`.
    pub fn count_halt(&mut self) {
        self.halts = self.mailing.count_halt();
    }

    /// How often it did.
    #[must_use]
    pub fn halts(&self) -> usize {
        self.halts
    }

    /// Free bytes below which drops are left in `queue/`.
    pub fn low_disk(&mut self, bytes: u64) {
        self.others.push_back(Job::LowDisk(bytes));
    }

    /// These are the drop zones besides `queue/` from now on. What was claimed from others is still taken, and what lies in them
    /// unclaimed stays there.
    pub fn set_zones(&mut self, zones: Vec<ZoneSpec>) {
        self.others.push_back(Job::Zones(zones));
    }

    /// All drops that lie in the zones by now are to be taken; the number that says it is done.
    pub fn sweep(&mut self) -> u64 {
        self.sweep = true;
        self.sweeps + 1
    }

    /// Looks at the drop zone now.
    pub fn look(&self) {
        self.mailing.look();
    }

    /// When jobs that the mailbox had no place for are given again.
    #[must_use]
    pub fn again_at(&self, now: Millis) -> Option<Millis> {
        let none = self.others.is_empty()
            && self.asked.is_empty()
            && self.reject.is_empty()
            && self.defer.is_empty()
            && self.forget.is_empty();
        (!none || self.sweep).then(|| now.plus(AGAIN_MS))
    }

    /// Says how many more messages the workspace takes (drops beyond that wait in `queue/`), and hands out what waits. In this
    /// order: a sweep may be wanted since there is room, and where there is none it is over at once.
    pub fn submit(&mut self, room: Room) {
        let before = self.mailing.set_room(room);
        self.hand_out();
        if before < room && before < Room::For(ROOM_TIGHT) {
            self.look(); // at what was just put off, too
        }
    }

    /// Hands out what waits, as far as there is a place for it.
    fn hand_out(&mut self) {
        if !self.asked.is_empty() {
            self.others.push_back(Job::LookUp(std::mem::take(&mut self.asked)));
        }
        if std::mem::take(&mut self.sweep) {
            self.sweeps += 1;
            self.others.push_back(Job::Sweep(self.sweeps));
        }
        while let Some(job) = self.others.pop_front() {
            if let Err(job) = self.mailing.give(job) {
                return self.others.push_front(job);
            }
        }
        let reject = std::mem::take(&mut self.reject);
        if !reject.is_empty()
            && let Err(Job::Reject(files)) = self.mailing.give(Job::Reject(reject))
        {
            self.reject = files;
        }
        let defer = std::mem::take(&mut self.defer);
        if !defer.is_empty()
            && let Err(Job::Defer(files)) = self.mailing.give(Job::Defer(defer))
        {
            self.defer = files;
        }
        let forget = std::mem::take(&mut self.forget);
        if !forget.is_empty()
            && let Err(Job::Forget(files)) = self.mailing.give(Job::Forget(forget))
        {
            self.forget = files;
        }
    }
}
