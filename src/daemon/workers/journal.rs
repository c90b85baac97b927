//! The journal's thread: takes a batch of steps, writes it with one write and at most one `fdatasync`, and says where it is.
//! While it is at work the loop gathers the next batch, so a burst costs few flushes.

use crate::engine::words::Millis;
use crate::io::journal::{Archive, Fingerprint, Journal, JournalError, Location, StepLine};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::mpsc;

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
    Turn {
        /// When.
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
    /// Where each step of an append is, in order; for a turn, where the snapshot is.
    pub places: Result<Vec<Location>, JournalError>,
    /// Whether the segment should be turned soon.
    pub wants_turn: bool,
    /// Flushes so far, for the status and the tests.
    pub flushes: u64,
    /// What the closed segments know, where that changed.
    pub archive: Option<Archive>,
}

/// Where jobs go. Dropping it ends the thread, which gives the journal back.
pub type Jobs = SyncSender<Job>;

/// Starts the thread.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    journal: Journal,
    answers: mpsc::Sender<Written>,
) -> std::io::Result<(Jobs, std::thread::JoinHandle<Journal>)> {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let thread = std::thread::Builder::new().name("journal".to_owned());
    Ok((jobs, thread.spawn(move || work(journal, &inbox, &answers))?))
}

fn work(mut journal: Journal, jobs: &Receiver<Job>, answers: &mpsc::Sender<Written>) -> Journal {
    // Trimming has no moment of its own.
    let mut now = Millis(0);
    while let Ok(job) = jobs.recv() {
        now = job.at().unwrap_or(now);
        let (places, changed) = match job {
            Job::Append { lines, durable } => (journal.append(&lines, durable), false),
            Job::Turn { at, snapshot, finished } => {
                (journal.turn(at, &snapshot, finished).map(|()| Vec::new()), true)
            }
            Job::Trim { before, keep_from } => (Ok(Vec::new()), trim(&mut journal, before, keep_from)),
        };
        let failed = places.is_err();
        let written = Written {
            places,
            wants_turn: journal.wants_turn(now),
            flushes: journal.counters().fdatasyncs,
            archive: changed.then(|| journal.archive()),
        };
        if answers.blocking_send(written).is_err() || failed {
            break; // the loop is gone, or it will start anew in a new segment
        }
    }
    journal
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
            Self::Turn { at, .. } => Some(*at),
            Self::Trim { .. } => None,
        }
    }
}
