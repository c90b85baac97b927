//! Steps that are done again: what has failed as it was, and whatever has ended with another text. What was done for others stays.

use super::flow::{Flow, FlowStep};
use super::id::FlowId;
use super::name::StepName;
use super::stage::FlowMove;
use super::step::{CancelCause, StepMove, StepStage};
use super::unmet::Needs;
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::message::{Body, BodyRef};
use crate::engine::words::Millis;
use std::collections::BTreeSet;

/// What becomes of the steps that need one which is done again, however far behind it they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Behind {
    /// They wait again: what they were given changes with it.
    WaitsAgain,
    /// They stay as they are: what they were given stays true, and its branch alone goes on.
    Stay,
}

impl Work<'_> {
    /// The place of a step that somebody named.
    pub(in crate::engine) fn place_of(&self, id: &FlowId, name: &StepName) -> Result<usize, Refusal> {
        let at = self.state.flows.get(id).and_then(|flow| flow.place(name));
        let why = || format!("session {id} has no {name}");
        at.ok_or_else(|| Refusal::new(Code::UnknownDependency, why()).at("task"))
    }

    /// Whether a step may be tried again as it was.
    pub(in crate::engine) fn may_retry(&self, id: &FlowId, at: usize) -> Result<(), Refusal> {
        let step = self.state.flows.get(id).and_then(|flow| flow.steps.get(at));
        match step.map(|step| (step.stage, &step.spec.name)) {
            Some((StepStage::Failed, _)) => Ok(()),
            Some((StepStage::Completed, name)) => {
                Err(wrong_stage(format!("{name} is completed; it is done again only with another text")))
            }
            Some((StepStage::Cancelled(CancelCause::Called), name)) => {
                Err(wrong_stage(format!("{name} {}", called_off(id))))
            }
            Some((stage, name)) => {
                Err(wrong_stage(format!("{name} is {stage}; only a task that has failed is tried again")))
            }
            None => Err(Refusal::new(Code::NotOpen, format!("session {id} has no such task"))),
        }
    }

    /// All that goes on with a flow: what has failed is tried again, and what was called off with the flow waits again.
    pub(in crate::engine) fn retry_all(&mut self, id: &FlowId) {
        let Some(flow) = self.state.flows.get(id) else { return };
        flow.to_resume().into_iter().for_each(|at| self.retry_step(id, at));
    }

    /// Tries a step again, and has those wait again that were cancelled for its sake.
    pub(in crate::engine) fn retry_step(&mut self, id: &FlowId, at: usize) {
        let mut again = vec![at];
        while let Some(at) = again.pop() {
            let Some(flow) = self.state.flows.get(id) else { return };
            let waits = |at: &usize| {
                let stage = flow.steps.get(*at).map(|step| step.stage);
                stage == Some(StepStage::Cancelled(CancelCause::NeedFailed))
            };
            let stage = flow.steps.get(at).map(|step| step.stage);
            let begins = matches!(stage, Some(StepStage::Failed | StepStage::Cancelled(CancelCause::Called)));
            if !begins && !waits(&at) {
                continue; // it stands behind two that are tried again
            }
            again.extend(flow.needed_by(at).iter().copied().filter(waits));
            self.move_step(id, at, StepMove::Retry, None);
        }
    }

    /// Does a step again that has ended, with another text. Why is told with the move.
    pub(in crate::engine) fn edit_step(
        &mut self,
        id: &FlowId,
        name: &StepName,
        text: Body,
        (why, behind): (String, Behind),
    ) -> Result<(), Refusal> {
        let at = self.place_of(id, name)?;
        let for_merge = behind == Behind::Stay;
        let behind = match behind {
            Behind::WaitsAgain => self.may_edit(id, at)?,
            Behind::Stay => {
                let stage =
                    self.state.flows.get(id).and_then(|flow| flow.steps.get(at)).map(|step| step.stage);
                if !matches!(stage, Some(StepStage::Completed | StepStage::Failed)) {
                    return Err(wrong_stage(format!("{name} is under way")));
                }
                BTreeSet::new()
            }
        };
        let Some(flow) = self.state.flows.get(id) else { return Ok(()) };
        let Some(step) = flow.steps.get(at) else { return Ok(()) };
        let (stage, mut spec) = (flow.stage, step.spec.clone());
        let owner = flow.head.owner.clone();
        let master = flow.head.master.clone().unwrap_or_else(|| owner.clone());
        self.check_step((id, &owner, &master), &mut spec, &text)?;
        if self.live.disk_full {
            return Err(Refusal::new(Code::DiskFull, "the disk is nearly full"));
        }
        let (flow, spec, again) = (id.clone(), Box::new(spec), true);
        self.emit(Event::StepPlanned { flow, spec, again, for_merge, body: text });
        if !stage.is_open() {
            self.move_flow(id, FlowMove::Resume, Some(format!("{name} is done again")));
        }
        self.move_step(id, at, StepMove::Retry, Some(why));
        for at in behind {
            self.move_step(
                id,
                at,
                StepMove::Reopen,
                Some(format!("{name}, which it follows, is done again")),
            );
        }
        Ok(())
    }

    /// Whether a step may be done again with another text: the steps behind it that wait again then, in the order of the plan.
    fn may_edit(&self, id: &FlowId, at: usize) -> Result<BTreeSet<usize>, Refusal> {
        let none = || Refusal::new(Code::NotOpen, format!("session {id} has no such task"));
        let flow = self.state.flows.get(id).ok_or_else(none)?;
        let step = flow.steps.get(at).ok_or_else(none)?;
        let name = &step.spec.name;
        match step.stage {
            StepStage::Completed | StepStage::Failed => {}
            StepStage::Cancelled(CancelCause::NeedFailed) if flow.needs_of(at) == Needs::Met => {}
            StepStage::Cancelled(CancelCause::NeedFailed) => {
                let why = "was cancelled since something that it needs was not completed: retry that first";
                return Err(wrong_stage(format!("{name} {why}")));
            }
            StepStage::Cancelled(CancelCause::Called) => {
                return Err(wrong_stage(format!("{name} {}", called_off(id))));
            }
            StepStage::Pending | StepStage::Ready => {
                return Err(wrong_stage(format!("{name} has not begun: wait until it has ended")));
            }
            StepStage::Preparing | StepStage::Sent => return Err(under_way(step)),
        }
        let behind = flow.behind(at);
        let steps = behind.iter().filter_map(|at| flow.steps.get(*at));
        if let Some(busy) = steps.clone().find(|step| step.stage.is_under_way()) {
            return Err(under_way(busy));
        }
        let waits = |at: &usize| {
            let stage = flow.steps.get(*at).map(|step| step.stage);
            stage.is_some_and(|stage| super::step::next(stage, StepMove::Reopen).is_ok())
        };
        Ok(behind.into_iter().filter(waits).collect())
    }
}

