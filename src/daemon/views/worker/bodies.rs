//! What views are made of: bodies, read back from the journal.

use super::{Trouble, Worker};
use crate::daemon::views::item::Place;
use crate::engine::event::{Answer, Event};
use crate::engine::message::Body;
use crate::engine::words::Seq;
use crate::io::journal::{JournalError, Record};
use crate::wire::events;
use std::io::ErrorKind;

impl Worker {
    /// The content of a message.
    pub(super) fn body(&mut self, place: Place) -> Result<Body, Trouble> {
        let record = self.record(place)?;
        events::body_of(&record.payload, place.event).ok_or_else(|| unreadable("body", record.seq))
    }

    /// The same of one that has ended; where it is damaged, why: its answer is shown all the same.
    pub(super) fn body_or_why(&mut self, place: Place) -> Result<Body, Trouble> {
        match self.body(place) {
            Err(Trouble::Unreadable(why)) => {
                self.complain(&why, "the content of a message that has ended cannot be read any more");
                let content = format!("(tasuki cannot read this content any more: {why})").into();
                Ok(Body { content, ..Body::default() })
            }
            other => other,
        }
    }

    /// The answer to a message.
    pub(super) fn answer(&mut self, place: Place) -> Result<Answer, Trouble> {
        let record = self.record(place)?;
        let events = events::decode(&record.payload).map_err(|_| unreadable("answer", record.seq))?;
        match events.into_iter().nth(place.event as usize) {
            Some(Event::Ended { answer: Some(answer), .. }) => Ok(*answer),
            _ => Err(unreadable("answer", record.seq)),
        }
    }

    /// Only what is damaged or gone stays so: a machine that cannot read just now (no descriptors, no rights) may later.
    fn record(&mut self, place: Place) -> Result<Record, Trouble> {
        self.reader.step(place.step, place.at).map_err(|error| match &error {
            JournalError::Io { source, .. }
                if !matches!(source.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof) =>
            {
                Trouble::Unwritten(error.to_string())
            }
            JournalError::NotAFile { .. } => Trouble::Unwritten(error.to_string()),
            _ => Trouble::Unreadable(error.to_string()),
        })
    }
}

fn unreadable(what: &str, step: Seq) -> Trouble {
    Trouble::Unreadable(format!(
        "there is no {what} in step {} of the journal (`tasuki fsck` checks it)",
        step.0
    ))
}
