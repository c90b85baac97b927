//! Agents that nothing is typed to for so long that somebody should know: since when, why, and which commands help.

use crate::engine::engine::Engine;
use crate::engine::state::{Agent, Phase};
use crate::engine::team::need::NeedKind;
use crate::engine::words::{AgentName, Millis};

/// After so long something that waits is told of: a person who types is done by then, and a program that draws itself anew.
const STANDS_MS: u64 = 2 * 60_000;

/// Why nothing is typed to an agent that has something to do.
struct Stands {
    since: Millis,
    told_from: Millis,
    why: String,
    cure: String,
}

impl Engine {
    /// What is to be told of agents that stand still, each with its place among the members.
    #[must_use]
    pub fn standing(&self, now: Millis) -> Vec<(u16, String)> {
        let told = (0..).zip(self.team.members.keys()).filter_map(|(at, name)| {
            let stands = self.stands(name).filter(|stands| stands.told_from <= now)?;
            let Stands { since, why, cure, .. } = stands;
            let waits = self.waiting_for(name);
            Some((
                at,
                format!(
                    "nothing has been typed to {name} since {}: {why} ({waits}): {cure}",
                    since.time_of_day()
                ),
            ))
        });
        told.collect()
    }

    /// When there will be more to tell, if nothing happens until then.
    #[must_use]
    pub fn more_standing_at(&self, now: Millis) -> Option<Millis> {
        let stands = self.team.members.keys().filter_map(|name| self.stands(name));
        stands.map(|stands| stands.told_from).filter(|at| *at > now).min()
    }

    fn stands(&self, name: &AgentName) -> Option<Stands> {
        let agent = self.state.agents.get(name).filter(|agent| matches!(agent.phase, Phase::Up { .. }))?;
        if self.state.halted.is_some() || self.live.tmux_lost {
            return None; // which is told of elsewhere
        }
        let has_work = agent.current.is_some() || self.queued_for_one(name) > 0;
        if let Some(need) = agent.need().filter(|_| has_work) {
            let (since, cure) = (need.since, need.cure(name, agent.current.as_ref()));
            let told_from = match need.kind {
                NeedKind::Limit | NeedKind::Repair if need.open_ended => since,
                NeedKind::Limit => return None, // it has its end
                _ => since.plus(STANDS_MS),
            };
            return Some(Stands { since, told_from, why: need.told(), cure });
        }
        let shut = self.live.guards.get(name).filter(|_| self.is_to_be_typed(name, agent))?;
        let (since, why) = (shut.since.max(self.waits_since(name, agent)), shut.guard.words().to_owned());
        Some(Stands { since, told_from: since.plus(STANDS_MS), why, cure: shut.guard.cure(name) })
    }

    /// Whether there is something that would be typed to it now.
    fn is_to_be_typed(&self, name: &AgentName, agent: &Agent) -> bool {
        match &agent.current {
            Some(id) => self.state.open.get(id).is_some_and(|open| {
                let turn = open.stage.turn();
                let rests = !open.stage.occupies() || open.stage.is_waiting();
                rests && (!open.unread.is_empty() || turn.is_some()) && self.state.open_parts(id) == 0
            }),
            None => self.queued_for_one(name) > 0,
        }
    }

    /// Since when the oldest of what it is to be given has been there.
    fn waits_since(&self, name: &AgentName, agent: &Agent) -> Millis {
        let current = agent.current.as_ref().and_then(|id| self.state.open.get(id)).map(|open| open.since);
        let queues = self.queues_of(name).filter_map(|queue| self.state.queues.get(queue));
        let first =
            queues.filter_map(|queue| self.state.open.get(queue.head()?)).map(|open| open.since).min();
        current.or(first).unwrap_or_default()
    }

    fn queues_of<'a>(&'a self, name: &'a AgentName) -> impl Iterator<Item = &'a AgentName> {
        let pools = self.team.pools.iter().filter(|(_, members)| members.contains(name));
        pools.map(|(pool, _)| pool).chain([name])
    }

    fn queued_for_one(&self, name: &AgentName) -> usize {
        let queues = self.queues_of(name).filter_map(|queue| self.state.queues.get(queue));
        queues.map(crate::engine::life::queue::Queue::len).sum()
    }

    /// What waits for an agent, in words.
    fn waiting_for(&self, name: &AgentName) -> String {
        let current = self.state.agents.get(name).and_then(|agent| agent.current.as_ref());
        match (current, self.queued_for_one(name)) {
            (Some(id), 0) => format!("it has {id}"),
            (Some(id), queued) => format!("it has {id}, and {queued} more wait"),
            (None, 1) => "1 message waits".to_owned(),
            (None, queued) => format!("{queued} messages wait"),
        }
    }
}
