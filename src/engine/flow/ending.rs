//! The worktrees of a flow that keeps none of them: they go once it is over. One that cannot go keeps no other.

use super::flow::Flow;
use super::id::FlowId;
use super::name::StepName;
use super::step::StepStage;
use super::tree::{TreeMove, TreeStage};
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::job::{Found, Job, JobId};

/// Most characters of why a worktree stays: git says as much as it likes.
const WHY_MAX: usize = 500;

impl Work<'_> {
    /// Has the worktrees of a flow removed that is over and keeps none. Those whose removal was interrupted are named again.
    pub(in crate::engine) fn end_trees(&mut self, id: &FlowId) {
        let Some(flow) = self.state.flows.get(id).filter(|flow| flow.owes_ends()) else { return };
        let Some(repository) = flow.head.repository.as_deref().map(|of| of.root.clone()) else { return };
        let trees = flow.trees.iter().filter(|(_, tree)| tree.stage.is_in_the_way());
        let trees: Vec<_> =
            trees.map(|(owner, tree)| (owner.clone(), tree.branch.clone(), tree.stage)).collect();
        for (owner, branch, stage) in trees {
            if stage != TreeStage::Removing {
                self.move_tree_on(id, &owner, TreeMove::Remove, None);
            }
            let job = JobId::EndTree { flow: id.clone(), tree: owner.clone() };
            let owner = super::prepare::owner_of(id, &owner);
            self.ask_job(job, Job::EndTree { repository: repository.clone(), branch, owner });
        }
    }

    /// A worktree was removed, or stays.
    pub(in crate::engine) fn tree_ended(&mut self, id: &FlowId, owner: &StepName, found: Found) {
        let Some(flow) = self.state.flows.get(id) else { return };
        if flow.trees.get(owner).is_none_or(|tree| tree.stage != TreeStage::Removing) {
            return;
        }
        match found {
            Found::Removed => self.move_tree_on(id, owner, TreeMove::Removed, None),
            Found::NotDone(why) => {
                let why = why.chars().take(WHY_MAX).collect();
                self.move_tree_on(id, owner, TreeMove::Keep, Some(why));
            }
            _ => {}
        }
    }

    fn move_tree_on(&mut self, id: &FlowId, owner: &StepName, to: TreeMove, why: Option<String>) {
        let (flow, tree, branch, path) = (id.clone(), owner.clone(), None, None);
        let (base, step, head) = (None, None, None);
        self.emit(Event::TreeMoved { flow, tree, to, branch, path, base, step, head, why });
    }
}

impl Flow {
    /// Why a flow is not completed all of whose steps have ended; none if it is. All steps are gone through once, at the end.
    pub(super) fn why_failed(&self) -> Option<String> {
        if let Some(debate) = self.debate() {
            return self.why_debate_failed(debate);
        }
        let is_done = self.steps.iter().all(|step| step.stage == StepStage::Completed);
        (!is_done).then(|| "not every task was completed".to_owned())
    }

    /// Whether it is over, and has worktrees that are to go.
    #[must_use]
    pub fn owes_ends(&self) -> bool {
        let keeps_none = self.debate().is_some_and(|debate| !debate.keep);
        keeps_none && !self.stage.is_open() && self.trees.values().any(|tree| tree.stage.is_in_the_way())
    }
}
