//! A journal as the daemon writes it: steps, turns of the segment, what is taken away, and appends that fail. What it must show is
//! kept beside it.

use crate::engine::make::START;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use tasuki::daemon::journal::snapshot;
use tasuki::daemon::mailbox::handled::Handled;
use tasuki::engine::engine::Engine;
use tasuki::engine::event::Event;
use tasuki::engine::state::{Finished, Open};
use tasuki::engine::team::Team;
use tasuki::engine::words::{MessageId, Millis, Seq};
use tasuki::io::clock::Clock;
use tasuki::io::journal::{Extents, Journal, Location, StepLine, Walk};
use tasuki::io::workspace::Workspace;
use tasuki::read::Model;
use tasuki::wire::events;

/// Events of a step, and when it was.
pub(crate) type Happened = (Millis, Vec<Event>);

/// A message that ended, as it must be shown.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) finished: Finished,
    pub(super) why: Option<String>,
    pub(super) answer: Option<Arc<str>>,
    /// The segment in which it ended.
    segment: u32,
}

pub(super) struct Writer {
    pub(super) folder: tempfile::TempDir,
    pub(super) journal: Journal,
    pub(super) engine: Engine,
    places: BTreeMap<Seq, Location>,
    /// All steps that count, and the numbers of snapshots with what they name as owed.
    log: Vec<(Seq, Result<Happened, BTreeSet<MessageId>>)>,
    owed: BTreeSet<MessageId>,
    ended: Vec<Ended>,
    /// What each message says, and in which segment that is.
    pub(super) contents: BTreeMap<MessageId, (Arc<str>, u32)>,
    /// The oldest segment that is there.
    pub(super) oldest: u32,
}

