//! The rows of each place, in the order in which they are shown.

use super::debates::DebateSeen;
use super::marks::{Mark, of_agent, of_message, urgency};
use super::state::{Place, TopState};
use crate::engine::message::{Kind, Status};
use crate::wire::api::{AgentInfo, ChainInfo, NeedInfo, NeedKindInfo};
use crate::wire::message::view::MessageView;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Agents from which on a branch that is well is folded: more rows than most terminals have.
const FOLDS_FROM: usize = 13;

/// Where the branch of each member ends: behind the last one below it.
fn branch_ends(tree: &[Member<'_>]) -> Vec<usize> {
    let mut ends = vec![tree.len(); tree.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, member) in tree.iter().enumerate() {
        while let Some((_, begun)) = open.pop_if(|(depth, _)| *depth >= member.depth) {
            ends[begun] = at;
        }
        open.push((member.depth, at));
    }
    ends
}

/// Whether nobody has to look at it.
fn is_well(agent: &AgentInfo) -> bool {
    !matches!(
        of_agent(agent).0,
        Mark::Asks | Mark::Held | Mark::Error | Mark::Failed | Mark::Unknown | Mark::Limit
    )
}

/// An agent in the team's tree.
pub(super) struct Member<'a> {
    pub(super) agent: &'a AgentInfo,
    pub(super) depth: usize,
    /// Agents below it that are not shown: its branch is folded.
    pub(super) folded: usize,
}

impl<'a> Member<'a> {
    fn new(agent: &'a AgentInfo, depth: usize) -> Self {
        Self { agent, depth, folded: 0 }
    }
}

