//! A flow as a face may see it: with who works on its steps just now.

use super::flow::Flow;
use super::id::FlowId;
use super::step::StepStage;
use super::worker::StepWorker;
use crate::engine::engine::{Engine, Work};
use crate::engine::input::{Effect, Shown};
use crate::engine::life::Category;
use crate::engine::message::BodyRef;
use crate::engine::state::Phase;
use crate::engine::words::AgentName;
use std::collections::BTreeMap;

/// A flow, and what the agents of its steps do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowSeen {
    pub flow: Flow,
    /// Who works on a step, by its place.
    pub working: BTreeMap<usize, StepNow>,
}

/// Who works on a step, and how that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepNow {
    pub worker: StepWorker,
    pub doing: StepDoing,
}

/// What the agent of a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepDoing {
    Starting,
    Working,
    /// Its program asks somebody, or nobody but a person can say whether it has its turn.
    WaitsForPerson,
    /// It is not there, and does not come back by itself.
    Gone,
}

impl FlowSeen {
    /// Where the texts stand that are shown with it: each step's, its answer's, the request and what its master said.
    pub fn texts(&self) -> impl Iterator<Item = BodyRef> + '_ {
        let flow = &self.flow;
        let planning =
            flow.planning.iter().flat_map(|planning| planning.answer.into_iter().chain([planning.text]));
        let steps = flow.steps.iter();
        let steps = steps.flat_map(|step| {
            let work = step.in_tree.work.iter().map(|work| work.place);
            step.answer.iter().map(|answer| answer.body).chain(work).chain([step.text])
        });
        steps.chain(planning).chain([flow.request])
    }
}

impl Engine {
    /// A flow that is open, or was lately.
    #[must_use]
    pub fn flow(&self, id: &FlowId) -> Option<FlowSeen> {
        let flow = self.state.flows.get(id)?;
        let sent = flow.steps.iter().enumerate().filter(|(_, step)| step.stage == StepStage::Sent);
        let working = sent.filter_map(|(at, step)| {
            let open = self.state.open.get(step.message.as_ref()?)?;
            let agent = open.agent.clone()?;
            let phase = self.state.agents.get(&agent).map(|agent| &agent.phase);
            let seen = self.agent(&agent);
            let doing = match (phase, seen.as_ref().map(|seen| seen.state)) {
                (None | Some(Phase::Stopped | Phase::Asleep | Phase::Failed { .. }), _) => StepDoing::Gone,
                (Some(Phase::Absent | Phase::Launching | Phase::Restarting { .. }), _) => StepDoing::Starting,
                (Some(Phase::Up { .. }), Some("waiting_input")) => StepDoing::WaitsForPerson,
                (Some(Phase::Up { .. }), _) if open.stage.category() == Category::Held => {
                    StepDoing::WaitsForPerson
                }
                (Some(Phase::Up { .. }), _) => StepDoing::Working,
            };
            let (pane, pid) = seen.as_ref().map_or((None, None), |seen| (seen.pane, seen.pid));
            let provider = seen.map(|seen| seen.provider).unwrap_or_default();
            let worker = StepWorker { agent, provider, pane, pid, source: None };
            Some((at, StepNow { worker, doing }))
        });
        Some(FlowSeen { working: working.collect(), flow: flow.bare() })
    }
}

impl Work<'_> {
    /// What an agent does is shown with the flow whose step it has.
    pub(in crate::engine) fn show_flow_of(&mut self, name: &AgentName) {
        let current = self.state.agents.get(name).and_then(|agent| agent.current.as_ref());
        let step = current.and_then(|id| self.state.open.get(id)?.message.step.as_deref());
        if let Some(flow) = step.map(|step| step.flow.clone()) {
            self.show_flow(flow);
        }
    }

    pub(in crate::engine) fn show_flow(&mut self, id: FlowId) {
        self.ask(Effect::Show(Shown::Flow(id)));
    }
}
