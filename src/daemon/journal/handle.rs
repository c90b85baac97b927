//! The loop's side of the journal: steps that wait to be written, what waits for its step, and where bodies are.

#[cfg(test)]
mod tests;

use crate::daemon::journal::rotation::Rotation;
use crate::daemon::journal::worker::{Job, JobDone, Jobs, Written};
use crate::daemon::views::item::Place;
use crate::engine::engine::Step;
use crate::engine::event::Event;
use crate::engine::history::HistoryLine;
use crate::engine::input::Effect;
use crate::engine::message::BodyRef;
use crate::engine::words::{MessageId, Millis, Seq};
use crate::io::journal::{Fingerprint, JournalError, Location, StepLine};
use crate::wire::events;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tokio::sync::mpsc;

/// Encoded steps that may wait for the journal, two batches: beyond that the loop takes no more news. With their effects they take
/// three times as much.
const WAITING_BYTES_MAX: usize = 2 << 20;

/// A batch that has this much takes no more: the flush of a few thousand ordinary messages costs hardly more than that
/// of one, and where a disk has little room left a smaller batch finds some.
const BATCH_BYTES: usize = 1 << 20;
/// First and longest wait before a turn that failed is tried again; meanwhile the old segment grows.
const ROTATE_AGAIN_MS: (u64, u64) = (1_000, 60_000);

/// What the loop has to do now.
#[derive(Debug)]
pub enum Heard {
    /// Tell and perform these.
    Appended(Held),
    /// The new segment is begun.
    Rotated,
    /// It could not be begun yet.
    NotRotated(JournalError),
    /// Nothing.
    Trimmed,
}

/// Steps on their way into the journal.
#[derive(Debug)]
pub struct JournalHandle {
    jobs: Jobs,
    /// Answers of the thread: one at a time, apart from the news, for they are heard even when there is no room.
    pub(in crate::daemon) answers: mpsc::Receiver<Written>,
    pub(in crate::daemon) rotation: Rotation,
    /// Steps that wait for the batch under way to be written.
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// The batch under way: its steps, none for one without a body, and what waits for them.
    under_way: Option<(Vec<Option<Seq>>, Held)>,
    /// Messages whose end is not written yet: nobody is told of it.
    ending: BTreeSet<MessageId>,
    /// Where each step with a body is.
    places: BTreeMap<Seq, Location>,
    /// Segments closed before this moment may go, but for those from this number on.
    trim: Option<(Millis, u32)>,
    /// Whether somebody waits for what was written to be durable.
    is_awaited: bool,
    /// Whether the segment should be turned.
    wants_rotation: bool,
    /// No turn before this moment, since the last one failed, and how long was waited.
    rotate_not_before: Millis,
    rotate_wait_ms: u64,
    /// Flushes so far.
    pub flushes: u64,
    /// Jobs that were done so far.
    done: u64,
    /// Steps that came so far, and how many of them are written.
    came: u64,
    written: u64,
}

#[derive(Debug)]
struct Waiting {
    line: StepLine,
    outward: bool,
    /// Whether it brings a body, whose place is to be kept.
    body: bool,
    held: Held,
}

/// What waits until its steps are written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// What is to be done.
    pub effects: Vec<Effect>,
    /// What is to be told in the logs, and of when: a log that tells what a crash has undone would be lying.
    pub told: Vec<(Millis, HistoryLine)>,
    /// Messages that end thereby.
    pub ended: Vec<MessageId>,
}

impl JournalHandle {
    /// A handle before a journal that holds bodies at `places`.
    #[must_use]
    pub fn new(jobs: Jobs, answers: mpsc::Receiver<Written>, places: BTreeMap<Seq, Location>) -> Self {
        let (waiting, under_way, trim) = (VecDeque::new(), None, None);
        Self {
            jobs,
            answers,
            rotation: Rotation::default(),
            waiting,
            waiting_bytes: 0,
            ending: BTreeSet::new(),
            under_way,
            places,
            trim,
            is_awaited: false,
            wants_rotation: false,
            rotate_not_before: Millis(0),
            rotate_wait_ms: ROTATE_AGAIN_MS.0,
            flushes: 0,
            done: 0,
            came: 0,
            written: 0,
        }
    }

