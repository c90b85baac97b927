//! The mailbox's thread: claims files from the drop zone, reads them into drafts, and does away with those that the
//! loop has dealt with. Files stay where they are while the loop is behind.

mod bursts;
#[cfg(test)]
mod holding;
mod in_flight;
mod knowing;
mod reading;
mod room;
mod sweeping;
mod thread;

use crate::daemon::mailbox::handled::Decided;
use crate::daemon::news::NewsSender;
use crate::daemon::start::ground::Ground;
use crate::engine::message::refusal::Refusal;
use crate::engine::message::{Draft, Source};
use crate::engine::words::{AgentName, MessageId, Token};
use crate::io::clock::Clock;
use crate::io::journal::Archive;
use crate::io::mailbox::Mailbox;
use crate::io::watch::{Interest, Period, Watch};
use in_flight::InFlight;
pub use room::Room;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
pub(in crate::daemon) use thread::Worker;
use tokio::sync::oneshot;

/// Jobs that may wait: the loop keeps at most one batch of each kind under way, and the watcher one poke.
const JOBS_MAX: usize = 16;

/// What the thread is to do.
#[derive(Debug)]
pub enum Job {
    /// Look at the drop zone now, or at [`Signs`].
    Look,
    /// Remove these claimed files: they are in the journal.
    Forget(Vec<Arc<str>>),
    /// Set these aside with their reasons.
    Reject(Vec<Rejected>),
    /// Keep these until there is room for them.
    Defer(Vec<Arc<str>>),
    /// Fill in what the archive knows, for messages that came over the socket.
    LookUp(Vec<Asked>),
    /// Take what lies in the drop zones now, and say this number when that is done.
    Sweep(u64),
    /// Names that a file's name may hold (`{from}_to_{to}.yaml`).
    Names(BTreeSet<String>),
    /// The archive has other segments now.
    Archive(Archive),
    /// Free bytes below which drops are left in `queue/`.
    LowDisk(u64),
}

/// What came over the socket.
#[derive(Debug)]
pub struct Asked {
    /// The request.
    pub source: Source,
    /// Its documents.
    pub drafts: Vec<Draft>,
    /// Who is proven to have sent it.
    pub proof: Option<AgentName>,
}

/// A refused file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its name in `.tasuki/claim/`.
    pub claim: Arc<str>,
    /// Its sender, as far as it is known.
    pub from: Option<AgentName>,
    /// Why.
    pub refusal: Refusal,
}

/// What was found.
#[derive(Debug)]
pub struct Mail {
    /// Drops and refusals, in order.
    pub drops: Vec<Dropped>,
    /// Things to be told in the activity log.
    pub notes: Vec<String>,
    /// Whether `queue/STOP` is there, and how often the loop itself had made or removed it when that was looked at.
    pub halted: (bool, usize),
    /// Claimed files that are gone now.
    pub forgotten: Vec<Arc<str>>,
    /// Whether drops are left in the queue since the disk is nearly full.
    pub full: bool,
    /// Why drop zones are looked at once a second, in words; none if they are watched.
    pub polling: Option<String>,
    /// What lies there and cannot be taken though it is whole, while claims wait for it.
    pub stuck: Option<String>,
    /// Whether a burst is being taken in: many were found at the last look, or came over the socket, and more are likely.
    pub burst: bool,
    /// How many archives it has got: what ended in others it has not looked for.
    pub archives: usize,
    /// Up to which of [`Job::Sweep`] all that lay there has been told.
    pub swept: Option<u64>,
}

/// One file or request.
#[derive(Debug)]
pub enum Dropped {
    /// Well-formed.
    Drafts {
        /// Where it came from.
        source: Source,
        /// Its documents.
        drafts: Vec<Draft>,
        /// Who is proven to have sent it.
        proof: Option<AgentName>,
    },
    /// Not.
    Bad {
        /// Where it came from.
        source: Source,
        /// Its sender, as far as its body or its name tells.
        from: Option<AgentName>,
        /// The sender's token, as far as it can be read.
        token: Option<Token>,
        /// Why.
        refusal: Refusal,
    },
}

/// The disk that new messages go to, and when it is too full for them.
#[derive(Debug)]
pub struct Disk {
    /// A folder on it.
    pub folder: PathBuf,
    /// Free bytes below which drops are left in `queue/`.
    pub low_bytes: u64,
    /// Whether it was last.
    pub full: bool,
    /// Whether what is taken from the queue can still be remembered; a simulation has nothing to lose.
    pub(in crate::daemon) ground: Option<Ground>,
}

