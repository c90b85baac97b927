//! The story of a message with all its parts, as the journal tells it: for `why`, with a daemon or from files alone.
//!
//! `family` reads the journal once and keeps an `account` of each message that belongs to the story; `waits` says what an
//! open one waits for; this file makes the tree of it, and `draw` puts it on a terminal.

mod account;
pub(super) mod draw;
mod family;
#[cfg(test)]
mod tests;
mod tree;
mod waits;

use super::failure::Failure;
use crate::engine::message::Message;
use crate::engine::words::{MessageId, Millis};
use crate::io::client::Client;
use crate::io::workspace::Workspace;
use crate::wire::time;
use account::Account;
use family::Family;
pub(super) use tree::Tale;
use waits::Ground;

/// How many parts of parts of parts are told. Messages go through 8 hands at most, and a person may write `parent:` too;
/// what is deeper still has a story of its own.
const DEPTH_MAX: usize = 32;

/// A tale, and how many lines of the journal could not be understood.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) tale: Option<Tale>,
    pub(super) unread: u64,
}

/// Reads the whole journal: the story of a message may begin in any segment.
pub(super) fn read(workspace: &Workspace, client: &Client, id: &MessageId) -> Result<Told, Failure> {
    let family = family::read(workspace, id)?;
    let ground = Ground::new(workspace, client);
    let mut tale = family.accounts.contains_key(id).then(|| tell(&family, id, ground.now, 0));
    if let Some(tale) = &mut tale {
        ground.explain(tale, &family);
    }
    Ok(Told { tale, unread: family.unread })
}

/// The tale of a message of the family. Each stands in the family once, so parts that name each other end somewhere.
fn tell(family: &Family, id: &MessageId, now: Millis, depth: usize) -> Tale {
    let nothing = Account::new(now);
    let account = family.accounts.get(id).unwrap_or(&nothing);
    let children = family.parts.get(id).map(Vec::as_slice).unwrap_or_default();
    let (told, untold) = if depth < DEPTH_MAX { (children, 0) } else { (&[][..], children.len()) };
    let message = account.message.as_deref();
    let text = |id: &MessageId| id.to_string();
    let times = account.times(now);
    Tale {
        id: id.to_string(),
        parent: message.and_then(|message| message.parent.as_ref().map(text)),
        retry_of: message.and_then(|message| message.retry_of.as_ref().map(text)),
        kind: message.map(|message| message.kind.word()),
        from: message.map(|message| message.from.to_string()),
        to: message.map(|message| message.to.to_string()),
        agent: account.agent.as_ref().map(ToString::to_string),
        depends_on: message.map(depends_on).unwrap_or_default(),
        status: account.stage.status().word(),
        stage: account.stage.word(),
        accepted_at: message.map(|message| time::rfc3339_ms(message.accepted_at)),
        ended_at: account.ended.map(time::rfc3339_ms),
        waited_ms: times.waited,
        worked_ms: times.worked,
        rested_ms: times.rested,
        turns: account.turns,
        reminders: account.reminders,
        redeliveries: account.redeliveries,
        letter: None,
        waits_for: None,
        story: account.steps.iter().map(|step| step.sentence(id)).collect(),
        untold,
        parts: told.iter().map(|part| tell(family, part, now, depth + 1)).collect(),
        steps: account.steps.clone(),
        since: account.since,
        ended: account.ended,
    }
}

fn depends_on(message: &Message) -> Vec<String> {
    message.depends_on.iter().map(ToString::to_string).collect()
}
