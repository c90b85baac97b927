//! How the events of flows change the state.

use super::asked::Planning;
use super::flow::Flow;
use super::id::FlowId;
use super::in_tree::{StepPull, StepWork, WorkSum};
use super::merge::{self, FlowMerge, MergeMove};
use super::name::StepName;
use super::spent::SpeechCost;
use super::stage::{self, FlowMove};
use super::step::{self, StepMove, StepStage};
use super::tree::{self, Tree, TreeMove};
use crate::engine::event::Event;
use crate::engine::life::Move;
use crate::engine::message::part_answer::PartAnswer;
use crate::engine::message::{BodyRef, Message, Outcome};
use crate::engine::screen::doorbell::TurnKind;
use crate::engine::state::State;
use crate::engine::words::{MessageId, Millis};
use std::sync::Arc;

impl State {
    /// Applies an event of a flow. One that does not fit, or is about a flow that is not there, changes nothing: a damaged line may
    /// have taken its beginning away.
    pub(in crate::engine) fn apply_to_flow(&mut self, at: Millis, place: BodyRef, event: &Event) {
        match event {
            Event::FlowOpened { head, .. } => {
                let flow = Flow::new((**head).clone(), place, at);
                self.flows.insert(head.id.clone(), Box::new(flow));
            }
            Event::StepPlanned { flow, spec, again, for_merge, .. } => {
                match (self.flows.get_mut(flow), again) {
                    (Some(flow), true) => flow.reword(&spec.name, (place, *for_merge), at),
                    (Some(flow), false) => flow.plan((**spec).clone(), place, at),
                    (None, _) => {}
                }
            }
            Event::FlowPlanned { .. } => self.flow_planned(at, event),
            Event::StepImported { .. } => self.import_step(at, place, event),
            Event::StepMoved { .. } => self.move_step(at, event),
            Event::TreeMoved { .. } => self.move_tree(at, event),
            Event::StepWorked { flow, step, sum, .. } => self.keep_work(at, (flow, step), sum, place),
            Event::StepPulled { flow, step, pull } => self.keep_pull(at, (flow, step), pull),
            Event::MergeMoved { .. } => self.move_merge(at, event),
            Event::FlowMoved { flow, to, why } => self.move_flow(at, flow, *to, why.as_deref()),
            Event::KeptFlow(flow) => drop(self.flows.insert(flow.head.id.clone(), flow.clone())),
            _ => {}
        }
    }

    fn flow_planned(&mut self, at: Millis, event: &Event) {
        let Event::FlowPlanned { flow, name, on_failure, parallel, pull_requests } = event else { return };
        let Some(flow) = self.flows.get_mut(flow) else { return };
        flow.head.name = name.clone().or(flow.head.name.take());
        (flow.head.on_failure, flow.head.parallel) = (*on_failure, *parallel);
        flow.changed_at = at;
        if let Some(planning) = &mut flow.planning {
            planning.has_plan = true;
            planning.asks_for_pulls = *pull_requests && !flow.head.pull_requests;
        }
    }

    /// A message by which the steps of a flow are asked for was accepted, with its text at this place.
    pub(in crate::engine) fn planning_asked(&mut self, at: Millis, text: BodyRef, message: &Message) {
        let Some(step) = message.step.as_deref().filter(|step| step.step.is_none()) else { return };
        let Some(flow) = self.flows.get_mut(&step.flow) else { return };
        let message = message.id.clone();
        let (asked_at, ended, answer, has_plan, asks_for_pulls) = (at, None, None, false, false);
        flow.planning = Some(Planning { message, text, asked_at, ended, answer, has_plan, asks_for_pulls });
        flow.changed_at = at;
    }

    /// It ended, with an answer at this place.
    pub(in crate::engine) fn planning_ended(
        &mut self,
        at: Millis,
        answer: Option<BodyRef>,
        message: &Message,
    ) {
        let Some(step) = message.step.as_deref().filter(|step| step.step.is_none()) else { return };
        let Some(flow) = self.flows.get_mut(&step.flow) else { return };
        if let Some(planning) = flow.planning.as_mut().filter(|planning| planning.message == message.id) {
            (planning.ended, planning.answer) = (Some(at), answer);
            flow.changed_at = at;
        }
    }

