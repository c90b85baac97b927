//! What ended in segments that are closed: read again from them, newest first, and kept for the next look.

use super::fold::Fold;
use super::model::Model;
use crate::engine::message::BodyRef;
use crate::engine::state::Finished;
use crate::engine::team::Team;
use crate::engine::words::{MessageId, Seq};
use crate::io::journal::{Cursor, JournalError, Kind, Location, Reader};
use std::cmp::{Ordering, Reverse};
use std::collections::VecDeque;
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
        for ended in self.ended_lately(before) {
            if each(self, &ended).is_break() {
                return Ok(());
            }
        }
        let Some(reader) = self.reader()? else { return Ok(()) };
        let mut segments = reader.segments()?;
        segments.retain(|segment| *segment < self.fold.segment);
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
    fn ended_lately(&self, before: Seq) -> Vec<Ended> {
        // What is owed from an earlier segment is found there.
        let is_of_it = |ended: &&Finished| ended.seq > self.fold.began && ended.seq < before;
        let ended = self.engine().state().finished.values().filter(is_of_it);
        let mut ended: Vec<Ended> = ended.map(|finished| self.fold.ended(finished)).collect();
        ended.sort_unstable_by(newest_first);
        ended
    }

    fn ended_in(&mut self, reader: &Reader, segment: u32) -> Result<Arc<Vec<Ended>>, JournalError> {
        if let Some((_, ended)) = self.closed.kept.iter().find(|(of, _)| *of == segment) {
            return Ok(ended.clone());
        }
        let (fold, began) = fold_of(reader, segment)?;
        let finished = fold.engine.state().finished.values().filter(|finished| finished.seq > began);
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
        segments.retain(|segment| *segment < self.fold.segment);
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

/// What a closed segment has made, and the step before its first. One whose head cannot be understood goes on from what the
/// segments before it have made.
fn fold_of(reader: &Reader, segment: u32) -> Result<(Fold, Seq), JournalError> {
    let mut from = reader.newest_before(segment.saturating_add(1))?;
    loop {
        let at = from.unwrap_or(Cursor::before(segment));
        let (mut fold, mut began, mut headless) = (Fold::new(Team::default()), Seq(0), false);
        reader.follow(at, None, &mut |entry| {
            if entry.place.segment > segment {
                return ControlFlow::Break(());
            }
            let is_head = entry.kind == Kind::Snapshot && entry.place.segment == at.segment();
            // Whatever else cannot be understood was complained of when it was met first.
            headless = fold.take(entry).is_err() && is_head && from.is_some();
            if headless {
                return ControlFlow::Break(());
            }
            if entry.place.segment < segment || entry.kind == Kind::Snapshot {
                began = entry.seq;
            }
            ControlFlow::Continue(())
        })?;
        if !headless {
            return Ok((fold, began));
        }
        from = reader.newest_before(at.segment())?;
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
