//! A flow that was asked for in words: its master splits it into steps. What it answers is checked like any claim, so what is wrong
//! with it comes back to it, and its steps are planned in the line of the journal that ends its message.

use super::asked::{SEND_AGAIN, WAITS_FOR_YES};
use super::flow::Flow;
use super::head::FlowHead;
use super::id::{FlowId, StepRef};
use super::opening::FoundPlan;
use super::stage::{FlowMove, FlowStage};
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::evidence::Evidence;
use crate::engine::life::close::{Note, accepted_elsewhere as accepted};
use crate::engine::message::refusal::Refusal;
use crate::engine::message::{Body, Kind, Message, Outcome};
use crate::engine::words::{AgentName, MessageId, counted};

/// What the check of a plan is called.
const PLAN: &str = "plan";
/// Characters of a master's last mistakes that are kept with the flow: some dozen of them.
const MISTAKES_CHARS: usize = 3_000;

impl Work<'_> {
    /// Whoever is asked to plan must be somebody who can be.
    pub(in crate::engine) fn check_master(
        &self,
        head: &FlowHead,
        prompt: &Body,
    ) -> Result<AgentName, Refusal> {
        let named = head.master.as_ref().unwrap_or(&head.owner);
        let master = self.team.member(named)?;
        self.lasts(&master, "master")?;
        self.team.may_send(Kind::Task, &head.owner, &master)?;
        self.team.check_inline(&master, &prompt.content)?;
        Ok(master)
    }

    /// Asks the master of a flow for its steps.
    pub(in crate::engine) fn ask_plan(&mut self, id: &FlowId, prompt: Body) {
        let Some(head) = self.state.flows.get(id).map(|flow| &flow.head) else { return };
        let Some(master) = head.master.clone() else { return };
        let message = self.plan_message(id, (head.owner.clone(), master));
        self.emit_own(message, prompt);
    }

    /// The same once more, in the words of the first time.
    pub(in crate::engine) fn ask_plan_again(&mut self, id: &FlowId) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let (Some(planning), Some(master)) = (&flow.planning, &flow.head.master) else { return };
        let (text, from, to) = (planning.text, flow.head.owner.clone(), master.clone());
        if !self.team.members.contains_key(&to) {
            let why = format!("{to} is no longer in the team");
            return self.move_flow(id, FlowMove::Fail, Some(why));
        }
        let message = self.plan_message(id, (from, to));
        self.emit(accepted(Box::new(message), text, Vec::new()));
    }

    fn plan_message(&mut self, id: &FlowId, (from, to): (AgentName, AgentName)) -> Message {
        let mut message = Note { id: self.mint_id(), from, to, kind: Kind::Task }.message(self.now);
        message.step = Some(Box::new(StepRef { flow: id.clone(), step: None }));
        message
    }

    /// Whether an answer holds a plan that can be begun: the evidence, and the plan if it is one.
    pub(in crate::engine) fn judge_plan(
        &self,
        id: &MessageId,
        found: Result<FoundPlan, String>,
    ) -> (Evidence, Option<FoundPlan>) {
        let judged = found.and_then(|plan| self.check_plan(id, plan));
        let (passed, how, plan) = match judged {
            Ok(plan) => (true, counted(plan.steps.len(), "task"), Some(plan)),
            Err(why) => (false, why, None),
        };
        let check = PLAN.to_owned();
        (Evidence { check, passed, broken: false, how, at: self.now, ms: 0 }, plan)
    }

    fn check_plan(&self, id: &MessageId, mut plan: FoundPlan) -> Result<FoundPlan, String> {
        let step = self.state.open.get(id).and_then(|open| open.message.step.as_deref());
        let flow = step.and_then(|step| self.state.flows.get(&step.flow));
        let named = flow.and_then(|flow| {
            Some((flow.head.id.clone(), flow.head.owner.clone(), flow.head.master.clone()?))
        });
        let Some((id, owner, master)) = named else { return Err("its session is gone".to_owned()) };
        let told = |refusal: Refusal| format!("{}; {}", refusal.why, refusal.cure());
        for (spec, body) in &mut plan.steps {
            // Whom it may task is the master's matter, and for whom agents are made whoever asked for all of it.
            let sender = if spec.hire.is_some() { &owner } else { &master };
            self.check_step((&id, sender, &master), spec, body).map_err(told)?;
        }
        Ok(plan)
    }

    /// The steps of a plan are the flow's.
    pub(in crate::engine) fn take_plan(&mut self, message: &MessageId, plan: FoundPlan) {
        let step = self.state.open.get(message).and_then(|open| open.message.step.as_deref());
        let Some(id) = step.map(|step| step.flow.clone()) else { return };
        let FoundPlan { name, on_failure, parallel, pull_requests, steps } = plan;
        self.emit(Event::FlowPlanned { flow: id.clone(), name, on_failure, parallel, pull_requests });
        for (spec, body) in steps {
            self.plan_step(&id, spec, body);
        }
    }

    /// Why a message that asked for a plan has brought none: what was wrong with its last answer, or what else came between.
    pub(in crate::engine) fn why_no_plan(&self, id: &MessageId, why: Option<&str>) -> Option<String> {
        let open = self.state.open.get(id).filter(|open| open.message.asks_for_plan())?;
        let short = |text: &str| text.chars().take(MISTAKES_CHARS).collect::<String>();
        let checks = open.checks.as_deref();
        let newest = checks.and_then(|checks| checks.newest().iter().find(|evidence| !evidence.passed));
        let Some(newest) = newest else { return why.map(short) };
        let answers = match checks.map_or(0, |checks| checks.failed.len()) {
            0 | 1 => "its answer is no plan that can be begun".to_owned(),
            many => format!("none of its {many} answers is a plan that can be begun"),
        };
        let mistakes = newest.how.trim_end().trim_end_matches(SEND_AGAIN).trim_end();
        Some(format!("{answers}. What was wrong with the last one:\n{}", short(mistakes)))
    }

    /// The message that asked for a plan has ended.
    pub(in crate::engine) fn plan_ended(
        &mut self,
        id: &FlowId,
        message: &MessageId,
        (outcome, said): (Outcome, Option<&str>),
    ) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let is_it = flow.planning.as_ref().is_some_and(|planning| planning.message == *message);
        if !is_it || !matches!(flow.stage, FlowStage::Active | FlowStage::Paused) {
            return;
        }
        let why = match (flow.steps.is_empty(), outcome) {
            (false, _) if flow.head.confirm && flow.stage == FlowStage::Active => {
                self.move_flow(id, FlowMove::Pause, Some(WAITS_FOR_YES.to_owned()));
                return self.touch_flow(id);
            }
            (false, _) => return self.touch_flow(id),
            (true, Outcome::Completed) => format!("{message} was closed without a plan"),
            (true, Outcome::Failed) => {
                let said = said.map_or(String::new(), |said| format!(": {said}"));
                format!("there is no plan: {message} has failed{said}")
            }
            (true, Outcome::Cancelled) => format!("there is no plan: {message} was cancelled"),
        };
        self.move_flow(id, FlowMove::Fail, Some(why));
    }
}

impl Flow {
    /// Whether its steps are being asked for.
    #[must_use]
    pub fn is_being_planned(&self) -> bool {
        self.planning.as_ref().is_some_and(|planning| planning.ended.is_none())
    }

    /// Whether it has a plan that somebody has to say yes to before it goes on. Also one that was cancelled or paused meanwhile.
    #[must_use]
    pub fn needs_yes(&self) -> bool {
        let has_plan = self.planning.as_ref().is_none_or(|planning| planning.has_plan);
        let has_begun = self.steps.iter().any(|step| step.tries > 0);
        self.head.confirm && has_plan && !has_begun && !self.steps.is_empty()
    }

    /// Whether it rests since its master has planned it, until somebody says yes to that.
    #[must_use]
    pub fn waits_for_yes(&self) -> bool {
        self.stage == FlowStage::Paused && self.note.as_deref() == Some(WAITS_FOR_YES)
    }
}
