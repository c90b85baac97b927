//! The way to the mailbox's thread: jobs, and signs that a full queue of jobs does not hide.

use super::in_flight::InFlight;
use super::mail::{Dropped, Job};
use super::room::{Room, SharedRoom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

/// Jobs that may wait: the loop keeps at most one batch of each kind under way, and the watcher one poke.
const JOBS_MAX: usize = 16;

/// What the loop and the watch tell the thread besides its jobs: a full queue of jobs hides none of it.
#[derive(Debug)]
pub struct Signs {
    /// Something may lie in the drop zone.
    pub(super) look: AtomicBool,
    /// The loop is gone; nothing more is taken.
    pub(super) ended: AtomicBool,
    /// How many more messages the workspace takes.
    pub(super) room: SharedRoom,
    /// What was told and the loop has not taken in yet.
    pub(super) in_flight: InFlight,
    /// How often the loop itself made or removed `queue/STOP`.
    pub(super) halts: AtomicUsize,
}

impl Signs {
    /// Has the thread look, if it is not to look already: what wakes it again and again takes no other job's place.
    pub(super) fn poke(&self, jobs: &SyncSender<Job>) {
        if !self.look.swap(true, Ordering::AcqRel) {
            // If there is no room it has jobs, and sees the sign after the next.
            let _ = jobs.try_send(Job::Look);
        }
    }
}

/// The way to the thread.
#[derive(Debug)]
pub struct Mailing {
    pub(super) jobs: SyncSender<Job>,
    pub(super) signs: Arc<Signs>,
}

impl Mailing {
    /// Gives a job, if there is room for it.
    ///
    /// # Errors
    /// The job, if there is none.
    pub fn give(&self, job: Job) -> Result<(), Job> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(job) | TrySendError::Disconnected(job) => job,
        })
    }

    /// Has it look at the drop zone at once, or after the job it is at.
    pub fn look(&self) {
        self.signs.poke(&self.jobs);
    }

    /// The loop itself made or removed `queue/STOP`: what was seen before counts no more. How often that was.
    pub fn count_halt(&self) -> usize {
        self.signs.halts.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The loop has these from it: where the thread waited for that, it looks again.
    pub fn taken(&self, drops: &[Dropped]) {
        if self.signs.in_flight.remove(drops) {
            self.look();
        }
    }

    /// Says how many more messages the workspace takes; what it was before.
    pub fn set_room(&self, room: Room) -> Room {
        self.signs.room.swap(room)
    }
}

impl Drop for Mailing {
    /// The thread's own watch holds a way to it too, so that it is told.
    fn drop(&mut self) {
        self.signs.ended.store(true, Ordering::Release);
        let _ = self.jobs.try_send(Job::Look);
    }
}

/// A way to the thread, and its other end.
pub(in crate::daemon) fn mailing() -> (Mailing, Receiver<Job>) {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let room = SharedRoom::new(Room::For(usize::MAX));
    let in_flight = InFlight::default();
    let signs = Signs { look: true.into(), ended: false.into(), room, in_flight, halts: 0.into() };
    (Mailing { jobs, signs: Arc::new(signs) }, inbox)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_wakes_the_thread_again_and_again_takes_no_other_jobs_place() {
        let (mailing, inbox) = mailing();
        for _ in 0..3 {
            mailing.signs.look.store(false, Ordering::Release); // it looks
            (0..100).for_each(|_| mailing.look());
            mailing.give(Job::Sweep(1)).unwrap();
            let jobs: Vec<Job> = inbox.try_iter().collect();
            assert!(matches!(jobs[..], [Job::Look, Job::Sweep(1)]), "{jobs:?}");
        }
    }
}
