//! The history of a message with all its parts: for `why`, with a daemon or from files alone.
//!
//! `io/history` reads the journal once; `waits` says what an open message waits for; this file makes the tree, and `draw` puts it
//! on a terminal.

pub(super) mod draw;
#[cfg(test)]
mod tests;
mod tree;
mod waits;

use super::failure::Failure;
use crate::engine::words::{MessageId, Millis};
use crate::io::client::Client;
use crate::io::workspace::Workspace;
use crate::read::history::{MessageFamily, MessageHistory};
use crate::wire::time;
pub(super) use tree::History;
use waits::Sources;

/// How many parts of parts of parts are told. Messages go through 8 hands at most, and a person may write `parent:` too;
/// what is deeper still has a history of its own.
const DEPTH_MAX: usize = 32;

/// The history of a message, if the journal knows it, and how many of its lines could not be understood. The whole journal is read: a
/// history may begin in any segment.
pub(super) fn read(
    workspace: &Workspace,
    client: &Client,
    id: &MessageId,
) -> Result<(Option<History>, u64), Failure> {
    let family = MessageFamily::read(workspace, id)?;
    let sources = Sources::new(workspace, client);
    let mut history = family.histories.contains_key(id).then(|| tree_of(&family, id, sources.now, 0));
    if let Some(history) = &mut history {
        sources.explain(history, &family);
    }
    Ok((history, family.unread))
}

/// The tree of a message of the family. Each is in the family once, so parts that name each other end somewhere.
fn tree_of(family: &MessageFamily, id: &MessageId, now: Millis, depth: usize) -> History {
    let nothing = MessageHistory::new(now);
    let found = family.histories.get(id).unwrap_or(&nothing);
    let children = family.parts.get(id).map(Vec::as_slice).unwrap_or_default();
    let (told, untold) = if depth < DEPTH_MAX { (children, 0) } else { (&[][..], children.len()) };
    let message = found.message.as_deref();
    let text = |id: &MessageId| id.to_string();
    let times = found.times(now);
    History {
        id: id.to_string(),
        parent: message.and_then(|message| message.parent.as_ref().map(text)),
        retry_of: message.and_then(|message| message.retry_of.as_ref().map(text)),
        kind: message.map(|message| message.kind),
        from: message.map(|message| message.from.to_string()),
        to: message.map(|message| message.to.to_string()),
        agent: found.agent.as_ref().map(ToString::to_string),
        depends_on: message.map(|message| message.depends_on.iter().map(text).collect()).unwrap_or_default(),
        status: found.stage().status(),
        stage: found.stage(),
        accepted_at: message.map(|message| time::rfc3339_ms(message.accepted_at)),
        ended_at: found.ended.map(time::rfc3339_ms),
        waited_ms: times.waited,
        worked_ms: times.worked,
        rested_ms: times.rested,
        turns: found.turns,
        reminders: found.reminders,
        redeliveries: found.redeliveries,
        letter: None,
        waits_for: None,
        story: found.steps.iter().map(|step| step.sentence(id)).collect(),
        untold,
        parts: told.iter().map(|part| tree_of(family, part, now, depth + 1)).collect(),
        steps: found.steps.clone(),
        since: found.since,
        ended: found.ended,
    }
}
