//! A flow: a graph of steps, each of which is an ordinary message while it is in the hands of an agent. All of it follows from the
//! journal.

use super::asked::Planning;
use super::cause::FailureCause;
use super::graph::{self, StepGraph};
use super::head::FlowHead;
use super::in_tree::InTree;
use super::merge::FlowMerge;
use super::name::StepName;
use super::plan::OnFailure;
use super::spent::SpeechCost;
use super::stage::FlowStage;
use super::step::StepStage;
use super::touches::overlap;
use super::tree::{StepTree, Tree};
use super::unmet::{Join, Needs, Unmet};
use super::worker::{StepHire, StepWorker};
use crate::engine::form::{self, is_default};
use crate::engine::message::part_answer::PartAnswer;
use crate::engine::message::{BodyRef, Expect};
use crate::engine::words::{AgentName, MessageId, Millis};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What a step is, as it was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSpec {
    pub name: StepName,
    /// What it is called, in one line.
    pub title: String,
    /// The steps that it needs, each planned before it or with it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub needs: Vec<StepName>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub join: Join,
    /// A member or a pool; the agent itself, where one is hired for it.
    pub to: AgentName,
    /// How its agent is made, where one is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hire: Option<Box<StepHire>>,
    /// Its worktree; none if it is done where its agent works anyway.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tree: Option<StepTree>,
    /// Patterns of the files that it changes: of two that may change the same, one is under way at a time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub touches: Vec<String>,
    /// Working time that each turn of it may take, in ms.
    #[serde(default, skip_serializing_if = "is_default")]
    pub timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub expect: Option<Box<Expect>>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowStep {
    #[serde(flatten)]
    pub spec: StepSpec,
    /// Where what its agent is told stands.
    pub text: BodyRef,
    /// Where that stands without what was added for a merge; none if nothing was.
    #[serde(default, skip_serializing_if = "is_default")]
    pub own_text: Option<BodyRef>,
    pub planned_at: Millis,
    pub stage: StepStage,
    /// Messages that it was so far.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tries: u16,
    /// The newest of these.
    #[serde(default, skip_serializing_if = "is_default")]
    pub message: Option<MessageId>,
    /// Tasks that were typed for it, or may have been: its agent may have begun it as often.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asked: u16,
    #[serde(default, skip_serializing_if = "is_default")]
    pub began: Option<Millis>,
    /// When its agent got its message: the first turn of that may have been typed then. None while it is in a queue.
    #[serde(default, skip_serializing_if = "is_default")]
    pub typed: Option<Millis>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub ended: Option<Millis>,
    /// Who did it, once it has ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub worker: Option<Box<StepWorker>>,
    /// What came of it: what those that need it are told.
    #[serde(default, skip_serializing_if = "is_default")]
    pub answer: Option<PartAnswer>,
    /// Why it is where it is, where its last move said so.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub note: Option<Arc<str>>,
    /// What its answers took, where its agents have said so.
    #[serde(default, skip_serializing_if = "is_default")]
    pub spent: Option<Box<SpeechCost>>,
    /// What it met, if it has failed and tasuki knows that.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cause: Option<FailureCause>,
    /// What is known of it in its worktree.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_tree: InTree,
    /// Of one that was done elsewhere, what the document that it came with says of it besides, as JSON: that is handed on as it came.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub document: Option<Arc<str>>,
}

/// A flow with all its steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "KeptFlow", into = "KeptFlow")]
pub struct Flow {
    pub head: FlowHead,
    /// Where its request stands, as it came.
    pub request: BodyRef,
    pub opened_at: Millis,
    pub stage: FlowStage,
    pub since: Millis,
    /// When anything about it changed last.
    pub changed_at: Millis,
    pub note: Option<Arc<str>>,
    /// How its steps were asked for, if they were.
    pub planning: Option<Planning>,
    /// The worktrees of its steps, each by the step whose own it is.
    pub trees: BTreeMap<StepName, Tree>,
    /// How its branches are brought together, if somebody asked for that.
    pub merge: Option<Box<FlowMerge>>,
    /// In the order in which they were planned.
    pub steps: Vec<FlowStep>,
    schedule: Schedule,
}

/// What follows from the steps, so that nobody goes through all of them.
#[derive(Debug, Clone, Default)]
struct Schedule {
    graph: Option<(StepGraph, Unmet)>,
    /// The places of the steps while there is no graph: a replay asks for them with each event.
    places: HashMap<StepName, usize>,
    ready: BTreeSet<usize>,
    under_way: BTreeSet<usize>,
    /// Steps that have not ended.
    open: usize,
    /// Steps that have failed and were not tried again.
    failed: BTreeSet<usize>,
    /// Whether any step is done in the worktree of another one.
    shares: bool,
    /// Steps of which it may have been decided since somebody asked whether they may begin.
    decided: BTreeSet<usize>,
}

/// A flow in a snapshot.
#[derive(Serialize, Deserialize)]
struct KeptFlow {
    #[serde(flatten)]
    head: FlowHead,
    request: BodyRef,
    opened_at: Millis,
    stage: FlowStage,
    since: Millis,
    changed_at: Millis,
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    note: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "is_default")]
    planning: Option<Planning>,
    #[serde(default, skip_serializing_if = "is_default")]
    trees: BTreeMap<StepName, Tree>,
    #[serde(default, skip_serializing_if = "is_default")]
    merge: Option<Box<FlowMerge>>,
    steps: Vec<FlowStep>,
}

