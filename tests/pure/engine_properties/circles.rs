//! What is refused as a circle must be one: whoever was to do the part would never be free for it, though all agents come back
//! and do what they can. Reckoned forwards from what can end, where the engine asks backwards what must come before.

use std::collections::BTreeSet;
use tasuki::engine::life::Stage;
use tasuki::engine::message::{Draft, Kind};
use tasuki::engine::state::{Open, State};
use tasuki::engine::team::Team;
use tasuki::engine::words::{AgentName, MessageId};

/// Whether the addressee of a part that was refused as a circle comes to have its hands free, and who.
pub(crate) fn comes_free(state: &State, team: &Team, draft: &Draft) -> Option<AgentName> {
    let token = draft.token.and_then(|token| state.tokens.get(&token)).cloned();
    let from = draft.from.as_ref().and_then(|name| team.sender(name).ok());
    let current = || from.and_then(|name| state.agents.get(&name)?.current.clone());
    let whole = token.or_else(|| draft.parent.clone()).or_else(current)?;
    let frozen: BTreeSet<MessageId> = std::iter::successors(Some(whole), |id| {
        let open = state.open.get(id)?;
        open.message.part_of().cloned()
    })
    .collect();
    let all = Reckoning { state, team, frozen };
    let done = all.done();
    let to = team.addressee(&draft.to).ok()?;
    all.members(&to).into_iter().find(|name| all.is_free(name, &done))
}

/// Of which tasks a draft may be a part: of the one that it says, else of any that its sender has.
/// `proof` tells who that is where it does not say so.
pub(crate) fn wholes(state: &State, team: &Team, draft: &Draft, proof: Option<&AgentName>) -> Vec<MessageId> {
    let token = draft.token.and_then(|token| state.tokens.get(&token)).cloned();
    if let Some(whole) = token.or_else(|| draft.parent.clone()) {
        return vec![whole];
    }
    let from = draft.from.as_ref().and_then(|name| team.sender(name).ok()).or_else(|| proof.cloned());
    let has = |open: &&Open| open.message.kind == Kind::Task && open.agent.is_some() && open.agent == from;
    state.open.values().map(|open| &**open).filter(has).map(|open| open.message.id.clone()).collect()
}

struct Reckoning<'a> {
    state: &'a State,
    team: &'a Team,
    /// The task that waits for the part, and those that wait for it.
    frozen: BTreeSet<MessageId>,
}

impl Reckoning<'_> {
    /// All that can end while those wait.
    fn done(&self) -> BTreeSet<MessageId> {
        let mut done = BTreeSet::new();
        loop {
            let ends = |(id, open): &(&MessageId, &Open)| !done.contains(*id) && self.ends(open, &done);
            let next: Vec<MessageId> = self
                .state
                .open
                .iter()
                .map(|(id, open)| (id, &**open))
                .filter(ends)
                .map(|(id, _)| id.clone())
                .collect();
            if next.is_empty() {
                return done;
            }
            done.extend(next);
        }
    }

    fn ends(&self, open: &Open, done: &BTreeSet<MessageId>) -> bool {
        let id = &open.message.id;
        let parts = self.state.parts.get(id);
        let waits = open.unmet.iter().chain(parts.into_iter().flatten()).any(|other| !done.contains(other));
        if self.frozen.contains(id) || waits {
            return false;
        }
        // What was put back has its agent's hands all the same.
        let is_held_up = |agent: &AgentName| {
            let mut frozen = self.frozen.iter().filter_map(|id| self.state.open.get(id));
            frozen.any(|frozen| frozen.agent.as_ref() == Some(agent))
        };
        match (&open.agent, open.stage) {
            (Some(agent), _) if is_held_up(agent) => false,
            // It was put back: its agent takes it up when it has nothing else in its hands.
            (Some(agent), Stage::Queued { .. }) => self.current_is_over(agent, id, done),
            (Some(_), _) => true,
            (None, _) => self.members(&open.message.to).iter().any(|name| self.is_free(name, done)),
        }
    }

    fn current_is_over(&self, agent: &AgentName, but: &MessageId, done: &BTreeSet<MessageId>) -> bool {
        let current = self.state.agents.get(agent).and_then(|agent| agent.current.as_ref());
        current.is_none_or(|current| current == but || done.contains(current))
    }

    /// Whether an agent may be given something new: it is in the middle of nothing.
    fn is_free(&self, name: &AgentName, done: &BTreeSet<MessageId>) -> bool {
        // Nobody does a part of what it has itself.
        let is_begun = |open: &&Open| {
            let id = &open.message.id;
            open.message.kind == Kind::Task
                && open.agent.as_ref() == Some(name)
                && (self.frozen.contains(id) || self.state.open_parts(id) > 0)
        };
        let begun = self.state.open.values().map(|open| &**open).filter(is_begun);
        let current = self.state.agents.get(name).and_then(|agent| agent.current.as_ref());
        let held = begun.map(|open| &open.message.id).chain(current);
        held.into_iter().all(|id| done.contains(id))
    }

    fn members(&self, name: &AgentName) -> Vec<AgentName> {
        let pool = self.team.pools.get(name);
        pool.map_or_else(|| vec![name.clone()], |members| members.iter().cloned().collect())
    }
}
