//! The rules of flows, told in another way than the engine's: all that the journal says of them is held against these, line by line.
//! Nothing here counts; whoever asks goes through all steps.

use super::wrong::Wrong;
use crate::engine::event::Event;
use crate::engine::flow::flow::{Flow, FlowStep, StepSpec};
use crate::engine::flow::head::FlowHead;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::merge::{self, MergeMove, MergeStage};
use crate::engine::flow::name::StepName;
use crate::engine::flow::plan::OnFailure;
use crate::engine::flow::spent::SpeechCost;
use crate::engine::flow::stage::{self, FlowMove, FlowStage};
use crate::engine::flow::step::{self, CancelCause, StepMove, StepStage};
use crate::engine::flow::tree::{StepTree, TreeStage};
use crate::engine::flow::unmet::Join;
use crate::engine::message::Outcome;
use crate::engine::message::part_answer::PartAnswer;
use crate::engine::words::MessageId;
use std::collections::{BTreeMap, BTreeSet};

/// What somebody wanted of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    Pause,
    Resume,
    Cancel,
    Retry(StepName),
    Edit(StepName),
    Merge,
}

/// All flows, as the journal tells of them.
#[derive(Debug, Default)]
pub(super) struct FlowsSaid {
    pub(super) flows: BTreeMap<FlowId, FlowSaid>,
    /// What was done to them, and how often.
    pub(super) asked: BTreeMap<(FlowId, Asked), usize>,
    /// Answers with which a step's message was accepted.
    pub(super) given: BTreeMap<MessageId, BTreeSet<MessageId>>,
    halted: bool,
    /// What was not as it must be, first.
    pub(super) wrong: Option<Wrong>,
}

/// A flow.
#[derive(Debug)]
pub(super) struct FlowSaid {
    pub(super) head: FlowHead,
    pub(super) stage: FlowStage,
    /// Whether somebody has cancelled it, and nobody let it go on since.
    pub(super) is_cancelled: bool,
    /// How far the merge of its branches is.
    merge: Option<MergeStage>,
    pub(super) steps: BTreeMap<StepName, StepSaid>,
    /// Who was in a worktree last, by the step whose own it is.
    pub(super) users: BTreeMap<StepName, StepName>,
    /// How far each worktree is.
    pub(super) trees: BTreeMap<StepName, TreeStage>,
}

/// A step.
#[derive(Debug)]
pub(super) struct StepSaid {
    pub(super) spec: StepSpec,
    text: String,
    pub(super) stage: StepStage,
    /// The message that it was last.
    pub(super) message: Option<MessageId>,
    pub(super) answer: Option<PartAnswer>,
    /// Whether somebody wants it to be tried again, whatever else has failed.
    pub(super) is_retried: bool,
    /// Whether a worktree was there for it when it began.
    pub(super) is_in_tree: bool,
    /// Whether it has ended in a worktree, and nobody has looked what it did there.
    pub(super) owes_look: bool,
    /// Whether it has another text, and was not done with it so far.
    pub(super) is_edited: bool,
    /// The commit at which the next one began in its worktree: what came later is not its own.
    pub(super) until: Option<String>,
    /// What it took, as far as its agent said.
    pub(super) spent: SpeechCost,
}

/// What one line of the journal says of messages.
struct Line<'a> {
    accepted: BTreeMap<&'a MessageId, (&'a FlowId, &'a StepName)>,
    ended: BTreeMap<&'a MessageId, Outcome>,
    /// The flows of which a step has another text.
    edited: BTreeSet<&'a FlowId>,
}

impl<'a> Line<'a> {
    fn of(events: &'a [Event]) -> Self {
        let (mut accepted, mut ended, mut edited) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for event in events {
            match event {
                Event::Accepted { message, .. } => {
                    let of = message.step.as_deref().and_then(|of| Some((&of.flow, of.step.as_ref()?)));
                    if let Some(of) = of {
                        accepted.insert(&message.id, of);
                    }
                }
                Event::Ended { id, outcome, .. } => drop(ended.insert(id, *outcome)),
                Event::StepPlanned { flow, again: true, .. } => drop(edited.insert(flow)),
                _ => {}
            }
        }
        Self { accepted, ended, edited }
    }
}

