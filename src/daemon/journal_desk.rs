//! The loop's side of the journal: steps that wait to be written, effects that wait for their step, and where bodies are.

use crate::daemon::workers::journal::{Job, Jobs, Written};
use crate::engine::engine::Step;
use crate::engine::input::Effect;
use crate::engine::message::BodyRef;
use crate::engine::story::{self, Told};
use crate::engine::words::{Millis, Seq};
use crate::io::journal::{Fingerprint, JournalError, Location, StepLine};
use crate::io::wire::events;
use std::collections::BTreeMap;

/// Encoded steps that may wait for the journal (durability limits): beyond that the loop takes no more news.
const WAITING_BYTES_MAX: usize = 8 << 20;

/// Steps on their way into the journal.
#[derive(Debug)]
pub struct JournalDesk {
    jobs: Jobs,
    /// Steps that wait for the batch under way to be written.
    waiting: Vec<Waiting>,
    waiting_bytes: usize,
    /// The batch under way: which steps it has, and what is due when it is written.
    under_way: Option<(Vec<Seq>, Due)>,
    /// Where each step with a body is.
    places: BTreeMap<Seq, Location>,
    /// Segments closed before this moment may go, but for those from this number on.
    trim: Option<(Millis, u32)>,
    /// Whether the segment should be turned.
    pub wants_turn: bool,
    /// Flushes so far.
    pub flushes: u64,
}

#[derive(Debug)]
struct Waiting {
    line: StepLine,
    outward: bool,
    due: Due,
}

/// What waits for a step to be written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// To be performed.
    pub effects: Vec<Effect>,
    /// To be told in the logs: nobody reads there of what a full disk undid.
    pub told: Vec<(Millis, Told)>,
}

impl JournalDesk {
    /// A desk before a journal that holds bodies at `places`.
    #[must_use]
    pub fn new(jobs: Jobs, places: BTreeMap<Seq, Location>) -> Self {
        let (waiting, under_way, trim) = (Vec::new(), None, None);
        Self { jobs, waiting, waiting_bytes: 0, under_way, places, trim, wants_turn: false, flushes: 0 }
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

    /// Takes a step in; its effects come back when it is written.
    pub fn put(&mut self, step: Step) {
        let outward = step.outward();
        let events = events::encode(&step.events).into_boxed_str();
        self.waiting_bytes += events.len();
        let told = step.events.iter().filter_map(story::tell).map(|told| (step.at, told)).collect();
        let line = StepLine { seq: step.seq, at: step.at, events };
        self.waiting.push(Waiting { line, outward, due: Due { effects: step.effects, told } });
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
            return self.submit_trim();
        }
        let batch = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let durable = batch.iter().any(|waiting| waiting.outward);
        let (mut lines, mut due) = (Vec::with_capacity(batch.len()), Due::default());
        for waiting in batch {
            lines.push(waiting.line);
            due.effects.extend(waiting.due.effects);
            due.told.extend(waiting.due.told);
        }
        self.under_way = Some((lines.iter().map(|line| line.seq).collect(), due));
        self.jobs.try_send(Job::Append { lines, durable }).map_err(|_| ThreadGone)
    }

    /// Segments closed before this moment may be removed when there is nothing else to do.
    pub fn trim(&mut self, before: Millis, keep_from: u32) {
        self.trim = Some((before, keep_from));
    }

    fn submit_trim(&mut self) -> Result<(), ThreadGone> {
        let Some((before, keep_from)) = self.trim.take() else { return Ok(()) };
        self.under_way = Some((Vec::new(), Due::default()));
        self.jobs.try_send(Job::Trim { before, keep_from }).map_err(|_| ThreadGone)
    }

    /// Gives the thread a turn of the segment. Only while [`Self::is_idle`].
    ///
    /// # Errors
    /// If the thread is gone.
    pub fn turn(
        &mut self,
        at: Millis,
        snapshot: String,
        finished: Vec<Fingerprint>,
    ) -> Result<(), ThreadGone> {
        self.under_way = Some((Vec::new(), Due::default()));
        self.wants_turn = false;
        self.jobs.try_send(Job::Turn { at, snapshot, finished }).map_err(|_| ThreadGone)
    }

    /// A batch is written: what waited for it is due.
    ///
    /// # Errors
    /// The journal's own error: nothing of the batch may be performed, and nothing of it is told.
    pub fn written(&mut self, written: Written) -> Result<Due, JournalError> {
        self.wants_turn = written.wants_turn;
        self.flushes = written.flushes;
        let places = written.places?;
        let (seqs, due) = self.under_way.take().unwrap_or_default();
        self.places.extend(seqs.into_iter().zip(places));
        Ok(due)
    }

    /// Where a body is, and which event of its step brought it; none while its step is not written yet.
    #[must_use]
    pub fn place(&self, body: BodyRef) -> Option<(Location, u32)> {
        self.places.get(&body.seq).map(|place| (*place, body.index))
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

/// The journal's thread has ended.
#[derive(Debug, thiserror::Error)]
#[error("the journal's thread has ended")]
pub struct ThreadGone;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::event::Event;
    use crate::engine::input::Reply;
    use crate::engine::message::RequestId;
    use std::sync::mpsc::sync_channel;

    fn step(seq: u64) -> Step {
        let reply = Reply::Done { what: "done".to_owned(), id: None };
        Step {
            seq: Seq(seq),
            at: Millis(seq),
            events: vec![Event::Halted(Some(Millis(seq)))],
            effects: vec![Effect::Answer { request: RequestId(seq), reply }],
            faults: Vec::new(),
        }
    }

    fn written(places: Result<Vec<Location>, JournalError>) -> Written {
        Written { places, wants_turn: false, flushes: 1, archive: None }
    }

    #[test]
    fn effects_wait_for_their_step() {
        let (jobs, inbox) = sync_channel(1);
        let mut desk = JournalDesk::new(jobs, BTreeMap::new());
        desk.put(step(1));
        desk.submit().unwrap();
        desk.put(step(2));
        desk.submit().unwrap();
        let Ok(Job::Append { lines, durable: true }) = inbox.try_recv() else { panic!("a durable batch") };
        assert_eq!(lines.len(), 1, "the second step waits for the first batch");
        assert!(inbox.try_recv().is_err());
        let place = Location { segment: 1, offset: 0, len: 10 };
        let due = desk.written(written(Ok(vec![place]))).unwrap();
        assert_eq!(due.effects, step(1).effects, "the effects of the first step alone");
        let told: Vec<Millis> = due.told.iter().map(|(at, _)| *at).collect();
        assert_eq!(told, [Millis(1)], "and its words alone");
        desk.submit().unwrap();
        let failure = JournalError::NotStopped;
        assert!(desk.written(written(Err(failure))).is_err(), "a failed batch gives no effects");
    }
}
