//! Two agents that send one another the same words back and forth: the second time they come back they are stopped.

use super::refusal::{Code, Refusal};
use crate::engine::engine::Work;
use crate::engine::message::Draft;
use crate::engine::message::bounces::Seen;
use crate::engine::words::AgentName;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How often the same content may come back (protocol, loops).
const BOUNCES_MAX: u8 = 1;
/// After this long without it the same content is a new thought.
const FORGOTTEN_MS: u64 = 600_000;
/// Contents that are remembered of a pair of agents: a loop goes round in fewer.
const REMEMBERED_MAX: usize = 16;

impl Work<'_> {
    /// Refuses what came back once too often.
    pub(in crate::engine) fn check_loop(
        &self,
        draft: &Draft,
        from: &AgentName,
        to: &AgentName,
    ) -> Result<(), Refusal> {
        let content = content_of(draft);
        let Some(seen) = self.live.bounces.get(&pair(from, to)) else { return Ok(()) };
        let seen = seen.iter().find(|seen| seen.content == content && self.is_fresh(seen));
        if seen.is_some_and(|seen| seen.from != *from && seen.bounces >= BOUNCES_MAX) {
            let why = format!("{from} and {to} keep sending each other the same content");
            return Err(Refusal::new(Code::Bounce, why).at("content"));
        }
        Ok(())
    }

    /// Remembers what an agent sends to another one.
    pub(in crate::engine) fn note_pass(&mut self, content: u64, from: &AgentName, to: &AgentName) {
        if from.is_user() || to.is_user() {
            return;
        }
        let at = self.now;
        let seen = self.live.bounces.entry(pair(from, to)).or_default();
        let known = seen.iter().position(|seen| seen.content == content).and_then(|index| seen.remove(index));
        let known = known.filter(|seen| at.since(seen.at) < FORGOTTEN_MS);
        let bounces = known.map_or(0, |seen| seen.bounces.saturating_add(u8::from(seen.from != *from)));
        seen.push_back(Seen { content, from: from.clone(), bounces, at });
        if seen.len() > REMEMBERED_MAX {
            seen.pop_front();
        }
    }

    fn is_fresh(&self, seen: &Seen) -> bool {
        self.now.since(seen.at) < FORGOTTEN_MS
    }
}

/// A number for a content; white space at its ends does not count.
pub(in crate::engine) fn content_of(draft: &Draft) -> u64 {
    let mut hasher = DefaultHasher::new();
    draft.body.content.trim().hash(&mut hasher);
    hasher.finish()
}

fn pair(one: &AgentName, other: &AgentName) -> (AgentName, AgentName) {
    if one < other { (one.clone(), other.clone()) } else { (other.clone(), one.clone()) }
}
