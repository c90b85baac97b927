//! What the journal says of an agent, as sentences with their times.

use super::sentence::Sentence;
use crate::engine::history;
use crate::engine::words::AgentName;
use crate::io::journal::{JournalError, Kind, ReadOrder, scan};
use crate::io::workspace::Workspace;
use crate::wire::events;
use std::ops::ControlFlow;

/// An agent's history, and how many lines of the journal could not be understood.
#[derive(Debug, Default)]
pub struct AgentHistory {
    /// What it is, in order.
    pub sentences: Vec<Sentence>,
    /// Lines that could not be understood.
    pub unread: u64,
}

/// Reads the whole journal.
///
/// # Errors
/// [`JournalError`]
pub fn of_agent(workspace: &Workspace, agent: &AgentName) -> Result<AgentHistory, JournalError> {
    let mut found = AgentHistory::default();
    if !workspace.journal().is_dir() {
        return Ok(found);
    }
    let report = scan(&workspace.journal(), 1, ReadOrder::OldestFirst, &mut |entry| {
        // Most lines are about others: they are passed over without being parsed.
        if entry.kind == Kind::Step && entry.payload.contains(agent.as_str()) {
            match events::decode(entry.payload) {
                Ok(events) => {
                    let told = events.iter().filter_map(history::tell);
                    let told = told.filter(|told| told.agent.as_ref() == Some(agent));
                    let whose = |told: history::HistoryLine| {
                        let about = (told.id.as_ref(), told.agent.as_ref());
                        Sentence::new((entry.at, entry.seq), about, told.text)
                    };
                    found.sentences.extend(told.map(whose));
                }
                Err(_) => found.unread += 1,
            }
        }
        ControlFlow::Continue(())
    })?;
    found.unread += report.damaged.len() as u64;
    Ok(found)
}