impl FlowSaid {
    fn needs<'a>(&'a self, step: &'a StepSaid) -> impl Iterator<Item = &'a StepSaid> {
        step.spec.needs.iter().filter_map(|need| self.steps.get(need))
    }

    /// Whether all that a step needs is there.
    fn is_met(&self, step: &StepSaid) -> bool {
        if let Some(round) = self.round_of(step) {
            return self.may_hold(round) == Some(true);
        }
        let completed = |need: &StepSaid| need.stage == StepStage::Completed;
        let all_ended = self.needs(step).all(|need| need.stage.has_ended());
        match (self.head.on_failure, step.spec.join) {
            (OnFailure::Continue, _) => all_ended,
            (_, Join::All) => self.needs(step).all(completed),
            (_, Join::Any) => all_ended && (step.spec.needs.is_empty() || self.needs(step).any(completed)),
        }
    }

    /// Whether it can never be there, unless something is tried again.
    fn is_lost(&self, step: &StepSaid) -> bool {
        if let Some(round) = self.round_of(step) {
            return self.may_hold(round) == Some(false);
        }
        let lost = |need: &StepSaid| need.stage.has_ended() && need.stage != StepStage::Completed;
        match step.spec.join {
            Join::All => self.needs(step).any(lost),
            Join::Any => !step.spec.needs.is_empty() && self.needs(step).all(lost),
        }
    }

    /// What it is to be given.
    fn answers_for(&self, step: &StepSaid) -> BTreeSet<MessageId> {
        self.needs(step).filter_map(|need| Some(need.answer.as_ref()?.child.clone())).collect()
    }

    /// Whether it may be done again: what was completed has another text, or follows something that has.
    fn may_follow(&self, step: &StepSaid, to: StepMove) -> Result<(), &'static str> {
        match (to, step.stage) {
            (StepMove::Retry, StepStage::Completed) if !step.is_edited => Err("with the text that it had"),
            (StepMove::Retry, StepStage::Cancelled(_)) if self.is_cancelled => Err("though it is called off"),
            (StepMove::Reopen, _) if !self.follows_an_edited(step) => Err("though it follows nothing new"),
            _ => Ok(()),
        }
    }

    /// Whether something before it has another text since it was done.
    fn follows_an_edited(&self, step: &StepSaid) -> bool {
        self.needs(step).any(|need| need.is_edited || self.follows_an_edited(need))
    }

    fn has_failed_steps(&self) -> bool {
        self.steps.values().any(|step| step.stage == StepStage::Failed)
    }

    fn under_way(&self) -> usize {
        self.steps.values().filter(|step| step.stage.is_under_way()).count()
    }

    /// Whether another one is in the worktree of a step.
    fn is_in_use(&self, step: &StepSaid) -> bool {
        let mut others = self.steps.values().filter(|other| other.stage.is_under_way());
        let tree = tree_of(&step.spec);
        tree.is_some()
            && others.any(|other| other.spec.name != step.spec.name && tree_of(&other.spec) == tree)
    }

    /// Whether it has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.stage.is_open()
    }

    /// Whether a state has it so.
    pub(super) fn is_as(&self, flow: &Flow) -> bool {
        let is_same = |step: &FlowStep| {
            let said = self.steps.get(&step.spec.name);
            said.is_some_and(|said| {
                said.stage == step.stage && said.message == step.message && said.answer == step.answer
            })
        };
        self.has_spent(flow)
            && self.stage == flow.stage
            && self.steps.len() == flow.steps.len()
            && flow.steps.iter().all(is_same)
    }

    /// Whether each step that may begin has begun: it does so in the line that lets it.
    pub(super) fn has_begun_all(&self) -> bool {
        let may_begin = |step: &StepSaid| self::may_begin(self, step, false).is_ok();
        let waits = |step: &&StepSaid| matches!(step.stage, StepStage::Pending | StepStage::Ready);
        !self.steps.values().filter(waits).any(may_begin)
    }

    /// Whether it may be said to have failed by itself.
    fn may_fail(&self) -> bool {
        let all_ended = self.steps.values().all(|step| step.stage.has_ended());
        let not_all_done = self.steps.values().any(|step| step.stage != StepStage::Completed);
        let stops = self.head.on_failure == OnFailure::Stop && self.has_failed_steps();
        let is_waited_for = self.steps.values().any(|step| step.stage == StepStage::Ready && step.is_retried);
        self.under_way() == 0 && not_all_done && (all_ended || stops && !is_waited_for)
    }
}