impl From<Flow> for KeptFlow {
    fn from(flow: Flow) -> Self {
        let Flow {
            head,
            request,
            opened_at,
            stage,
            since,
            changed_at,
            note,
            planning,
            trees,
            merge,
            steps,
            ..
        } = flow;
        Self { head, request, opened_at, stage, since, changed_at, note, planning, trees, merge, steps }
    }
}

impl From<KeptFlow> for Flow {
    fn from(kept: KeptFlow) -> Self {
        let KeptFlow {
            head,
            request,
            opened_at,
            stage,
            since,
            changed_at,
            note,
            planning,
            trees,
            merge,
            steps,
        } = kept;
        let schedule = Schedule::default();
        let mut flow = Self {
            head,
            request,
            opened_at,
            stage,
            since,
            changed_at,
            note,
            planning,
            trees,
            merge,
            steps,
            schedule,
        };
        flow.name_places();
        flow
    }
}

/// What follows from the steps is the same where they are.
impl PartialEq for Flow {
    fn eq(&self, other: &Self) -> bool {
        let facts = |flow: &Self| (flow.request, flow.opened_at, flow.stage, flow.since, flow.changed_at);
        facts(self) == facts(other)
            && self.head == other.head
            && self.note == other.note
            && self.planning == other.planning
            && self.trees == other.trees
            && self.merge == other.merge
            && self.steps == other.steps
    }
}

impl Eq for Flow {}

impl Flow {
    /// One without steps.
    #[must_use]
    pub fn new(head: FlowHead, request: BodyRef, at: Millis) -> Self {
        let opened_at = head.created.unwrap_or(at);
        let (since, changed_at, stage) = (at, at, FlowStage::Active);
        let (note, planning, trees, merge) = (None, None, BTreeMap::new(), None);
        let (steps, schedule) = (Vec::new(), Schedule::default());
        Self {
            head,
            request,
            opened_at,
            stage,
            since,
            changed_at,
            note,
            planning,
            trees,
            merge,
            steps,
            schedule,
        }
    }

    /// The same without what follows from its steps.
    #[must_use]
    pub fn bare(&self) -> Self {
        Self { steps: self.steps.clone(), ..self.without_steps() }
    }

    /// The same without its steps.
    #[must_use]
    pub fn without_steps(&self) -> Self {
        let (steps, schedule) = (Vec::new(), Schedule::default());
        let (head, note, planning) = (self.head.clone(), self.note.clone(), self.planning.clone());
        let (trees, merge) = (self.trees.clone(), self.merge.clone());
        Self { head, note, planning, trees, merge, steps, schedule, ..*self }
    }

    /// A step more. What follows from the steps is made again when somebody asks.
    pub(in crate::engine) fn plan(&mut self, spec: StepSpec, text: BodyRef, at: Millis) {
        (self.schedule.graph, self.changed_at) = (None, at);
        self.name_places();
        self.schedule.places.insert(spec.name.clone(), self.steps.len());
        self.steps.push(FlowStep {
            spec,
            text,
            own_text: None,
            planned_at: at,
            stage: StepStage::Pending,
            tries: 0,
            asked: 0,
            message: None,
            began: None,
            typed: None,
            ended: None,
            worker: None,
            answer: None,
            note: None,
            spent: None,
            cause: None,
            in_tree: InTree::default(),
            document: None,
        });
    }

