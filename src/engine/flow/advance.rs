//! What flows do: steps begin as soon as what they need is there and there is room, and what came of a step's message decides
//! what follows. All that a step of a flow brings about is in one line of the journal with it.

use super::again::Behind;
use super::asked::{CANCELLED_BY, WAITS_FOR_YES};
use super::cause::FailureCause;
use super::debate::Debate;
use super::flow::{Flow, StepSpec};
use super::id::{FlowId, StepRef};
use super::name::StepName;
use super::opening::{Opening, StepDone};
use super::plan::OnFailure;
use super::prepare::Prepared;
use super::stage::{FlowMove, FlowStage};
use super::step::{CancelCause, StepMove, StepStage};
use super::unmet::Needs;
use super::wish::FlowWish;
use super::worker::StepWorker;
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::job::JobId;
use crate::engine::life::CompletionSource;
use crate::engine::life::close::{Note, accepted_elsewhere};
use crate::engine::life::interrupt::BreakOff;
use crate::engine::message::part_answer::PartAnswer;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::message::{Body, Kind, Message, Outcome};
use crate::engine::state::Phase;
use crate::engine::words::{AgentName, MessageId, counted};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Flows that are open at a time.
const FLOWS_MAX: usize = 1_000;

/// What whoever resumes a flow is told that goes on only with a yes to its plan.
const NO_YES: &str = "has a plan to which nobody has said yes, and waits for that: see it with `tasuki session show`, then resume it again";

/// What is said of one of which a step is done again: in a flow that is paused it waits with all the others.
fn goes_on_from_there(id: &FlowId, name: &StepName, stage: FlowStage) -> Cow<'static, str> {
    match stage {
        FlowStage::Paused => format!("stays paused: {name} waits until `tasuki session resume {id}`").into(),
        _ => "goes on from there".into(),
    }
}