impl FlowsSaid {
    /// Takes one line of the journal.
    pub(super) fn take_line(&mut self, events: &[Event]) {
        let line = Line::of(events);
        for event in events {
            if let Err(why) = self.take(event, &line) {
                self.wrong.get_or_insert(why);
            }
        }
        if let Err(why) = self.check_line(&line) {
            self.wrong.get_or_insert(why);
        }
    }

    fn take(&mut self, event: &Event, line: &Line<'_>) -> Result<(), Wrong> {
        match event {
            Event::Halted { since, .. } => self.halted = since.is_some(),
            Event::Accepted { message, given, .. } if message.step.is_some() => {
                let given = given.iter().map(|answer| answer.child.clone()).collect();
                self.given.insert(message.id.clone(), given);
            }
            Event::FlowOpened { head, .. } => {
                let flow = FlowSaid {
                    head: (**head).clone(),
                    stage: FlowStage::Active,
                    is_cancelled: false,
                    merge: None,
                    steps: BTreeMap::new(),
                    users: BTreeMap::new(),
                    trees: BTreeMap::new(),
                };
                if self.flows.insert(head.id.clone(), flow).is_some() {
                    return Err(format!("{} is opened twice", head.id));
                }
            }
            Event::StepPlanned { flow: id, spec, again, body, .. } => {
                let flow = self.flows.get_mut(id).ok_or_else(|| format!("a step of no flow: {id}"))?;
                if *again {
                    let step =
                        flow.steps.get_mut(&spec.name).ok_or_else(|| format!("{id} has no {}", spec.name))?;
                    if step.spec != **spec {
                        return Err(format!("{id}: {} is another step with its new text", spec.name));
                    }
                    step.text = body.content.to_string();
                    step.is_edited = true;
                    *self.asked.entry((id.clone(), Asked::Edit(spec.name.clone()))).or_default() += 1;
                    return Ok(());
                }
                let step = StepSaid {
                    spec: (**spec).clone(),
                    text: body.content.to_string(),
                    stage: StepStage::Pending,
                    message: None,
                    answer: None,
                    is_retried: false,
                    is_in_tree: false,
                    owes_look: false,
                    is_edited: false,
                    until: None,
                    spent: SpeechCost::default(),
                };
                flow.check_speech(spec)?;
                flow.steps.insert(spec.name.clone(), step);
            }
            Event::StepMoved { .. } => self.move_step(event, line)?,
            Event::TreeMoved { .. } | Event::StepWorked { .. } => self.take_tree(event)?,
            Event::MergeMoved { flow, to, step, .. } => self.move_merge(flow, *to, step.as_ref())?,
            Event::FlowMoved { flow, to, why } => self.move_flow(flow, *to, why.as_deref())?,
            _ => {}
        }
        Ok(())
    }

    /// Only branches of completed steps are merged, and what is waited for is done again with another text.
    fn move_merge(&mut self, id: &FlowId, to: MergeMove, step: Option<&StepName>) -> Result<(), Wrong> {
        let flow = self.flows.get_mut(id).ok_or_else(|| format!("a merge of no flow: {id}"))?;
        let Some(next) = merge::next(flow.merge, to) else {
            return Err(format!("its merge cannot {}: {flow:#?}", to.word()));
        };
        flow.merge = Some(next);
        let step = step.and_then(|step| flow.steps.get(step));
        let fits = match to {
            MergeMove::Begin => flow.stage != FlowStage::Active,
            MergeMove::Next => step.is_some_and(|step| step.stage == StepStage::Completed),
            MergeMove::Wait => step.is_some_and(|step| step.is_edited),
            MergeMove::GoOn => flow.stage != FlowStage::Active,
            MergeMove::Finish | MergeMove::Fail => true,
        };
        if !fits {
            return Err(format!("its merge may not {}: {flow:#?}", to.word()));
        }
        if to == MergeMove::Begin {
            *self.asked.entry((id.clone(), Asked::Merge)).or_default() += 1;
        }
        Ok(())
    }