    /// The place of a step.
    #[must_use]
    pub fn place(&self, name: &StepName) -> Option<usize> {
        match &self.schedule.graph {
            Some((graph, _)) => graph.place(name),
            None if self.schedule.places.len() == self.steps.len() => self.schedule.places.get(name).copied(),
            None => self.steps.iter().position(|step| step.spec.name == *name),
        }
    }

    /// Sees to it that the place of each step is known by its name.
    fn name_places(&mut self) {
        if self.schedule.places.len() != self.steps.len() {
            let names = self.steps.iter().map(|step| step.spec.name.clone()).zip(0..);
            self.schedule.places = names.collect();
        }
    }

    /// Sees to it that what follows from its steps is known: nobody asks for that after a start before it goes on.
    pub(in crate::engine) fn arrange(&mut self) {
        self.schedule();
    }

    /// A step was moved from where it was, and its stage is the new one.
    pub(in crate::engine) fn moved(&mut self, at: usize, before: StepStage) {
        let Some(after) = self.steps.get(at).map(|step| step.stage) else { return };
        let schedule = &mut self.schedule;
        let Some((graph, unmet)) = &mut schedule.graph else { return };
        schedule.ready.remove(&at);
        schedule.under_way.remove(&at);
        schedule.failed.remove(&at);
        match after {
            StepStage::Ready => drop(schedule.ready.insert(at)),
            StepStage::Preparing | StepStage::Sent => drop(schedule.under_way.insert(at)),
            StepStage::Failed => drop(schedule.failed.insert(at)),
            StepStage::Pending | StepStage::Completed | StepStage::Cancelled(_) => {}
        }
        match (before.has_ended(), after.has_ended()) {
            (false, true) => {
                schedule.open = schedule.open.saturating_sub(1);
                // Where the flow goes on, what needs a step that was not done begins when all that it needs has ended.
                let counts = after == StepStage::Completed || self.head.on_failure == OnFailure::Continue;
                let decided = unmet.ended(graph, at, counts);
                schedule.decided.extend(decided.into_iter().map(|(at, _)| at));
            }
            (true, false) => {
                schedule.open += 1;
                unmet.reopened(graph, at);
            }
            _ => {}
        }
        if after == StepStage::Pending && before != StepStage::Pending {
            schedule.decided.insert(at);
        }
    }

    /// Makes what follows from the steps, where that is not known.
    fn schedule(&mut self) -> Option<&mut Schedule> {
        if self.schedule.graph.is_none() {
            let steps: Vec<_> =
                self.steps.iter().map(|step| (step.spec.name.clone(), step.spec.needs.clone())).collect();
            // Whoever opened it has checked that; a damaged journal is no reason to end.
            let graph = graph::check(&steps).ok()?;
            let joins: Vec<Join> = self.steps.iter().map(|step| step.spec.join).collect();
            let unmet = Unmet::new(&graph, &joins);
            let (first, open) = (unmet.met().collect(), self.steps.len());
            let shares = self.steps.iter().any(|of| matches!(of.spec.tree, Some(StepTree::SharedWith(_))));
            // The graph knows the places, too.
            self.schedule =
                Schedule { graph: Some((graph, unmet)), decided: first, open, shares, ..Schedule::default() };
            for at in 0..self.steps.len() {
                self.moved(at, StepStage::Pending);
            }
        }
        Some(&mut self.schedule)
    }

    /// Steps that wait and of which it was decided since somebody asked: they may begin, or have lost what they need.
    pub(in crate::engine) fn decided(&mut self) -> Vec<(usize, Needs)> {
        let decided =
            self.schedule().map(|schedule| std::mem::take(&mut schedule.decided)).unwrap_or_default();
        let Some((_, unmet)) = &self.schedule.graph else { return Vec::new() };
        let waits = |at: &usize| self.steps.get(*at).is_some_and(|step| step.stage == StepStage::Pending);
        // What was decided may be open again, since something was tried once more.
        decided.into_iter().filter(waits).map(|at| (at, unmet.needs(at))).collect()
    }

