//! The journal's thread: takes a batch of steps, writes it with one write and at most one `fdatasync`, and says where it is.
//! While it is at work the loop gathers the next batch, so a burst costs few flushes.

use crate::daemon::clients::published::Published;
use crate::engine::words::Millis;
use crate::io::journal::{Archive, Extents, Fingerprint, Journal, JournalError, Location, StepLine};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::{mpsc, watch};

/// One job at a time is all the loop ever gives.
const JOBS_MAX: usize = 1;

/// What the thread is to do.
#[derive(Debug)]
pub enum Job {
    /// Write these steps; make them durable if `durable`.
    Append {
        /// The steps, encoded.
        lines: Vec<StepLine>,
        /// Whether an outward effect waits for them.
        durable: bool,
    },
    /// Close the segment: begin a new one with this snapshot.
    Rotate {
        at: Millis,
        /// Everything that is open, encoded.
        snapshot: String,
        /// What ended in the closed segment.
        finished: Vec<Fingerprint>,
    },
    /// Remove segments that were closed before this moment.
    Trim {
        /// The moment.
        before: Millis,
        /// Segments from this one on stay: an open message refers to them.
        keep_from: u32,
    },
}

/// What became of a job.
#[derive(Debug)]
pub struct Written {
    pub done: JobDone,
    /// Whether the segment should be turned soon.
    pub wants_rotation: bool,
    /// Flushes so far, for the status and the tests.
    pub flushes: u64,
    /// What the closed segments know, where that changed.
    pub archive: Option<Archive>,
}

/// How a job went.
#[derive(Debug)]
pub enum JobDone {
    /// Where each step is, in order.
    Appended(Vec<Location>),
    /// The new segment is begun.
    Rotated,
    /// The segment could not be turned, and the old one is still in use: to be tried again later.
    NotRotated(JournalError),
    /// Old segments are removed, as far as it went.
    Trimmed,
    /// Nothing more can be written: the daemon starts anew, in a new segment.
    Stopped(JournalError),
}

/// Where jobs go. Dropping it ends the thread, which gives the journal back.
pub type Jobs = SyncSender<Job>;

/// Starts the thread. It says there how far the journal reaches.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    journal: Journal,
    answers: mpsc::Sender<Written>,
    published: &Published,
) -> std::io::Result<(Jobs, std::thread::JoinHandle<Journal>)> {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let thread = std::thread::Builder::new().name("journal".to_owned());
    published.begin(journal.extents());
    let extents = published.extents.clone();
    Ok((jobs, thread.spawn(move || work(journal, &inbox, &answers, &extents))?))
}

fn work(
    mut journal: Journal,
    jobs: &Receiver<Job>,
    answers: &mpsc::Sender<Written>,
    extents: &watch::Sender<Extents>,
) -> Journal {
    // Trimming has no moment of its own.
    let mut now = Millis(0);
    while let Ok(job) = jobs.recv() {
        let written = do_job(&mut journal, job, &mut now);
        let stopped = matches!(written.done, JobDone::Stopped(_));
        // Before the loop hears of it: whoever it tells may look at once.
        if !stopped {
            extents.send_replace(journal.extents());
        }
        if answers.blocking_send(written).is_err() || stopped {
            break; // the loop is gone, or it will start anew in a new segment
        }
    }
    journal
}

/// Does a job; what there is to say. `now` is when the last one was.
pub(in crate::daemon) fn do_job(journal: &mut Journal, job: Job, now: &mut Millis) -> Written {
    *now = job.at().unwrap_or(*now);
    let (done, changed) = work_at(journal, job);
    Written {
        done,
        wants_rotation: journal.wants_rotation(*now),
        flushes: journal.counters().fdatasyncs,
        archive: changed.then(|| journal.archive()),
    }
}

/// How a job went, and whether other segments are closed now than before.
fn work_at(journal: &mut Journal, job: Job) -> (JobDone, bool) {
    match job {
        Job::Append { lines, durable } => {
            let done = journal.append(&lines, durable);
            (done.map_or_else(JobDone::Stopped, JobDone::Appended), false)
        }
        Job::Rotate { at, snapshot, finished } => match journal.rotate(at, snapshot, finished) {
            Ok(()) => (JobDone::Rotated, true),
            Err(error) if journal.has_stopped() => (JobDone::Stopped(error), false),
            Err(error) => (JobDone::NotRotated(error), false),
        },
        Job::Trim { before, keep_from } => (JobDone::Trimmed, trim(journal, before, keep_from)),
    }
}

/// Removes old segments; whether any went. What cannot be removed now is tried again the next time.
fn trim(journal: &mut Journal, before: Millis, keep_from: u32) -> bool {
    journal.keep_from(keep_from);
    match journal.remove_older_than(before) {
        Ok(removed) => {
            if !removed.is_empty() {
                tracing::info!(segments = ?removed, "segments older than the retention are removed");
            }
            !removed.is_empty()
        }
        Err(error) => {
            tracing::warn!(%error, "segments older than the retention could not be removed yet");
            true
        }
    }
}

impl Job {
    fn at(&self) -> Option<Millis> {
        match self {
            Self::Append { lines, .. } => lines.last().map(|line| line.at),
            Self::Rotate { at, .. } => Some(*at),
            Self::Trim { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::{Digest, MessageId};
    use crate::io::journal::IdHash;

    /// A segment in which this message ended, and the turn to the next one.
    fn rotate(journal: &mut Journal, id: &MessageId) -> Written {
        let (seq, now) = (journal.next_seq(), &mut Millis(0));
        let line = StepLine { seq, at: Millis(seq.0), events: "[]".into() };
        let job = Job::Append { lines: vec![line], durable: true };
        assert!(matches!(do_job(journal, job, now).done, JobDone::Appended(_)));
        let finished = vec![Fingerprint { id: IdHash::of(id), seq, digest: Digest(7), outcome: 0 }];
        do_job(journal, Job::Rotate { at: Millis(seq.0), snapshot: "{}".to_owned(), finished }, now)
    }

    #[test]
    fn whoever_looks_up_ids_is_told_of_each_segment_that_comes_or_goes() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = || -> crate::io::journal::Walk { Box::new(|_, _| ()) };
        let opened = Journal::open(folder.path(), "test", nothing, &mut |_| Ok(()));
        let (mut journal, _) = opened.unwrap();
        let ids = ["a", "b", "c"].map(|id| MessageId::new(id).unwrap());
        let known = |written: Written| {
            let mut archive = written.archive?;
            Some(ids.each_ref().map(|id| archive.known(id).unwrap().is_some()))
        };
        assert_eq!(known(rotate(&mut journal, &ids[0])), Some([true, false, false]));
        assert_eq!(known(rotate(&mut journal, &ids[1])), Some([true, true, false]));
        assert_eq!(known(rotate(&mut journal, &ids[2])), Some([true, true, true]));
        let mut trim = |keep_from| {
            do_job(&mut journal, Job::Trim { before: Millis(u64::MAX), keep_from }, &mut Millis(0))
        };
        assert_eq!(known(trim(1)), None, "an open message has its content in the first");
        assert_eq!(known(trim(2)), Some([false, true, true]));
        assert_eq!(known(trim(9)), Some([false, false, true]), "the one that was closed last stays");
    }
}
