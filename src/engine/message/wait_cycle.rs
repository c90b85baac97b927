//! Deadlocks: whether something could only happen after a task that itself waits for it.

use crate::engine::message::together::Together;
use crate::engine::state::{Open, State};
use crate::engine::team::Team;
use crate::engine::words::{AgentName, MessageId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Something that is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) enum Awaited<'a> {
    End(&'a MessageId),
    /// That an agent, or one of a pool, may be given something new.
    Free(&'a AgentName),
}

/// Who waits for whom, now.
pub(in crate::engine) struct Waits<'a> {
    pub(in crate::engine) state: &'a State,
    pub(in crate::engine) team: &'a Team,
    /// What comes in the same file and is not accepted yet.
    pub(in crate::engine) together: &'a Together,
}

/// What must come before: all of it, or of a pool's members any.
struct Needs<'a> {
    any: bool,
    of: Vec<Awaited<'a>>,
}

impl<'a> Waits<'a> {
    /// Whether `first` can only come after `task` has ended or put its agent's hands down, or that of which it is a part,
    /// as far as can be seen now: all ways lead there. Whoever has nothing to do is free, even if it is stopped: it can
    /// be started. One that was put back or is held has its agent's hands all the same, for it will have them again.
    pub(in crate::engine) fn is_after(&self, first: Awaited<'a>, task: &'a Open) -> bool {
        let above: BTreeSet<&AgentName> = self.wholes(task).map(Open::queue).collect();
        let is_above = |node: &Awaited<'a>| match node {
            Awaited::Free(name) => above.contains(name),
            Awaited::End(id) => self.state.open.get(id).is_some_and(|open| above.contains(open.queue())),
        };
        let (order, needs) = self.reach(first, is_above);
        // What comes is found, and not what does not: of those who wait for one another in a circle none comes.
        let mut comes: BTreeSet<Awaited<'a>> = BTreeSet::new();
        // Those that are waited for stand before those that wait, but for circles, which want another round.
        let mut known = usize::MAX;
        while known != comes.len() {
            known = comes.len();
            for node in &order {
                if needs.get(node).is_some_and(|needs| needs.are_met(&comes)) {
                    comes.insert(*node);
                }
            }
        }
        !comes.contains(&first)
    }

    /// A task, that of which it is a part, and so on; at most as many as there may be hops.
    fn wholes(&self, task: &'a Open) -> impl Iterator<Item = &'a Open> {
        let state = self.state;
        let whole = move |open: &&Open| open.message.part_of().and_then(|id| state.open.get(id));
        std::iter::successors(Some(task), move |open| whole(open).map(|open| &**open))
    }

    /// All that must or may come before `first`, deepest first, and what each needs; it ends where `ends` says. A chain
    /// may be as long as there are messages, so this is a loop.
    fn reach(
        &self,
        first: Awaited<'a>,
        ends: impl Fn(&Awaited<'a>) -> bool,
    ) -> (Vec<Awaited<'a>>, BTreeMap<Awaited<'a>, Needs<'a>>) {
        let mut order = Vec::new();
        let mut needs = BTreeMap::new();
        let mut ahead = vec![(first, false)];
        while let Some((node, seen)) = ahead.pop() {
            if seen || ends(&node) {
                order.push(node);
            } else if let Entry::Vacant(entry) = needs.entry(node) {
                let next = entry.insert(self.needs(node));
                ahead.push((node, true));
                ahead.extend(next.of.iter().map(|node| (*node, false)));
            }
        }
        (order, needs)
    }

    fn needs(&self, node: Awaited<'a>) -> Needs<'a> {
        match node {
            Awaited::Free(name) => match self.team.pools.get(name) {
                Some(members) => Needs { any: true, of: members.iter().map(Awaited::Free).collect() },
                None => Needs { any: false, of: self.hands(name) },
            },
            Awaited::End(id) => Needs { any: false, of: self.before_end(id) },
        }
    }

    /// What an agent works on, or will again: what has parts is not given to another one.
    fn hands(&self, name: &AgentName) -> Vec<Awaited<'a>> {
        let state = self.state;
        let given = state.given.get(name).into_iter().flatten();
        let begun = given.filter(|id| state.open_parts(id) > 0);
        let current = state.agents.get(name).and_then(|agent| agent.current.as_ref());
        current.into_iter().chain(begun).map(Awaited::End).collect()
    }

    fn before_end(&self, id: &'a MessageId) -> Vec<Awaited<'a>> {
        let Some(open) = self.state.open.get(id) else {
            let Some(beside) = self.together.all.get(id) else { return Vec::new() };
            return beside
                .depends_on
                .iter()
                .map(Awaited::End)
                .chain(beside.to.iter().map(Awaited::Free))
                .collect();
        };
        let parts = self.state.parts.get(id).into_iter().flatten();
        let parts = parts.chain(self.together.parts.get(id).into_iter().flatten());
        let begin = open.stage.is_queued().then(|| self.before_begin(open)).flatten();
        open.unmet.iter().chain(parts).map(Awaited::End).chain(begin).collect()
    }

    /// What was put back is begun by its agent when that has come back and has nothing else; anything else when somebody is free
    /// for it.
    fn before_begin(&self, open: &'a Open) -> Option<Awaited<'a>> {
        let Some(agent) = &open.agent else { return Some(Awaited::Free(open.queue())) };
        let current = self.state.agents.get(agent).and_then(|agent| agent.current.as_ref());
        current.filter(|current| **current != open.message.id).map(Awaited::End)
    }
}

impl Needs<'_> {
    fn are_met(&self, by: &BTreeSet<Awaited<'_>>) -> bool {
        match self.any {
            true => self.of.is_empty() || self.of.iter().any(|node| by.contains(node)),
            false => self.of.iter().all(|node| by.contains(node)),
        }
    }
}
