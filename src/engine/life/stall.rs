//! Whether anything can still happen by itself, and what all that is open waits for if nothing can: an agent that was
//! stopped, a person, or each other.

use crate::engine::engine::Engine;
use crate::engine::life::Category;
use crate::engine::state::{Agent, Open, Phase};
use crate::engine::words::{AgentName, MessageId};
use std::collections::BTreeSet;

/// Of a chain of messages that wait for one another, so many are named at its beginning, and as many at its end.
const NAMED: usize = 3;

impl Engine {
    /// What the messages that are open wait for, in words, if nothing happens any more before a person does something;
    /// none if something does, or nothing is open. `queue/STOP` and a tmux server that is gone are told of elsewhere.
    #[must_use]
    pub fn stalled(&self) -> Option<String> {
        let state = &self.state;
        if state.halted.is_some() || self.live.tmux_lost || self.something_moves() {
            return None;
        }
        let is_part =
            |open: &Open| open.message.part_of().is_some_and(|whole| state.open.contains_key(whole));
        let first = state.open.values().find(|open| !is_part(open)).or_else(|| state.open.values().next())?;
        let mut chain = vec![&first.message.id];
        let mut seen = BTreeSet::from([&first.message.id]);
        let mut last = &first.message.id;
        while let Some(next) = self.awaited_by(last) {
            chain.push(next);
            last = next;
            if !seen.insert(next) {
                return Some(format!(
                    "nothing moves: {}: cancel one of them (`tasuki cancel`)",
                    told(&chain)
                ));
            }
        }
        let what = self.waits_for(last).unwrap_or_default();
        let waits = |open: &Open| open.stage.is_queued() || open.stage.is_waiting();
        let so = match (self.state.open.get(last).is_some_and(|open| waits(open)), chain.len()) {
            (false, _) => ": ",
            (true, 1) => " waits for ",
            (true, _) => ", which waits for ",
        };
        Some(format!("nothing moves: {}{so}{what}", told(&chain)))
    }

    fn something_moves(&self) -> bool {
        let members = self.team.members.keys();
        let agents = members.filter_map(|name| Some((name, self.state.agents.get(name)?)));
        let mut agents = agents.map(|(name, agent)| self.is_moving(agent) || self.may_begin(name, agent));
        agents.any(|moves| moves) || self.state.flows.values().any(|flow| flow.makes_something())
    }

    /// Whether an agent is being started, or has a turn, or is about to be given the next one of its task.
    fn is_moving(&self, agent: &Agent) -> bool {
        let current = agent.current.as_ref().and_then(|id| self.state.open.get(id));
        match (&agent.phase, current.map(|open| (open, open.stage.category()))) {
            (Phase::Absent | Phase::Launching | Phase::Restarting { .. }, _) => true,
            (Phase::Stopped | Phase::Asleep | Phase::Failed { .. }, _) | (_, None) => false,
            (_, Some((open, Category::Waiting))) => {
                let token = open.stage.turn().and_then(|turn| turn.token);
                let reminds = token.is_some() && !open.reminded;
                let parts = self.state.open_parts(&open.message.id);
                !agent.needs_somebody() && (!open.unread.is_empty() || parts == 0 && reminds)
            }
            (_, Some((_, Category::Queued))) => !agent.needs_somebody(),
            (_, Some((_, Category::Held))) => false,
            (_, Some((_, Category::UnderWay | Category::Closing | Category::Ended))) => true,
        }
    }

    /// Whether an agent has its hands free, and something waits for it.
    fn may_begin(&self, name: &AgentName, agent: &Agent) -> bool {
        let is_free = matches!(agent.phase, Phase::Up { .. }) && !agent.needs_somebody();
        let pools = self.team.pools.iter().filter(|(_, members)| members.contains(name));
        let mut queues = pools.map(|(pool, _)| pool).chain([name]);
        is_free && agent.current.is_none() && queues.any(|queue| self.state.queues.contains_key(queue))
    }

    /// The message for which another one waits, if it waits for one.
    fn awaited_by(&self, id: &MessageId) -> Option<&MessageId> {
        let open = self.state.open.get(id)?;
        match open.stage.category() {
            Category::Waiting => self.state.parts.get(id)?.first(),
            Category::Queued => {
                let queue = open.queue();
                let members = self.team.pools.get(queue).into_iter().flatten();
                let mut agents = members.chain([queue]).filter_map(|name| self.state.agents.get(name));
                let current = agents.find_map(|agent| agent.current.as_ref());
                open.unmet.first().or(current.filter(|current| *current != id))
            }
            Category::UnderWay | Category::Held | Category::Closing | Category::Ended => None,
        }
    }
}

fn told(chain: &[&MessageId]) -> String {
    let mut named: Vec<&str> = chain.iter().map(|id| id.as_str()).collect();
    if named.len() > 2 * NAMED {
        named.splice(NAMED..named.len() - NAMED, ["others"]);
    }
    match named.split_first() {
        Some((first, [])) => (*first).to_owned(),
        Some((first, rest)) => format!("{first} waits for {}", rest.join(", which waits for ")),
        None => String::new(),
    }
}
