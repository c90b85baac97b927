//! What the mailbox's thread does: looks, reads, and does away with what is dealt with.

use super::{Disk, Dropped, Job, Mail, Rejected, Signs, mint_id};
use crate::daemon::memory;
use crate::daemon::news::{News, NewsSender};
use crate::engine::message::{Draft, Known, Source};
use crate::engine::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, MessageId, Millis, Token, USER};
use crate::io::clock::Clock;
use crate::io::folder::FolderError;
use crate::io::journal::{Archive, is_short_of_space};
use crate::io::mailbox::{Budget, Found, Mailbox, Sweep, Waited};
use crate::io::watch::{Period, Watch};
use crate::io::wire::{draft, refused};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// While somebody still writes a file, or a folder is in trouble, it is looked at again no sooner than this.
const AGAIN_MS_MIN: u64 = 5;
/// While a claim waits for a drop, whether it can be taken is asked this often.
const SWEEP_AGAIN_MS: u64 = 20;
/// And files for which there was no room no sooner than this, though there may be room for others.
const DEFERRED_MS: u64 = 250;

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

pub(super) struct Worker {
    pub(super) mailbox: Mailbox,
    pub(super) watch: Watch,
    pub(super) period: Period,
    pub(super) archive: Archive,
    pub(super) clock: Clock,
    pub(super) news: NewsSender,
    pub(super) names: BTreeSet<String>,
    /// Claims that the journal named at the start.
    pub(super) known: BTreeSet<Arc<str>>,
    /// Sweeps that are not done.
    pub(super) sweeps: VecDeque<Sweeping>,
    /// Files that a sweep has waited for in vain: one that somebody leaves open holds claims up once.
    pub(super) given_up: HashSet<Waited>,
    /// Claims that could not be removed yet.
    pub(super) forget: Vec<Arc<str>>,
    /// Refused files that could not be set aside yet.
    pub(super) reject: Vec<Rejected>,
    pub(super) signs: Arc<Signs>,
    pub(super) disk: Disk,
    /// What the loop was told last of `queue/STOP`.
    pub(super) halted: Option<(bool, usize)>,
    /// When it is looked again, whatever inotify says.
    pub(super) look_at: Millis,
    /// And when at the soonest, whatever inotify says.
    pub(super) gather_until: Millis,
    /// And where files wait for room: they are read again then.
    pub(super) deferred_until: Millis,
}

impl Worker {
    pub(super) fn work(&mut self, jobs: &Receiver<Job>) {
        // Watched first, listed then: what comes in between is told twice, and nothing is missed.
        for place in self.mailbox.places() {
            self.watch.follow(&place);
        }
        loop {
            let asked = self.signs.look.load(Ordering::Acquire);
            let look_at = if asked { self.look_at.min(self.gather_until) } else { self.look_at };
            let wait = Duration::from_millis(look_at.since(self.clock.now()));
            let more = match jobs.recv_timeout(wait) {
                Ok(job) => self.take(job),
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => false,
            };
            if !more || self.has_ended() {
                return;
            }
            // Jobs may come without end; what lies in the queue is looked for between any two.
            let now = self.clock.now();
            let asked = self.signs.look.load(Ordering::Acquire) && self.gather_until <= now;
            if asked || self.look_at <= now {
                self.signs.look.store(false, Ordering::Release);
                if !self.look() {
                    return;
                }
            }
        }
    }

    fn has_ended(&self) -> bool {
        self.signs.ended.load(Ordering::Acquire)
    }

