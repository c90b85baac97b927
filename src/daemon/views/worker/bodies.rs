//! What views are made of: bodies, read back from the journal.

use super::{Trouble, Worker};
use crate::daemon::views::item::{FlowItem, Place};
use crate::engine::event::{Answer, Event};
use crate::engine::flow::debate::Debate;
use crate::engine::flow::stage::FlowStage;
use crate::engine::message::{Body, BodyRef, Kind};
use crate::engine::words::{MessageId, Millis, Seq, ourselves};
use crate::io::journal::{JournalError, Reader, Record};
use crate::io::views::{RoundFile, View};
use crate::wire::debate::document::{round_file_name, round_pieces};
use crate::wire::debate::error::DebateError;
use crate::wire::debate::reported::reports;
use crate::wire::debate::shown::{Bodies, output, overview};
use crate::wire::events;
use crate::wire::session::document::{export, of_flow};
use std::collections::HashMap;
use std::io::ErrorKind;

impl Worker {
    /// The content of a message.
    pub(super) fn body(&mut self, place: Place) -> Result<Body, Trouble> {
        let record = self.record(place)?;
        let body = self.long.body_of(record.seq, &record.payload, place.event);
        body.ok_or_else(|| unreadable("body", record.seq))
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
            Some(Event::StepImported { step, body, ended, .. }) => {
                let id = MessageId::new(step.as_str()).map_err(|_| unreadable("answer", record.seq))?;
                Ok(elsewhere(id, body, ended.unwrap_or(record.at)))
            }
            _ => Err(unreadable("answer", record.seq)),
        }
    }

    /// Writes a session's document. Of each step of the journal the texts are read once.
    pub(super) fn show_flow(&mut self, item: &FlowItem) -> Result<(), Trouble> {
        if let Some(debate) = item.seen.flow.debate() {
            return self.show_debate(item, debate);
        }
        let mut texts = HashMap::new();
        for (seq, at) in &item.places {
            let at = Place { step: *seq, at: *at, event: 0 };
            match self.record(at) {
                Ok(record) => {
                    let bodies = events::bodies_of(&record.payload).into_iter();
                    let place = |index| BodyRef { seq: *seq, index };
                    texts.extend(bodies.map(|(index, body)| (place(index), body.content)));
                }
                Err(Trouble::Unreadable(why)) => {
                    self.complain(&why, "a text of a session cannot be read any more")
                }
                Err(trouble) => return Err(trouble),
            }
        }
        let root = self.views.root().display().to_string();
        let document = of_flow(&item.seen, &root, &mut |place| texts.get(&place).cloned());
        let Some(document) = document else { return Ok(()) };
        let id = item.seen.flow.head.id.clone();
        match item.seen.flow.stage {
            FlowStage::Completed => self.views.write_last(id, &export(&document))?,
            _ => self.views.write(View::Session(id), &export(&document))?,
        }
        Ok(())
    }

    /// Writes the files of a debate. One round is read at a time: its answers may be long.
    fn show_debate(&mut self, item: &FlowItem, debate: &Debate) -> Result<(), Trouble> {
        let (flow, id) = (&item.seen.flow, &item.seen.flow.head.id);
        let context = self.views.root().join(".tasuki/debates").join(id.as_str()).join("context");
        for round in 1..=debate.rounds {
            let ended = flow.speeches(debate, round).iter().filter(|step| step.stage.has_ended()).count();
            let name = round_file_name(round);
            match self.views.round_file(id, (round, &name), ended)? {
                _ if ended == 0 => continue,
                RoundFile::Current => continue,
                RoundFile::Damaged => {
                    let path = context.join(&name).display().to_string();
                    let reason = "somebody has changed it; it is written again from the journal".to_owned();
                    let error = DebateError::ContextFileCorrupted { path, reason };
                    tracing::warn!(code = error.code(), "{error}");
                }
                RoundFile::Due => {}
            }
            self.write_round((item, debate), (round, &name), ended)?;
        }
        // The report is written once, when its worktrees have gone, of which it tells: it is shown at each of them.
        let is_over = !flow.stage.is_open() && !flow.owes_ends();
        if let Some(reports) = self.of_bodies(item, |bodies| reports(flow, bodies))? {
            self.views.write_of_debate(id, ("report.md", &reports.markdown), is_over)?;
            self.views.write_of_debate(id, ("report.html", &reports.html), is_over)?;
        }
        let task = self.of_bodies(item, |bodies| bodies(flow.request))?.map(|body| body.content);
        let overview = overview(flow, &context.to_string_lossy(), task.as_deref());
        let text = serde_json::to_string_pretty(&overview).unwrap_or_default() + "\n";
        Ok(self.views.write_of_debate(id, ("debate.json", &text), is_over)?)
    }

    /// Writes the file of a round. One answer is read at a time, since each may be long.
    fn write_round(
        &mut self,
        (item, debate): (&FlowItem, &Debate),
        (round, name): (u8, &str),
        ended: usize,
    ) -> Result<(), Trouble> {
        let Self { views, reader, .. } = self;
        let flow = &item.seen.flow;
        let mut trouble = None;
        let speeches = flow.speeches(debate, round).iter().zip(&debate.roles);
        let outputs = speeches.filter_map(|(step, role)| {
            output(step, (round, role, debate), &mut |place| body_of(reader, item, place, &mut trouble))
        });
        let id = &flow.head.id;
        views.write_round(id, (round, name), ended, &mut round_pieces(outputs))?;
        match trouble {
            None => Ok(()),
            Some(trouble) => {
                // Something is missing in it.
                views.forget_round(id, round);
                Err(trouble)
            }
        }
    }

    /// Makes something of the texts of a debate, each read when it is asked for.
    fn of_bodies<T>(&mut self, item: &FlowItem, make: impl FnOnce(Bodies<'_>) -> T) -> Result<T, Trouble> {
        let mut trouble = None;
        let made = make(&mut |place| body_of(&mut self.reader, item, place, &mut trouble));
        trouble.map_or(Ok(made), Err)
    }

    /// Only what is damaged or gone stays so: a machine that cannot read just now (no descriptors, no rights) may later.
    fn record(&mut self, place: Place) -> Result<Record, Trouble> {
        record_of(&mut self.reader, place)
    }
}

