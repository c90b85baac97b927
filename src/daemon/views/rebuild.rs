//! The views of finished messages, written again from the journal alone. Those of what is open are the daemon's, which may
//! run meanwhile: an agent reads them.

use crate::engine::event::{Answer, Event};
use crate::engine::life::Move;
use crate::engine::message::{Body, BodyRef, Message, Outcome};
use crate::engine::state::Finished;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
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

/// A message on its way through the journal.
struct Running {
    message: Box<Message>,
    body: Body,
    agent: Option<AgentName>,
    attempts: u8,
}

/// Takes the journal's lines in order. Only what is open at a time is held in memory.
pub struct Rebuild {
    views: Views,
    open: BTreeMap<MessageId, Running>,
    done: Rebuilt,
}

impl Rebuild {
    /// Before the first line.
    #[must_use]
    pub fn new(views: Views) -> Self {
        Self { views, open: BTreeMap::new(), done: Rebuilt::default() }
    }

    /// Takes a line. One that cannot be understood is fsck's to tell.
    ///
    /// # Errors
    /// [`FolderError`] if a view cannot be written.
    pub fn take(&mut self, entry: &Entry<'_>) -> Result<(), FolderError> {
        let events = if entry.kind == Kind::Step { events::decode(entry.payload) } else { Ok(Vec::new()) };
        events.unwrap_or_default().into_iter().try_for_each(|event| self.take_event(entry.at, event))
    }

    /// What was done, once it is durable.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn finish(self) -> Result<Rebuilt, FolderError> {
        self.views.sync()?;
        Ok(self.done)
    }

    fn take_event(&mut self, at: Millis, event: Event) -> Result<(), FolderError> {
        match event {
            Event::Accepted { message, body, .. } => {
                let id = message.id.clone();
                self.open.insert(id, Running { message, body, agent: None, attempts: 0 });
            }
            Event::Moved { id, to, agent, .. } => {
                if let Some(running) = self.open.get_mut(&id) {
                    running.agent = agent.or(running.agent.take());
                    if matches!(to, Move::Intend(_)) {
                        running.attempts = running.attempts.saturating_add(1);
                    }
                }
            }
            Event::Ended { id, outcome, answer, why } => {
                if let Some(running) = self.open.remove(&id) {
                    self.show(at, running, outcome, answer.as_deref(), why)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn show(
        &mut self,
        at: Millis,
        running: Running,
        outcome: Outcome,
        answer: Option<&Answer>,
        why: Option<String>,
    ) -> Result<(), FolderError> {
        let Running { message, body, agent, attempts } = running;
        let (id, day) = (message.id.clone(), Day::of(at));
        if self.views.is_end_shown(&id, &day, answer.is_some()) {
            self.done.kept += 1;
            return Ok(());
        }
        let (seq, nowhere) = (Seq(0), BodyRef { seq: Seq(0), index: 0 });
        let answered = answer.map(|_| nowhere);
        let finished =
            Finished { message, outcome, body: nowhere, answer: answered, agent, attempts, seq, at };
        let view = MessageView::finished(&finished);
        let view = MessageView { reason: why, ..view.with(&body) };
        let (result, done) = (answer.map(|answer| view.result(answer).yaml()), view.yaml());
        if self.views.holds_end(&id, &day, result.as_deref(), &done) {
            self.done.kept += 1;
            return Ok(());
        }
        if let Some(result) = result {
            self.views.write_result(&id, &result)?;
        }
        self.views.write_done(&id, &day, &done)?;
        self.done.written += 1;
        Ok(())
    }
}