/// What the loop and the watch tell the thread besides its jobs: a full queue of jobs hides none of it.
#[derive(Debug)]
pub struct Signs {
    /// Something may lie in the drop zone.
    look: AtomicBool,
    /// The loop is gone; nothing more is taken.
    ended: AtomicBool,
    /// How many more messages the workspace takes.
    room: room::Told,
    /// What was told and the loop has not taken in yet.
    in_flight: InFlight,
    /// How often the loop itself made or removed `queue/STOP`.
    halts: AtomicUsize,
}

impl Signs {
    /// Has the thread look, if it is not to look already: what wakes it again and again takes no other job's place.
    fn poke(&self, jobs: &SyncSender<Job>) {
        if !self.look.swap(true, Ordering::AcqRel) {
            // If there is no room it has jobs, and sees the sign after the next.
            let _ = jobs.try_send(Job::Look);
        }
    }
}

/// The way to the thread.
#[derive(Debug)]
pub struct Mailing {
    jobs: SyncSender<Job>,
    signs: Arc<Signs>,
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

/// The thread, as the loop sees it.
#[derive(Debug)]
pub struct Started {
    /// The way to it.
    pub mailing: Mailing,
    /// Resolves when the thread ends.
    pub alive: oneshot::Receiver<Infallible>,
    /// To be joined.
    pub thread: JoinHandle<()>,
    /// Dropped files that are in the journal and still on the disk, or undone there: a snapshot has to name them.
    pub decided: Decided,
}

/// Starts the thread with the names that a file's name may hold; it does not read the files of which the journal knows already, and deals with them when it has time.
/// `decided` are all that the journal names: a power cut may put a file back under one of these names.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    mailbox: Mailbox,
    decided: Decided,
    archive: Archive,
    disk: Disk,
    clock: Clock,
    (names, news): (BTreeSet<String>, NewsSender),
) -> std::io::Result<Started> {
    let (mailing, inbox) = mailing();
    let (poke, signs) = (mailing.jobs.clone(), Arc::clone(&mailing.signs));
    let watch = Watch::start(Interest::Arrivals, move |_| signs.poke(&poke));
    let (mut worker, decided) =
        worker(mailbox, decided, archive, (disk, watch), clock, (&mailing, names, news));
    let (obituary, alive) = oneshot::channel();
    let thread = std::thread::Builder::new().name("mailbox".to_owned()).spawn(move || {
        let _ends_with_the_thread: oneshot::Sender<Infallible> = obituary;
        worker.work(&inbox);
    })?;
    Ok(Started { mailing, alive, thread, decided })
}

/// A way to the thread, and its other end.
pub(in crate::daemon) fn mailing() -> (Mailing, Receiver<Job>) {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let room = room::Told::new(Room::For(usize::MAX));
    let in_flight = InFlight::default();
    let signs = Signs { look: true.into(), ended: false.into(), room, in_flight, halts: 0.into() };
    (Mailing { jobs, signs: Arc::new(signs) }, inbox)
}

/// What the thread works with, and the dropped files that are in the journal and still on the disk.
pub(in crate::daemon) fn worker(
    mut mailbox: Mailbox,
    known: Decided,
    archive: Archive,
    (disk, watch): (Disk, Watch),
    clock: Clock,
    (mailing, names, news): (&Mailing, BTreeSet<String>, NewsSender),
) -> (Worker, Decided) {
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
        burst: false,
        archives: 0,
        asked_burst_until: None,
        reject,
        signs: Arc::clone(&mailing.signs),
        disk,
        halted: None,
        polling: None,
        stuck: None,
        look_at: clock.now(),
        gather_until: clock.now(),
        gathering: None,
        deferred_until: clock.now(),
        urgent_at: clock.now(),
        unknowable: false,
        part_waits: false,
    };
    (worker, there)
}

/// A new id: `msg-` and 12 hex digits of a UUID v4.
pub fn mint_id() -> MessageId {
    loop {
        let uuid = uuid();
        if let Some(digits) = uuid.get(..12)
            && let Ok(id) = MessageId::new(&format!("msg-{digits}"))
        {
            return id;
        }
    }
}

/// 32 hex digits.
fn uuid() -> String {
    #[cfg(test)]
    if let Some(bits) = crate::io::fake::bits() {
        return format!("{bits:016x}{bits:016x}");
    }
    uuid::Uuid::new_v4().simple().to_string()
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
