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
}

impl MailDesk {
    /// An empty desk.
    #[must_use]
    pub fn new(jobs: Jobs) -> Self {
        Self { jobs, forget: Vec::new(), reject: Vec::new(), others: VecDeque::new(), paused: false }
    }

    /// This file is in the journal.
    pub fn forget(&mut self, source: Source) {
        if let Source::File { claim, .. } = source {
            self.forget.push(claim);
        }
    }

    /// This file is refused.
    pub fn reject(&mut self, source: Source, refusal: Refusal) {
        if let Source::File { claim, name } = source {
            self.reject.push(Rejected { claim, name, refusal });
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

    /// Takes nothing from the drop zone while the workspace is full.
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