    /// The next step to begin, if there is room for one. One that was ready waits while something that it needs is tried again.
    #[must_use]
    pub(in crate::engine) fn next(&self) -> Option<usize> {
        let has_room = match usize::from(self.head.parallel) {
            0 => true,
            most => self.schedule.under_way.len() < most,
        };
        let (_, unmet) = self.schedule.graph.as_ref().filter(|_| has_room && self.stage.begins_steps())?;
        let stops = self.stops();
        // One worktree has one running step.
        let busy: BTreeSet<&StepName> = match self.schedule.shares {
            true => self.schedule.under_way.iter().filter_map(|at| self.tree_of(*at)).collect(),
            false => BTreeSet::new(),
        };
        let is_free =
            |at: usize| self.tree_of(at).is_none_or(|tree| !busy.contains(tree)) && !self.is_in_the_way(at);
        let may_begin = |at: &&usize| {
            unmet.needs(**at) == Needs::Met && (!stops || self.is_retried(**at)) && is_free(**at)
        };
        self.schedule.ready.iter().find(may_begin).copied()
    }

    /// Whether nothing new begins after a failure, but for what somebody has tried again.
    fn stops(&self) -> bool {
        self.head.on_failure == OnFailure::Stop && !self.schedule.failed.is_empty()
    }

    /// Whether it stops at a failure, and nobody waits for a step that is tried again.
    pub(in crate::engine) fn has_stopped(&self) -> bool {
        self.stops() && !self.schedule.ready.iter().any(|at| self.is_retried(*at))
    }

    /// Whether a step that is ready has begun before.
    fn is_retried(&self, at: usize) -> bool {
        self.steps.get(at).is_some_and(|step| step.began.is_some())
    }

    /// Whether a step that is under way may change the same files as this one.
    fn is_in_the_way(&self, at: usize) -> bool {
        let touches = |at: usize| self.steps.get(at).map_or(&[][..], |step| &step.spec.touches);
        let own = touches(at);
        !own.is_empty() && self.schedule.under_way.iter().any(|at| overlap(own, touches(*at)))
    }

    /// The step whose worktree a step is done in.
    #[must_use]
    pub fn tree_of(&self, at: usize) -> Option<&StepName> {
        let spec = &self.steps.get(at)?.spec;
        match spec.tree.as_ref()? {
            StepTree::New => Some(&spec.name),
            StepTree::SharedWith(owner) => Some(owner),
        }
    }

    /// Whether steps may be done in the worktrees of others.
    pub(super) fn shares(&self) -> bool {
        self.schedule.graph.is_none() || self.schedule.shares
    }

    /// The steps for which something is being prepared.
    pub(in crate::engine) fn preparing(&self) -> impl Iterator<Item = usize> + '_ {
        let is_it = |at: &usize| self.steps.get(*at).is_some_and(|step| step.stage == StepStage::Preparing);
        self.schedule.under_way.iter().copied().filter(is_it)
    }

    /// Whether a step may begin, as far as its needs go.
    #[must_use]
    pub(in crate::engine) fn needs_of(&self, at: usize) -> Needs {
        self.schedule.graph.as_ref().map_or(Needs::Open, |(_, unmet)| unmet.needs(at))
    }

    /// How many steps are in the hands of agents, or on their way there.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.schedule.under_way.len()
    }

    /// Steps that have failed and were not tried again.
    #[must_use]
    pub fn failed(&self) -> &BTreeSet<usize> {
        &self.schedule.failed
    }

    /// Whether every step has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.schedule.graph.is_some() && self.schedule.open == 0
    }

    /// All steps, each behind what it needs.
    #[must_use]
    pub(in crate::engine) fn order(&self) -> &[usize] {
        self.schedule.graph.as_ref().map_or(&[], |(graph, _)| graph.order())
    }

    /// The steps that need this one.
    #[must_use]
    pub fn needed_by(&self, at: usize) -> &[usize] {
        self.schedule.graph.as_ref().map_or(&[], |(graph, _)| graph.needed_by(at))
    }

    /// The steps that this one needs.
    #[must_use]
    pub fn needs(&self, at: usize) -> &[usize] {
        self.schedule.graph.as_ref().map_or(&[], |(graph, _)| graph.needs(at))
    }
}