impl TopState {
    /// The agents that are shown: as a tree in the order of the team file, or as a table with the most pressing first.
    pub(super) fn team(&self) -> Vec<Member<'_>> {
        let filter = &self.shelves[Place::Team.index()].filter;
        let fits = |agent: &AgentInfo| filter.is_empty() || self.agent_fits(agent);
        if self.is_table() {
            let mut agents: Vec<&AgentInfo> = self.agents.iter().filter(|agent| fits(agent)).collect();
            let since = |agent: &AgentInfo| agent.since.as_deref().and_then(super::ages::moment);
            agents.sort_by_key(|agent| (urgency(agent), since(agent).unwrap_or(i64::MAX)));
            return agents.into_iter().map(|agent| Member::new(agent, 0)).collect();
        }
        let mut tree = self.tree();
        if filter.is_empty() {
            return self.folded(tree);
        }
        tree.retain(|member| fits(member.agent));
        tree
    }

    /// The tree without what stands below a folded branch.
    fn folded<'a>(&self, tree: Vec<Member<'a>>) -> Vec<Member<'a>> {
        let of_large = self.agents.len() >= FOLDS_FROM;
        if !of_large && !self.branches.values().any(|is_folded| *is_folded) {
            return tree;
        }
        let below = branch_ends(&tree);
        let chosen = self.shelves[Place::Team.index()].chosen.as_deref();
        // How many of those before a row are unwell, and where the chosen one is.
        let mut unwell = vec![0];
        for member in &tree {
            let before = unwell.last().copied().unwrap_or(0);
            unwell.push(before + usize::from(!is_well(member.agent)));
        }
        let chosen = chosen.and_then(|name| tree.iter().position(|member| member.agent.agent_name == name));
        let mut shown: Vec<Member<'a>> = Vec::new();
        let mut next = 0;
        for (at, mut member) in tree.into_iter().enumerate() {
            let end = below.get(at).copied().unwrap_or(at + 1);
            if at < next {
                continue;
            }
            let is_asked = self.branches.get(&member.agent.agent_name).copied();
            let of_itself = || of_large && unwell.get(at) == unwell.get(end);
            // Nobody's row goes from under them.
            let has_chosen = chosen.is_some_and(|chosen| chosen > at && chosen < end);
            if end > at + 1 && !has_chosen && is_asked.unwrap_or_else(of_itself) {
                member.folded = end - at - 1;
                next = end;
            }
            shown.push(member);
        }
        shown
    }

    /// Folds the branch of the chosen agent, or that which it stands in; or shows what is below it.
    pub(super) fn fold(&mut self, is_folded: bool) {
        if self.is_table() || !self.shelf().filter.is_empty() {
            return;
        }
        let Some(chosen) = self.chosen() else { return };
        let tree = self.tree();
        let Some(at) = tree.iter().position(|member| member.agent.agent_name == chosen) else { return };
        let has_branch = branch_ends(&tree).get(at).is_some_and(|end| *end > at + 1);
        let is_shown =
            self.team().iter().any(|member| member.agent.agent_name == chosen && member.folded == 0);
        let name = match (is_folded, has_branch && is_shown) {
            // A leaf's own manager, or that of a branch that is folded already.
            (true, false) => tree.get(..at).and_then(|before| {
                let depth = tree.get(at)?.depth;
                before
                    .iter()
                    .rfind(|member| member.depth < depth)
                    .map(|member| member.agent.agent_name.clone())
            }),
            _ => Some(chosen),
        };
        let Some(name) = name else { return };
        self.branches.insert(name.clone(), is_folded);
        self.shelf_mut().chosen = Some(name);
    }

    fn tree(&self) -> Vec<Member<'_>> {
        let names: BTreeSet<&str> = self.agents.iter().map(|agent| &*agent.agent_name).collect();
        let mut below: BTreeMap<&str, Vec<&AgentInfo>> = BTreeMap::new();
        let mut stack: Vec<Member<'_>> = Vec::new();
        for agent in self.agents.iter().rev() {
            if names.contains(&*agent.reports_to) && agent.reports_to != agent.agent_name {
                below.entry(&agent.reports_to).or_default().push(agent);
            } else {
                stack.push(Member::new(agent, 0));
            }
        }
        let mut tree: Vec<Member<'_>> = Vec::new();
        while let Some(member) = stack.pop() {
            let depth = member.depth + 1;
            let its = below.remove(&*member.agent.agent_name).unwrap_or_default();
            stack.extend(its.into_iter().map(|agent| Member::new(agent, depth)));
            tree.push(member);
        }
        // Those of a circle are below nobody.
        tree.extend(below.into_values().flatten().map(|agent| Member::new(agent, 0)));
        tree
    }

    /// Open tasks that are parts of no others: those that wait for a person first, then the newest. The chosen one stays when it
    /// has ended.
    pub(super) fn tasks(&self) -> Vec<&MessageView> {
        let chosen = self.shelves[Place::Tasks.index()].chosen.as_deref();
        let is_open = |message: &&MessageView| {
            message.parent.is_none()
                && message.kind == Kind::Task
                && (matches!(message.status, Status::Pending | Status::InProgress)
                    || chosen == Some(message.id.as_str()))
        };
        let asking = self.asking();
        let yours = |message: &MessageView| {
            asking.contains(message.id.as_str()) || of_message(message).0 == Mark::Held
        };
        let mut tasks: Vec<&MessageView> = self.messages.values().filter(is_open).collect();
        tasks.sort_by_key(|message| (!yours(message), Reverse(&message.accepted_at)));
        self.filtered(Place::Tasks, tasks)
    }

    /// Ids of the tasks that wait for a person in the end, whoever stands between.
    pub(super) fn asking(&self) -> BTreeSet<&str> {
        // While all typing is held, each would wait for that: it has a row of its own above.
        let is_of_one = |id: &str| self.need(id).is_none_or(|need| need.kind != NeedKindInfo::Halted);
        let yours = self
            .needs
            .chains
            .iter()
            .filter(|chain| chain.cause.who == "you" && chain.need.as_deref().is_some_and(is_of_one));
        yours.map(|chain| &*chain.message).collect()
    }

    /// All messages, newest first.
    pub(super) fn all_messages(&self) -> Vec<&MessageView> {
        let of_list = self.listed.iter().filter(|message| !self.messages.contains_key(message.id.as_str()));
        let mut all: Vec<&MessageView> = of_list.chain(self.messages.values()).collect();
        all.sort_by_key(|message| Reverse(&message.accepted_at));
        self.filtered(Place::Messages, all)
    }

    /// What needs a person.
    pub(super) fn needs(&self) -> Vec<&NeedInfo> {
        let is_all = self.shelves[Place::Needs.index()].filter.is_empty();
        self.needs.needs.iter().filter(|need| is_all || self.need_fits(need)).collect()
    }

    pub(super) fn need(&self, id: &str) -> Option<&NeedInfo> {
        self.needs.needs.iter().find(|need| need.id == id)
    }

    /// Ids of the rows of the place that keys go to.
    pub(super) fn ids(&self) -> Vec<String> {
        match self.place {
            Place::Needs => self.needs().iter().map(|need| need.id.clone()).collect(),
            Place::Tasks => self.tasks().iter().map(|message| message.id.to_string()).collect(),
            Place::Team => self.team().iter().map(|member| member.agent.agent_name.clone()).collect(),
            Place::Messages => self.all_messages().iter().map(|message| message.id.to_string()).collect(),
            Place::Sessions => self.all_sessions().iter().map(|session| session.id.clone()).collect(),
            Place::Session => self.ids_of_tasks(),
            Place::Debates => self.all_debates().iter().map(|debate| debate.debate_id.clone()).collect(),
            Place::Debate => self.opened_debate().map(DebateSeen::ids).unwrap_or_default(),
        }
    }

    /// Id of the chosen row: the first one if nothing is chosen that is there.
    pub(super) fn chosen(&self) -> Option<String> {
        let ids = self.ids();
        let chosen = self.shelf().chosen.as_ref().filter(|id| ids.contains(id));
        chosen.or(ids.first()).cloned()
    }

    /// Whatever comes and goes, the choice stays where it is: on its row, else on the one that stood behind that. A key is for the
    /// row that a person sees chosen.
    pub(super) fn hold_on(&mut self) {
        let ids = self.ids();
        if ids.is_empty() {
            return;
        }
        let shelf = self.shelf_mut();
        let is_there = shelf.chosen.as_ref().is_some_and(|chosen| ids.contains(chosen));
        shelf.is_awaited &= !is_there;
        if !is_there && !shelf.is_awaited {
            let at = shelf.rows.iter().position(|row| Some(row) == shelf.chosen.as_ref());
            let (before, behind) = shelf.rows.split_at(at.unwrap_or(0));
            let mut near = behind.iter().chain(before.iter().rev());
            let next = near.find(|row| ids.contains(row)).or(ids.first()).cloned();
            shelf.chosen = next;
        }
        shelf.rows = ids;
    }

    /// Chooses the row so many below.
    pub(super) fn choose(&mut self, by: isize) {
        let ids = self.ids();
        let Some(chosen) = self.chosen() else { return };
        self.keep_branch(&chosen);
        let at = ids.iter().position(|id| *id == chosen).unwrap_or(0);
        let at = at.saturating_add_signed(by).min(ids.len() - 1);
        let shelf = self.shelf_mut();
        shelf.chosen = ids.into_iter().nth(at);
        shelf.is_awaited = false;
    }

    /// What a person has walked through stays as it is behind them.
    fn keep_branch(&mut self, chosen: &str) {
        if self.place != Place::Team || self.is_table() {
            return;
        }
        let mut at = self.agent(chosen).map(|agent| agent.reports_to.clone());
        // Nobody has more above them than there are agents.
        for _ in 0..self.agents.len() {
            let Some(agent) = at.as_deref().and_then(|name| self.agent(name)) else { return };
            let (name, above) = (agent.agent_name.clone(), agent.reports_to.clone());
            self.branches.entry(name).or_insert(false);
            at = Some(above);
        }
    }

    /// What is asked or needed where `a` answers: the dialog of what is chosen, else that of a line above, which says that `a`
    /// answers it; else what is needed there. In the list of needs it is the chosen one.
    pub(super) fn need_to_answer(&self) -> Option<&NeedInfo> {
        let chosen = self.chosen();
        let of_chain = |chain: &ChainInfo| self.need(chain.need.as_deref()?);
        let of_chosen = match self.place {
            Place::Needs => return chosen.as_deref().and_then(|id| self.need(id)),
            Place::Team => self.needs.needs.iter().find(|need| need.agent.is_some() && need.agent == chosen),
            Place::Tasks | Place::Messages => {
                let of_message = |need: &&NeedInfo| need.message.is_some() && need.message == chosen;
                let its = self.needs.chains.iter().find(|chain| Some(&chain.message) == chosen.as_ref());
                self.needs.needs.iter().find(of_message).or_else(|| its.and_then(of_chain))
            }
            Place::Sessions | Place::Session => return self.need_of_sessions(),
            Place::Debates | Place::Debate => return self.need_of_debates(),
        };
        let asks = |need: &&NeedInfo| need.kind == NeedKindInfo::Asks;
        let mut of_lines = self.needs.chains.iter().filter_map(of_chain);
        let first = self.needs.chains.iter().find_map(of_chain);
        let asked = of_chosen.filter(asks).or_else(|| of_lines.find(asks));
        asked.or(of_chosen).or(first).or(self.needs.needs.first())
    }
}
