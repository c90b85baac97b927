//! What waits for a person, and who waits for whom.

mod chains;
mod dismissing;
mod found;
mod sessions;

use super::model::{Answers, Model};
use crate::engine::words::MessageId;
use crate::wire::api::{AgentInfo, NeedGroup, NeedInfo, NeedKindInfo, NeedsInfo, NeedsQuery, Problem};
use crate::wire::time::rfc3339_ms;
use std::collections::BTreeSet;

impl Answers for NeedsQuery {
    fn answer(self, model: &mut Model) -> Result<NeedsInfo, Problem> {
        let agents = model.agents();
        let needs = model.needs(&agents);
        Ok(model.needs_info(needs))
    }
}

/// What waits for a person, in the order in which it is shown.
pub(super) struct Needs(pub(super) Vec<NeedInfo>);

impl Needs {
    /// How many of them somebody has to see to.
    pub(super) fn needs_you(&self) -> usize {
        self.0.iter().filter(|need| need.group != NeedGroup::Info).count()
    }

    /// How many are failed tasks, or sessions that failed: what failed in those is seen to by them.
    pub(super) fn failed(&self) -> usize {
        let has_failed = |need: &&NeedInfo| match need.kind {
            NeedKindInfo::Failed => true,
            NeedKindInfo::Session => need.group == NeedGroup::Decide,
            _ => false,
        };
        self.0.iter().filter(has_failed).count()
    }
}

impl Model {
    /// The same with who waits for whom.
    pub(super) fn needs_info(&mut self, needs: Needs) -> NeedsInfo {
        let chains = self.chains(&needs.0);
        NeedsInfo { needs: needs.0, chains, seq: self.seq().0, now: rfc3339_ms(self.now()) }
    }

    /// The open messages that wait for a person: by themselves, with a part of theirs, or in the queue of an agent that cannot begin
    /// any. Whatever waits behind another message of its agent waits for that.
    pub(super) fn wait_for_a_person(&mut self) -> BTreeSet<String> {
        let agents = self.agents();
        let mut needs = self.needs(&agents).0;
        needs.retain(|need| need.group != NeedGroup::Info && need.kind != NeedKindInfo::Failed);
        let mut waiting: BTreeSet<String> = needs.iter().filter_map(|need| need.message.clone()).collect();
        for chain in self.chains(&needs) {
            let Some(need) = needs.iter().find(|need| chain.need.as_ref() == Some(&need.id)) else {
                continue;
            };
            let is_queued = MessageId::new(&chain.message).is_ok_and(|id| self.queue_that_has(&id).is_some());
            if need.message.is_none() || !is_queued {
                waiting.insert(chain.message);
            }
        }
        waiting
    }

    /// What waits for a person: what stops the most work comes first.
    pub(super) fn needs(&mut self, agents: &[AgentInfo]) -> Needs {
        self.look_at_dismissed();
        self.look_at_answers();
        let mut needs = self.found_needs(agents);
        for need in &mut needs {
            need.dismiss = dismissing::dismissal(need);
        }
        needs.sort_by(|one, other| {
            let key =
                |need: &NeedInfo| (need.group, std::cmp::Reverse(need.behind_count), need.since.clone());
            key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
        });
        Needs(needs)
    }

    /// The open messages that cannot go on before these have: the tasks of which they are parts, and what depends on them.
    pub(super) fn behind(&self, first: impl IntoIterator<Item = MessageId>) -> BTreeSet<MessageId> {
        let state = self.engine().state();
        let (mut behind, mut next): (BTreeSet<MessageId>, Vec<MessageId>) =
            (BTreeSet::new(), first.into_iter().collect());
        while let Some(id) = next.pop() {
            let Some(open) = state.open.get(&id) else { continue };
            let parent = open.message.parent.iter().filter(|parent| state.open.contains_key(*parent));
            let dependants = state.dependants.get(&id).into_iter().flatten();
            for other in parent.chain(dependants) {
                if behind.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        behind
    }
}
