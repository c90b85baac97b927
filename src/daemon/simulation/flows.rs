//! People open flows with made-up plans and steer them, while everything dies.

use super::debate_rules::{check_final, is_being_cleared};
use super::state::{Now, Run};
use super::wrong::Wrong;
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::{FlowId, StepRef};
use crate::engine::flow::name::StepName;
use crate::engine::flow::stage::FlowStage;
use crate::engine::flow::step::StepStage;
use crate::engine::flow::wish::FlowWish;
use crate::engine::input::Command;
use crate::engine::state::State;
use crate::engine::words::{AgentName, MessageId};
use std::collections::{BTreeMap, BTreeSet};

/// So often a flow that has failed may be tried again in peace.
const AGAIN_MAX: u64 = 4;

impl Run {
    /// Somebody opens a flow, or wants something of one: a person, or an agent with its key.
    pub(super) fn open_or_steer_a_flow(&mut self) {
        let key = if self.chance.one_in(8) { self.some_key() } else { None };
        let by = key.and_then(|(key, owner, _)| Some((key, owner?)));
        let known = self.known_flow();
        let command = match known {
            Some((id, count)) if !self.chance.one_in(4) => Some(self.steered(id, count)),
            _ => {
                let owner = by.as_ref().map_or_else(AgentName::user, |(_, name)| name.clone());
                let opening = self.flows.make_up(&mut self.chance, owner);
                opening.map(|opening| Command::OpenFlow(Box::new(opening)))
            }
        };
        if let Some(command) = command {
            self.command_as(command, by);
        }
    }

    /// A flow that somebody asked for: mostly one that is there, if any is.
    fn known_flow(&mut self) -> Option<(FlowId, u64)> {
        let there: Vec<FlowId> =
            self.engine().map_or(Vec::new(), |engine| engine.state().flows.keys().cloned().collect());
        let is_there = |(id, _): &&(FlowId, u64)| there.contains(id);
        let there: Vec<(FlowId, u64)> = self.flows.asked.iter().filter(is_there).cloned().collect();
        let from = if self.chance.one_in(12) { &self.flows.asked } else { &there };
        self.chance.pick(from).cloned()
    }

    /// What somebody wants of a flow: mostly what may be wanted of it, or that one of its messages is called off.
    fn steered(&mut self, id: FlowId, count: u64) -> Command {
        let any = StepName::numbered(1 + self.chance.below(count));
        let (likely, which) = (!self.chance.one_in(6), self.chance.below(8));
        let flow = self.engine().and_then(|engine| engine.state().flows.get(&id)).filter(|_| likely);
        let step = |stage| flow.and_then(|flow| flow.steps.iter().find(|step| step.stage == stage));
        let failed = step(StepStage::Failed).map(|step| step.spec.name.clone());
        let sent = step(StepStage::Sent).and_then(|step| step.message.clone());
        let round = flow.and_then(|flow| flow.debate_round());
        let wish = match (flow.map(|flow| flow.stage), which) {
            (Some(FlowStage::Active), 0) if round.is_some() => FlowWish::Cancel,
            (Some(FlowStage::Active), 1..4) if round > Some(1) => FlowWish::Cancel,
            (Some(FlowStage::Active), 7) if round.is_some() => FlowWish::Resume,
            (Some(FlowStage::Active), 0..4) | (None, 0..2) => FlowWish::Pause,
            (Some(FlowStage::Active | FlowStage::Paused), 4..7) if sent.is_some() => {
                return sent.map_or(Command::Start(None), Command::cancel);
            }
            (Some(FlowStage::Active), _) | (None, 7) => FlowWish::Cancel,
            (Some(FlowStage::Paused), _) | (Some(FlowStage::Failed), 0..4) | (None, 2..4) => FlowWish::Resume,
            (Some(FlowStage::Completed), 0..4) | (Some(FlowStage::Failed), 4 | 5) => FlowWish::Merge(None),
            (Some(FlowStage::Completed), _) | (_, 7) => {
                let ended = flow.and_then(|flow| flow.steps.iter().find(|step| step.stage.has_ended()));
                let step = ended.map_or(any, |step| step.spec.name.clone());
                FlowWish::Edit(step, self.flows.text())
            }
            _ => FlowWish::Retry(failed.unwrap_or(any)),
        };
        Command::Flow { id, wish }
    }