    fn move_flow(&mut self, id: &FlowId, to: FlowMove, why: Option<&str>) -> Result<(), Wrong> {
        let flow = self.flows.get_mut(id).ok_or_else(|| format!("a move of no flow: {id}"))?;
        flow.stage = stage::next(flow.stage, to).map_err(|illegal| format!("{id}: {illegal}"))?;
        let is_cancelled = why.is_some_and(|why| why.starts_with("cancelled by "));
        let asked = match to {
            FlowMove::Pause | FlowMove::Resume if flow.head.debate.is_some() => {
                return Err(format!("a debate is said to {to:?}: {flow:#?}"));
            }
            FlowMove::Pause => Asked::Pause,
            FlowMove::Resume => {
                flow.is_cancelled = false;
                Asked::Resume
            }
            FlowMove::Fail if is_cancelled => {
                flow.is_cancelled = true;
                Asked::Cancel
            }
            FlowMove::Forget => {
                flow.steps.values_mut().for_each(|step| step.owes_look = false);
                flow.merge = None;
                return Ok(());
            }
            FlowMove::Fail | FlowMove::Complete if flow.head.debate.is_some() => {
                return flow.may_end(to == FlowMove::Complete);
            }
            FlowMove::Fail if flow.may_fail() => return Ok(()),
            FlowMove::Complete if flow.steps.values().all(|step| step.stage == StepStage::Completed) => {
                return Ok(());
            }
            FlowMove::Fail | FlowMove::Complete => {
                return Err(format!("it ends with {to:?} too soon: {flow:#?}"));
            }
        };
        *self.asked.entry((id.clone(), asked)).or_default() += 1;
        Ok(())
    }

    fn move_step(&mut self, event: &Event, line: &Line<'_>) -> Result<(), Wrong> {
        let Event::StepMoved { flow: id, step: name, to, message, .. } = event else {
            return Ok(());
        };
        let halted = self.halted;
        let flow = self.flows.get(id).ok_or_else(|| format!("a step of no flow: {id}"))?;
        let step = flow.steps.get(name).ok_or_else(|| format!("{id} has no {name}"))?;
        let fail = |why: &str| Err(format!("{id}: {name} {} {why}: {flow:#?}", to.word()));
        let Ok(next) = step::next(step.stage, *to) else { return fail("cannot be") };
        flow.may_speak(step, *to).or_else(fail)?;
        let outcome = step.message.as_ref().and_then(|message| line.ended.get(message));
        match to {
            StepMove::NeedsMet if !flow.is_met(step) => return fail("before its needs are met"),
            // What was there when its worktree was wanted lets it go on once that is there.
            StepMove::Send if step.stage == StepStage::Preparing => may_go_on(flow, halted).or_else(fail)?,
            StepMove::Send | StepMove::Prepare => may_begin(flow, step, halted).or_else(fail)?,
            StepMove::Complete if outcome != Some(&Outcome::Completed) => return fail("without its message"),
            StepMove::Fail
                if step.stage == StepStage::Sent && outcome.is_none_or(|of| *of == Outcome::Completed) =>
            {
                return fail("without its message");
            }
            StepMove::Cancel(CancelCause::NeedFailed)
                if flow.head.on_failure != OnFailure::Skip || !flow.is_lost(step) =>
            {
                return fail("though what it needs is not lost");
            }
            StepMove::Cancel(CancelCause::Called) if !flow.is_cancelled => {
                return fail("though nobody has cancelled it");
            }
            StepMove::Retry | StepMove::Reopen => flow.may_follow(step, *to).or_else(fail)?,
            _ => {}
        }
        if let Some(sent) = message {
            if *to != StepMove::Send || line.accepted.get(sent) != Some(&(id, name)) {
                return fail("as a message of another line");
            }
            if self.given.get(sent) != Some(&flow.answers_for(step)) {
                return fail("without the answers of what it needs");
            }
        }
        if *to == StepMove::Retry && step.stage == StepStage::Failed {
            let asked = Asked::Retry(name.clone());
            *self.asked.entry((id.clone(), asked)).or_default() += 1;
        }
        let is_speech = flow.head.debate.is_some();
        let Some(step) = self.flows.get_mut(id).and_then(|flow| flow.steps.get_mut(name)) else {
            return Ok(());
        };
        step.take(event, is_speech, next)
    }

