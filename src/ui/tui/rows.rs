//! The rows of each place, in the order in which they are shown.

use super::marks::urgency;
use super::state::{Place, TopState};
use crate::engine::message::{Kind, Status};
use crate::wire::api::{AgentInfo, NeedInfo};
use crate::wire::message::view::MessageView;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// An agent in the team's tree.
pub(super) struct Member<'a> {
    pub(super) agent: &'a AgentInfo,
    pub(super) depth: usize,
}

impl TopState {
    /// The agents that are shown: as a tree in the order of the team file, or as a table with the most pressing first.
    pub(super) fn team(&self) -> Vec<Member<'_>> {
        let filter = self.shelves[Place::Team.index()].filter.to_lowercase();
        let fits = |agent: &AgentInfo| {
            filter.is_empty()
                || agent.agent_name.to_lowercase().contains(&filter)
                || super::marks::of_agent(agent).1.to_lowercase().contains(&filter)
        };
        if self.is_table() {
            let mut agents: Vec<&AgentInfo> = self.agents.iter().filter(|agent| fits(agent)).collect();
            let since = |agent: &AgentInfo| agent.since.as_deref().and_then(super::ages::moment);
            agents.sort_by_key(|agent| (urgency(agent), since(agent).unwrap_or(i64::MAX)));
            return agents.into_iter().map(|agent| Member { agent, depth: 0 }).collect();
        }
        let mut tree = self.tree();
        tree.retain(|member| fits(member.agent));
        tree
    }

    fn tree(&self) -> Vec<Member<'_>> {
        let names: BTreeSet<&str> = self.agents.iter().map(|agent| &*agent.agent_name).collect();
        let mut below: BTreeMap<&str, Vec<&AgentInfo>> = BTreeMap::new();
        let mut stack: Vec<Member<'_>> = Vec::new();
        for agent in self.agents.iter().rev() {
            if names.contains(&*agent.reports_to) && agent.reports_to != agent.agent_name {
                below.entry(&agent.reports_to).or_default().push(agent);
            } else {
                stack.push(Member { agent, depth: 0 });
            }
        }
        let mut tree: Vec<Member<'_>> = Vec::new();
        while let Some(member) = stack.pop() {
            let depth = member.depth + 1;
            let its = below.remove(&*member.agent.agent_name).unwrap_or_default();
            stack.extend(its.into_iter().map(|agent| Member { agent, depth }));
            tree.push(member);
        }
        // Those of a circle are below nobody.
        tree.extend(below.into_values().flatten().map(|agent| Member { agent, depth: 0 }));
        tree
    }

    /// Open tasks that are parts of no others: those that wait for a person first, then the newest.
    pub(super) fn tasks(&self) -> Vec<&MessageView> {
        let is_open = |message: &&MessageView| {
            message.parent.is_none()
                && message.kind == Kind::Task
                && matches!(message.status, Status::Pending | Status::InProgress)
        };
        let held = |message: &MessageView| super::marks::of_message(message).0 == super::marks::Mark::Held;
        let mut tasks: Vec<&MessageView> = self.messages.values().filter(is_open).collect();
        tasks.sort_by_key(|message| (!held(message), Reverse(&message.accepted_at)));
        self.filtered(Place::Tasks, tasks)
    }

    /// All messages, newest first.
    pub(super) fn all_messages(&self) -> Vec<&MessageView> {
        let of_list = self.listed.iter().filter(|message| !self.messages.contains_key(message.id.as_str()));
        let mut all: Vec<&MessageView> = of_list.chain(self.messages.values()).collect();
        all.sort_by_key(|message| Reverse(&message.accepted_at));
        self.filtered(Place::Messages, all)
    }

    fn filtered<'a>(&self, place: Place, mut messages: Vec<&'a MessageView>) -> Vec<&'a MessageView> {
        let filter = self.shelves[place.index()].filter.to_lowercase();
        if filter.is_empty() {
            return messages;
        }
        messages.retain(|message| {
            let title = message.title.as_deref().unwrap_or_default();
            [message.id.as_str(), message.to.as_str(), title]
                .iter()
                .any(|text| text.to_lowercase().contains(&filter))
        });
        messages
    }

    /// What needs a person.
    pub(super) fn needs(&self) -> Vec<&NeedInfo> {
        let filter = self.shelves[Place::Needs.index()].filter.to_lowercase();
        let fits = |need: &&NeedInfo| filter.is_empty() || need.title.to_lowercase().contains(&filter);
        self.needs.needs.iter().filter(fits).collect()
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
        }
    }

    /// Id of the chosen row: the first one if nothing is chosen that is there.
    pub(super) fn chosen(&self) -> Option<String> {
        let ids = self.ids();
        let chosen = self.shelf().chosen.as_ref().filter(|id| ids.contains(id));
        chosen.or(ids.first()).cloned()
    }

    /// Chooses the row so many below.
    pub(super) fn choose(&mut self, by: isize) {
        let ids = self.ids();
        let Some(chosen) = self.chosen() else { return };
        let at = ids.iter().position(|id| *id == chosen).unwrap_or(0);
        let at = at.saturating_add_signed(by).min(ids.len() - 1);
        self.shelf_mut().chosen = ids.into_iter().nth(at);
    }

    /// What is asked or needed where `a` answers: of what is chosen, else what stops the most work.
    pub(super) fn need_to_answer(&self) -> Option<&NeedInfo> {
        let chosen = self.chosen();
        let of_chosen = match self.place {
            Place::Needs => chosen.as_deref().and_then(|id| self.need(id)),
            Place::Team => self.needs.needs.iter().find(|need| need.agent.is_some() && need.agent == chosen),
            Place::Tasks | Place::Messages => {
                self.needs.needs.iter().find(|need| need.message.is_some() && need.message == chosen)
            }
        };
        let of_chain = || self.needs.chains.iter().find_map(|chain| self.need(chain.need.as_deref()?));
        of_chosen.or_else(of_chain).or(self.needs.needs.first())
    }
}
