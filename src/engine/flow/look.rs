//! What a step did in its worktree is looked at once its message has ended. Nobody waits for that: it is for whoever looks at the
//! session.

use super::id::FlowId;
use super::in_tree::WorkSum;
use super::name::StepName;
use super::step::StepStage;
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::job::{Found, Job, JobId};
use crate::engine::message::Body;

/// Most characters of why nothing is known: git says as much as it likes.
const WHY_MAX: usize = 500;

impl Work<'_> {
    /// Has it looked at what a step did in its worktree, if it has one and that is not known.
    pub(in crate::engine) fn ask_look(&mut self, id: &FlowId, name: &StepName) {
        let Some(flow) = self.state.flows.get(id) else { return };
        // What a role has left in its worktree is kept as a patch when that goes.
        let Some(at) = flow.place(name).filter(|_| flow.debate().is_none()) else { return };
        let Some(repository) = flow.head.repository.as_deref() else { return };
        let Some(step) = flow.steps.get(at).filter(|step| step.owes_look()) else { return };
        let Some(tree) = flow.tree_of(at).and_then(|owner| flow.trees.get(owner)) else { return };
        let (repository, branch) = (repository.root.clone(), tree.branch.clone());
        let (from, until) = (step.in_tree.from.clone().unwrap_or_default(), step.in_tree.until.clone());
        let job = JobId::Work { flow: id.clone(), step: name.clone(), tries: step.tries };
        self.ask_job(job, Job::LookAtTree { repository, branch, from, until });
    }

    /// After a crash: what nobody has looked at is looked at again, and what was to be opened is opened.
    pub(in crate::engine) fn look_at_trees_again(&mut self) {
        let flows = self.state.flows.values();
        let owing = flows.flat_map(|flow| {
            let steps = flow.steps.iter().filter(|step| step.owes_look() || flow.owes_pull(step));
            steps.map(|step| (flow.head.id.clone(), step.spec.name.clone()))
        });
        let owing: Vec<(FlowId, StepName)> = owing.collect();
        for (flow, step) in owing {
            self.ask_look(&flow, &step);
            self.ask_pull(&flow, &step);
        }
    }

    /// Somebody has looked.
    pub(in crate::engine) fn look_done(
        &mut self,
        (id, name): (&FlowId, &StepName),
        tries: u16,
        found: Found,
    ) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let step = flow.place(name).and_then(|at| flow.steps.get(at));
        let Some(step) = step.filter(|step| step.owes_look() && step.tries == tries) else { return };
        let (sum, text) = match found {
            // The next one in the same worktree began meanwhile: what it did must not be taken for this one's.
            Found::Work { sum, .. } if step.in_tree.until.is_some() && sum.head != step.in_tree.until => {
                return self.ask_look(id, name);
            }
            Found::Work { sum, text } => (sum, text),
            Found::NotDone(why) => {
                let unknown: String = why.chars().take(WHY_MAX).collect();
                (WorkSum { unknown: Some(unknown.into()), ..WorkSum::default() }, "".into())
            }
            _ => return,
        };
        let body = Body { content: text, extra: "".into() };
        self.emit(Event::StepWorked { flow: id.clone(), step: name.clone(), sum, body });
        self.ask_pull(id, name);
    }
}

impl super::flow::FlowStep {
    /// Whether it has ended in a worktree, and nobody has looked what it did there.
    fn owes_look(&self) -> bool {
        let has_ended = matches!(self.stage, StepStage::Completed | StepStage::Failed);
        has_ended && self.in_tree.from.is_some() && self.in_tree.work.is_none()
    }
}