    /// What holds after each line: a step whose message has ended is not sent any more, and each message of a step is that step's.
    fn check_line(&self, line: &Line<'_>) -> Result<(), Wrong> {
        for flow in self.flows.values() {
            for step in flow.steps.values().filter(|step| step.stage == StepStage::Sent) {
                let message = step.message.as_ref().ok_or("a step is sent as nothing")?;
                if line.ended.contains_key(message) || !flow.is_open() {
                    return Err(format!("{} is over and still sent: {flow:#?}", step.spec.name));
                }
            }
        }
        for flow in line.edited.iter().filter_map(|id| self.flows.get(*id)) {
            let is_done = |step: &&StepSaid| step.stage == StepStage::Completed;
            if let Some(step) = flow.steps.values().filter(is_done).find(|step| flow.follows_an_edited(step))
            {
                return Err(format!("{} keeps what came of another text: {flow:#?}", step.spec.name));
            }
        }
        for (id, (flow, step)) in &line.accepted {
            let said = self.flows.get(*flow).and_then(|flow| flow.steps.get(*step));
            if said.and_then(|step| step.message.as_ref()) != Some(*id) {
                return Err(format!("{id} is accepted as {step} of {flow}, and that step does not say so"));
            }
        }
        Ok(())
    }

    /// The text of a step.
    pub(super) fn text(&self, flow: &FlowId, step: &StepName) -> Option<&str> {
        Some(&self.flows.get(flow)?.steps.get(step)?.text)
    }

    /// What holds in the end, when everything has come to rest.
    ///
    /// # Errors
    /// The first that is not so.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let steps = || self.flows.values().flat_map(|flow| flow.steps.values());
        if let Some(step) = steps().find(|step| step.owes_look) {
            return Err(format!("nobody has looked at what it did: {step:#?}"));
        }
        let merges = |flow: &&FlowSaid| flow.merge.is_some_and(MergeStage::is_open);
        if let Some(flow) = self.flows.values().find(merges) {
            return Err(format!("its merge has not ended: {flow:#?}"));
        }
        self.flows.values().try_for_each(FlowSaid::check_trees)?;
        match self.flows.values().find(|flow| flow.is_open()) {
            Some(flow) => Err(format!("it has not ended: {flow:#?}")),
            None => Ok(()),
        }
    }
}

/// The step whose own the worktree of a step is.
fn tree_of(spec: &StepSpec) -> Option<&StepName> {
    match spec.tree.as_ref()? {
        StepTree::New => Some(&spec.name),
        StepTree::SharedWith(owner) => Some(owner),
    }
}

/// Whether a step that is being prepared may be given to an agent now; why not.
fn may_go_on(flow: &FlowSaid, halted: bool) -> Result<(), &'static str> {
    match () {
        () if halted => Err("while all is stopped"),
        () if flow.stage != FlowStage::Active => Err("while its flow begins nothing"),
        () => Ok(()),
    }
}

/// Whether a step may begin now; why not.
fn may_begin(flow: &FlowSaid, step: &StepSaid, halted: bool) -> Result<(), &'static str> {
    let most = usize::from(flow.head.parallel);
    let stops = flow.head.on_failure == OnFailure::Stop && flow.has_failed_steps();
    match () {
        () if halted => Err("while all is stopped"),
        () if flow.stage != FlowStage::Active => Err("while its flow begins nothing"),
        () if !flow.is_met(step) => Err("before its needs are met"),
        () if stops && !step.is_retried => Err("after a failure at which it stops"),
        () if flow.is_in_use(step) => Err("while another one is in its worktree"),
        () if most > 0 && flow.under_way() >= most => Err("while as many are under way as may be"),
        () => Ok(()),
    }
}
