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
    /// What the closed segments know, after a turn.
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
    while let Ok(job) = jobs.recv() {
        let (now, turned) = (job.at(), matches!(job, Job::Turn { .. }));
        let places = match job {
            Job::Append { lines, durable } => journal.append(&lines, durable),
            Job::Turn { at, snapshot, finished } => {
                journal.turn(at, &snapshot, finished).map(|()| Vec::new())
            }
        };
        let failed = places.is_err();
        let archive = turned.then(|| journal.archive());
        let written = Written {
            places,
            wants_turn: journal.wants_turn(now),
            flushes: journal.counters().fdatasyncs,
            archive,
        };
        if answers.blocking_send(written).is_err() || failed {
            break; // the loop is gone, or it will start anew in a new segment
        }
    }
    journal
}

impl Job {
    fn at(&self) -> Millis {
        match self {
            Self::Append { lines, .. } => lines.last().map_or(Millis(0), |line| line.at),
            Self::Turn { at, .. } => *at,
        }
    }
}
