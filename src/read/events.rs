//! Steps for whoever follows, read from the journal where it stands: nothing is kept for a reader that is slow.

use super::model::Model;
use super::problems::{bad, message_id, unreadable};
use super::told::{KINDS, told};
use crate::engine::event::{AgentChange, Event};
use crate::engine::history::is_overtaken;
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, MessageId, Seq};
use crate::io::journal::{Cursor, Extent, Kind};
use crate::wire::api::{EventsQuery, Problem, StepInfo};
use crate::wire::events;
use crate::wire::time::rfc3339_ms;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Events that are read at once for a reader that has just come: it may be gone before it has taken many.
pub const EVENTS_FIRST: usize = 16;
/// The most events that are read at once: so much waits for a reader that is slow, some 100 KB. A step of more comes whole, and a
/// line without events counts as one.
pub const EVENTS_MAX: usize = 256;

/// What of all that happens is asked for.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    agent: Option<AgentName>,
    id: Option<MessageId>,
    kind: Option<String>,
}

/// Some steps, and where it goes on.
#[derive(Debug, Default)]
pub struct Steps {
    /// Those of which anything was asked for.
    pub steps: Vec<StepInfo>,
    pub cursor: Cursor,
    /// Whether there is more that is durable.
    pub more: bool,
    /// Messages that anything happened to, asked for or not.
    pub touched: BTreeSet<MessageId>,
}

/// Where a stream begins.
#[derive(Debug)]
pub enum StreamStart {
    At(Cursor),
    /// The journal does not reach back so far: it begins here instead.
    Reset(Cursor),
}

impl EventFilter {
    /// Reads it from a question.
    ///
    /// # Errors
    /// [`Problem`] says what is wrong with it.
    pub fn of(query: &EventsQuery, model: &Model) -> Result<Self, Problem> {
        let kind = query.kind.clone();
        if let Some(kind) = kind.as_deref().filter(|kind| !KINDS.contains(kind)) {
            return Err(bad("kind", kind, &format!("a kind of event; the kinds are {}", KINDS.join(", "))));
        }
        let agent = query.agent.as_deref().map(|name| model.member(name)).transpose()?;
        let id = query.id.as_deref().map(message_id).transpose()?;
        Ok(Self { agent, id, kind })
    }

    fn is_empty(&self) -> bool {
        self.agent.is_none() && self.id.is_none() && self.kind.is_none()
    }
}

impl Model {
    /// Where a stream begins: behind the step `after`, or at the end of what is durable.
    ///
    /// # Errors
    /// [`Problem`] if the journal cannot be read.
    pub fn start_of_stream(&mut self, after: Option<u64>, durable: Extent) -> Result<StreamStart, Problem> {
        let reader = self.reader().map_err(|error| unreadable(&error))?;
        let now = Cursor::at_end(durable);
        let Some(reader) = reader else { return Ok(StreamStart::At(Cursor::default())) };
        match after {
            None => Ok(StreamStart::At(now)),
            // A number that the journal has not come to was another journal's.
            Some(after) if after > durable.seq.0 => Ok(StreamStart::Reset(now)),
            Some(after) => match reader.behind(Seq(after)).map_err(|error| unreadable(&error))? {
                Some(cursor) => Ok(StreamStart::At(cursor)),
                None => Ok(StreamStart::Reset(now)),
            },
        }
    }

    /// The next steps behind a cursor, of so many events, as far as they are durable.
    ///
    /// # Errors
    /// [`Problem`] if the journal cannot be read.
    pub fn steps(
        &mut self,
        from: Cursor,
        durable: Extent,
        most: usize,
        filter: &EventFilter,
    ) -> Result<Steps, Problem> {
        let Some(reader) = self.reader().map_err(|error| unreadable(&error))? else {
            return Ok(Steps::default());
        };
        let from = match from == Cursor::default() {
            true => reader.oldest().map_err(|error| unreadable(&error))?.unwrap_or_default(),
            false => from,
        };
        let (mut found, mut read) = (Steps { cursor: from, ..Steps::default() }, 0);
        let reached = reader.follow(from, Some(durable), &mut |entry| {
            read += 1;
            if entry.kind == Kind::Step
                && let Ok(events) = events::decode(entry.payload)
            {
                read += events.len().saturating_sub(1);
                found.touched.extend(events.iter().filter_map(subject).cloned());
                let failed = |id: &MessageId| events.iter().any(|event| fails(event, id));
                let told = events.iter().filter(|event| !is_overtaken(event, failed));
                let infos: Vec<_> = told.filter_map(|event| self.info(event, filter)).collect();
                // A step of which nothing was asked for is passed over, but for whoever asks for all.
                if !infos.is_empty() || filter.is_empty() {
                    found.steps.push(StepInfo { seq: entry.seq.0, at: rfc3339_ms(entry.at), events: infos });
                }
            }
            found.more = read >= most;
            if found.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found.cursor = reached.map_err(|error| unreadable(&error))?;
        Ok(found)
    }

    fn info(&self, event: &Event, filter: &EventFilter) -> Option<crate::wire::api::EventInfo> {
        let whose = match event {
            Event::Ended { id, .. } => self.whose(id),
            _ => None,
        };
        let info = told(event, whose)?;
        let is_meant = filter.id.as_ref().is_none_or(|id| info.id.as_deref() == Some(id.as_str()))
            && filter.kind.as_ref().is_none_or(|kind| info.kind == *kind)
            && filter.agent.as_ref().is_none_or(|agent| info.agent.as_deref() == Some(agent.as_str()));
        is_meant.then_some(info)
    }

    /// Who had a message that ended lately.
    fn whose(&self, id: &MessageId) -> Option<&AgentName> {
        let finished = self.engine().state().finished.get(id)?;
        Some(finished.agent.as_ref().unwrap_or(&finished.message.to))
    }
}

/// Whether this message fails by it.
fn fails(event: &Event, message: &MessageId) -> bool {
    matches!(event, Event::Ended { id, outcome: Outcome::Failed, .. } if id == message)
}

fn subject(event: &Event) -> Option<&MessageId> {
    match event {
        Event::Accepted { message, .. } => Some(&message.id),
        Event::Moved { id, .. }
        | Event::Said { id, .. }
        | Event::Based { id, .. }
        | Event::Claimed { id, .. }
        | Event::Checked { id, .. }
        | Event::Ended { id, .. }
        | Event::Agent { change: AgentChange::Interrupted { id, .. }, .. } => Some(id),
        _ => None,
    }
}
