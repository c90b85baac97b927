//! A team file that was read again: new members are started, old ones dismissed, changed ones started anew when they are
//! idle, and messages for whom there is nobody any more are ended or go to somebody else.

use crate::engine::engine::Work;
use crate::engine::life::Stage;
use crate::engine::life::deliver::Hands;
use crate::engine::message::together::Together;
use crate::engine::message::wait_cycle::{Awaited, Waits};
use crate::engine::state::Phase;
use crate::engine::team::Team;
use crate::engine::words::{AgentName, MessageId, Millis};

/// Why nobody gets what was for somebody, where the team file says so.
pub(in crate::engine) const NOT_IN_FILE: &str = "is no longer in the team file";

impl Work<'_> {
    /// Takes a new team over.
    pub(in crate::engine) fn change_team(&mut self, team: Team) {
        let file = std::mem::replace(self.file, team);
        let merged = self.merged();
        let old = std::mem::replace(self.team, merged);
        self.give_way();
        // Whoever gave way is not there already.
        let is_gone = |name: &&AgentName| {
            !self.team.members.contains_key(*name) && self.state.agents.contains_key(*name)
        };
        let gone: Vec<AgentName> = old.members.keys().filter(is_gone).cloned().collect();
        for name in gone {
            self.dismiss(&name);
        }
        let names: Vec<AgentName> = self.team.members.keys().cloned().collect();
        for name in names {
            let changed = old.members.get(&name);
            let changed =
                changed.map(|old| self.is_changed(&name, old.launch) || self.is_kind_back(&name, &file));
            let is_new = changed.is_none() || !self.state.agents.contains_key(&name);
            if is_new || (changed == Some(true) && self.has_failed(&name)) {
                self.launch(&name);
            }
            self.touch(&name); // one that runs is started anew when it is idle
        }
        self.strand(NOT_IN_FILE);
        self.forget_gone();
    }

    /// What is remembered of those who are not there any more is forgotten.
    pub(in crate::engine) fn forget_gone(&mut self) {
        let team = &*self.team;
        let there = |name: &AgentName| name.is_user() || exists(team, name);
        self.live.edges.retain(|(from, to), _| there(from) && there(to));
        self.live.bounces.retain(|(one, other), _| there(one) && there(other));
        self.live.notices.retain(|name, _| there(name));
    }

    fn is_changed(&self, name: &AgentName, old: crate::engine::words::Digest) -> bool {
        self.team.members.get(name).is_some_and(|member| member.launch != old)
    }

    /// Whether somebody was hired like an agent that is in the team file again.
    fn is_kind_back(&self, name: &AgentName, before: &Team) -> bool {
        let hired = self.state.hired.get(name);
        hired.is_some_and(|hired| {
            !before.has_kind(&hired.recipe.like) && self.file.has_kind(&hired.recipe.like)
        })
    }

    fn has_failed(&self, name: &AgentName) -> bool {
        self.state.agents.get(name).is_some_and(|agent| matches!(agent.phase, Phase::Failed { .. }))
    }

    /// Messages that wait for somebody who is not in the team go back to the pool to which they were sent; if that is
    /// gone too, they end and their senders are told. Looks at every open message, but only when the team changes.
    pub(in crate::engine) fn strand(&mut self, gone: &str) {
        let stranded = self.state.open.values().filter(|open| !exists(self.team, open.queue()));
        let stranded: Vec<(MessageId, AgentName, bool, Stage)> = stranded
            .map(|open| {
                let pooled = exists(self.team, &open.message.to);
                (open.message.id.clone(), open.queue().clone(), pooled, open.stage)
            })
            .collect();
        for (id, name, pooled, stage) in stranded {
            let why = format!("{name} {gone}");
            match stage {
                _ if !pooled => self.fail(&id, &why),
                _ if stage.is_queued() => self.postpone(&id, &why, Millis(0), true, Hands::Gone),
                _ => {} // held: it goes to the pool when a person lets it go on
            }
        }
        self.open_circles();
    }

    /// A pool may have lost those of its members that do not wait for what it was asked for: that can never begin, and
    /// ends.
    fn open_circles(&mut self) {
        let waits = Waits { state: self.state, team: self.team, together: &Together::default() };
        let parts =
            self.state.parts.iter().flat_map(|(whole, parts)| parts.iter().map(move |part| (whole, part)));
        let never = parts.filter(|(whole, part)| {
            let (Some(whole), Some(part)) = (self.state.open.get(*whole), self.state.open.get(*part)) else {
                return false;
            };
            let pool =
                part.agent.is_none().then(|| self.team.pools.get_key_value(&part.message.to)).flatten();
            pool.is_some_and(|(pool, _)| waits.is_after(Awaited::Free(pool), whole))
        });
        let never: Vec<MessageId> = never.map(|(_, part)| part.clone()).collect();
        for id in never {
            self.fail(&id, "the remaining members of its pool wait for the task of which it is a part");
        }
    }
}

fn exists(team: &Team, name: &AgentName) -> bool {
    team.members.contains_key(name) || team.pools.contains_key(name)
}
