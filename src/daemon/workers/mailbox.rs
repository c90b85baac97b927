//! The mailbox's thread: claims files from the drop zone, reads them into drafts, and does away with those that the
//! loop has dealt with. Files stay where they are while the loop is behind.

use crate::daemon::memory;
use crate::daemon::news::{News, NewsSender};
use crate::engine::message::{Draft, Known, Source};
use crate::engine::refusal::Refusal;
use crate::engine::words::{AgentName, MessageId};
use crate::io::clock::Clock;
use crate::io::journal::Archive;
use crate::io::mailbox::{Found, Mailbox};
use crate::io::wire::draft;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

/// Jobs that may wait: the loop keeps at most one batch of each kind under way, and the watcher one poke.
const JOBS_MAX: usize = 16;
/// Files claimed in one go: a batch that the loop takes in within some 10 ms.
const FILES_PER_SCAN: usize = 256;

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
    /// Its name in the drop zone.
    pub name: Arc<str>,
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
        /// Its sender, as far as the name tells.
        from: Option<AgentName>,
        /// Why.
        refusal: Refusal,
    },
}

/// Where jobs go. Dropping it ends the thread.
pub type Jobs = SyncSender<Job>;

/// Starts the thread.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    mailbox: Mailbox,
    archive: Archive,
    clock: Clock,
    news: NewsSender,
) -> std::io::Result<(Jobs, std::thread::JoinHandle<()>)> {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let thread = std::thread::Builder::new().name("mailbox".to_owned());
    let mut worker =
        Worker { mailbox, archive, clock, news, names: BTreeSet::new(), paused: false, halted: None };
    Ok((jobs, thread.spawn(move || worker.work(&inbox))?))
}

struct Worker {
    mailbox: Mailbox,
    archive: Archive,
    clock: Clock,
    news: NewsSender,
    names: BTreeSet<String>,
    paused: bool,
    /// What the loop was told last of `queue/STOP`.
    halted: Option<bool>,
}

impl Worker {
    fn work(&mut self, jobs: &Receiver<Job>) {
        loop {
            let wait = self.mailbox.next_look(self.clock.now());
            let more = match jobs.recv_timeout(wait) {
                Ok(job) => self.take(job),
                Err(RecvTimeoutError::Timeout) => self.look(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !more {
                return;
            }
        }
    }

    /// Does a job; false if the loop is gone.
    fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Look => return self.look(),
            Job::Forget(claims) => self.mailbox.forget(&claims),
            Job::Reject(rejected) => {
                for file in rejected {
                    self.mailbox.reject(&file.claim, &file.name, &file.refusal, self.clock.now());
                }
            }
            Job::LookUp { source, drafts, proof } => {
                let drops = vec![Dropped::Drafts { source, drafts: self.look_up(drafts), proof }];
                let halted = self.halted.unwrap_or(false);
                return self.tell(Mail { drops, notes: Vec::new(), halted });
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

    /// Takes what lies in the drop zone, batch by batch.
    fn look(&mut self) -> bool {
        loop {
            let budget = if self.paused { 0 } else { FILES_PER_SCAN };
            let scan = self.mailbox.scan(budget, self.clock.now());
            let more = scan.found.len() >= FILES_PER_SCAN;
            let halted = self.mailbox.stop_file();
            let news = !scan.found.is_empty() || !scan.notes.is_empty() || self.halted != Some(halted);
            self.halted = Some(halted);
            let drops = scan.found.into_iter().map(|found| self.read(found)).collect();
            if news && !self.tell(Mail { drops, notes: scan.notes, halted }) {
                return false;
            }
            if !more {
                return true;
            }
        }
    }

    fn tell(&self, mail: Mail) -> bool {
        self.news.blocking_send(News::Mail(mail)).is_ok()
    }

    fn read(&mut self, found: Found) -> Dropped {
        let source = Source::File { claim: found.claim, name: found.name.clone() };
        let known = |name: &str| name == crate::engine::words::USER || self.names.contains(name);
        let read = found.bytes.and_then(|bytes| {
            draft::read(&bytes, Some(&found.name), &known, &mut mint_id, self.clock.wall())
        });
        match read {
            Ok(drafts) => Dropped::Drafts { source, drafts: self.look_up(drafts), proof: None },
            Err(refusal) => {
                let from = draft::envelope(&found.name, &known).map(|(from, _)| from);
                Dropped::Bad { source, from, refusal }
            }
        }
    }

    /// Fills in what the closed segments know of each id.
    fn look_up(&mut self, mut drafts: Vec<Draft>) -> Vec<Draft> {
        for draft in &mut drafts {
            if draft.id_given {
                draft.known = self.known(&draft.id);
            }
            let others: Vec<MessageId> = draft.depends_on.iter().chain(&draft.in_reply_to).cloned().collect();
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
