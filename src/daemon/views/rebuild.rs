//! The views of finished messages, written again from the journal alone. Those of what is open are the daemon's, which may
//! run meanwhile: an agent reads them.

use crate::engine::event::{Answer, Event};
use crate::engine::message::{Body, BodyRef};
use crate::engine::state::{Finished, State};
use crate::engine::words::MessageId;
use crate::io::folder::FolderError;
use crate::io::journal::{Entry, Kind};
use crate::io::views::Views;
use crate::wire::events;
use crate::wire::message::view::MessageView;
use crate::wire::time::Day;
use std::collections::BTreeMap;

/// What was done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rebuilt {
    /// Finished messages whose views were missing.
    pub written: u64,
    /// Those whose views were there.
    pub kept: u64,
}

/// Takes the journal's lines in order. Only what is open at a time is held in memory.
pub struct Rebuild {
    views: Views,
    /// What follows from the lines so far, as the daemon has it: tries are counted in one place.
    state: State,
    /// The contents of what is open.
    bodies: BTreeMap<MessageId, Body>,
    done: Rebuilt,
}

impl Rebuild {
    /// Before the first line.
    #[must_use]
    pub fn new(views: Views) -> Self {
        Self { views, state: State::default(), bodies: BTreeMap::new(), done: Rebuilt::default() }
    }

    /// Takes a line. One that cannot be understood is fsck's to tell.
    ///
    /// # Errors
    /// [`FolderError`] if a view cannot be written.
    pub fn take(&mut self, entry: &Entry<'_>) -> Result<(), FolderError> {
        let events = if entry.kind == Kind::Step { events::decode(entry.payload) } else { Ok(Vec::new()) };
        events.unwrap_or_default().into_iter().try_for_each(|event| self.take_event(entry, event))
    }

    /// What was done, once it is durable.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn finish(self) -> Result<Rebuilt, FolderError> {
        self.views.sync()?;
        Ok(self.done)
    }

    fn take_event(&mut self, entry: &Entry<'_>, event: Event) -> Result<(), FolderError> {
        let place = BodyRef { seq: entry.seq, index: 0 };
        if let Event::Ended { id, outcome, answer, why } = &event
            && let Some((open, body)) = self.state.open.get(id).zip(self.bodies.remove(id))
        {
            let finished = Finished {
                message: Box::new(open.message.clone()),
                outcome: *outcome,
                body: place,
                answer: answer.as_ref().map(|_| place),
                agent: open.agent.clone(),
                attempts: open.attempts,
                base: None,
                seq: entry.seq,
                at: entry.at,
            };
            let view = MessageView { reason: why.clone(), ..MessageView::finished(&finished).with(&body) };
            self.show(&view, &Day::of(entry.at), answer.as_deref())?;
        }
        // What does not fit follows a damaged line: the rest is read all the same.
        let _ = self.state.apply(entry.at, place, &event);
        self.state.finished.clear();
        if let Event::Accepted { message, body, .. } = event {
            self.bodies.insert(message.id, body);
        }
        Ok(())
    }

    fn show(&mut self, view: &MessageView, day: &Day, answer: Option<&Answer>) -> Result<(), FolderError> {
        let id = &view.id;
        let (result, done) = (answer.map(|answer| view.result(answer).yaml()), view.yaml());
        if self.views.is_end_shown(id, day, answer.is_some())
            || self.views.holds_end(id, day, result.as_deref(), &done)
        {
            self.done.kept += 1;
            return Ok(());
        }
        if let Some(result) = result {
            self.views.write_result(id, &result)?;
        }
        self.views.write_done(id, day, &done)?;
        self.done.written += 1;
        Ok(())
    }
}
