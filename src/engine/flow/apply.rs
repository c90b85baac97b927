//! How the events of flows change the state.

use super::flow::Flow;
use super::id::FlowId;
use super::stage::{self, FlowMove};
use super::step::{self, StepMove};
use crate::engine::event::Event;
use crate::engine::message::BodyRef;
use crate::engine::state::State;
use crate::engine::words::Millis;

impl State {
    /// Applies an event of a flow. One that does not fit, or is about a flow that is not there, changes nothing: a damaged line may
    /// have taken its beginning away.
    pub(in crate::engine) fn apply_to_flow(&mut self, at: Millis, place: BodyRef, event: &Event) {
        match event {
            Event::FlowOpened { head, .. } => {
                let flow = Flow::new((**head).clone(), place, at);
                self.flows.insert(head.id.clone(), Box::new(flow));
            }
            Event::StepPlanned { flow, spec, .. } => {
                if let Some(flow) = self.flows.get_mut(flow) {
                    flow.plan((**spec).clone(), place, at);
                }
            }
            Event::StepMoved { .. } => self.move_step(at, event),
            Event::FlowMoved { flow, to, why } => self.move_flow(at, flow, *to, why.as_deref()),
            Event::KeptFlow(flow) => drop(self.flows.insert(flow.head.id.clone(), flow.clone())),
            _ => {}
        }
    }

    fn move_flow(&mut self, at: Millis, id: &FlowId, to: FlowMove, why: Option<&str>) {
        let Some(flow) = self.flows.get_mut(id) else { return };
        if to == FlowMove::Forget && !flow.stage.is_open() {
            return drop(self.flows.remove(id));
        }
        if let Ok(stage) = stage::next(flow.stage, to) {
            (flow.stage, flow.since, flow.note) = (stage, at, why.map(Into::into));
        }
    }

    fn move_step(&mut self, now: Millis, event: &Event) {
        let Event::StepMoved { flow, step: name, to, message, answer, why } = event else { return };
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let Some(at) = flow.place(name) else { return };
        let Some(step) = flow.steps.get_mut(at) else { return };
        let before = step.stage;
        let Ok(after) = step::next(before, *to) else { return };
        step.stage = after;
        step.note = why.as_deref().map(Into::into);
        match to {
            StepMove::Send => {
                step.message.clone_from(message);
                step.tries = step.tries.saturating_add(1);
                (step.began, step.ended, step.answer) = (Some(now), None, None);
            }
            StepMove::Complete | StepMove::Fail | StepMove::Cancel(_) => {
                step.ended = Some(now);
                step.answer.clone_from(answer);
            }
            StepMove::Retry => (step.ended, step.answer) = (None, None),
            StepMove::Prepare => step.began = Some(now),
            StepMove::NeedsMet => {}
        }
        flow.moved(at, before);
    }
}
