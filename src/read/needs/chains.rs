//! Who waits for whom: from a task of nobody's, along whoever has it, to the cause.

use crate::engine::life::Category;
use crate::engine::state::{Agent, Open};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::read::model::Model;
use crate::wire::api::{CauseInfo, ChainInfo, NeedInfo, NeedKindInfo};
use crate::wire::time::{rfc3339, rfc3339_ms};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The end of a chain at an agent that works.
const WORK: &str = "work";
/// Chains that are made, and links of one: more is nobody's to read.
const CHAINS_MAX: usize = 200;
const LINKS_MAX: usize = 64;

/// A chain as far as it is followed.
struct Chain {
    agents: Vec<AgentName>,
    seen: BTreeSet<MessageId>,
}

/// Where a chain ends.
struct Cause {
    who: &'static str,
    text: String,
    since: Millis,
    need: Option<String>,
    /// Causes of one kind at one place are the same.
    key: String,
}

impl Model {
    /// Who waits for whom, the one with the most behind it first: what waits for a person before all else.
    pub(super) fn chains(&mut self, needs: &[NeedInfo]) -> Vec<ChainInfo> {
        // A task that failed holds nobody up, whoever had it.
        let of_agents = needs.iter().filter(|need| need.kind != NeedKindInfo::Failed);
        let by_agent: BTreeMap<&str, &NeedInfo> =
            of_agents.filter_map(|need| Some((need.agent.as_deref()?, need))).collect();
        let by_message: BTreeMap<&str, &NeedInfo> =
            needs.iter().filter_map(|need| Some((need.message.as_deref()?, need))).collect();
        let state = self.engine().state();
        let roots = state.open.values().filter(|open| {
            open.message.parent.as_ref().is_none_or(|parent| !state.open.contains_key(parent))
        });
        let mut roots: Vec<_> = roots.map(|open| (open.body, open.message.id.clone())).collect();
        // Of one cause, who came first stands first.
        roots.sort_unstable_by_key(|(body, _)| (body.seq, body.index));
        roots.truncate(CHAINS_MAX);
        let mut found = Vec::new();
        for (_, root) in roots {
            let mut chain = Chain { agents: Vec::new(), seen: BTreeSet::new() };
            // What its own agent works on waits for nobody.
            match self.cause(&root, &mut chain, &by_agent, &by_message) {
                Some(cause) if cause.who != WORK || chain.seen.len() > 1 => {
                    // What came later has not waited for as long as the cause lasts.
                    let waits_itself = |open: &Open| open.stage.is_under_way() && chain.seen.len() == 1;
                    let began =
                        state.open.get(&root).filter(|open| !waits_itself(open)).map(|open| open.since);
                    let since = began.map_or(cause.since, |began| began.max(cause.since));
                    found.push((root, chain.agents, Cause { since, ..cause }))
                }
                _ => {}
            }
        }
        let mut behind: BTreeMap<String, usize> = BTreeMap::new();
        for (_, _, cause) in &found {
            *behind.entry(cause.key.clone()).or_default() += 1;
        }
        let mut chains: Vec<ChainInfo> = found
            .into_iter()
            .map(|(root, agents, cause)| ChainInfo {
                title: self.view_with_title(&root).and_then(|view| view.title),
                message: root.to_string(),
                agents: agents.iter().map(ToString::to_string).collect(),
                behind: behind.get(&cause.key).copied().unwrap_or(1),
                cause: CauseInfo { who: cause.who.to_owned(), text: cause.text },
                since: rfc3339_ms(cause.since),
                need: cause.need,
            })
            .collect();
        chains.sort_by_key(|chain| (chain.cause.who != "you", Reverse(chain.behind), chain.since.clone()));
        chains
    }

