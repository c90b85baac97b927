//! How far a debate is, which follows from its steps.

use super::alike::grouped;
use super::asked::CANCELLED_BY;
use super::debate::Debate;
use super::flow::{Flow, FlowStep};
use super::id::FlowId;
use super::spent::{SpeechCost, usd};
use super::stage::FlowStage;
use super::step::{CancelCause, StepStage};
use super::unmet::Needs;
use crate::engine::engine::Work;
use crate::engine::event::Event;
use crate::engine::words::{MessageId, counted};

/// Why the speeches of a round that is not held are left out.
pub const NOTHING_NEW: &str =
    "nobody had anything new to say: no objection cited a place, and no new proposal came";

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

impl DebateStage {
    /// The word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Round(_) => "under way",
            Self::Completed => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Flow {
    /// The steps of a round, one for each role.
    #[must_use]
    pub fn speeches(&self, debate: &Debate, round: u8) -> &[FlowStep] {
        let first = usize::from(round.saturating_sub(1)) * debate.roles.len();
        self.steps.get(first..first + debate.roles.len()).unwrap_or_default()
    }

    /// How far it is, in words for whoever asks for something that cannot be done with it now.
    pub(super) fn stage_word(&self) -> String {
        match self.debate_stage() {
            Some(DebateStage::Round(_)) if !self.stage.is_open() => {
                "over (its worktrees are being removed)".to_owned()
            }
            Some(debate) => debate.word().to_owned(),
            None if self.is_called_off() => "cancelled".to_owned(),
            None => self.stage.to_string(),
        }
    }

    /// Whether somebody has called it off, which its stage does not say.
    fn is_called_off(&self) -> bool {
        let note = self.note.as_deref().unwrap_or_default();
        self.stage == FlowStage::Failed && note.starts_with(CANCELLED_BY)
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
                // Whoever waits for its end finds nothing left of it.
                _ if self.owes_ends() => DebateStage::Round(self.round(debate)),
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

    /// A round to which the one before has brought nothing does not begin, whatever came of earlier ones. Nor does one, but for the
    /// last, once nobody had anything new to say.
    pub(super) fn leave_rounds_out(&self, decided: &mut [(usize, Needs)]) {
        let Some(debate) = self.debate() else { return };
        for (at, needs) in decided.iter_mut().filter(|(_, needs)| *needs == Needs::Met) {
            let step = self.steps.get(*at).and_then(|step| debate.speech(&step.spec.name));
            let round = step.map_or(0, |speech| speech.round);
            if round > 1 && (self.is_left_out(debate, round) || self.is_after_nothing(debate, round)) {
                *needs = Needs::Lost;
            }
        }
    }

    /// Whether the last round that was held before this one has brought nothing.
    fn is_after_nothing(&self, debate: &Debate, round: u8) -> bool {
        let before = (1..round).rev().find(|before| !self.is_left_out(debate, *before));
        before.is_some_and(|before| !self.speeches(debate, before).iter().any(is_completed))
    }

    /// Whether a round between the second and the last is not held, since nobody had anything new to say in one before it.
    #[must_use]
    pub fn is_left_out(&self, debate: &Debate, round: u8) -> bool {
        let no_news = |step: &FlowStep| step.spent.as_ref().is_some_and(|spent| spent.no_news);
        let is_quiet = |before: u8| {
            let mut spoken =
                self.speeches(debate, before).iter().filter(|step| is_completed(step)).peekable();
            spoken.peek().is_some() && spoken.all(no_news)
        };
        round > 2 && round < debate.rounds && (2..round).any(is_quiet)
    }

    /// Why a speech is left out, if it is for the sake of its round.
    pub(super) fn why_left_out(&self, at: usize) -> Option<String> {
        let debate = self.debate()?;
        let round = debate.speech(&self.steps.get(at)?.spec.name)?.round;
        self.is_left_out(debate, round).then(|| NOTHING_NEW.to_owned())
    }

    /// What all speeches so far have taken.
    #[must_use]
    pub fn spent(&self) -> SpeechCost {
        let all = self.steps.iter().filter_map(|step| step.spent.as_deref());
        all.fold(SpeechCost::default(), |sum, spent| sum.plus(*spent))
    }

    /// Why a debate whose steps have all ended has failed: the first round of which nobody completed anything, and what became of each
    /// role in it. None if it is completed.
    pub(super) fn why_debate_failed(&self, debate: &Debate) -> Option<String> {
        let mut held = (1..=debate.rounds).filter(|round| !self.is_left_out(debate, *round));
        let empty = held.find(|round| !self.speeches(debate, *round).iter().any(is_completed))?;
        let told = self.speeches(debate, empty).iter().zip(&debate.roles);
        let told = told.map(|(step, role)| {
            (role.id.to_string(), step.note.as_deref().unwrap_or("it did not say why").to_owned())
        });
        Some(format!("no role has completed round {empty}: {}", grouped(told)))
    }
}

fn counted_minutes(ms: u64) -> String {
    counted(usize::try_from(ms / 60_000).unwrap_or(usize::MAX), "minute")
}

fn is_completed(step: &FlowStep) -> bool {
    step.stage == StepStage::Completed
}

/// Characters of a reason that stand with a speech.
const WHY_CHARS: usize = 300;

impl Work<'_> {
    /// Why a message has ended in this step that was not completed: tasuki's own words, or the first line of what its agent said.
    pub(super) fn why_ended(&self, message: &MessageId) -> Option<String> {
        let found = self.step.events.iter().rev().find_map(|event| match event {
            Event::Ended { id, why, answer, .. } if id == message => {
                Some((why.as_deref(), answer.as_deref()))
            }
            _ => None,
        });
        let (why, answer) = found?;
        let mut lines = answer.into_iter().flat_map(|answer| answer.body.content.lines());
        let line = why.or_else(|| lines.find(|line| !line.trim().is_empty()))?;
        Some(line.trim().chars().take(WHY_CHARS).collect())
    }

    /// Why nobody speaks any more in a debate: what it may take is taken.
    pub(in crate::engine) fn refuse_spent(&self, id: &FlowId) -> Option<String> {
        let flow = self.state.flows.get(id)?;
        let budget = flow.debate()?.budget;
        let (spent, ms) = (flow.spent(), self.now.since(flow.opened_at));
        let over = |most: Option<u64>, taken: u64| most.filter(|most| taken >= *most);
        if let Some(most) = over(budget.tokens, spent.tokens) {
            return Some(format!("the budget of {most} tokens is used up: {} are known", spent.tokens));
        }
        if let Some(most) = over(budget.cost_micro_usd, spent.cost_micro_usd) {
            let (most, cost) = (usd(most), usd(spent.cost_micro_usd));
            return Some(format!("the budget of {most} is used up: {cost} are known"));
        }
        over(budget.ms, ms).map(|most| {
            let (most, minutes) = (counted_minutes(most), counted_minutes(ms));
            format!("the budget of {most} is used up: it has been going on for {minutes}")
        })
    }
}