    /// A turn of a message is typed, or was not after all: the step that it is has begun with the first, and is asked with each task.
    pub(in crate::engine) fn step_turned(&mut self, at: Millis, id: &MessageId, to: Move) {
        let Some(open) = self.open.get(id) else { return };
        let Some(of) = open.message.step.as_deref() else { return };
        let Some((name, flow)) = of.step.as_ref().zip(self.flows.get_mut(&of.flow)) else { return };
        let Some(step) = flow.place(name).and_then(|place| flow.steps.get_mut(place)) else { return };
        match to {
            _ if step.message.as_ref() != Some(id) => return,
            Move::Intend(turn) if turn.kind == TurnKind::Task => step.asked = step.asked.saturating_add(1),
            Move::Withdraw if open.stage.redo().is_some_and(|turn| turn.kind == TurnKind::Task) => {
                step.asked = step.asked.saturating_sub(1);
            }
            _ => {}
        }
        if matches!(to, Move::Intend(_)) && step.typed.is_none() {
            (step.typed, flow.changed_at) = (Some(at), at);
        }
    }

    fn keep_pull(&mut self, at: Millis, (flow, name): (&FlowId, &StepName), pull: &StepPull) {
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let Some(step) = flow.place(name).and_then(|at| flow.steps.get_mut(at)) else { return };
        step.in_tree.pull = Some(Box::new(pull.clone()));
        flow.changed_at = at;
    }

    fn import_step(&mut self, at: Millis, body: BodyRef, event: &Event) {
        let Event::StepImported { flow, step: name, began, ended, branch, document, .. } = event else {
            return;
        };
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let (owner, Some(place)) = (flow.head.owner.clone(), flow.place(name)) else { return };
        let Some(step) = flow.steps.get_mut(place).filter(|step| step.stage == StepStage::Pending) else {
            return;
        };
        // It was no message here, so it is told by its own name.
        let Ok(child) = MessageId::new(name.as_str()) else { return };
        let (from, outcome, refused) = (owner, Outcome::Completed, false);
        step.answer = Some(PartAnswer { child, from, outcome, body, refused });
        (step.stage, step.began, step.ended) = (StepStage::Completed, *began, ended.or(Some(at)));
        step.in_tree.elsewhere.clone_from(branch);
        step.document.clone_from(document);
        flow.changed_at = at;
        flow.moved(place, StepStage::Pending);
    }

    fn move_tree(&mut self, at: Millis, event: &Event) {
        let Event::TreeMoved { flow, tree: owner, to, branch, path, base, step, head, why } = event else {
            return;
        };
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let tree = flow.trees.get(owner);
        let Some(stage) = tree::next(tree.map(|tree| tree.stage), *to) else { return };
        let Some(branch) = branch.clone().or_else(|| Some(tree?.branch.clone())) else { return };
        let wanted_at = tree.map_or(at, |tree| tree.wanted_at);
        let before = tree.and_then(|tree| tree.user.clone());
        // Where it was is known after its end, too.
        let was = tree.filter(|_| matches!(to, TreeMove::Remove | TreeMove::Removed | TreeMove::Keep));
        let path = path.clone().or_else(|| was?.path.clone());
        let base = base.clone().or_else(|| was?.base.clone());
        let note = why.as_deref().filter(|_| matches!(to, TreeMove::Made | TreeMove::Keep)).map(Into::into);
        let (user, is_ready) = (step.clone().or_else(|| before.clone()), step.is_some());
        flow.trees.insert(owner.clone(), Tree { branch, stage, wanted_at, path, base, user, is_ready, note });
        flow.changed_at = at;
        if let Some(step) = step {
            let before = before.filter(|before| before != step);
            flow.step_enters((step, before.as_ref()), head);
        }
    }

    fn keep_work(&mut self, at: Millis, (flow, name): (&FlowId, &StepName), sum: &WorkSum, place: BodyRef) {
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let Some(step) = flow.place(name).and_then(|at| flow.steps.get_mut(at)) else { return };
        step.in_tree.work = Some(Box::new(StepWork { sum: sum.clone(), place }));
        flow.changed_at = at;
    }

    fn move_merge(&mut self, at: Millis, event: &Event) {
        let Event::MergeMoved { flow, to, into, step, why } = event else { return };
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let before = flow.merge.take();
        let Some(stage) = merge::next(before.as_ref().map(|merge| merge.stage), *to) else {
            return flow.merge = before;
        };
        let begins = *to == MergeMove::Begin;
        let kept = before.as_ref().filter(|_| !begins);
        let (mut reopened, mut clashes) =
            kept.map(|merge| (merge.reopened.clone(), merge.clashes.clone())).unwrap_or_default();
        if let Some(step) = step.as_ref().filter(|_| *to == MergeMove::Wait) {
            *reopened.entry(step.clone()).or_default() += 1;
            clashes.insert(step.clone(), why.clone().unwrap_or_default());
        }
        let into = into.clone().or_else(|| Some(before?.into)).unwrap_or_default();
        let (step, note) = (step.clone(), why.as_deref().map(Into::into));
        flow.merge = Some(Box::new(FlowMerge { into, stage, since: at, step, reopened, clashes, note }));
        flow.changed_at = at;
    }

