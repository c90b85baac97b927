//! Brings the branches of completed steps onto one branch, one job a branch. One that does not fit is its step's work once more.

use super::again::Behind;
use super::branch::BranchName;
use super::flow::{Flow, FlowStep};
use super::id::FlowId;
use super::merge::{MergeMove, MergeStage, REOPENINGS_MAX};
use super::name::StepName;
use super::prepare::short;
use super::stage::FlowStage;
use super::step::StepStage;
use super::unmet::Needs;
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::job::{Found, Job, JobId, MergeJob, TreeStart};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::message::{Body, Expect};
use crate::engine::words::{AgentName, counted};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Work<'_> {
    /// Somebody wants the branches of a flow to be brought together.
    pub(in crate::engine) fn merge_flow(
        &mut self,
        id: &FlowId,
        into: Option<String>,
        who: &AgentName,
    ) -> Result<String, Refusal> {
        let none = || Refusal::new(Code::NotOpen, format!("there is no session {id}"));
        let flow = self.state.flows.get(id).ok_or_else(none)?;
        let cannot = |why: String| Err(Refusal::new(Code::WrongStage, format!("session {id} {why}")));
        if flow.head.repository.is_none() {
            let why = format!("session {id} works in no git repository, so it has no branches");
            return Err(Refusal::new(Code::NoRepository, why));
        }
        if let Some(merge) = flow.merge.as_deref().filter(|merge| merge.stage.is_open()) {
            return cannot(format!("is being merged into {} already, and goes on by itself", merge.into));
        }
        if flow.stage == FlowStage::Active {
            let open = flow.steps.iter().filter(|step| !step.stage.has_ended()).count();
            let open = counted(open, "open task");
            return cannot(format!(
                "has {open}: wait until it is over, or pause it to merge what is completed"
            ));
        }
        let count = flow.merge_order().filter(|at| flow.branch_to_merge(*at).is_some()).count();
        if count == 0 {
            return cannot("has no completed task with a worktree of its own".to_owned());
        }
        let into = into.map_or_else(|| integration_of(id).map(|branch| branch.to_string()), Ok)?;
        let said = format!("{} of session {id} go into {into}", counted(count, "branch"));
        let (to, why) = (MergeMove::Begin, Some(format!("by {who}")));
        self.emit(Event::MergeMoved { flow: id.clone(), to, into: Some(into), step: None, why });
        self.touch_flow(id);
        Ok(said)
    }

    /// Goes on with the merge of a flow, if it has one that does.
    pub(in crate::engine) fn go_on_merging(&mut self, id: &FlowId) {
        let Some(flow) = self.state.flows.get_mut(id) else { return };
        let Some((stage, step)) = flow.merge.as_deref().map(|merge| (merge.stage, merge.step.clone())) else {
            return;
        };
        flow.arrange();
        match stage {
            MergeStage::Waits => self.look_at_reopened(id, step),
            MergeStage::Merging => match step {
                None => self.next_branch(id, None),
                Some(step) => self.ask_merge(id, &step),
            },
            MergeStage::Done | MergeStage::Failed => {}
        }
    }

    /// The step that the merge waits for may have ended, and all that had to be done again for its sake.
    fn look_at_reopened(&mut self, id: &FlowId, step: Option<StepName>) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let found = step.as_ref().and_then(|step| flow.steps.get(flow.place(step)?));
        let (Some(step), Some(stage)) = (step, found.map(|step| step.stage)) else {
            return self.fail_merge(id, "the task that it waits for is not there".to_owned());
        };
        match (stage, flow.stage) {
            // What follows it is done again first.
            (StepStage::Completed, FlowStage::Active) => {}
            (StepStage::Completed, _) => {
                self.move_merge(id, MergeMove::GoOn, None, None);
                self.next_branch(id, None);
            }
            (StepStage::Failed | StepStage::Cancelled(_), _) | (_, FlowStage::Failed) => {
                self.fail_merge(id, format!("{step} had to be done again for it, and is {stage}"));
            }
            _ => {}
        }
    }

    /// The branch behind that of this step is next; behind the last one it is done.
    fn next_branch(&mut self, id: &FlowId, behind: Option<&StepName>) {
        let Some(next) = self.state.flows.get(id).map(|flow| flow.merged_behind(behind)) else { return };
        let Some(next) = next else { return self.move_merge(id, MergeMove::Finish, None, None) };
        self.move_merge(id, MergeMove::Next, Some(next.clone()), None);
        self.ask_merge(id, &next);
    }

    /// Has the branch of a step merged, unless that is under way.
    fn ask_merge(&mut self, id: &FlowId, step: &StepName) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let Some((repository, merge)) = flow.head.repository.as_ref().zip(flow.merge.as_deref()) else {
            return;
        };
        let found = flow.place(step).and_then(|at| Some((flow.steps.get(at)?, flow.branch_to_merge(at)?)));
        let Some((found, branch)) = found else {
            return self.next_branch(id, Some(step)); // it is done again for another reason
        };
        let Ok(tree) = integration_of(id) else { return };
        let wanted = found.spec.expect.as_deref().filter(|expect| !expect.command.is_empty());
        let check = match wanted.map(|expect| (expect, self.team.command(&expect.command))) {
            None => None,
            Some((expect, Ok(command))) => {
                Some((Expect { command: expect.command.clone(), ..Expect::default() }, command))
            }
            Some((_, Err(refusal))) => {
                let why = format!("{step} cannot be checked: {}; {}", refusal.why, refusal.cure());
                return self.fail_merge(id, why);
            }
        };
        let into = Some(merge.into.clone()).filter(|into| into != tree.as_str());
        let job = MergeJob {
            repository: repository.root.clone(),
            base: repository.base.clone(),
            owner: format!("{id} merge"),
            tree,
            into,
            all: if flow.merged_behind(None).as_ref() == Some(step) {
                flow.all_to_merge()
            } else {
                Vec::new()
            },
            branch: branch.clone(),
            ended_at: flow.ended_at(step).cloned(),
            check,
            text: found.own_text.unwrap_or(found.text),
        };
        let key = JobId::Merge { flow: id.clone(), step: step.clone() };
        self.ask_job(key, Job::MergeBranch(Box::new(job)));
    }

    /// What came of the merge of a branch.
    pub(in crate::engine) fn merge_done(&mut self, id: &FlowId, step: &StepName, found: Found) {
        let merge = self.state.flows.get(id).and_then(|flow| flow.merge.as_deref());
        let is_it = |merge: &super::merge::FlowMerge| {
            merge.stage == MergeStage::Merging && merge.step.as_ref() == Some(step)
        };
        let Some(merge) = merge.filter(|merge| is_it(merge)) else { return };
        let reopened = merge.reopened.get(step).copied().unwrap_or_default();
        match found {
            Found::Merged => {
                if let Some(flow) = self.state.flows.get_mut(id) {
                    flow.arrange();
                }
                self.next_branch(id, Some(step));
            }
            Found::NotMerged { why, .. } if reopened >= REOPENINGS_MAX => {
                let times = counted(usize::from(reopened), "time");
                self.fail_merge(id, format!("{step} was done again {times} for it, and still: {why}"));
            }
            Found::NotMerged { text, why } => self.reopen_for_merge(id, step, text, why),
            Found::NotGathered(why) => self.fail_merge(id, why),
            Found::NotDone(why) => self.fail_merge(id, format!("{step}: {why}")),
            _ => {}
        }
        self.touch_flow(id);
    }

    /// The branch of a step does not fit: its agent is told why, and makes it fit.
    fn reopen_for_merge(&mut self, id: &FlowId, step: &StepName, text: Arc<str>, why: String) {
        if let Some(flow) = self.state.flows.get_mut(id) {
            flow.arrange();
        }
        let flow = self.state.flows.get(id);
        if flow.is_some_and(|flow| flow.place(step).is_some_and(|at| flow.needs_of(at) == Needs::Lost)) {
            let why =
                format!("{step}: {why}; it cannot be done again: a task that it needs is not completed");
            return self.fail_merge(id, why);
        }
        let body = Body { content: text, extra: "".into() };
        match self.edit_step(id, step, body, (why.clone(), Behind::Stay)) {
            Ok(()) => self.move_merge(id, MergeMove::Wait, Some(step.clone()), Some(why)),
            Err(refusal) => {
                self.fail_merge(id, format!("{step}: {why}; it cannot be done again: {}", refusal.why));
            }
        }
    }

    /// Ends a merge that is under way, with the command that it runs. Whether there was one.
    pub(super) fn cancel_merge(&mut self, id: &FlowId, why: &str) -> bool {
        let merge = self.state.flows.get(id).and_then(|flow| flow.merge.as_deref());
        let Some(merge) = merge.filter(|merge| merge.stage == MergeStage::Merging) else { return false };
        let step = merge.step.clone();
        self.fail_merge(id, why.to_owned());
        if let Some(step) = step {
            self.drop_job(JobId::Merge { flow: id.clone(), step });
        }
        true
    }

    fn fail_merge(&mut self, id: &FlowId, why: String) {
        self.move_merge(id, MergeMove::Fail, None, Some(why));
    }

    fn move_merge(&mut self, id: &FlowId, to: MergeMove, step: Option<StepName>, why: Option<String>) {
        self.emit(Event::MergeMoved { flow: id.clone(), to, into: None, step, why });
    }
}

