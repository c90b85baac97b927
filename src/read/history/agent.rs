//! What the journal says of an agent, as sentences with their times.

use super::family::mentions;
use super::pages::Pages;
use super::step::step;
use crate::engine::event::Event;
use crate::engine::life::Move;
use crate::engine::words::{AgentName, MessageId};
use crate::io::journal::{JournalError, Kind, ReadOrder, scan};
use crate::wire::api::HistoryStepInfo;
use crate::wire::events;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// An agent's history, and how many lines of the journal could not be understood.
#[derive(Debug, Default)]
pub struct AgentHistory {
    /// What it is, in order.
    pub steps: Vec<HistoryStepInfo>,
    /// Lines that could not be understood.
    pub unread: u64,
}

/// Reads the whole journal, up to where it counts.
///
/// # Errors
/// [`JournalError`]
pub fn of_agent(pages: &Pages, agent: &AgentName) -> Result<AgentHistory, JournalError> {
    let mut found = AgentHistory::default();
    let journal = pages.workspace.journal();
    if !journal.is_dir() {
        return Ok(found);
    }
    let mut theirs = HashSet::new();
    let report = scan(&journal, 1, ReadOrder::OldestFirst, &mut |entry| {
        if entry.seq > pages.until {
            return ControlFlow::Break(());
        }
        // Most lines are about others: they are passed over without being parsed.
        let names = |payload: &str| {
            payload.contains(agent.as_str()) || mentions(payload, &["\"id\":\""], |id| theirs.contains(id))
        };
        if entry.kind == Kind::Step && names(entry.payload) {
            match events::decode(entry.payload) {
                Ok(events) => found.steps.extend(events.iter().filter_map(|event| {
                    let whose = follow(&mut theirs, event, agent).then_some(agent);
                    let step = step((entry.at, entry.seq), event, whose)?;
                    (step.event.agent.as_deref() == Some(agent.as_str())).then_some(step)
                })),
                Err(_) => found.unread += 1,
            }
        }
        ControlFlow::Continue(())
    })?;
    found.unread += report.damaged.len() as u64;
    Ok(found)
}

/// Keeps which messages are this agent's; whether the event is about one of them and does not name it.
fn follow(theirs: &mut HashSet<MessageId>, event: &Event, agent: &AgentName) -> bool {
    let (id, is_theirs) = match event {
        Event::Accepted { message, .. } => (&message.id, message.to == *agent),
        Event::Moved { id, agent: Some(name), .. } => (id, name == agent),
        Event::Moved { id, to: Move::Return { .. }, .. } => return theirs.remove(id),
        Event::Moved { id, .. }
        | Event::Said { id, .. }
        | Event::Claimed { id, .. }
        | Event::Checked { id, .. } => return theirs.contains(id),
        Event::Based { base, .. } => return base.agent == *agent,
        Event::Ended { id, .. } => return theirs.remove(id),
        _ => return false,
    };
    if is_theirs {
        theirs.insert(id.clone());
    } else {
        theirs.remove(id);
    }
    false
}
