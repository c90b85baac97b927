//! How far a debate is, which follows from its steps.

use super::debate::Debate;
use super::flow::{Flow, FlowStep};
use super::stage::FlowStage;
use super::step::{CancelCause, StepStage};
use super::unmet::Needs;

/// How far a debate is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebateStage {
    /// Nobody has begun.
    Pending,
    /// This round is under way: the last one in which somebody has begun.
    Round(u8),
    Completed,
    /// Why.
    Failed(String),
    Cancelled,
}

impl Flow {
    /// The steps of a round, one for each role.
    #[must_use]
    pub fn speeches(&self, debate: &Debate, round: u8) -> &[FlowStep] {
        let first = usize::from(round.saturating_sub(1)) * debate.roles.len();
        self.steps.get(first..first + debate.roles.len()).unwrap_or_default()
    }

    /// What it is, if it is a debate.
    #[must_use]
    pub fn debate(&self) -> Option<&Debate> {
        self.head.debate.as_deref()
    }

    /// How far a debate is; none of a flow that is none.
    #[must_use]
    pub fn debate_stage(&self) -> Option<DebateStage> {
        let debate = self.debate()?;
        if !self.stage.is_open() {
            let called = |step: &FlowStep| step.stage == StepStage::Cancelled(CancelCause::Called);
            return Some(match self.stage {
                _ if self.steps.iter().any(called) => DebateStage::Cancelled,
                FlowStage::Completed => DebateStage::Completed,
                _ => DebateStage::Failed(self.note.as_deref().unwrap_or_default().to_owned()),
            });
        }
        let round = self.round(debate);
        Some(if round == 0 { DebateStage::Pending } else { DebateStage::Round(round) })
    }

    /// The last round in which somebody has begun; 0 before the first.
    fn round(&self, debate: &Debate) -> u8 {
        let begun = |step: &FlowStep| step.began.is_some();
        (1..=debate.rounds).rev().find(|round| self.speeches(debate, *round).iter().any(begun)).unwrap_or(0)
    }

    /// The same, if it is a debate.
    #[must_use]
    pub fn debate_round(&self) -> Option<u8> {
        self.debate().map(|debate| self.round(debate))
    }

    /// A round to which the one before has brought nothing does not begin, whatever came of earlier ones.
    pub(super) fn refuse_after_empty_rounds(&self, decided: &mut [(usize, Needs)]) {
        let Some(debate) = self.debate() else { return };
        for (at, needs) in decided.iter_mut().filter(|(_, needs)| *needs == Needs::Met) {
            let step = self.steps.get(*at).and_then(|step| debate.speech(&step.spec.name));
            let before = step.map_or(0, |speech| speech.round.saturating_sub(1));
            if before > 0 && !self.speeches(debate, before).iter().any(is_completed) {
                *needs = Needs::Lost;
            }
        }
    }

    /// Why a debate whose steps have all ended has failed: the first round of which nobody completed anything, and what became of each
    /// role in it. None if it is completed.
    pub(super) fn why_debate_failed(&self, debate: &Debate) -> Option<String> {
        let empty =
            (1..=debate.rounds).find(|round| !self.speeches(debate, *round).iter().any(is_completed))?;
        let told = self.speeches(debate, empty).iter().zip(&debate.roles);
        let told = told.map(|(step, role)| {
            format!("{}: {}", role.id, step.note.as_deref().unwrap_or("it did not say why"))
        });
        Some(format!("no role has completed round {empty}: {}", told.collect::<Vec<_>>().join("; ")))
    }
}

fn is_completed(step: &FlowStep) -> bool {
    step.stage == StepStage::Completed
}
