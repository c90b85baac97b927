//! What the journal tells of an agent, as sentences with their times: for `why`, with a daemon or without.

use super::failure::Failure;
use crate::engine::history as story;
use crate::engine::words::{AgentName, Millis};
use crate::io::journal::{Kind, Order, scan};
use crate::io::workspace::Workspace;
use crate::wire::events;
use crate::wire::time;
use serde::Serialize;
use std::ops::ControlFlow;

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Sentence {
    /// When (RFC 3339).
    pub(super) at: String,
    /// Number of the step in the journal.
    pub(super) seq: u64,
    /// The message it is about.
    pub(super) id: Option<String>,
    /// The agent it is about.
    pub(super) agent: Option<String>,
    /// The sentence.
    pub(super) text: String,
}

/// A story, and how many lines of the journal could not be understood.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) sentences: Vec<Sentence>,
    pub(super) unread: u64,
}

/// Reads the whole journal.
pub(super) fn read(workspace: &Workspace, agent: &AgentName) -> Result<Story, Failure> {
    let mut story = Story::default();
    if !workspace.journal().is_dir() {
        return Ok(story);
    }
    let report = scan(&workspace.journal(), 1, Order::OldestFirst, &mut |entry| {
        // Most lines are about others: they are passed over without being parsed.
        if entry.kind == Kind::Step && entry.payload.contains(agent.as_str()) {
            match events::decode(entry.payload) {
                Ok(events) => {
                    let told = events.iter().filter_map(story::tell);
                    let told = told.filter(|told| told.agent.as_ref() == Some(agent));
                    story.sentences.extend(told.map(|told| sentence(entry.at, entry.seq.0, told)));
                }
                Err(_) => story.unread += 1,
            }
        }
        ControlFlow::Continue(())
    })?;
    story.unread += report.damaged.len() as u64;
    Ok(story)
}

fn sentence(at: Millis, seq: u64, told: story::Told) -> Sentence {
    Sentence {
        at: time::rfc3339_ms(at),
        seq,
        id: told.id.map(|id| id.to_string()),
        agent: told.agent.map(|agent| agent.to_string()),
        text: told.text,
    }
}