impl Flow {
    /// Whether a branch is the one onto which its branches come where nobody says another.
    #[must_use]
    pub fn is_integration(&self, branch: &str) -> bool {
        integration_of(&self.head.id).is_ok_and(|own| own.as_str() == branch)
    }

    /// The places of all steps in the order in which their branches are merged: each behind what it needs.
    fn merge_order(&self) -> impl Iterator<Item = usize> + '_ {
        self.order().iter().copied()
    }

    /// The first step behind this one, or of all, whose branch is to be merged.
    fn merged_behind(&self, behind: Option<&StepName>) -> Option<StepName> {
        let behind = behind.and_then(|name| self.place(name));
        let rest = self.merge_order().skip_while(|at| behind.is_some_and(|behind| *at != behind));
        let mut rest = rest.skip(usize::from(behind.is_some()));
        let next = rest.find(|at| self.branch_to_merge(*at).is_some())?;
        self.steps.get(next).map(|step| step.spec.name.clone())
    }

    /// All branches that are to be merged.
    fn all_to_merge(&self) -> Vec<(StepName, TreeStart)> {
        let start = |at: usize| {
            let (step, branch) = (&self.steps.get(at)?.spec.name, self.branch_to_merge(at)?);
            Some((
                step.clone(),
                TreeStart { name: branch.to_string(), ended_at: self.ended_at(step).cloned() },
            ))
        };
        self.merge_order().filter_map(start).collect()
    }

    /// The branch of a step that is to be merged: it is completed, and has a worktree of its own, or a branch from elsewhere.
    fn branch_to_merge(&self, at: usize) -> Option<&BranchName> {
        self.steps.get(at).filter(|step| step.stage == StepStage::Completed)?;
        self.branch_of(at)
    }

    /// The steps whose branches have gone on since all were brought onto one: that one is without what came then. None before it is done.
    #[must_use]
    pub fn unmerged(&self) -> Vec<&StepName> {
        let Some(merge) = self.merge.as_deref().filter(|merge| merge.stage == MergeStage::Done) else {
            return Vec::new();
        };
        let is_newer = |step: &FlowStep| {
            let is_it = matches!(step.stage, StepStage::Completed | StepStage::Failed);
            let head = step.in_tree.work.as_deref().and_then(|work| work.sum.head.as_ref());
            // Where both are known, it was done again without a commit.
            let is_same = head.is_some() && head == step.in_tree.left.as_ref();
            is_it && step.document.is_none() && step.ended > Some(merge.since) && !is_same
        };
        let steps = self.steps.iter().enumerate();
        let newer: BTreeSet<&StepName> =
            steps.clone().filter(|(_, step)| is_newer(step)).filter_map(|(at, _)| self.tree_of(at)).collect();
        let is_left = |at: usize, step: &FlowStep| {
            newer.contains(&step.spec.name) && self.branch_to_merge(at).is_some()
        };
        steps.filter(|(at, step)| is_left(*at, step)).map(|(_, step)| &step.spec.name).collect()
    }

    /// The commit at which the worktree of a step was when the last one had ended that worked there, if somebody has looked.
    pub(super) fn ended_at(&self, owner: &StepName) -> Option<&Arc<str>> {
        let in_it = match self.shares() {
            true => 0..self.steps.len(),
            // Of many tasks each is asked for, and nobody goes through all of them for each.
            false => self.place(owner).map_or(0..0, |at| at..at + 1),
        };
        let in_it = in_it.filter(|at| self.tree_of(*at) == Some(owner));
        let steps = in_it.filter_map(|at| self.steps.get(at));
        let was_there = |step: &&FlowStep| {
            step.in_tree.from.is_some() && matches!(step.stage, StepStage::Completed | StepStage::Failed)
        };
        let last = steps.filter(was_there).max_by_key(|step| step.ended);
        last?.in_tree.work.as_deref()?.sum.head.as_ref()
    }
}

/// The branch onto which the branches of a flow are brought, where nobody says another.
fn integration_of(id: &FlowId) -> Result<BranchName, Refusal> {
    let name = format!("agent/session-{}", short(id));
    BranchName::new(&name).map_err(|error| Refusal::new(Code::BadBranch, format!("{name} {error}")))
}
