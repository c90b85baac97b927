//! Messages that ended: those of the newest segment as they are now, and those of closed ones as they were left.

use super::closed::Ended;
use super::model::Model;
use crate::engine::state::Finished;
use crate::engine::words::{MessageId, Seq};
use crate::io::journal::JournalError;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What is done with each message that ended.
pub(super) type EachEnded<'a> = dyn FnMut(&mut Model, &Ended) -> ControlFlow<()> + 'a;

impl Model {
    /// Gives the messages that ended before this step, those that ended last first.
    pub(super) fn ended_before(&mut self, before: Seq, each: &mut EachEnded<'_>) -> Result<(), JournalError> {
        for (_, id) in self.ended_lately(before) {
            let Some(finished) = self.engine().state().finished.get(&id) else { continue };
            let ended = Ended::of(&self.fold, finished);
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
            let ended = self.closed.ended_in(&reader, segment)?;
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

    /// A message that ended, wherever that was; the segments' lists say in which to look.
    pub(super) fn ended(&mut self, id: &MessageId) -> Result<Option<Ended>, JournalError> {
        if let Some(finished) = self.engine().state().finished.get(id) {
            return Ok(Some(Ended::of(&self.fold, finished)));
        }
        let Some(reader) = self.reader()? else { return Ok(None) };
        let mut segments = reader.segments()?;
        segments.retain(|segment| *segment < self.fold.segment);
        while let Some(segment) = segments.pop() {
            if matches!(reader.known_in(segment, id)?, Some(None)) {
                continue;
            }
            let ended = self.closed.ended_in(&reader, segment)?;
            if let Some(found) = ended.iter().find(|ended| ended.finished.message.id == *id) {
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }
}
