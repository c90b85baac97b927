//! Contents and answers, read from the journal where they were written.

use super::model::Model;
use super::titles::title_of;
use crate::engine::event::{Answer, Event};
use crate::engine::history::called_off;
use crate::engine::message::{Body, BodyRef, Outcome};
use crate::engine::state::Finished;
use crate::engine::words::{MessageId, Seq};
use crate::io::journal::{Location, Reader, Record};
use crate::wire::events;

impl Model {
    /// The line of a step; none if it cannot be read any more.
    pub(super) fn step(&mut self, seq: Seq, at: Option<Location>) -> Option<Record> {
        self.reader().ok()??;
        let reader: &mut Reader = self.reader.as_mut()?; // it remembers the file of its last line
        match at.or_else(|| self.fold.places.get(&seq).copied()) {
            Some(at) => reader.step(seq, at).ok(),
            None => {
                let at = reader.find(seq).ok()??;
                reader.read_at(at).ok()
            }
        }
    }

    /// A body; none if it cannot be read any more.
    pub(super) fn body(&mut self, body: BodyRef) -> Option<Body> {
        self.body_at(body, None)
    }

    /// The same, where it is known at which place its step is.
    pub(super) fn body_at(&mut self, body: BodyRef, at: Option<Location>) -> Option<Body> {
        let record = self.step(body.seq, at)?;
        self.long.body_of(record.seq, &record.payload, body.index)
    }

    /// How a message ended: why, and with which answer.
    pub(super) fn end_of(&mut self, id: &MessageId, seq: Seq) -> Option<(Option<String>, Option<Answer>)> {
        let record = self.step(seq, None)?;
        let found = events::decode(&record.payload).ok()?;
        found.into_iter().find_map(|event| match event {
            Event::Ended { id: ended, why, answer, .. } if ended == *id => {
                Some((why, answer.map(|answer| *answer)))
            }
            _ => None,
        })
    }
}

impl Model {
    /// Why a message failed: tasuki's own words, or the first line of what its agent said. Of one that was cancelled, who called
    /// it off.
    pub(super) fn why_ended(&mut self, finished: &Finished) -> Option<String> {
        let (why, answer) = self.end_of(&finished.message.id, finished.seq)?;
        if finished.outcome == Outcome::Cancelled {
            return Some(called_off(why.as_deref()));
        }
        why.or_else(|| answer.map(|answer| title_of(&answer.body.content))).filter(|why| !why.is_empty())
    }
}
