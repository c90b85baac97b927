//! The mailbox's thread: claims files from the drop zone, reads them into drafts, and does away with those that the
//! loop has dealt with. Files stay where they are while the loop is behind.

use crate::daemon::memory;
use crate::daemon::news::{News, NewsSender};
use crate::engine::message::{Draft, Known, Source};
use crate::engine::refusal::Refusal;
use crate::engine::words::{AgentName, MessageId, USER};
use crate::io::clock::Clock;
use crate::io::folder::FolderError;
use crate::io::journal::{Archive, is_short_of_space};
use crate::io::mailbox::{Budget, Found, Mailbox};
use crate::io::watch::{Interest, Period, Watch};
use crate::io::wire::{draft, refused};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Jobs that may wait: the loop keeps at most one batch of each kind under way, and the watcher one poke.
const JOBS_MAX: usize = 16;
/// While somebody still writes a file, or a folder is in trouble, it is looked at again no sooner than this.
const AGAIN_MS_MIN: u64 = 5;

/// What the thread is to do.
#[derive(Debug)]
pub enum Job {
    /// Look at the drop zone now.
    Look,
    /// Remove these claimed files: they are in the journal.
    Forget(Vec<Arc<str>>),
    /// Set these aside with their reasons.
    Reject(Vec<Rejected>),
    /// Fill in what the archive knows, for messages that came over the socket.
    LookUp {
        /// The request.
        source: Source,
        /// Its documents.
        drafts: Vec<Draft>,
        /// Who is proven to have sent it.
        proof: Option<AgentName>,
    },
    /// Names that a file's name may hold (`{from}_to_{to}.yaml`).
    Names(BTreeSet<String>),
    /// Take nothing from the drop zone, or take it again: the workspace is full.
    Pause(bool),
    /// The archive has one more segment.
    Archive(Archive),
}

/// A refused file.
#[derive(Debug)]
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
    /// Whether `queue/STOP` is there.
    pub halted: bool,
    /// Claimed files that are gone now.
    pub forgotten: Vec<Arc<str>>,
    /// Whether drops are left in the queue since the disk is nearly full.
    pub full: bool,
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
}

/// Where jobs go. The thread ends with the first look after the loop's inbox was dropped.
pub type Jobs = SyncSender<Job>;

/// Starts the thread, which first forgets the claims that the journal knows already.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    mut mailbox: Mailbox,
    known: &BTreeSet<Arc<str>>,
    archive: Archive,
    disk: Disk,
    clock: Clock,
    news: NewsSender,
) -> std::io::Result<(Jobs, std::thread::JoinHandle<()>)> {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let poke = jobs.clone();
    let mut watch = Watch::start(Interest::Arrivals, move |_| drop(poke.try_send(Job::Look)));
    for place in mailbox.places() {
        watch.follow(&place);
    }
    let done: Vec<Arc<str>> = mailbox.unread().into_iter().filter(|claim| known.contains(claim)).collect();
    if let Err(error) = mailbox.forget(&done) {
        tracing::warn!(%error, "files that are in the journal already could not be removed yet");
    }
    let period = Period::new(clock.now());
    let names = BTreeSet::new();
    let mut worker = Worker {
        mailbox,
        watch,
        period,
        archive,
        disk,
        clock,
        news,
        names,
        paused: false,
        owed: Vec::new(),
        halted: None,
        again_ms: None,
    };
    let thread = std::thread::Builder::new().name("mailbox".to_owned());
    Ok((jobs, thread.spawn(move || worker.work(&inbox))?))
}

struct Worker {
    mailbox: Mailbox,
    watch: Watch,
    period: Period,
    archive: Archive,
    clock: Clock,
    news: NewsSender,
    names: BTreeSet<String>,
    paused: bool,
    disk: Disk,
    /// Refused files that could not be set aside yet.
    owed: Vec<Rejected>,
    /// What the loop was told last of `queue/STOP`.
    halted: Option<bool>,
    /// When a file that is waited for wants to be looked at again.
    again_ms: Option<u64>,
}