impl Writer {
    pub(super) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("tasuki-read-").tempdir_in("/dev/shm");
        let folder = folder.or_else(|_| tempfile::tempdir()).unwrap();
        let nothing = || -> Walk { Box::new(|_, _| ()) };
        let dir = folder.path().join(".tasuki/journal");
        let (journal, _) = Journal::open(&dir, "boot-1", nothing, &mut |_| Ok(())).unwrap();
        Self {
            folder,
            journal,
            engine: Engine::new(Team::default()),
            places: BTreeMap::new(),
            log: Vec::new(),
            owed: BTreeSet::new(),
            ended: Vec::new(),
            contents: BTreeMap::new(),
            oldest: 1,
        }
    }

    /// Somebody who has read nothing yet, as of the last step.
    pub(super) fn model(&self) -> Model {
        Model::new(Workspace::at(self.folder.path()).unwrap(), Clock::starting_at(START))
    }

    /// The same who has read all.
    pub(super) fn fresh(&self) -> Model {
        let mut model = self.model();
        model.catch_up(Some(self.extents().written), &mut |_, _, _| ()).unwrap();
        model
    }

    pub(super) fn extents(&self) -> Extents {
        self.journal.extents()
    }

    fn segment(&self) -> u32 {
        self.extents().written.segment
    }

    /// The file of a segment.
    pub(super) fn file(&self, segment: u32) -> PathBuf {
        self.folder.path().join(format!(".tasuki/journal/{segment:06}.jsonl"))
    }

    /// Writes a step; what it makes counts from now on.
    pub(super) fn write(&mut self, (at, happened): &Happened) {
        let seq = self.journal.next_seq();
        let segment = self.segment();
        let place = self.append(*at, happened, true);
        self.engine.replay(seq, *at, happened).unwrap();
        if happened.iter().any(Event::has_body) {
            self.places.insert(seq, place);
        }
        for event in happened {
            match event {
                Event::Accepted { message, body, .. } => {
                    self.contents.insert(message.id.clone(), ((*body.content).into(), segment));
                }
                Event::Ended { id, why, answer, .. } => self.ended.push(Ended {
                    finished: self.engine.state().finished[id].clone(),
                    why: why.clone(),
                    answer: answer.as_ref().map(|answer| (*answer.body.content).into()),
                    segment,
                }),
                _ => {}
            }
        }
        self.log.push((seq, Ok((*at, happened.clone()))));
    }

    fn append(&mut self, at: Millis, happened: &[Event], durable: bool) -> Location {
        let events = events::encode(happened).into_boxed_str();
        let line = StepLine { seq: self.journal.next_seq(), at, events };
        self.journal.append(&[line], durable).unwrap()[0]
    }

    /// Writes steps that never become durable; whoever looks may see them. [`Self::undo`] follows.
    pub(super) fn write_in_vain(&mut self, steps: &[Happened]) {
        for (at, happened) in steps {
            self.append(*at, happened, false);
        }
    }

    /// The append failed: what was durable goes on in a new segment.
    pub(super) fn undo(&mut self, at: Millis) {
        self.journal.stop("a test");
        self.journal.reread(&mut |_| Ok(())).unwrap();
        self.engine = self.rebuilt();
        self.turn_by(at, BTreeSet::new(), |journal, at, snapshot, finished| {
            journal.start_new_segment(at, snapshot, finished).unwrap();
        });
    }

    /// Turns the segment; the views of what ended in it last are still owed, as far as `owe` says.
    pub(super) fn rotate(&mut self, at: Millis, owe: usize) {
        let owed = self.engine.state().finished.keys().take(owe).cloned().collect();
        self.turn_by(at, owed, |journal, at, snapshot, finished| {
            journal.rotate(at, snapshot, finished).unwrap();
        });
    }

    /// Turns the segment with a snapshot that says nothing.
    pub(super) fn rotate_badly(&mut self, at: Millis) {
        self.turn_by(at, BTreeSet::new(), |journal, at, _, finished| {
            journal.rotate(at, "{}", finished).unwrap();
        });
    }

    fn turn_by(
        &mut self,
        at: Millis,
        owed: BTreeSet<MessageId>,
        turn: impl FnOnce(&mut Journal, Millis, String, Vec<tasuki::io::journal::Fingerprint>),
    ) {
        let snapshot = snapshot::encode(&self.engine, &self.places, &Handled::default(), &owed);
        let finished = snapshot::fingerprints(&self.engine, &self.owed);
        let seq = self.journal.next_seq();
        turn(&mut self.journal, at, snapshot, finished);
        let needed = self.engine.needed_steps();
        self.places.retain(|seq, _| needed.contains(seq));
        self.engine.segment_closed_but(seq, &owed);
        self.log.push((seq, Err(owed.clone())));
        self.owed = owed;
    }

    /// The engine as all that counts makes it.
    fn rebuilt(&self) -> Engine {
        let mut engine = Engine::new(Team::default());
        for (seq, line) in &self.log {
            match line {
                Ok((at, happened)) => engine.replay(*seq, *at, happened).unwrap(),
                Err(owed) => engine.segment_closed_but(*seq, owed),
            }
        }
        engine
    }

    /// What may go is taken away: segments that nothing open needs, but for the one that was closed last.
    pub(super) fn retain(&mut self) {
        let needed = self.engine.needed_steps();
        let places = self.places.iter().filter(|(seq, _)| needed.contains(seq));
        self.journal.keep_from(places.map(|(_, place)| place.segment).min().unwrap_or(u32::MAX));
        let removed = self.journal.remove_older_than(Millis(u64::MAX)).unwrap();
        self.oldest = removed.last().map_or(self.oldest, |last| last + 1);
    }

    /// Open messages in the order of a list.
    pub(super) fn open(&self) -> Vec<&Open> {
        let mut open: Vec<&Open> = self.engine.state().open.values().map(|open| &**open).collect();
        open.sort_by_key(|open| std::cmp::Reverse((open.body.seq, open.body.index)));
        open
    }

    /// Those that ended and are still known, in the order of a list.
    pub(super) fn ended(&self) -> Vec<&Ended> {
        let mut ended: Vec<&Ended> = self.ended.iter().filter(|ended| ended.segment >= self.oldest).collect();
        ended.sort_by_key(|ended| (std::cmp::Reverse(ended.finished.seq), ended.finished.message.id.clone()));
        ended
    }

    /// What a message says; none if that is not kept any more.
    pub(super) fn content(&self, id: &MessageId) -> Option<&str> {
        self.contents.get(id).filter(|(_, segment)| *segment >= self.oldest).map(|(text, _)| &**text)
    }
}
