//! Tasks of the user's that were completed, for whoever is told of them.

use super::events::{EVENTS_MAX, EventFilter};
use super::model::Model;
use super::problems::unreadable;
use super::titles::title_of;
use crate::engine::message::Kind;
use crate::engine::words::MessageId;
use crate::io::journal::{Cursor, Extent};
use crate::wire::api::{CureInfo, EventsQuery, NotifyEventInfo, NotifyKind, Problem};

/// A task of the user's that was completed, and the step in which it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedTask {
    pub seq: u64,
    pub event: NotifyEventInfo,
}

/// Some of them, and where it goes on.
#[derive(Debug, Default)]
pub struct CompletedTasks {
    pub tasks: Vec<CompletedTask>,
    pub cursor: Cursor,
    /// Whether more of the journal is to be read.
    pub more: bool,
}

impl Model {
    /// Those of the next steps behind a cursor.
    ///
    /// # Errors
    /// [`Problem`] if the journal cannot be read.
    pub fn completed(&mut self, from: Cursor, reaches: Extent) -> Result<CompletedTasks, Problem> {
        let ended = EventsQuery { kind: Some("ended".to_owned()), ..EventsQuery::default() };
        let filter = EventFilter::of(&ended, self)?;
        let steps = self.steps(from, reaches, EVENTS_MAX, &filter)?;
        let mut tasks = Vec::new();
        for step in steps.steps {
            for event in step.events.iter().filter(|event| event.what == "completed") {
                let Some(id) = event.id.as_deref().and_then(|id| MessageId::new(id).ok()) else { continue };
                let event = self.completed_task(&id, &step.at)?;
                tasks.extend(event.map(|event| CompletedTask { seq: step.seq, event }));
            }
        }
        Ok(CompletedTasks { tasks, cursor: steps.cursor, more: steps.more })
    }

    /// The event of a message that was completed, if it is a task of the user's and no part.
    fn completed_task(&mut self, id: &MessageId, at: &str) -> Result<Option<NotifyEventInfo>, Problem> {
        let Some(ended) = self.ended(id).map_err(|error| unreadable(&error))? else { return Ok(None) };
        let finished = &ended.finished;
        let message = &finished.message;
        if message.kind != Kind::Task || message.parent.is_some() || !message.from.is_user() {
            return Ok(None);
        }
        let title = self.body_at(finished.body, ended.content_at).map(|body| title_of(&body.content));
        let agent = finished.agent.as_ref().unwrap_or(&message.to);
        Ok(Some(NotifyEventInfo {
            kind: NotifyKind::Completed,
            id: format!("completed.{id}"),
            title: format!("{id} is completed: {}", title.unwrap_or_default()),
            detail: None,
            agent: Some(agent.to_string()),
            message: Some(id.to_string()),
            since: at.to_owned(),
            cures: vec![CureInfo {
                label: "Read its answer".to_owned(),
                command: format!("tasuki show {id}"),
                path: None,
                body: None,
                asks_first: false,
            }],
        }))
    }
}
