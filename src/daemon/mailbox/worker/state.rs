//! What the mailbox's thread works with.

use super::burst::Burst;
use super::sweep::Sweeping;
use crate::daemon::ground::Ground;
use crate::daemon::inbox::NewsSender;
use crate::daemon::mailbox::channel::{Mailing, Signs};
use crate::daemon::mailbox::handled::Handled;
use crate::daemon::mailbox::mail::Rejected;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::io::journal::Archive;
use crate::io::mailbox::{Mailbox, Waited};
use crate::io::watch::{Period, Watch};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

/// And files for which there was no room no sooner than this, though there may be room for others.
pub(super) const DEFERRED_MS: u64 = 250;

/// The disk that new messages go to, and when it is too full for them.
#[derive(Debug)]
pub struct Disk {
    pub folder: PathBuf,
    /// Free bytes below which drops are left in `queue/`.
    pub low_bytes: u64,
    /// Whether it was last.
    pub full: bool,
    /// Whether what is taken from the queue can still be remembered; a simulation has nothing to lose.
    pub(in crate::daemon) ground: Option<Ground>,
}

/// The thread's state.
pub(in crate::daemon) struct Worker {
    pub(super) mailbox: Mailbox,
    pub(super) watch: Watch,
    /// The folders that are watched.
    pub(super) followed: Vec<PathBuf>,
    pub(super) period: Period,
    pub(super) archive: Archive,
    /// How many it has got since it was started.
    pub(super) archives: usize,
    pub(super) clock: Clock,
    pub(super) news: NewsSender,
    pub(super) names: BTreeSet<String>,
    /// Dropped files that the journal named at the start.
    pub(super) known: Handled,
    /// Sweeps that are not done.
    pub(super) sweeps: VecDeque<Sweeping>,
    /// Files that a sweep has waited for in vain: one that somebody leaves open holds claims up once.
    pub(super) given_up: HashSet<Waited>,
    /// Claims that are to be removed when there is nothing else to do.
    pub(super) forget: VecDeque<Arc<str>>,
    /// When at the soonest, and when whatever else comes.
    pub(super) forget_at: Millis,
    pub(super) forget_by: Millis,
    /// They could not be: it is tried again at the next look.
    pub(super) forget_failed: bool,
    pub(super) burst: Burst,
    /// Refused files that could not be set aside yet.
    pub(super) reject: Vec<Rejected>,
    pub(super) signs: Arc<Signs>,
    pub(super) disk: Disk,
    /// What the loop was told last of `queue/STOP`.
    pub(super) halted: Option<(bool, usize)>,
    /// And of what cannot be watched.
    pub(super) polling: Option<String>,
    /// And of what holds claims up.
    pub(super) stuck: Option<String>,
    /// When it is looked again, whatever inotify says.
    pub(super) look_at: Millis,
    /// And when at the soonest, whatever inotify says.
    pub(super) look_from: Millis,
    /// Where files wait for room, or for what is known: they are read again then.
    pub(super) deferred_until: Millis,
    /// Where there is no room: when what does not wait for some is looked for again.
    pub(super) urgent_at: Millis,
    /// Whether it could not be read last which messages are known.
    pub(super) unknowable: bool,
    /// Whether one of those that wait for that may be a part of somebody's task.
    pub(super) part_waits: bool,
}

/// What the thread works with, and the dropped files that are in the journal and still on the disk.
pub(in crate::daemon) fn worker(
    mut mailbox: Mailbox,
    known: Handled,
    archive: Archive,
    (disk, watch): (Disk, Watch),
    clock: Clock,
    (mailing, names, news): (&Mailing, BTreeSet<String>, NewsSender),
) -> (Worker, Handled) {
    let unread: BTreeSet<Arc<str>> = mailbox.unread().into_iter().collect();
    let done: Vec<Arc<str>> = unread.intersection(&known.taken).cloned().collect();
    mailbox.pass_over(&done);
    // A crash before they were set aside: their senders were told, and what was refused may not be accepted after that.
    let refused: Vec<&Rejected> = unread.iter().filter_map(|claim| known.refused.get(claim)).collect();
    mailbox.pass_over(&refused.iter().map(|file| file.claim.clone()).collect::<Vec<_>>());
    let reject = refused.into_iter().cloned().collect();
    // And those that a power cut put back where they were dropped: until they are taken away again, which may be long after
    // the segment that names them was left.
    let mut there = known.clone();
    let put_back: BTreeSet<Arc<str>> = mailbox.put_back(&known.names(), &known.earlier).into_iter().collect();
    there.keep(|claim| unread.contains(claim) || put_back.contains(claim));
    let worker = Worker {
        mailbox,
        watch,
        followed: Vec::new(),
        period: Period::new(clock.now()),
        archive,
        clock,
        news,
        names,
        known,
        sweeps: VecDeque::new(),
        given_up: HashSet::new(),
        forget: done.into(),
        forget_at: clock.now(),
        forget_by: clock.now(),
        forget_failed: false,
        burst: Burst::default(),
        archives: 0,
        reject,
        signs: Arc::clone(&mailing.signs),
        disk,
        halted: None,
        polling: None,
        stuck: None,
        look_at: clock.now(),
        look_from: clock.now(),
        deferred_until: clock.now(),
        urgent_at: clock.now(),
        unknowable: false,
        part_waits: false,
    };
    (worker, there)
}
