//! The rules of debates and of worktrees, told in another way than the engine's. A round counts by the numbers of its steps.

use super::flow_rules::{FlowSaid, FlowsSaid, StepSaid};
use super::wrong::Wrong;
use crate::engine::event::Event;
use crate::engine::flow::debating::DebateStage;
use crate::engine::flow::flow::{Flow, FlowStep, StepSpec};
use crate::engine::flow::name::StepName;
use crate::engine::flow::spent::SpeechCost;
use crate::engine::flow::step::{StepMove, StepStage};
use crate::engine::flow::tree::{self, TreeMove, TreeStage};

impl FlowsSaid {
    /// A worktree was wanted, is there or goes; or somebody has looked what was done in one.
    pub(super) fn take_tree(&mut self, event: &Event) -> Result<(), Wrong> {
        if let Event::TreeMoved { flow, tree, to, .. } = event {
            self.flows.get_mut(flow).ok_or("a worktree of no flow")?.move_tree(tree, *to)?;
        }
        match event {
            Event::TreeMoved { flow, tree, step: Some(step), head, .. } => {
                let found = self.flows.get_mut(flow).ok_or("a worktree of no flow")?;
                let before = found.users.insert(tree.clone(), step.clone()).filter(|before| before != step);
                if let Some(before) = before.and_then(|before| found.steps.get_mut(&before)) {
                    before.until = head.as_deref().map(str::to_owned);
                }
                let step = found.steps.get_mut(step).ok_or("a worktree for no step")?;
                step.is_in_tree = true;
            }
            Event::StepWorked { flow, step, sum, .. } => {
                let found = self.flows.get_mut(flow).and_then(|flow| flow.steps.get_mut(step));
                let found = found.ok_or("no step is looked at")?;
                if !std::mem::take(&mut found.owes_look) {
                    return Err(format!("{step} of {flow} is looked at, and owes no look"));
                }
                let until = found.until.as_deref();
                if until.is_some() && sum.head.as_deref().is_some_and(|head| Some(head) != until) {
                    return Err(format!("{step} of {flow} is given what another one did: {found:#?}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What came of debates, each kind with how often.
    pub(super) fn debates(&self) -> [(&'static str, u64); 10] {
        let debates = || self.flows.values().filter(|flow| flow.head.debate.is_some());
        let count = |is_it: &dyn Fn(&FlowSaid) -> bool| debates().filter(|flow| is_it(flow)).count() as u64;
        let ended = |flow: &FlowSaid, completed| !flow.is_cancelled && flow.may_end(completed).is_ok();
        let trees = |stage| {
            let trees = debates().flat_map(|flow| flow.trees.values()).filter(|found| **found == stage);
            trees.count() as u64
        };
        [
            ("speeches without a budget", debates().map(FlowSaid::unpaid).sum()),
            ("debates completed", count(&|flow| ended(flow, true))),
            ("debates that failed", count(&|flow| ended(flow, false))),
            ("debates that failed in a later round", count(&|flow| ended(flow, false) && flow.brought(1))),
            ("debates cancelled", count(&|flow| flow.is_cancelled)),
            ("debates cancelled in a later round", count(&|flow| flow.is_cancelled && flow.has_begun(2))),
            (
                "debates with nothing new",
                count(&|flow| flow.settled().is_some_and(|at| at + 1 < flow.rounds())),
            ),
            ("answers of whoever is asked alone", count(&|flow| flow.brought(0))),
            ("worktrees of debates that are gone", trees(TreeStage::Gone)),
            ("worktrees of debates that stay", trees(TreeStage::Kept)),
        ]
    }
}

impl StepSaid {
    /// It moves so, and is at this stage from now on.
    pub(super) fn take(&mut self, event: &Event, is_speech: bool, next: StepStage) -> Result<(), Wrong> {
        let Event::StepMoved { to, message, answer, spent, .. } = event else { return Ok(()) };
        let step = self;
        if spent.is_some() && (step.stage != StepStage::Sent || step.spent != SpeechCost::default()) {
            return Err(format!("what {} took is told twice, or by nobody: {step:#?}", step.spec.name));
        }
        step.is_edited &= *to != StepMove::Send;
        step.is_retried = match to {
            StepMove::Retry => matches!(step.stage, StepStage::Failed | StepStage::Completed),
            _ => step.is_retried && *to == StepMove::Prepare,
        };
        step.answer.clone_from(answer);
        if *to == StepMove::Retry {
            step.until = None;
        }
        step.spent = spent.as_deref().copied().unwrap_or(step.spent);
        step.owes_look =
            !is_speech && step.is_in_tree && matches!(next, StepStage::Completed | StepStage::Failed);
        step.stage = next;
        if *to == StepMove::Send {
            step.message.clone_from(message);
        }
        Ok(())
    }
}

impl FlowSaid {
    fn roles(&self) -> u64 {
        self.head.debate.as_deref().map_or(1, |debate| debate.roles.len() as u64)
    }

    fn rounds(&self) -> u64 {
        self.head.debate.as_deref().map_or(0, |debate| debate.rounds.into())
    }

    /// In which round of a debate a step speaks, from 1: 0 is that of whoever is asked alone. None in another flow.
    pub(super) fn round_of(&self, step: &StepSaid) -> Option<u64> {
        self.head.debate.as_ref()?;
        let round = (step.spec.name.number() - 1) / self.roles() + 1;
        Some(if round > self.rounds() { 0 } else { round })
    }

    /// Whether somebody was asked in this round.
    fn has_begun(&self, round: u64) -> bool {
        self.speeches(round).any(|step| step.message.is_some())
    }

    /// Speeches that nobody was asked for, since the budget was used up.
    fn unpaid(&self) -> u64 {
        let failed = self.steps.values().filter(|step| step.stage == StepStage::Failed);
        let unasked = failed.filter(|step| step.message.is_none());
        unasked.filter(|step| self.may_speak(step, StepMove::Send).is_err()).count() as u64
    }

    fn speeches(&self, round: u64) -> impl Iterator<Item = &StepSaid> {
        self.steps.values().filter(move |step| self.round_of(step) == Some(round))
    }

    fn brought(&self, round: u64) -> bool {
        self.speeches(round).any(|step| step.stage == StepStage::Completed)
    }

    /// The first round from the second on in which everybody who was heard had nothing new to say.
    fn settled(&self) -> Option<u64> {
        let mut rounds = 2..=self.rounds();
        rounds.find(|round| {
            let mut heard = self.speeches(*round).filter(|step| step.stage == StepStage::Completed);
            self.brought(*round) && heard.all(|step| step.spent.no_news)
        })
    }

    /// Whether a speech is planned in its place: behind all of the rounds before, and before whoever is asked alone.
    pub(super) fn check_speech(&self, spec: &StepSpec) -> Result<(), Wrong> {
        let Some(debate) = self.head.debate.as_deref() else { return Ok(()) };
        let (number, roles) = (spec.name.number(), self.roles());
        let all = roles * self.rounds();
        let before = if number > all { 0 } else { (number - 1) / roles * roles };
        let needs = (1..=before).map(StepName::numbered);
        if number <= all + u64::from(debate.baseline.is_some()) && needs.eq(spec.needs.iter().cloned()) {
            return Ok(());
        }
        Err(format!("{} of {} needs {:?}", spec.name, self.head.id, spec.needs))
    }

    /// Whether a state knows what its speeches have taken.
    pub(super) fn has_spent(&self, flow: &Flow) -> bool {
        let told = self.steps.values().map(|step| step.spent);
        let told = told.fold(SpeechCost::default(), SpeechCost::plus);
        let known = |step: &FlowStep| step.spent.as_deref().copied().unwrap_or_default();
        let is_known =
            |step: &FlowStep| self.steps.get(&step.spec.name).is_some_and(|said| said.spent == known(step));
        self.head.debate.is_none() || told == flow.spent() && flow.steps.iter().all(is_known)
    }

    /// Whether a round is held; none as long as nobody can know.
    pub(super) fn may_hold(&self, round: u64) -> Option<bool> {
        if round <= 1 {
            return Some(true);
        }
        let has_ended = (1..round).all(|before| self.speeches(before).all(|step| step.stage.has_ended()));
        has_ended.then(|| match self.settled().filter(|at| *at < round) {
            Some(_) => round == self.rounds(),
            None => self.brought(round - 1),
        })
    }

    /// Whether a step of a debate may move so: each speech is held once, and none once the budget is used up.
    pub(super) fn may_speak(&self, step: &StepSaid, to: StepMove) -> Result<(), &'static str> {
        let Some(debate) = self.head.debate.as_deref() else { return Ok(()) };
        let spent = || self.steps.values().map(|step| step.spent);
        let tokens: u64 = spent().map(|spent| spent.tokens).sum();
        let cost: u64 = spent().map(|spent| spent.cost_micro_usd).sum();
        match to {
            StepMove::Retry | StepMove::Reopen => Err("though it is a speech"),
            StepMove::Send if step.message.is_some() => Err("though it was sent before"),
            StepMove::Send if debate.budget.tokens.is_some_and(|most| tokens >= most) => {
                Err("though all tokens are used up")
            }
            StepMove::Send if debate.budget.cost_micro_usd.is_some_and(|most| cost >= most) => {
                Err("though all money is used up")
            }
            _ => Ok(()),
        }
    }

    /// Whether a debate may end so: everybody has ended, and each round that was held has brought something, or one has not.
    pub(super) fn may_end(&self, completed: bool) -> Result<(), Wrong> {
        let is_left_out =
            |round: u64| round < self.rounds() && self.settled().is_some_and(|settled| settled < round);
        let all = (1..=self.rounds()).all(|round| is_left_out(round) || self.brought(round));
        let has_ended = self.steps.values().all(|step| step.stage.has_ended());
        if has_ended && all == completed {
            Ok(())
        } else {
            Err(format!("it ends as completed: {completed}: {self:#?}"))
        }
    }

    /// A worktree goes only once its debate is over, and only if that keeps none.
    fn move_tree(&mut self, owner: &StepName, to: TreeMove) -> Result<(), Wrong> {
        let Some(next) = tree::next(self.trees.get(owner).copied(), to) else {
            return Err(format!("the worktree of {owner} cannot {}: {self:#?}", to.word()));
        };
        let may_go = self.head.debate.as_deref().is_some_and(|debate| !debate.keep) && !self.is_open();
        if next == TreeStage::Removing && !may_go {
            return Err(format!("the worktree of {owner} goes too soon: {self:#?}"));
        }
        self.trees.insert(owner.clone(), next);
        Ok(())
    }

    /// In the end nothing is left of a debate that keeps nothing, but what could not be removed.
    pub(super) fn check_trees(&self) -> Result<(), Wrong> {
        let keeps_none = self.head.debate.as_deref().is_some_and(|debate| !debate.keep);
        let left = self.trees.iter().find(|(_, stage)| !has_gone(**stage)).filter(|_| keeps_none);
        match left {
            Some((owner, stage)) => Err(format!("the worktree of {owner} is left, {stage:?}: {self:#?}")),
            None => Ok(()),
        }
    }
}

fn has_gone(stage: TreeStage) -> bool {
    matches!(stage, TreeStage::Gone | TreeStage::Kept)
}

/// Whether worktrees of a flow that is over are still to go.
pub(super) fn is_being_cleared(flow: &Flow) -> bool {
    let keeps_none = flow.debate().is_some_and(|debate| !debate.keep);
    keeps_none && flow.trees.values().any(|tree| !has_gone(tree.stage))
}

/// Whoever waits for the end of a debate finds nothing left of it that was to go.
pub(super) fn check_final(flow: &Flow) -> Result<(), Wrong> {
    let is_final = matches!(flow.debate_stage(), Some(DebateStage::Completed | DebateStage::Failed(_)));
    if is_final && is_being_cleared(flow) {
        return Err(format!("it is said to be over, and its worktrees are there: {flow:#?}"));
    }
    Ok(())
}
