//! A step that is added to a flow which is there.

use super::advance::no_such_session;
use super::flow::{Flow, FlowStep, StepSpec};
use super::graph::STEPS_MAX;
use super::id::FlowId;
use super::name::StepName;
use super::tree::StepTree;
use crate::engine::engine::Work;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::counted;

impl Work<'_> {
    /// A step more. It may need those that are there.
    pub(super) fn add_step(
        &mut self,
        id: &FlowId,
        (mut spec, body): (StepSpec, Body),
    ) -> Result<StepName, Refusal> {
        let Some(flow) = self.state.flows.get(id) else { return Err(no_such_session(id)) };
        if flow.is_being_planned() {
            let why = format!("session {id} is being planned; add tasks once its plan is there");
            return Err(Refusal::new(Code::WrongStage, why));
        }
        if flow.steps.is_empty() {
            let why = format!(
                "session {id} has no plan to which a task could be added: `tasuki session resume {id}` asks its master for one again"
            );
            return Err(Refusal::new(Code::WrongStage, why));
        }
        if flow.steps.len() >= STEPS_MAX {
            let why = format!("session {id} has {} already", counted(STEPS_MAX, "task"));
            return Err(Refusal::new(Code::TooMany, why));
        }
        let is_it = |step: &FlowStep| step.spec.name.number() == spec.name.number();
        if let Some(there) = flow.steps.iter().find(|step| is_it(step)) {
            let why = format!("session {id} has {} already", there.spec.name);
            return Err(Refusal::new(Code::IdConflict, why).at("id"));
        }
        if let Some(need) = spec.needs.iter().find(|need| flow.place(need).is_none()) {
            let why = format!("{} depends on {need}, and session {id} has no such task", spec.name);
            return Err(Refusal::new(Code::UnknownDependency, why).at("dependencies"));
        }
        check_shared(flow, &spec)?;
        let owner = flow.head.owner.clone();
        let master = flow.head.master.clone().unwrap_or_else(|| owner.clone());
        self.check_step((id, &owner, &master), &mut spec, &body)?;
        let name = spec.name.clone();
        self.plan_step(id, spec, body);
        Ok(name)
    }
}

/// A worktree that is shared must be there some day: its owner was planned with one.
fn check_shared(flow: &Flow, spec: &StepSpec) -> Result<(), Refusal> {
    let Some(StepTree::SharedWith(owner)) = &spec.tree else { return Ok(()) };
    let step = flow.place(owner).and_then(|at| flow.steps.get(at));
    if step.is_some_and(|step| step.spec.tree == Some(StepTree::New)) {
        return Ok(());
    }
    let why = format!("{} cannot share the worktree of {owner}, which has none of its own", spec.name);
    Err(Refusal::new(Code::UnknownDependency, why).at("worktree_strategy"))
}