impl Work<'_> {
    /// Opens a flow, if everybody whom it names is there and may be tasked.
    pub(in crate::engine) fn open_flow(&mut self, opening: Opening) -> Result<String, Refusal> {
        let Opening { mut head, request, mut steps, done, ask, again } = opening;
        let kind = head.kind.word();
        if let Some(there) = self.state.flows.get(&head.id) {
            let why = format!("there is a {} {} already", there.head.kind.word(), head.id);
            return Err(Refusal::new(Code::IdConflict, why).at("id"));
        }
        if let Some(debate) = head.from_debate.as_ref().filter(|_| !again) {
            self.refuse_second_hand_over(debate)?;
        }
        if self.live.disk_full {
            return Err(Refusal::new(Code::DiskFull, "the disk is nearly full"));
        }
        if self.state.flows.values().filter(|flow| flow.stage.is_open()).count() >= FLOWS_MAX {
            let why = format!("{FLOWS_MAX} sessions and debates are open, and no more may be");
            return Err(Refusal::new(Code::TooMany, why));
        }
        let master = head.master.clone().unwrap_or_else(|| head.owner.clone());
        for (spec, body) in &mut steps {
            self.check_step((&head.id, &head.owner, &master), spec, body)?;
        }
        if let Some(prompt) = &ask {
            head.master = Some(self.check_master(&head, prompt)?);
        }
        let (id, tasks) = (head.id.clone(), counted(steps.len(), "task"));
        let size = head.debate.as_deref().map_or(tasks, Debate::size);
        let waits = head.confirm && ask.is_none();
        self.emit(Event::FlowOpened { head: Box::new(head), body: request });
        for (spec, body) in steps {
            self.plan_step(&id, spec, body);
        }
        for StepDone { step, began, ended, branch, document, body } in done {
            self.emit(Event::StepImported { flow: id.clone(), step, began, ended, branch, document, body });
        }
        self.touch_flow(&id);
        if let Some(prompt) = ask {
            self.ask_plan(&id, prompt);
            return Ok(format!("session {id} is being planned"));
        }
        if waits {
            self.move_flow(&id, FlowMove::Pause, Some(WAITS_FOR_YES.to_owned()));
            return Ok(format!("session {id} {NO_YES}"));
        }
        Ok(format!("{kind} {id} has begun: {size}"))
    }

    /// Refuses the plan of a debate that an open session carries out already.
    fn refuse_second_hand_over(&self, debate: &FlowId) -> Result<(), Refusal> {
        let carries_out =
            |flow: &Flow| flow.stage.is_open() && flow.head.from_debate.as_ref() == Some(debate);
        self.state.flows.values().find(|flow| carries_out(flow)).map_or(Ok(()), |flow| {
            let why = format!("debate {debate} was handed over before: session {} is open", flow.head.id);
            Err(Refusal::new(Code::HandedOver, why))
        })
    }

    /// Whether a step can be given to whom it names.
    pub(in crate::engine) fn check_step(
        &self,
        (id, owner, master): (&FlowId, &AgentName, &AgentName),
        spec: &mut StepSpec,
        body: &Body,
    ) -> Result<(), Refusal> {
        let name = spec.name.clone();
        let of = |refusal: Refusal| {
            let why = format!("{name}: {}", refusal.why);
            Refusal { why, ..refusal }
        };
        if let Some(expect) = spec.expect.as_deref() {
            self.team.command(&expect.command).map_err(of)?;
        }
        if spec.hire.is_some() {
            return self.check_hire((id, owner, master), spec).map_err(of);
        }
        let to = self.team.addressee(&spec.to).map_err(of)?;
        if to.is_user() {
            return Err(of(Refusal::new(Code::UnknownAgent, "no task of a plan is for `user`").at("to")));
        }
        self.lasts(&to, "to").map_err(of)?;
        if to != *owner {
            self.team.may_send(Kind::Task, owner, &to).map_err(of)?;
        }
        self.team.check_inline(&to, &body.content).map_err(of)?;
        spec.to = to;
        Ok(())
    }

    /// A step is a flow's from now on.
    pub(super) fn plan_step(&mut self, id: &FlowId, spec: StepSpec, body: Body) {
        let (flow, spec) = (id.clone(), Box::new(spec));
        self.emit(Event::StepPlanned { flow, spec, again: false, for_merge: false, body });
    }

    /// Somebody wants something of a flow.
    pub(in crate::engine) fn command_flow(
        &mut self,
        id: &FlowId,
        wish: FlowWish,
        who: &AgentName,
    ) -> Result<String, Refusal> {
        let Some(flow) = self.state.flows.get_mut(id) else {
            return Err(no_such_session(id));
        };
        flow.arrange();
        let (stage, kind, word) = (flow.stage, flow.head.kind.word(), flow.stage_word());
        let is_debate = flow.debate().is_some();
        let cannot = |what: &str| {
            let why = match *what == *word {
                true => format!("{kind} {id} is {word} already"),
                false => format!("{kind} {id} is {word} and cannot be {what}"),
            };
            Err(Refusal::new(Code::WrongStage, why))
        };
        if is_debate && wish != FlowWish::Cancel {
            let why =
                format!("{id} is a debate: one is followed and cancelled, and nothing else is done to it");
            return Err(Refusal::new(Code::WrongStage, why));
        }
        let by = Some(format!("by {who}"));
        let said: Cow<'_, str> = match (wish, stage) {
            (FlowWish::Pause, FlowStage::Active) => {
                self.move_flow(id, FlowMove::Pause, by);
                "is paused: nothing new begins, and turns under way end".into()
            }
            (FlowWish::Pause, _) => return cannot("paused"),
            (FlowWish::Resume, FlowStage::Paused | FlowStage::Failed) => {
                self.resume_flow(id, stage, by).into()
            }
            (FlowWish::Resume, _) => return cannot("resumed"),
            (FlowWish::Cancel, FlowStage::Active | FlowStage::Paused) => {
                self.cancel_flow(id, who);
                "is cancelled".into()
            }
            (FlowWish::Cancel, _) if self.cancel_merge(id, &format!("cancelled by {who}")) => {
                "keeps what it has; the merge of its branches is cancelled".into()
            }
            (FlowWish::Cancel, _) => return cannot("cancelled"),
            (FlowWish::Add(_), FlowStage::Completed) => return cannot("added to; begin another one"),
            (FlowWish::Add(step), _) => return self.add_to_flow(id, *step, &word),
            (FlowWish::Merge(into), _) => return self.merge_flow(id, into, who),
            (FlowWish::Retry(name), _) => {
                let at = self.place_of(id, &name)?;
                self.may_retry(id, at)?;
                if stage == FlowStage::Failed {
                    self.move_flow(id, FlowMove::Resume, by);
                }
                self.retry_step(id, at);
                goes_on_from_there(id, &name, stage)
            }
            (FlowWish::Edit(name, text), _) => {
                let why = format!("its text was changed by {who}");
                self.edit_step(id, &name, text, (why, Behind::WaitsAgain))?;
                goes_on_from_there(id, &name, stage)
            }
        };
        self.touch_flow(id);
        Ok(format!("{kind} {id} {said}"))
    }

    /// A step more, and what is said of it where it does not begin by itself.
    fn add_to_flow(&mut self, id: &FlowId, step: (StepSpec, Body), word: &str) -> Result<String, Refusal> {
        let name = self.add_step(id, step)?;
        self.touch_flow(id);
        let again = match self.state.flows.get(id).map(|flow| flow.stage) {
            Some(FlowStage::Paused) => "",
            Some(FlowStage::Failed) => ", or until a task of it is retried",
            _ => return Ok(format!("{name} is added to session {id}")),
        };
        Ok(format!(
            "{name} is added to session {id}, which is {word} and rests until `tasuki session resume {id}`{again}"
        ))
    }

    /// Lets a flow go on. Whoever resumes one that waits for a yes says it; one that has lost that wait by a pause or an end waits anew.
    fn resume_flow(&mut self, id: &FlowId, stage: FlowStage, by: Option<String>) -> &'static str {
        let Some(flow) = self.state.flows.get(id) else { return "is gone" };
        let (asks, waits) = (flow.steps.is_empty(), flow.needs_yes() && !flow.waits_for_yes());
        self.move_flow(id, FlowMove::Resume, by);
        if asks && stage == FlowStage::Failed {
            self.ask_plan_again(id);
        }
        self.retry_all(id);
        if !waits {
            return "goes on";
        }
        self.move_flow(id, FlowMove::Pause, Some(WAITS_FOR_YES.to_owned()));
        NO_YES
    }

    /// Messages of a flow that was paused may begin.
    pub(in crate::engine) fn touch_resting(&mut self, flow: &FlowId) {
        let Some(flow) = self.state.flows.get(flow) else { return };
        let messages = flow.steps.iter().filter_map(|step| self.state.open.get(step.message.as_ref()?));
        let queues: BTreeSet<AgentName> = messages.map(|open| open.queue().clone()).collect();
        queues.iter().for_each(|queue| self.touch(queue));
    }

    /// Calls off what is open of a flow.
    fn cancel_flow(&mut self, id: &FlowId, who: &AgentName) {
        let why = format!("{CANCELLED_BY}{who}");
        let Some(flow) = self.state.flows.get(id) else { return };
        let open = flow.steps.iter().enumerate().filter(|(_, step)| !step.stage.has_ended());
        let planning = flow.planning.as_ref().map(|planning| planning.message.clone());
        let open: Vec<(usize, Option<MessageId>)> = open
            .map(|(at, step)| (at, step.message.clone().filter(|_| step.stage == StepStage::Sent)))
            .collect();
        let trees: Vec<StepName> = flow.preparing().filter_map(|at| flow.tree_of(at)).cloned().collect();
        self.move_flow(id, FlowMove::Fail, Some(why.clone()));
        for tree in trees {
            self.drop_job(JobId::Tree { flow: id.clone(), tree });
        }
        self.cancel_merge(id, &why);
        if let Some(message) = planning.filter(|message| self.state.open.contains_key(message)) {
            self.cancel(&message, &why, BreakOff::All);
        }
        for (at, message) in open {
            self.move_step(id, at, StepMove::Cancel(CancelCause::Called), Some(why.clone()));
            if let Some(message) = message.filter(|message| self.state.open.contains_key(message)) {
                self.cancel(&message, &why, BreakOff::All);
            }
            let step = self.state.flows.get(id).and_then(|flow| flow.steps.get(at));
            if let Some(name) = step.map(|step| step.spec.name.clone()) {
                self.dismiss_of(id, &name);
            }
        }
        self.make_room_for(id);
    }

    fn worker(&self, agent: AgentName, source: Option<CompletionSource>) -> StepWorker {
        let provider = self.team.members.get(&agent).map(|member| member.provider.clone());
        let (pane, pid) = match self.state.agents.get(&agent).map(|agent| &agent.phase) {
            Some(Phase::Up { pane, process }) => (Some(*pane), Some(process.pid)),
            _ => (None, None),
        };
        StepWorker { agent, provider: provider.unwrap_or_default(), pane, pid, source }
    }

    /// What came of a step's message.
    pub(in crate::engine) fn step_ended(
        &mut self,
        step: &StepRef,
        message: &MessageId,
        (source, no_plan, cause): (Option<CompletionSource>, Option<&str>, Option<FailureCause>),
    ) {
        let Some(name) = &step.step else {
            let outcome = self.state.finished.get(message).map(|finished| finished.outcome);
            return outcome
                .into_iter()
                .for_each(|outcome| self.plan_ended(&step.flow, message, (outcome, no_plan)));
        };
        let Some(flow) = self.state.flows.get(&step.flow) else { return };
        let Some(at) = flow.place(name) else { return };
        let is_it = flow
            .steps
            .get(at)
            .is_some_and(|step| step.stage == StepStage::Sent && step.message.as_ref() == Some(message));
        let Some(finished) = self.state.finished.get(message).filter(|_| is_it) else { return };
        let outcome = finished.outcome;
        let from = finished.agent.clone().unwrap_or_else(|| finished.message.to.clone());
        let answer = finished.answer.map(|body| PartAnswer {
            child: message.clone(),
            from,
            outcome,
            body,
            refused: false,
        });
        let to = if outcome == Outcome::Completed { StepMove::Complete } else { StepMove::Fail };
        let said =
            self.state.flows.get(&step.flow).and_then(|flow| flow.debate()).and(self.why_ended(message));
        let why = match outcome {
            Outcome::Completed => None,
            Outcome::Failed | Outcome::Cancelled if said.is_some() => said,
            Outcome::Failed => Some(format!("{message} has failed")),
            Outcome::Cancelled => Some(format!("{message} was cancelled")),
        };
        let worker = finished.agent.clone().map(|agent| Box::new(self.worker(agent, source)));
        let (flow, step, spent) = (step.flow.clone(), name.clone(), self.spent.take());
        let (of, name) = (flow.clone(), step.clone());
        let called_off = (outcome == Outcome::Cancelled).then_some(FailureCause::CalledOff);
        let (message, cause) = (None, cause.or(called_off));
        self.emit(Event::StepMoved { flow: of, step: name, to, message, answer, worker, why, spent, cause });
        self.dismiss_of(&flow, &step);
        self.ask_look(&flow, &step);
        self.touch_flow(&flow);
    }

    pub(in crate::engine) fn move_step(&mut self, id: &FlowId, at: usize, to: StepMove, why: Option<String>) {
        let Some(step) = self.state.flows.get(id).and_then(|flow| flow.steps.get(at)) else { return };
        let (flow, step) = (id.clone(), step.spec.name.clone());
        let (message, answer, worker, spent, cause) = (None, None, None, None, None);
        self.emit(Event::StepMoved { flow, step, to, message, answer, worker, why, spent, cause });
    }

    pub(in crate::engine) fn move_flow(&mut self, id: &FlowId, to: FlowMove, why: Option<String>) {
        self.emit(Event::FlowMoved { flow: id.clone(), to, why });
    }

    /// Every flow that has not ended, is being merged, or has worktrees that are to go, is looked at.
    pub(in crate::engine) fn touch_flows(&mut self) {
        let merges = |flow: &Flow| flow.merge.as_deref().is_some_and(|merge| merge.stage.is_open());
        let flows = self.state.flows.values();
        let open = flows.filter(|flow| flow.stage.is_open() || merges(flow) || flow.owes_ends());
        let open: Vec<FlowId> = open.map(|flow| flow.head.id.clone()).collect();
        self.flows.extend(open);
    }

    pub(in crate::engine) fn touch_flow(&mut self, id: &FlowId) {
        self.flows.insert(id.clone());
    }

    /// Has the flows that were touched go on, until none of them can.
    pub(in crate::engine) fn advance_all(&mut self) {
        while let Some(id) = self.flows.pop_first() {
            self.decide(&id);
            if self.state.halted.is_none() {
                self.go_on_preparing(&id);
                self.begin_steps(&id);
            }
            self.end_flow(&id);
            if self.state.halted.is_none() {
                self.go_on_merging(&id);
                self.end_trees(&id);
            }
        }
    }

    /// Moves the steps of which it is decided whether they may begin. What one is cancelled for decides others.
    fn decide(&mut self, id: &FlowId) {
        loop {
            let Some(flow) = self.state.flows.get_mut(id) else { return };
            let on_failure = flow.head.on_failure;
            let mut decided = flow.decided();
            flow.leave_rounds_out(&mut decided);
            if decided.is_empty() {
                return;
            }
            for (at, needs) in decided {
                match (needs, on_failure) {
                    (Needs::Met, _) => {
                        self.move_step(id, at, StepMove::NeedsMet, None);
                    }
                    (Needs::Lost, OnFailure::Skip) => {
                        let why = self.what_was_lost(id, at);
                        self.move_step(id, at, StepMove::Cancel(CancelCause::NeedFailed), Some(why));
                    }
                    (Needs::Lost, OnFailure::Stop | OnFailure::Continue) | (Needs::Open, _) => {}
                }
            }
        }
    }

    /// Which of those that a step needs were not completed.
    fn what_was_lost(&self, id: &FlowId, at: usize) -> String {
        let Some(flow) = self.state.flows.get(id) else { return String::new() };
        if let Some(why) = flow.why_left_out(at) {
            return why;
        }
        let needs = flow.needs(at).iter().filter_map(|need| flow.steps.get(*need));
        let lost = needs.filter(|need| need.stage.has_ended() && need.stage != StepStage::Completed);
        let lost: Vec<&str> = lost.map(|need| need.spec.name.as_str()).collect();
        format!("not completed: {}", lost.join(", "))
    }

    /// Gives steps to agents, as many as there is room for.
    fn begin_steps(&mut self, id: &FlowId) {
        while let Some(at) = self.state.flows.get(id).and_then(|flow| flow.next()) {
            self.begin_step(id, at);
        }
    }

    /// A step becomes a message, in the same line of the journal.
    pub(in crate::engine) fn begin_step(&mut self, id: &FlowId, at: usize) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let Some(step) = flow.steps.get(at) else { return };
        let (spec, text, owner) = (step.spec.clone(), step.text, flow.head.owner.clone());
        let given: Vec<PartAnswer> =
            flow.needs(at).iter().filter_map(|need| flow.steps.get(*need)?.answer.clone()).collect();
        let (is_preparing, to) = (step.stage == StepStage::Preparing, spec.to.clone());
        let is_there = |work: &Self| work.team.members.contains_key(&to) || work.team.pools.contains_key(&to);
        let over = self.refuse_spent(id).map(|why| Prepared::No(why, Some(FailureCause::Budget)));
        let prepared = match over.unwrap_or_else(|| self.prepare(id, &spec)) {
            Prepared::Yes(_) if !is_there(self) => {
                Prepared::No(format!("{to} is no longer in the team file"), None)
            }
            prepared => prepared,
        };
        let folder = match prepared {
            Prepared::Yes(folder) => folder,
            other => {
                if !is_preparing {
                    self.move_step(id, at, StepMove::Prepare, None);
                }
                if let Prepared::No(why, cause) = other {
                    self.fail_step(id, at, (why, cause));
                    self.touch_flow(id); // that decides others
                }
                return;
            }
        };
        let step = spec.name.clone();
        let why = self.note_of_tree(id, &step);
        let mut message = Box::new(self.message_of(id, spec, owner));
        message.folder = folder;
        let (id, flow) = (message.id.clone(), id.clone());
        self.emit(accepted_elsewhere(message, text, given));
        let (to, message, answer, worker, spent, cause) = (StepMove::Send, Some(id), None, None, None, None);
        self.emit(Event::StepMoved { flow, step, to, message, answer, worker, why, spent, cause });
    }

    fn message_of(&mut self, id: &FlowId, spec: StepSpec, owner: AgentName) -> Message {
        let note = Note { id: self.mint_id(), from: owner, to: spec.to, kind: Kind::Task };
        let mut message = note.message(self.now);
        message.timeout_ms = spec.timeout_ms;
        message.expect = spec.expect;
        message.step = Some(Box::new(StepRef { flow: id.clone(), step: Some(spec.name) }));
        message
    }

    /// A flow ends when all its steps have, or when nothing is under way any more after a failure at which it stops.
    fn end_flow(&mut self, id: &FlowId) {
        let Some(flow) = self.state.flows.get(id) else { return };
        if !flow.stage.is_open() || flow.under_way() > 0 || flow.is_being_planned() {
            return;
        }
        let failed = flow.failed().len();
        if flow.is_over() {
            let why = flow.why_failed();
            self.move_flow(id, if why.is_none() { FlowMove::Complete } else { FlowMove::Fail }, why);
        } else if flow.has_stopped() {
            let why = format!("{} failed, and it stops there", counted(failed, "task"));
            self.move_flow(id, FlowMove::Fail, Some(why));
        } else {
            return;
        }
        self.make_room_for(id);
    }
}

pub(super) fn no_such_session(id: &FlowId) -> Refusal {
    Refusal::new(Code::NotOpen, format!("there is no session {id}"))
}
