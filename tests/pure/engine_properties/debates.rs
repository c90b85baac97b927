//! What always holds of debates, told in another way than the engine's: which round may begin, what is asked no more, and when nothing
//! of it is left.

use super::rules::{Checked, must};
use tasuki::engine::event::Event;
use tasuki::engine::flow::debate::Debate;
use tasuki::engine::flow::debating::DebateStage;
use tasuki::engine::flow::flow::{Flow, FlowStep};
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::step::{StepMove, StepStage};
use tasuki::engine::flow::tree::TreeStage;
use tasuki::engine::state::State;

/// Holds what a step of the engine did against these rules.
pub(super) fn check(before: &State, state: &State, events: &[Event]) -> Checked {
    for flow in state.flows.values() {
        let Some(debate) = flow.debate() else { continue };
        let is_final = matches!(flow.debate_stage(), Some(DebateStage::Completed | DebateStage::Failed(_)));
        let has_gone = |stage| matches!(stage, TreeStage::Gone | TreeStage::Kept);
        let left = flow.trees.values().find(|tree| !debate.keep && !has_gone(tree.stage));
        must(!is_final || left.is_none(), || format!("{} is over, and {left:?} is there", flow.head.id))?;
    }
    for (at, event) in events.iter().enumerate() {
        let Event::StepMoved { flow: id, step, to, .. } = event else { continue };
        let Some((flow, debate)) = state.flows.get(id).and_then(|flow| Some((flow, flow.debate()?))) else {
            continue;
        };
        let was = before.flows.get(id).map(|flow| &**flow);
        let spoken = was.and_then(|was| was.steps.iter().find(|was| was.spec.name == *step));
        let spoken = spoken.is_some_and(|was| was.message.is_some());
        let is_open = was.is_none_or(|was| was.stage.is_open());
        let may = match to {
            StepMove::Retry | StepMove::Reopen => false,
            StepMove::Send => !spoken && is_open && has_budget(was, debate, &events[..at]),
            StepMove::Prepare => !spoken && is_open,
            // Its rounds have ended, which the rules of all flows say already.
            StepMove::NeedsMet => is_held(flow, debate, step),
            _ => true,
        };
        must(may, || format!("{id}: {step} may not {}: {flow:#?}", to.word()))?;
    }
    Ok(())
}

/// The round of a step: whoever is asked alone is in none.
fn round_of(debate: &Debate, step: &StepName) -> Option<u64> {
    let round = (step.number() - 1) / debate.roles.len() as u64 + 1;
    (round <= u64::from(debate.rounds)).then_some(round)
}

/// Whether the round before has brought something. Once nobody had anything new to say, only the last round is held.
fn is_held(flow: &Flow, debate: &Debate, step: &StepName) -> bool {
    let Some(own) = round_of(debate, step) else { return true };
    let heard = |round: u64| -> Vec<&FlowStep> {
        let done = flow.steps.iter().filter(|step| step.stage == StepStage::Completed);
        done.filter(|step| round_of(debate, &step.spec.name) == Some(round)).collect()
    };
    let no_news = |step: &&FlowStep| step.spent.as_deref().is_some_and(|spent| spent.no_news);
    let is_quiet = |round: u64| !heard(round).is_empty() && heard(round).iter().all(no_news);
    match (2..own).find(|round| is_quiet(*round)) {
        Some(_) => own == u64::from(debate.rounds),
        None => own == 1 || !heard(own - 1).is_empty(),
    }
}

/// Whether anything was left of the budget, by what was known before and came since.
fn has_budget(was: Option<&Flow>, debate: &Debate, events: &[Event]) -> bool {
    let taken = |step: &FlowStep| step.spent.as_deref().map_or(0, |spent| spent.tokens);
    let known: u64 = was.map_or(0, |was| was.steps.iter().map(taken).sum());
    let id = was.map(|was| &was.head.id);
    let since = events.iter().filter_map(|event| match event {
        Event::StepMoved { flow, spent: Some(spent), .. } if Some(flow) == id => Some(spent.tokens),
        _ => None,
    });
    debate.budget.tokens.is_none_or(|most| known + since.sum::<u64>() < most)
}
