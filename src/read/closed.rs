//! What ended in segments that are closed: read again from them, newest first, and kept for the next look.

use super::fold::Fold;
use crate::engine::message::BodyRef;
use crate::engine::state::Finished;
use crate::engine::team::Team;
use crate::engine::words::Seq;
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

impl ClosedSegments {
    /// What ended in a segment.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub(super) fn ended_in(
        &mut self,
        reader: &Reader,
        segment: u32,
    ) -> Result<Arc<Vec<Ended>>, JournalError> {
        if let Some((_, ended)) = self.kept.iter().find(|(of, _)| *of == segment) {
            return Ok(ended.clone());
        }
        let (fold, began) = fold_of(reader, segment)?;
        let finished = fold.engine.state().finished.values().filter(|finished| finished.seq > began);
        let mut ended: Vec<Ended> = finished.map(|finished| Ended::of(&fold, finished)).collect();
        ended.sort_unstable_by(newest_first);
        let ended = Arc::new(ended);
        self.kept.push_front((segment, ended.clone()));
        self.kept.truncate(KEPT);
        Ok(ended)
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

impl Ended {
    pub(super) fn of(fold: &Fold, finished: &Finished) -> Self {
        let BodyRef { seq, .. } = finished.body;
        Self { finished: finished.clone(), content_at: fold.places.get(&seq).copied() }
    }
}
