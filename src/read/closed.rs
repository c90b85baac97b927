//! What ended in segments that are closed: read again from them, newest first, and kept for the next look.

use super::fold::Fold;
use super::model::Model;
use crate::engine::message::BodyRef;
use crate::engine::state::Finished;
use crate::engine::team::Team;
use crate::engine::words::{MessageId, Seq};
use crate::io::journal::{JournalError, Location, Reader};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Segments of which it is kept what ended in them, some 2 MB each: whoever turns pages stays near.
const KEPT: usize = 4;

/// A message that ended.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) finished: Finished,
    /// Where its content is, if that is in the same segment.
    pub(super) content_at: Option<Location>,
}

/// What ended in closed segments, as far as somebody has looked.
#[derive(Debug, Default)]
pub(super) struct ClosedSegments {
    kept: VecDeque<(u32, Arc<Vec<Ended>>)>,
}

/// What is done with each message that ended.
pub(super) type EachEnded<'a> = dyn FnMut(&mut Model, &Ended) -> ControlFlow<()> + 'a;

impl Model {
    /// Gives the messages that ended before this step, those that ended last first.
    pub(super) fn ended_before(&mut self, before: Seq, each: &mut EachEnded<'_>) -> Result<(), JournalError> {
        for (_, id) in self.ended_lately(before) {
            let Some(finished) = self.engine().state().finished.get(&id) else { continue };
            let ended = self.fold.ended(finished);
            if each(self, &ended).is_break() {
                return Ok(());
            }
        }
        let Some(reader) = self.reader()? else { return Ok(()) };
        let mut segments = reader.segments()?;
        segments.retain(|segment| *segment < self.cursor.segment());
        while let Some(segment) = segments.pop() {
            // Where nothing in it ended before that step, its head says so.
            if reader.begins(segment)?.is_some_and(|begins| begins >= before) {
                continue;
            }
            let ended = self.ended_in(&reader, segment)?;
            for ended in ended.iter().filter(|ended| ended.finished.seq < before) {
                if each(self, ended).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Those of the newest segment, as they are now.
    fn ended_lately(&self, before: Seq) -> BTreeSet<(Reverse<Seq>, MessageId)> {
        // What is owed from an earlier segment is found there.
        let is_of_it = |ended: &&Finished| ended.seq > self.fold.began && ended.seq < before;
        let ended = self.engine().state().finished.values().filter(is_of_it);
        ended.map(|finished| (Reverse(finished.seq), finished.message.id.clone())).collect()
    }

    fn ended_in(&mut self, reader: &Reader, segment: u32) -> Result<Arc<Vec<Ended>>, JournalError> {
        if let Some((_, ended)) = self.closed.kept.iter().find(|(of, _)| *of == segment) {
            return Ok(ended.clone());
        }
        let mut fold = Fold::new(Team::default());
        reader.read_segment(segment, &mut |entry| {
            // What cannot be understood was complained of when it was met first.
            let _ = fold.take(entry);
        })?;
        let finished = fold.engine.state().finished.values().filter(|finished| finished.seq > fold.began);
        let mut ended: Vec<Ended> = finished.map(|finished| fold.ended(finished)).collect();
        ended.sort_unstable_by(newest_first);
        let ended = Arc::new(ended);
        self.closed.kept.push_front((segment, ended.clone()));
        self.closed.kept.truncate(KEPT);
        Ok(ended)
    }

    /// A message that ended, wherever that was; the segments' lists say in which to look.
    pub(super) fn ended(&mut self, id: &MessageId) -> Result<Option<Ended>, JournalError> {
        if let Some(finished) = self.engine().state().finished.get(id) {
            return Ok(Some(self.fold.ended(finished)));
        }
        let Some(reader) = self.reader()? else { return Ok(None) };
        let mut segments = reader.segments()?;
        segments.retain(|segment| *segment < self.cursor.segment());
        while let Some(segment) = segments.pop() {
            if matches!(reader.known_in(segment, id)?, Some(None)) {
                continue;
            }
            let ended = self.ended_in(&reader, segment)?;
            if let Some(found) = ended.iter().find(|ended| ended.finished.message.id == *id) {
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }
}

/// The order of a list: those that ended last first, and those of one step by their ids.
fn newest_first(one: &Ended, other: &Ended) -> Ordering {
    let key = |ended: &Ended| (Reverse(ended.finished.seq), ended.finished.message.id.clone());
    key(one).cmp(&key(other))
}

impl Fold {
    fn ended(&self, finished: &Finished) -> Ended {
        let BodyRef { seq, .. } = finished.body;
        Ended { finished: finished.clone(), content_at: self.places.get(&seq).copied() }
    }
}
