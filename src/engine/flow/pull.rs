//! A pull request for what a step has done, where whoever began the session wants one. The step is completed whether or not that
//! succeeds.

use super::flow::{Flow, FlowStep};
use super::id::FlowId;
use super::in_tree::StepPull;
use super::name::StepName;
use super::step::StepStage;
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::job::{Found, Job, JobId};
use std::sync::Arc;

/// Most characters of why there is none: other programs say as much as they like.
const WHY_MAX: usize = 500;

impl Work<'_> {
    /// Has a pull request opened for what a step has done, if one is wanted and nobody has tried.
    pub(in crate::engine) fn ask_pull(&mut self, id: &FlowId, name: &StepName) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let Some(at) = flow.place(name) else { return };
        let Some(step) = flow.steps.get(at).filter(|step| flow.owes_pull(step)) else { return };
        let Some(repository) = flow.head.repository.as_deref() else { return };
        let Some(tree) = flow.tree_of(at).and_then(|owner| flow.trees.get(owner)) else { return };
        let job = JobId::Pull { flow: id.clone(), step: name.clone(), tries: step.tries };
        let open = Job::OpenPull {
            repository: repository.root.clone(),
            branch: tree.branch.clone(),
            base: repository.branch.clone(),
            title: step.spec.title.clone(),
            about: format!("{name} of the session {id} of tasuki"),
        };
        self.ask_job(job, open);
    }

    /// Somebody has tried to open one.
    pub(in crate::engine) fn pull_done(
        &mut self,
        (id, name): (&FlowId, &StepName),
        tries: u16,
        found: Found,
    ) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let step = flow.place(name).and_then(|at| flow.steps.get(at));
        if step.is_none_or(|step| !flow.owes_pull(step) || step.tries != tries) {
            return;
        }
        let pull = match found {
            Found::Pull { number, url } => StepPull { number: Some(number), url: Some(url), why: None },
            Found::NotDone(why) => {
                let why: String = why.chars().take(WHY_MAX).collect();
                StepPull { why: Some(Arc::from(why)), ..StepPull::default() }
            }
            _ => return,
        };
        self.emit(Event::StepPulled { flow: id.clone(), step: name.clone(), pull });
    }
}

impl Flow {
    /// Whether a pull request is wanted for a step and nobody has tried: first it is looked at what it did.
    pub(in crate::engine) fn owes_pull(&self, step: &FlowStep) -> bool {
        let is_seen = step.in_tree.from.is_some() && step.in_tree.work.is_some();
        self.head.pull_requests
            && step.stage == StepStage::Completed
            && is_seen
            && step.in_tree.pull.is_none()
    }
}