/// A text of a debate; none where it cannot be read any more. What only cannot be read just now is `trouble`.
fn body_of(
    reader: &mut Reader,
    item: &FlowItem,
    place: BodyRef,
    trouble: &mut Option<Trouble>,
) -> Option<Body> {
    let at = item.places.get(&place.seq)?;
    match record_of(reader, Place { step: place.seq, at: *at, event: 0 }) {
        Ok(record) => events::body_of(&record.payload, place.index),
        Err(Trouble::Unreadable(_)) => None,
        Err(other) => {
            *trouble = Some(other);
            None
        }
    }
}

fn record_of(reader: &mut Reader, place: Place) -> Result<Record, Trouble> {
    reader.step(place.step, place.at).map_err(|error| match &error {
        JournalError::Io { source, .. }
            if !matches!(source.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof) =>
        {
            Trouble::Unwritten(error.to_string())
        }
        JournalError::NotAFile { .. } => Trouble::Unwritten(error.to_string()),
        _ => Trouble::Unreadable(error.to_string()),
    })
}

/// What came of a step that was done elsewhere, as an answer.
fn elsewhere(id: MessageId, body: Body, at: Millis) -> Answer {
    Answer {
        id,
        kind: Kind::Result,
        from: ourselves(),
        body,
        source: None,
        weak: false,
        truncated: false,
        evidence: Vec::new(),
        at,
    }
}

fn unreadable(what: &str, step: Seq) -> Trouble {
    Trouble::Unreadable(format!(
        "there is no {what} in step {} of the journal (`tasuki fsck` checks it)",
        step.0
    ))
}