    /// Does a job; false if the loop is gone.
    fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Look => {}
            Job::Sweep(number) => self.sweep(number),
            Job::Forget(claims) => return self.forget(claims),
            Job::Reject(rejected) => self.reject(rejected),
            Job::Defer(claims) => {
                claims.iter().for_each(|claim| self.mailbox.defer(claim));
                self.deferred_until = self.clock.now().plus(DEFERRED_MS);
            }
            Job::LowDisk(bytes) => self.disk.low_bytes = bytes,
            Job::LookUp { source, drafts, proof } => {
                let dropped = if self.is_full() {
                    let refusal = Refusal::new(Code::DiskFull, "the disk is nearly full");
                    Dropped::Bad { source, from: None, token: None, refusal }
                } else {
                    Dropped::Drafts { source, drafts: self.look_up(drafts), proof }
                };
                return self.tell(vec![dropped], Vec::new(), Vec::new());
            }
            Job::Names(names) => self.names = names,
            Job::Archive(archive) => self.archive = archive,
        }
        true
    }

    fn forget(&mut self, claims: Vec<Arc<str>>) -> bool {
        match self.mailbox.forget(&claims) {
            Ok(()) => self.tell(Vec::new(), Vec::new(), claims),
            Err(error) => {
                tracing::warn!(%error, "files that are in the journal could not be removed; it is tried again");
                self.forget.extend(claims);
                true
            }
        }
    }

    fn reject(&mut self, rejected: Vec<Rejected>) {
        for file in rejected {
            let from = file.from.as_ref().map(AgentName::as_str);
            if let Err(error) = self.mailbox.reject(&file.claim, &file.refusal, from, self.clock.wall()) {
                tracing::error!(%error, claim = %file.claim, "a refused file could not be set aside; it is tried again");
                self.reject.push(file);
            }
        }
    }

    /// What could not be removed or set aside, once more.
    fn catch_up(&mut self) -> bool {
        let rejected = std::mem::take(&mut self.reject);
        self.reject(rejected);
        let claims = std::mem::take(&mut self.forget);
        claims.is_empty() || self.forget(claims)
    }

    /// Takes what lies in the drop zones, a batch, and says when to look again; false if the loop is gone.
    fn look(&mut self) -> bool {
        self.watch.check();
        let halts = self.signs.halts.load(Ordering::Acquire);
        let halted = (self.mailbox.stopped_since().is_some(), halts);
        let full = self.is_full();
        let was_full = std::mem::replace(&mut self.disk.full, full);
        let had_halted = self.halted.replace(halted);
        let news = had_halted != Some(halted) || full != was_full;
        if news && !self.tell(Vec::new(), Vec::new(), Vec::new()) {
            return false; // what is told before the sweep holds for what it finds
        }
        let sweep = self.mailbox.scan(self.clock.now(), self.budget(full));
        let now = self.clock.now();
        if !sweep.found.is_empty() {
            self.period.active(now);
        }
        let period = self.period.next_in_ms(now, self.watch.polling().is_some());
        let again = sweep.again_in_ms.map(|again| again.max(AGAIN_MS_MIN));
        self.look_at = now.plus(again.map_or(period, |again| again.min(period)));
        self.gather_until = now.plus(gather_ms(sweep.found.len())).max(self.deferred_until);
        if sweep.more && self.budget(full).files > 0 {
            self.look_at = now.max(self.deferred_until);
        }
        self.report(sweep) && self.catch_up() && self.settle()
    }

    /// Begins a sweep.
    fn sweep(&mut self, number: u64) {
        let now = self.clock.now();
        let (listings, until) = (self.mailbox.listings(), now.plus(SWEEP_MS));
        self.sweeps.push_back(Sweeping { number, listings, written: None, until });
        (self.look_at, self.gather_until) = (now, now);
    }

    /// Tells which sweeps are done: what lay there was told, or is waited for no longer. What there is no room for cannot be
    /// waited for. False if the loop is gone.
    fn settle(&mut self) -> bool {
        let now = self.clock.now();
        let is_shut = self.budget(self.disk.full).files == 0;
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

    fn budget(&self, full: bool) -> Budget {
        let room = if full { 0 } else { self.signs.room.load(Ordering::Relaxed) };
        let Budget { files, bytes } = Budget::default();
        Budget { files: files.min(room), bytes: if room == 0 { 0 } else { bytes } }
    }

    /// Tells what a sweep found.
    fn report(&mut self, sweep: Sweep) -> bool {
        let (mut drops, mut notes, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for found in sweep.found {
            match found {
                // A power cut put back what the journal has.
                Found::Read { claim, .. } | Found::Bad { claim, .. } if self.known.contains(&claim) => {
                    known.push(claim);
                }
                Found::Read { claim, name, bytes, .. } => drops.push(self.read(claim, name, &bytes)),
                Found::Bad { claim, name, refusal, .. } => {
                    drops.push(self.bad(claim, name, (None, None), refusal));
                }
                other => notes.push(note(other)),
            }
        }
        let told = drops.is_empty() && notes.is_empty() || self.tell(drops, notes, Vec::new());
        told && (known.is_empty() || self.forget(known))
    }

    /// Whether the disk has no room for new messages; what runs goes on.
    fn is_full(&self) -> bool {
        is_short_of_space(&self.disk.folder, self.disk.low_bytes).unwrap_or(false)
    }

    fn tell(&self, drops: Vec<Dropped>, notes: Vec<String>, forgotten: Vec<Arc<str>>) -> bool {
        self.send(Mail { drops, notes, forgotten, ..self.mail() })
    }

    /// What holds for whatever is told.
    fn mail(&self) -> Mail {
        let halted = self.halted.unwrap_or_default();
        let (drops, notes, forgotten) = (Vec::new(), Vec::new(), Vec::new());
        Mail { drops, notes, halted, forgotten, full: self.disk.full, swept: None }
    }

    fn send(&self, mail: Mail) -> bool {
        self.news.blocking_send(News::Mail(mail)).is_ok()
    }

    fn read(&mut self, claim: Arc<str>, name: Arc<str>, bytes: &[u8]) -> Dropped {
        let known = |name: &str| name == USER || self.names.contains(name);
        match draft::read(bytes, Some(&name), &known, &mut mint_id, self.clock.wall()) {
            Ok(drafts) => {
                let drafts = self.look_up(drafts);
                Dropped::Drafts { source: Source::File { claim, name }, drafts, proof: None }
            }
            Err(refusal) => {
                let sender = (refused::sender(bytes, refusal.document), refused::token(bytes));
                self.bad(claim, name, sender, refusal)
            }
        }
    }

    /// Whom the body names, and its token, which win over the file's name.
    fn bad(
        &self,
        claim: Arc<str>,
        name: Arc<str>,
        (from, token): (Option<AgentName>, Option<Token>),
        refusal: Refusal,
    ) -> Dropped {
        let known = |name: &str| name == USER || self.names.contains(name);
        let from = from.or_else(|| draft::envelope(&name, &known).map(|(from, _)| from));
        Dropped::Bad { source: Source::File { claim, name }, from, token, refusal }
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

/// How long more is gathered before the next look. Whoever drops one file at a time never waits; where several lay there
/// at once more are coming, and one flush for all of them is what makes a burst fast.
fn gather_ms(found: usize) -> u64 {
    match found {
        0 | 1 => 0,
        2..=4 => 5,
        _ => 20,
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