impl Worker {
    fn work(&mut self, jobs: &Receiver<Job>) {
        let mut more = true;
        while more {
            more = match jobs.recv_timeout(self.wait()) {
                Ok(job) => self.take(job),
                Err(RecvTimeoutError::Timeout) => self.look(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
    }

    /// How long until the next look, whatever inotify says.
    fn wait(&self) -> Duration {
        let period = self.period.next_in_ms(self.clock.now(), self.watch.polling().is_some());
        Duration::from_millis(self.again_ms.map_or(period, |again| again.max(AGAIN_MS_MIN).min(period)))
    }

    /// Does a job; false if the loop is gone.
    fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Look => return self.look(),
            Job::Forget(claims) => return self.forget(claims),
            Job::Reject(rejected) => self.reject(rejected),
            Job::LookUp { source, drafts, proof } => {
                let drops = vec![Dropped::Drafts { source, drafts: self.look_up(drafts), proof }];
                return self.tell(drops, Vec::new(), Vec::new());
            }
            Job::Names(names) => self.names = names,
            Job::Pause(paused) => {
                self.paused = paused;
                return paused || self.look();
            }
            Job::Archive(archive) => self.archive = archive,
        }
        true
    }

    fn forget(&mut self, claims: Vec<Arc<str>>) -> bool {
        match self.mailbox.forget(&claims) {
            Ok(()) => self.tell(Vec::new(), Vec::new(), claims),
            Err(error) => {
                tracing::warn!(%error, "files that are in the journal could not be removed; the next start does it");
                true
            }
        }
    }

    /// Sets refused files aside. Those that cannot be now (a full disk has no room for the reason) are tried again with
    /// each look, and complained of once.
    fn reject(&mut self, rejected: Vec<Rejected>) {
        for file in rejected {
            let from = file.from.as_ref().map(AgentName::as_str);
            if let Err(error) = self.mailbox.reject(&file.claim, &file.refusal, from, self.clock.wall()) {
                tracing::error!(%error, claim = %file.claim, "a refused file cannot be set aside yet; it stays claimed");
                self.owed.push(file);
            }
        }
    }

    fn reject_owed(&mut self) {
        let (mailbox, wall) = (&mut self.mailbox, self.clock.wall());
        self.owed.retain(|file| {
            let from = file.from.as_ref().map(AgentName::as_str);
            mailbox.reject(&file.claim, &file.refusal, from, wall).is_err()
        });
    }

    /// Takes what lies in the drop zones, batch by batch.
    fn look(&mut self) -> bool {
        if self.news.is_closed() {
            return false; // nobody would hear of what is claimed now
        }
        self.watch.check();
        self.reject_owed();
        loop {
            let full = self.is_full();
            let was_full = std::mem::replace(&mut self.disk.full, full);
            let budget = if self.paused || full { Budget { files: 0, bytes: 0 } } else { Budget::default() };
            let sweep = self.mailbox.scan(self.clock.now(), budget);
            self.again_ms = sweep.again_in_ms;
            let halted = self.mailbox.stopped_since().is_some();
            let news = !sweep.found.is_empty() || self.halted != Some(halted) || full != was_full;
            self.halted = Some(halted);
            if !sweep.found.is_empty() {
                self.period.active(self.clock.now());
            }
            let (mut drops, mut notes) = (Vec::new(), Vec::new());
            for found in sweep.found {
                match found {
                    Found::Read { claim, name, bytes, .. } => drops.push(self.read(claim, name, &bytes)),
                    Found::Bad { claim, name, refusal, .. } => {
                        drops.push(self.bad(claim, name, None, refusal))
                    }
                    other => notes.push(note(other)),
                }
            }
            if news && !self.tell(drops, notes, Vec::new()) {
                return false;
            }
            if !sweep.more || self.paused || full {
                return true;
            }
        }
    }

    /// Whether the disk has no room for new messages; what runs goes on.
    fn is_full(&self) -> bool {
        is_short_of_space(&self.disk.folder, self.disk.low_bytes).unwrap_or(false)
    }

    fn tell(&self, drops: Vec<Dropped>, notes: Vec<String>, forgotten: Vec<Arc<str>>) -> bool {
        let halted = self.halted.unwrap_or(false);
        self.news
            .blocking_send(News::Mail(Mail { drops, notes, halted, forgotten, full: self.disk.full }))
            .is_ok()
    }

    fn read(&mut self, claim: Arc<str>, name: Arc<str>, bytes: &[u8]) -> Dropped {
        let known = |name: &str| name == USER || self.names.contains(name);
        match draft::read(bytes, Some(&name), &known, &mut mint_id, self.clock.wall()) {
            Ok(drafts) => {
                let drafts = self.look_up(drafts);
                Dropped::Drafts { source: Source::File { claim, name }, drafts, proof: None }
            }
            Err(refusal) => {
                let from = refused::sender(bytes, refusal.document);
                self.bad(claim, name, from, refusal)
            }
        }
    }

    /// `from` is whom the body names; it wins over the file's name.
    fn bad(&self, claim: Arc<str>, name: Arc<str>, from: Option<AgentName>, refusal: Refusal) -> Dropped {
        let known = |name: &str| name == USER || self.names.contains(name);
        let from = from.or_else(|| draft::envelope(&name, &known).map(|(from, _)| from));
        Dropped::Bad { source: Source::File { claim, name }, from, refusal }
    }

    /// Fills in what the closed segments know of each id.
    fn look_up(&mut self, mut drafts: Vec<Draft>) -> Vec<Draft> {
        for draft in &mut drafts {
            if draft.id_given {
                draft.known = self.known(&draft.id);
            }
            let others = draft.depends_on.iter().chain(&draft.in_reply_to).chain(&draft.retry_of);
            let others: Vec<MessageId> = others.cloned().collect();
            draft.known_refs =
                others.into_iter().filter_map(|id| self.known(&id).map(|known| (id, known))).collect();
        }
        drafts
    }

    /// What the closed segments know of an id.
    fn known(&mut self, id: &MessageId) -> Option<Known> {
        match self.archive.known(id) {
            Ok(finished) => finished.map(|finished| Known {
                digest: finished.digest,
                outcome: memory::outcome_of(finished.outcome),
            }),
            Err(error) => {
                tracing::error!(%error, %id, "the archive cannot be asked whether this id is known");
                None
            }
        }
    }
}

/// A new id: `msg-` and 12 hex digits of a UUID v4.
pub fn mint_id() -> MessageId {
    loop {
        let uuid = uuid::Uuid::new_v4().simple().to_string();
        if let Some(digits) = uuid.get(..12)
            && let Ok(id) = MessageId::new(&format!("msg-{digits}"))
        {
            return id;
        }
    }
}

/// What is worth a line in the activity log.
fn note(found: Found) -> String {
    match found {
        Found::Later { name, refusal, .. } => format!("{name} is left where it is: {}", refusal.why),
        Found::Hint { name, .. } => format!("{name} is not taken: only names that end in .yaml are"),
        Found::Trouble { error, .. } => trouble(&error),
        Found::Read { name, .. } | Found::Bad { name, .. } => format!("{name} was taken"),
    }
}

fn trouble(error: &FolderError) -> String {
    format!("the drop zone cannot be looked at: {error}")
}