    /// Whether there is room for more.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.waiting_bytes < WAITING_BYTES_MAX
    }

    /// Whether nothing waits and nothing is being written.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_none()
    }

    /// How many steps came so far: who is shown what they made of the state has to wait until so many are [`Self::steps_written`].
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.came
    }

    /// How many of them are written.
    #[must_use]
    pub fn steps_written(&self) -> u64 {
        self.written
    }

    /// The number of the job that the thread works at, if it does.
    #[must_use]
    pub fn job(&self) -> Option<u64> {
        self.under_way.is_some().then_some(self.done)
    }

    /// Takes a step in; its effects come back when it is written.
    pub fn put(&mut self, step: Step, told: Vec<(Millis, HistoryLine)>) {
        self.came += 1;
        let outward = step.outward();
        let events = events::encode(&step.events).into_boxed_str();
        self.waiting_bytes += events.len();
        let line = StepLine { seq: step.seq, at: step.at, events };
        let body = step.events.iter().any(Event::has_body);
        let ended: Vec<MessageId> = step.events.iter().filter_map(ended).collect();
        self.ending.extend(ended.iter().cloned());
        self.waiting.push_back(Waiting {
            line,
            outward,
            body,
            held: Held { effects: step.effects, told, ended },
        });
    }

    /// Gives the thread all that waits, if it has nothing to do.
    ///
    /// # Errors
    /// If the thread is gone.
    pub fn submit(&mut self) -> Result<(), ThreadGone> {
        if self.under_way.is_some() {
            return Ok(());
        }
        if self.waiting.is_empty() {
            return if std::mem::take(&mut self.is_awaited) {
                self.submit_flush()
            } else {
                self.submit_trim()
            };
        }
        let (mut lines, mut seqs, mut held) = (Vec::new(), Vec::new(), Held::default());
        let (mut durable, mut bytes) = (false, 0);
        while bytes < BATCH_BYTES
            && let Some(waiting) = self.waiting.pop_front()
        {
            bytes += waiting.line.events.len();
            durable |= waiting.outward;
            seqs.push(waiting.body.then_some(waiting.line.seq));
            lines.push(waiting.line);
            held.effects.extend(waiting.held.effects);
            held.told.extend(waiting.held.told);
            held.ended.extend(waiting.held.ended);
        }
        self.waiting_bytes -= bytes;
        self.under_way = Some((seqs, held));
        self.jobs.try_send(Job::Append { lines, durable }).map_err(|_| ThreadGone("journal"))
    }

    /// Segments closed before this moment may be removed when there is nothing else to do.
    pub fn trim(&mut self, before: Millis, keep_from: u32) {
        self.trim = Some((before, keep_from));
    }

    /// Somebody follows, to whom only what is durable is told: what was written is made so, if nothing else comes.
    pub fn flush_soon(&mut self) {
        self.is_awaited = true;
    }

    fn submit_flush(&mut self) -> Result<(), ThreadGone> {
        self.under_way = Some((Vec::new(), Held::default()));
        self.jobs
            .try_send(Job::Append { lines: Vec::new(), durable: true })
            .map_err(|_| ThreadGone("journal"))
    }

    fn submit_trim(&mut self) -> Result<(), ThreadGone> {
        let Some((before, keep_from)) = self.trim.take() else { return Ok(()) };
        self.under_way = Some((Vec::new(), Held::default()));
        self.jobs.try_send(Job::Trim { before, keep_from }).map_err(|_| ThreadGone("journal"))
    }

    /// Gives the thread a rotation. Only while [`Self::is_idle`].
    ///
    /// # Errors
    /// If the thread is gone.
    pub fn rotate(
        &mut self,
        at: Millis,
        snapshot: String,
        finished: Vec<Fingerprint>,
    ) -> Result<(), ThreadGone> {
        self.under_way = Some((Vec::new(), Held::default()));
        self.jobs.try_send(Job::Rotate { at, snapshot, finished }).map_err(|_| ThreadGone("journal"))
    }

    /// Whether the segment should be turned now.
    #[must_use]
    pub fn wants_rotation(&self, now: Millis) -> bool {
        self.wants_rotation && now >= self.rotate_not_before
    }

    /// When a turn that failed is to be tried again, if that is still to come.
    #[must_use]
    pub fn rotate_again_at(&self, now: Millis) -> Option<Millis> {
        (self.wants_rotation && self.rotate_not_before > now).then_some(self.rotate_not_before)
    }

    /// A job is done: the effects that waited for it may be performed.
    ///
    /// # Errors
    /// The journal's own error: nothing of the batch may be performed.
    pub fn written(&mut self, written: Written, now: Millis) -> Result<Heard, JournalError> {
        self.wants_rotation = written.wants_rotation;
        self.flushes = written.flushes;
        self.done += 1;
        let (seqs, held) = self.under_way.take().unwrap_or_default();
        match written.done {
            JobDone::Appended(places) => {
                for id in &held.ended {
                    self.ending.remove(id);
                }
                self.written += seqs.len() as u64;
                let placed = seqs.into_iter().zip(places);
                self.places.extend(placed.filter_map(|(seq, place)| Some((seq?, place))));
                Ok(Heard::Appended(held))
            }
            JobDone::Rotated => {
                self.rotate_wait_ms = ROTATE_AGAIN_MS.0;
                Ok(Heard::Rotated)
            }
            JobDone::NotRotated(error) => {
                self.rotate_not_before = now.plus(self.rotate_wait_ms);
                self.rotate_wait_ms = (self.rotate_wait_ms * 2).min(ROTATE_AGAIN_MS.1);
                Ok(Heard::NotRotated(error))
            }
            JobDone::Trimmed => Ok(Heard::Trimmed),
            JobDone::Stopped(error) => Err(error),
        }
    }

    /// Whether a message has ended in a step that is not written yet.
    #[must_use]
    pub fn is_ending(&self, id: &MessageId) -> bool {
        self.ending.contains(id)
    }

    /// Whether a step with a body has come and is not written yet.
    #[must_use]
    pub fn is_on_its_way(&self, seq: Seq) -> bool {
        let written_now = self.under_way.iter().flat_map(|(seqs, _)| seqs.iter().flatten().copied());
        let waiting = self.waiting.iter().map(|waiting| waiting.line.seq);
        written_now.chain(waiting).next().is_some_and(|first| seq >= first)
    }

    /// Where a body is, and which event of its step brought it; none while its step is not written yet.
    #[must_use]
    pub fn place(&self, body: BodyRef) -> Option<Place> {
        self.places.get(&body.seq).map(|at| Place { step: body.seq, at: *at, event: body.index })
    }

    /// Forgets the places that nothing refers to any more.
    pub fn keep_places(&mut self, keep: impl Fn(Seq) -> bool) {
        self.places.retain(|seq, _| keep(*seq));
    }

    /// Where the steps with bodies are.
    #[must_use]
    pub fn places(&self) -> &BTreeMap<Seq, Location> {
        &self.places
    }
}

fn ended(event: &Event) -> Option<MessageId> {
    match event {
        Event::Ended { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// A thread that lives as long as the daemon has ended.
#[derive(Debug, thiserror::Error)]
#[error("the {0} thread has ended unexpectedly")]
pub struct ThreadGone(pub &'static str);
