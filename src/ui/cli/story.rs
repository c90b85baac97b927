//! What the journal tells, as sentences with their times: for `why`, with a daemon or without.

use super::failure::Failure;
use crate::engine::story;
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::clock;
use crate::io::journal::{Kind, Order, scan};
use crate::io::wire::events;
use crate::io::workspace::Workspace;
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

/// Whom a story is about.
#[derive(Debug, Clone)]
pub(super) enum About<'a> {
    Message(&'a MessageId),
    Agent(&'a AgentName),
}

/// A story, and how many lines of the journal could not be understood.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) sentences: Vec<Sentence>,
    pub(super) unread: u64,
}

/// Reads the whole journal; a message's story may begin in any segment.
pub(super) fn read(workspace: &Workspace, about: &About<'_>) -> Result<Story, Failure> {
    let mut story = Story::default();
    if !workspace.journal().is_dir() {
        return Ok(story);
    }
    let report = scan(&workspace.journal(), 1, Order::OldestFirst, &mut |entry| {
        if entry.kind == Kind::Step && may_concern(entry.payload, about) {
            match events::decode(entry.payload) {
                Ok(events) => {
                    let told = events.iter().filter_map(story::tell).filter(|told| concerns(told, about));
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

/// Most lines are about others: they are passed over without being parsed.
fn may_concern(payload: &str, about: &About<'_>) -> bool {
    payload.contains(match about {
        About::Message(id) => id.as_str(),
        About::Agent(name) => name.as_str(),
    })
}

fn concerns(told: &story::Told, about: &About<'_>) -> bool {
    match about {
        About::Message(id) => told.id.as_ref() == Some(*id),
        About::Agent(name) => told.agent.as_ref() == Some(*name),
    }
}

fn sentence(at: Millis, seq: u64, told: story::Told) -> Sentence {
    Sentence {
        at: clock::rfc3339_ms(at),
        seq,
        id: told.id.map(|id| id.to_string()),
        agent: told.agent.map(|agent| agent.to_string()),
        text: told.text,
    }
}
