//! The loop's side of the mailbox: claimed files that can go, and those to be set aside.

use crate::daemon::workers::mailbox::{Job, Jobs, Rejected};
use crate::engine::message::{Draft, Source};
use crate::engine::refusal::Refusal;
use crate::engine::words::AgentName;
use crate::io::journal::Archive;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::TrySendError;

/// Jobs on their way to the mailbox.
#[derive(Debug)]
pub struct MailDesk {
    jobs: Jobs,
    forget: Vec<Arc<str>>,
    reject: Vec<Rejected>,
    /// Other jobs, in order; as many as there are callers at most.
    others: VecDeque<Job>,
    paused: bool,
    /// Claims that are in the journal and perhaps still on the disk.
    claims: BTreeSet<Arc<str>>,
}

impl MailDesk {
    /// A desk that knows which claims the journal holds.
    #[must_use]
    pub fn new(jobs: Jobs, claims: BTreeSet<Arc<str>>) -> Self {
        Self { jobs, forget: Vec::new(), reject: Vec::new(), others: VecDeque::new(), paused: false, claims }
    }

    /// This file is in the journal.
    pub fn forget(&mut self, source: Source) {
        if let Source::File { claim, .. } = source {
            self.claims.insert(claim.clone());
            self.forget.push(claim);
        }
    }

    /// These files are gone.
    pub fn forgotten(&mut self, claims: &[Arc<str>]) {
        for claim in claims {
            self.claims.remove(claim);
        }
    }

    /// Claims that are in the journal and perhaps still on the disk: a snapshot has to name them.
    #[must_use]
    pub fn claims(&self) -> &BTreeSet<Arc<str>> {
        &self.claims
    }

    /// This file is refused.
    pub fn reject(&mut self, source: Source, from: Option<AgentName>, refusal: Refusal) {
        if let Source::File { claim, .. } = source {
            self.reject.push(Rejected { claim, from, refusal });
        }
    }

    /// Messages that came over the socket: what does the archive know of them?
    pub fn look_up(&mut self, source: Source, drafts: Vec<Draft>, proof: Option<AgentName>) {
        self.others.push_back(Job::LookUp { source, drafts, proof });
    }

    /// The names that a file's name may hold changed.
    pub fn names(&mut self, names: BTreeSet<String>) {
        self.others.push_back(Job::Names(names));
    }

    /// The archive has one more segment.
    pub fn archive(&mut self, archive: Archive) {
        self.others.push_back(Job::Archive(archive));
    }

    /// Takes nothing from the drop zone while the workspace is full: drops wait in `queue/`.
    pub fn pause(&mut self, paused: bool) {
        if self.paused != paused {
            self.paused = paused;
            self.others.push_back(Job::Pause(paused));
        }
    }

    /// Looks at the drop zone now; if the thread has jobs already it will look by itself.
    pub fn look(&self) {
        let _ = self.jobs.try_send(Job::Look);
    }

    /// Wakes the thread, which sees that the loop has ended and takes nothing any more. To be called after the loop's
    /// inbox was dropped.
    pub fn close(self) {
        let _ = self.jobs.try_send(Job::Look);
    }

    /// Hands out what waits, as far as there is room.
    pub fn submit(&mut self) {
        while let Some(job) = self.others.pop_front() {
            if let Err(job) = self.give(job) {
                return self.others.push_front(job);
            }
        }
        let reject = std::mem::take(&mut self.reject);
        if !reject.is_empty()
            && let Err(Job::Reject(files)) = self.give(Job::Reject(reject))
        {
            self.reject = files;
        }
        let forget = std::mem::take(&mut self.forget);
        if !forget.is_empty()
            && let Err(Job::Forget(files)) = self.give(Job::Forget(forget))
        {
            self.forget = files;
        }
    }

    fn give(&self, job: Job) -> Result<(), Job> {
        match self.jobs.try_send(job) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) => Err(job),
        }
    }
}