    /// Nobody lets a flow rest for ever; one that has failed is tried again a few times, as a whole or one step of it. Now and then a
    /// debate has come far, and nobody wants it any more.
    pub(super) fn resume_flows(&mut self) {
        let is_enough = self.chance.one_in(12);
        let Some(engine) = self.engine() else { return };
        let tries = self.helped < AGAIN_MAX;
        let wish = |flow: &Flow| match flow.stage {
            FlowStage::Paused => Some(FlowWish::Resume),
            FlowStage::Active if is_enough && flow.debate_round() > Some(1) => Some(FlowWish::Cancel),
            FlowStage::Failed if tries && flow.debate().is_none() => {
                let failed = flow.steps.iter().find(|step| step.stage == StepStage::Failed)?;
                let all = flow.since.0.is_multiple_of(2);
                Some(if all { FlowWish::Resume } else { FlowWish::Retry(failed.spec.name.clone()) })
            }
            FlowStage::Active | FlowStage::Completed | FlowStage::Failed => None,
        };
        let flows = engine.state().flows.values();
        let wishes =
            flows.filter_map(|flow| Some(Command::Flow { id: flow.head.id.clone(), wish: wish(flow)? }));
        let wishes: Vec<Command> = wishes.collect();
        wishes.into_iter().for_each(|wish| self.command(wish));
    }

    /// Flows that have not ended, or of which something is left that is to go.
    pub(super) fn open_flows(&self) -> impl Iterator<Item = &Flow> {
        let flows = self.engine().into_iter().flat_map(|engine| engine.state().flows.values());
        flows.map(AsRef::as_ref).filter(|flow| flow.stage.is_open() || is_being_cleared(flow))
    }

    /// Each step that is sent is one open message, no other step is one, and no more are under way than may be.
    pub(super) fn check_flows(&self) -> Result<(), Wrong> {
        let Now::Alive(life) = &self.now else { return Ok(()) };
        let state = life.daemon.engine.state();
        if state.flows.is_empty() && state.hired.is_empty() {
            return Ok(()); // then the end tells whether something was left over
        }
        let mut sent: BTreeMap<&MessageId, StepRef> = BTreeMap::new();
        for flow in state.flows.values() {
            check_final(flow)?;
            let under_way = flow.steps.iter().filter(|step| step.stage.is_under_way()).count();
            let most = usize::from(flow.head.parallel);
            if most > 0 && under_way > most {
                return Err(format!(
                    "{under_way} steps of {} are under way, and {most} may be",
                    flow.head.id
                ));
            }
            for step in flow.steps.iter().filter(|step| step.stage == StepStage::Sent) {
                let of = StepRef { flow: flow.head.id.clone(), step: Some(step.spec.name.clone()) };
                let Some(message) = &step.message else { return Err(format!("{of:?} is sent as nothing")) };
                sent.insert(message, of);
            }
        }
        check_messages(state, &sent)?;
        check_hired(state)
    }
}

/// Whoever was hired for a step is there as long as that is sent, and no longer.
fn check_hired(state: &State) -> Result<(), Wrong> {
    let mut wanted = BTreeSet::new();
    for flow in state.flows.values() {
        let sent = flow.steps.iter().filter(|step| step.stage == StepStage::Sent && step.spec.hire.is_some());
        wanted.extend(sent.map(|step| (flow.head.id.as_str(), &step.spec.to)));
    }
    let hired = state.hired.iter().filter_map(|(name, hired)| Some((hired.flow.as_deref()?, name)));
    let hired: BTreeSet<(&str, &AgentName)> = hired.collect();
    match wanted.symmetric_difference(&hired).next() {
        Some((flow, name)) => Err(format!("{name} of {flow} is hired: {}", hired.contains(&(*flow, *name)))),
        None => Ok(()),
    }
}

fn check_messages(state: &State, sent: &BTreeMap<&MessageId, StepRef>) -> Result<(), Wrong> {
    for (id, of) in sent {
        let open = state.open.get(*id);
        if open.and_then(|open| open.message.step.as_deref()) != Some(of) {
            return Err(format!("{of:?} is sent as {id}, which is {open:?}"));
        }
    }
    for (id, open) in &state.open {
        let step = open.message.step.as_deref();
        if step.is_some() && step != sent.get(id) {
            return Err(format!("{id} is open, and {step:?} is not sent as that"));
        }
    }
    Ok(())
}
