//! Reads the journal once and keeps what it says of a message, of its parts, of their parts, and of what they depend on.

use super::message::MessageHistory;
use super::pages::Pages;
use crate::engine::event::{AgentChange, Event};
use crate::engine::message::Outcome;
use crate::engine::words::{MessageId, Millis, Seq};
use crate::io::journal::{JournalError, Kind, ReadOrder, scan};
use crate::wire::events;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// How the line of an agent that needs somebody, or no longer does, is known before it is parsed.
const BLOCKED: &str = "\"change\":\"blocked\"";

/// A message and everything below it.
#[derive(Debug, Default)]
pub struct MessageFamily {
    pub histories: HashMap<MessageId, MessageHistory>,
    /// The parts of each, in the order in which they were accepted. Each is here once: a circle is cut.
    pub parts: HashMap<MessageId, Vec<MessageId>>,
    /// What members depend on, and has been completed since.
    pub met: HashSet<MessageId>,
    /// The newest message that tries a member again.
    pub retried: HashMap<MessageId, MessageId>,
    /// Lines that could not be understood.
    pub unread: u64,
    members: HashSet<MessageId>,
    awaited: HashSet<MessageId>,
}

impl MessageFamily {
    /// Reads every segment, up to where it counts. A part is accepted after what it is a part of, so one look at each line is enough.
    ///
    /// # Errors
    /// [`JournalError`]
    pub fn read(pages: &Pages, root: &MessageId) -> Result<Self, JournalError> {
        let mut family = Self::of(root);
        let journal = pages.workspace.journal();
        if !journal.is_dir() {
            return Ok(family);
        }
        let report = scan(&journal, 1, ReadOrder::OldestFirst, &mut |entry| {
            if entry.seq > pages.until {
                return ControlFlow::Break(());
            }
            if entry.kind == Kind::Step && family.is_mentioned(entry.payload) {
                match events::decode(entry.payload) {
                    Ok(events) => events.iter().for_each(|event| family.take(entry.at, entry.seq, event)),
                    Err(_) => family.unread += 1,
                }
            }
            ControlFlow::Continue(())
        })?;
        family.unread += report.damaged.len() as u64;
        Ok(family)
    }

    /// Before the first line.
    #[must_use]
    pub fn of(root: &MessageId) -> Self {
        Self { members: HashSet::from([root.clone()]), ..Self::default() }
    }

    /// Most lines are about others: they are passed over without being parsed. Quotes within contents are written `\"`, so
    /// no content is taken for a key; one that were would only cost the parsing.
    fn is_mentioned(&self, payload: &str) -> bool {
        let is_ours = |id: &MessageId| self.members.contains(id) || self.awaited.contains(id);
        // An agent that asks for a person is about whoever it works for; which that is is seen when it is parsed.
        mentions(payload, &["\"id\":\"", "\"parent\":\"", "\"retry_of\":\""], is_ours)
            || payload.contains(BLOCKED)
    }

    /// Takes in an event, if it is about a member or makes one.
    pub fn take(&mut self, at: Millis, seq: Seq, event: &Event) {
        if let Event::Accepted { message, unmet, .. } = event {
            let parent = message.parent.as_ref().filter(|parent| self.members.contains(*parent));
            if let Some(parent) = parent.filter(|_| !self.members.contains(&message.id)) {
                self.parts.entry(parent.clone()).or_default().push(message.id.clone());
                self.members.insert(message.id.clone());
            }
            if let Some(old) = message.retry_of.as_ref().filter(|old| self.members.contains(*old)) {
                self.retried.insert(old.clone(), message.id.clone());
            }
            if self.members.contains(&message.id) {
                self.awaited.extend(unmet.iter().cloned());
            }
        }
        if let Event::Ended { id, outcome: Outcome::Completed, .. } = event
            && self.awaited.contains(id)
        {
            self.met.insert(id.clone());
        }
        if let Event::Agent { name, change: AgentChange::Blocked { need } } = event {
            let theirs = self.histories.values_mut().filter(|history| history.agent.as_ref() == Some(name));
            let need = need.as_ref().filter(|need| need.passed.is_none()).map(|need| need.kind);
            theirs.for_each(|history| history.block(at, need));
        }
        if let Some(id) = subject(event).filter(|id| self.members.contains(*id)) {
            let history = self.histories.entry(id.clone()).or_insert_with(|| MessageHistory::new(at));
            history.is_alone = !self.parts.contains_key(id);
            history.take(at, seq, event);
        }
    }
}

/// Whether such an id follows one of these keys.
pub(super) fn mentions(payload: &str, keys: &[&str], is_ours: impl Fn(&MessageId) -> bool) -> bool {
    keys.iter().any(|key| {
        payload.match_indices(key).any(|(at, _)| {
            let rest = payload.get(at + key.len()..).unwrap_or_default();
            rest.split('"').next().and_then(|id| MessageId::new(id).ok()).is_some_and(|id| is_ours(&id))
        })
    })
}

fn subject(event: &Event) -> Option<&MessageId> {
    match event {
        Event::Accepted { message, .. } => Some(&message.id),
        Event::Duplicate { id, .. }
        | Event::Moved { id, .. }
        | Event::Said { id, .. }
        | Event::Based { id, .. }
        | Event::Claimed { id, .. }
        | Event::Checked { id, .. }
        | Event::Ended { id, .. }
        | Event::Agent { change: AgentChange::Interrupted { id, .. }, .. } => Some(id),
        Event::Refused { .. }
        | Event::Agent { .. }
        | Event::Halted { .. }
        | Event::KeptOpen(_)
        | Event::KeptFinished(_)
        | Event::KeptHired { .. }
        | Event::FlowOpened { .. }
        | Event::StepPlanned { .. }
        | Event::FlowPlanned { .. }
        | Event::StepImported { .. }
        | Event::StepMoved { .. }
        | Event::TreeMoved { .. }
        | Event::StepWorked { .. }
        | Event::StepPulled { .. }
        | Event::MergeMoved { .. }
        | Event::FlowMoved { .. }
        | Event::KeptFlow(_)
        | Event::KeptAgent { .. } => None,
    }
}