/// Somebody works on it, or will at once.
fn under_way(step: &FlowStep) -> Refusal {
    let cancel = step.message.as_ref().filter(|_| step.stage == StepStage::Sent);
    let cancel = cancel.map_or(String::new(), |message| format!(", or `tasuki cancel {message}`"));
    wrong_stage(format!("{} is under way: wait until it has ended{cancel}", step.spec.name))
}

/// What a step was called off with, and what has it wait again.
fn called_off(id: &FlowId) -> String {
    format!("was cancelled with its session: `tasuki session resume {id}` has it wait again")
}

fn wrong_stage(why: String) -> Refusal {
    Refusal::new(Code::WrongStage, why)
}

impl Flow {
    /// A step that is there has another text. What is added for one merge takes the place of what was added for the last one.
    pub(in crate::engine) fn reword(
        &mut self,
        name: &StepName,
        (text, for_merge): (BodyRef, bool),
        at: Millis,
    ) {
        if let Some(step) = self.place(name).and_then(|place| self.steps.get_mut(place)) {
            step.own_text = for_merge.then_some(step.own_text.unwrap_or(step.text));
            (step.text, self.changed_at) = (text, at);
        }
    }

    /// The steps with which it goes on when somebody resumes it: those that have failed, and those that were called off with it.
    pub(in crate::engine) fn to_resume(&self) -> Vec<usize> {
        let steps = self.steps.iter().enumerate();
        let is_it = |stage| matches!(stage, StepStage::Failed | StepStage::Cancelled(CancelCause::Called));
        steps.filter(|(_, step)| is_it(step.stage)).map(|(at, _)| at).collect()
    }

    /// The steps that need this one, and those that need these, and so on.
    fn behind(&self, at: usize) -> BTreeSet<usize> {
        let (mut behind, mut open) = (BTreeSet::new(), vec![at]);
        while let Some(at) = open.pop() {
            open.extend(self.needed_by(at).iter().copied().filter(|at| behind.insert(*at)));
        }
        behind
    }
}
