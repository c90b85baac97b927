//! What holds a step up that needs no other one any more: its worktree is being made, or another step has its worktree or its files.

use super::flow::Flow;
use super::merge::MergeStage;
use super::name::StepName;
use super::plan::OnFailure;
use super::step::StepStage;
use super::touches::shared;
use super::tree::TreeStage;
use std::collections::BTreeMap;
use std::fmt;

/// Steps that are ready of which it is told what holds them up: each is compared with all that are under way.
const TOLD_MAX: usize = 200;

/// What a step waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepWait<'f> {
    /// Its worktree is being made, and what the team file wants done there.
    MakesTree,
    /// Its worktree was there before, and is looked after: what came on the branches that it needs is merged into it.
    ReadiesTree,
    /// Another step is at work in its worktree.
    Tree(&'f StepName),
    /// Another step may change the same files, by this pattern of its own.
    Files(&'f StepName, &'f str),
}

impl fmt::Display for StepWait<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MakesTree => f.write_str("its worktree is being made"),
            Self::ReadiesTree => f.write_str("its worktree is being made ready"),
            Self::Tree(step) => write!(f, "waits for {step}, which works in the same worktree"),
            Self::Files(step, pattern) => {
                write!(f, "waits for {step}, which touches the same files ({pattern})")
            }
        }
    }
}

impl Flow {
    /// What its steps wait for that need no others any more, by their places. Steps that wait for room alone are not in it, and none
    /// are while nothing begins.
    #[must_use]
    pub fn waits(&self) -> BTreeMap<usize, StepWait<'_>> {
        if !self.stage.begins_steps() {
            return BTreeMap::new();
        }
        let at_stage = |stage: StepStage| {
            self.steps.iter().enumerate().filter(move |(_, step)| step.stage == stage).map(|(at, _)| at)
        };
        let making = at_stage(StepStage::Preparing).filter_map(|at| Some((at, self.preparation_of(at)?)));
        let mut waits: BTreeMap<usize, StepWait<'_>> = making.collect();
        let stops = self.head.on_failure == OnFailure::Stop && at_stage(StepStage::Failed).next().is_some();
        let busy: Vec<usize> = at_stage(StepStage::Preparing).chain(at_stage(StepStage::Sent)).collect();
        let ready = at_stage(StepStage::Ready).filter(|_| !stops).take(TOLD_MAX);
        waits.extend(ready.filter_map(|at| Some((at, self.in_the_way_of(at, &busy)?))));
        waits
    }

    /// Whether something is being made for one of its steps, or its branches are being merged: then it goes on by itself.
    #[must_use]
    pub(in crate::engine) fn makes_something(&self) -> bool {
        let merges = self.merge.as_deref().is_some_and(|merge| merge.stage == MergeStage::Merging);
        merges || self.stage.begins_steps() && self.preparing().any(|at| self.preparation_of(at).is_some())
    }

    fn preparation_of(&self, at: usize) -> Option<StepWait<'_>> {
        let tree = self.trees.get(self.tree_of(at)?)?;
        let is_ready = tree.is_ready_for(&self.steps.get(at)?.spec.name);
        match tree.stage {
            TreeStage::Making => Some(StepWait::MakesTree),
            TreeStage::There if !is_ready => Some(StepWait::ReadiesTree),
            _ => None,
        }
    }

    fn in_the_way_of(&self, at: usize, busy: &[usize]) -> Option<StepWait<'_>> {
        let step = self.steps.get(at)?;
        let tree = self.tree_of(at);
        let in_tree = busy.iter().find(|other| tree.is_some() && self.tree_of(**other) == tree);
        if let Some(other) = in_tree.and_then(|other| self.steps.get(*other)) {
            return Some(StepWait::Tree(&other.spec.name));
        }
        busy.iter().filter_map(|other| self.steps.get(*other)).find_map(|other| {
            let pattern = shared(&step.spec.touches, &other.spec.touches)?;
            Some(StepWait::Files(&other.spec.name, pattern))
        })
    }
}