    /// The cause of a message's waiting, which is the work on it where that goes on.
    fn cause(
        &self,
        id: &MessageId,
        chain: &mut Chain,
        by_agent: &BTreeMap<&str, &NeedInfo>,
        by_message: &BTreeMap<&str, &NeedInfo>,
    ) -> Option<Cause> {
        let state = self.engine().state();
        let open = state.open.get(id)?;
        if !chain.seen.insert(id.clone()) || chain.seen.len() > LINKS_MAX {
            return Some(self.plain(open, "message", format!("{id}, which is waited for in a circle")));
        }
        let agent = open.agent.as_ref().unwrap_or(&open.message.to);
        if chain.agents.last() != Some(agent) {
            chain.agents.push(agent.clone());
        }
        let known = state.agents.get(agent).and_then(Agent::need);
        let since = known.map_or(open.since, |need| need.first_seen().max(open.message.accepted_at));
        let you = |need: &NeedInfo| Cause {
            who: "you",
            text: need.title.clone(),
            since,
            need: Some(need.id.clone()),
            key: need.id.clone(),
        };
        if state.halted.is_some() {
            return Some(
                Cause { since: state.halted?, ..self.plain(open, "you", "all typing is held".to_owned()) }
                    .of("halted"),
            );
        }
        match open.stage.category() {
            Category::Held => by_message.get(id.as_str()).map(|need| you(need)),
            Category::UnderWay | Category::Closing => {
                let need =
                    by_agent.get(agent.as_str()).filter(|need| need.message.as_deref() == Some(id.as_str()));
                Some(need.map_or_else(
                    || self.plain(open, WORK, format!("{agent}, who is working on {id}")),
                    |need| {
                        let who =
                            if need.group == crate::wire::api::NeedGroup::Info { "time" } else { "you" };
                        Cause { who, ..you(need) }
                    },
                ))
            }
            Category::Waiting => self.cause_of_rest(open, chain, by_agent, by_message),
            Category::Queued => self.cause_of_queueing(open, agent, chain, by_agent, by_message),
            Category::Ended => None,
        }
    }

    /// A task that rests waits for its parts: for the one that a person holds up, else for the one that waits the longest.
    fn cause_of_rest(
        &self,
        open: &Open,
        chain: &mut Chain,
        by_agent: &BTreeMap<&str, &NeedInfo>,
        by_message: &BTreeMap<&str, &NeedInfo>,
    ) -> Option<Cause> {
        let state = self.engine().state();
        let parts = state.parts.get(&open.message.id).into_iter().flatten();
        let mut best: Option<(bool, Millis, Vec<AgentName>, Cause)> = None;
        for part in parts {
            let mut further = Chain { agents: chain.agents.clone(), seen: chain.seen.clone() };
            let Some(cause) = self.cause(part, &mut further, by_agent, by_message) else { continue };
            let key = (cause.who != "you", cause.since);
            if best.as_ref().is_none_or(|(not_you, since, ..)| key < (*not_you, *since)) {
                best = Some((key.0, key.1, further.agents, cause));
            }
        }
        match best {
            Some((_, _, agents, cause)) => {
                chain.agents = agents;
                Some(cause)
            }
            None => {
                let agent = open.agent.as_ref().map_or("", AgentName::as_str);
                let need = by_agent
                    .get(agent)
                    .filter(|need| need.message.as_deref() == Some(open.message.id.as_str()));
                let what =
                    self.engine().waits_for(&open.message.id).unwrap_or_else(|| "its next turn".to_owned());
                Some(match need {
                    Some(need) => {
                        Cause { need: Some(need.id.clone()), ..self.plain(open, "you", need.title.clone()) }
                            .of(&need.id)
                    }
                    None => self.plain(open, "agent", what),
                })
            }
        }
    }

    fn cause_of_queueing(
        &self,
        open: &Open,
        agent: &AgentName,
        chain: &mut Chain,
        by_agent: &BTreeMap<&str, &NeedInfo>,
        by_message: &BTreeMap<&str, &NeedInfo>,
    ) -> Option<Cause> {
        if let Some(dependency) = open.unmet.first() {
            let cause = self.cause(dependency, chain, by_agent, by_message);
            return Some(cause.unwrap_or_else(|| {
                self.plain(open, "message", format!("{dependency}, which it depends on"))
            }));
        }
        if let Some(not_before) = open.stage.not_before().filter(|at| *at > self.now()) {
            return Some(self.plain(open, "time", format!("its next try, at {}", rfc3339(not_before))));
        }
        if self.live.daemon.is_none() {
            return Some(self.plain(open, "daemon", "a daemon (`tasuki up`)".to_owned()).of("daemon"));
        }
        if let Some(need) = by_agent.get(agent.as_str()) {
            let who = if need.group == crate::wire::api::NeedGroup::Info { "time" } else { "you" };
            return Some(
                Cause { need: Some(need.id.clone()), ..self.plain(open, who, need.title.clone()) }
                    .of(&need.id),
            );
        }
        let current = self.engine().state().agents.get(agent).and_then(|agent| agent.current.clone());
        if let Some(cause) = current.and_then(|current| self.cause(&current, chain, by_agent, by_message)) {
            return Some(cause);
        }
        let what = self.engine().waits_for(&open.message.id).unwrap_or_else(|| agent.to_string());
        Some(self.plain(open, "agent", what))
    }

    fn plain(&self, open: &Open, who: &'static str, text: String) -> Cause {
        Cause { who, key: text.clone(), text, since: open.since, need: None }
    }
}

impl Cause {
    fn of(self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self }
    }
}