    fn move_flow(&mut self, at: Millis, id: &FlowId, to: FlowMove, why: Option<&str>) {
        let Some(flow) = self.flows.get_mut(id) else { return };
        if to == FlowMove::Forget && !flow.stage.is_open() {
            return drop(self.flows.remove(id));
        }
        if let Ok(stage) = stage::next(flow.stage, to) {
            // Whoever resumes one that waits for a yes says it.
            flow.head.confirm &= to != FlowMove::Resume || !flow.waits_for_yes();
            (flow.stage, flow.since, flow.note) = (stage, at, why.map(Into::into));
            flow.changed_at = at;
        }
    }

    fn move_step(&mut self, now: Millis, event: &Event) {
        let Event::StepMoved { flow, step: name, to, message, answer, worker, why, spent, cause } = event
        else {
            return;
        };
        let Some(flow) = self.flows.get_mut(flow) else { return };
        let Some(at) = flow.place(name) else { return };
        let Some(step) = flow.steps.get_mut(at) else { return };
        let before = step.stage;
        let Ok(after) = step::next(before, *to) else { return };
        step.stage = after;
        (step.note, step.cause) = (why.as_deref().map(Into::into), *cause);
        if let Some(spent) = spent {
            // What an earlier try took is taken, whatever came of it.
            let before = step
                .spent
                .take()
                .map_or(SpeechCost { no_news: true, ..SpeechCost::default() }, |spent| *spent);
            let both = SpeechCost { no_news: spent.no_news, ..before.plus(**spent) };
            step.spent = Some(Box::new(both));
        }
        if !matches!(to, StepMove::Complete | StepMove::Fail | StepMove::Cancel(_)) {
            step.typed = None;
        }
        match to {
            StepMove::Send => {
                step.message.clone_from(message);
                step.tries = step.tries.saturating_add(1);
                (step.began, step.ended, step.answer, step.worker) = (Some(now), None, None, None);
            }
            StepMove::Complete | StepMove::Fail | StepMove::Cancel(_) => {
                step.ended = Some(now);
                step.answer.clone_from(answer);
                step.worker.clone_from(worker);
            }
            StepMove::Retry => {
                (step.ended, step.answer, step.worker) = (None, None, None);
                // What was called off waits with the others, and goes before nobody as what has failed does.
                step.began = step.began.filter(|_| !matches!(before, StepStage::Cancelled(_)));
                step.in_tree.begin_again();
                (step.in_tree.pull, step.document) = (None, None);
            }
            // It waits with the others, and goes before nobody as what was tried again does.
            StepMove::Reopen => {
                (step.began, step.ended, step.answer, step.worker) = (None, None, None, None);
                step.in_tree.begin_again();
                step.document = None;
            }
            StepMove::Prepare => step.began = Some(now),
            StepMove::NeedsMet => {}
        }
        flow.changed_at = now;
        if !matches!(to, StepMove::NeedsMet | StepMove::Prepare) {
            flow.step_is_past_beginning(at);
        }
        flow.moved(at, before);
    }
}

impl Flow {
    /// A worktree was looked after for a step, after another one was in it. What that step needs is merged into it by now.
    fn step_enters(&mut self, (step, before): (&StepName, Option<&StepName>), head: &Option<Arc<str>>) {
        if let Some(before) = before.and_then(|name| self.place(name)).and_then(|at| self.steps.get_mut(at)) {
            before.in_tree.until.clone_from(head);
        }
        let Some(step) = self.place(step).and_then(|at| self.steps.get_mut(at)) else { return };
        // It may have been in it before the one that was in it last.
        step.in_tree.until = None;
        // Who tries again goes on with what it did before, unless others have come between.
        if step.in_tree.from.is_none() || step.in_tree.left != *head {
            step.in_tree.from.clone_from(head);
        }
    }

    /// A step has begun in its worktree, or will not: who comes after it has the worktree looked after again.
    fn step_is_past_beginning(&mut self, at: usize) {
        let Some(owner) = self.tree_of(at).cloned() else { return };
        let is_user = |tree: &&mut Tree| tree.user == self.steps.get(at).map(|step| step.spec.name.clone());
        if let Some(tree) = self.trees.get_mut(&owner).filter(is_user) {
            (tree.is_ready, tree.note) = (false, None);
        }
    }
}
