//! How the branches of a flow are brought together: a small state of the flow, and the one total function that moves it.

use super::name::StepName;
use crate::engine::form::{self, is_default};
use crate::engine::words::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So often a step is done again since its branch could not be merged: an agent that cannot after these will not.
pub const REOPENINGS_MAX: u8 = 3;

/// Branches of a flow on their way into one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowMerge {
    /// The branch onto which they are brought.
    pub into: String,
    pub stage: MergeStage,
    pub since: Millis,
    /// The step whose branch is being merged, or which is done again first; none before the first and after the last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub step: Option<StepName>,
    /// How often steps were done again for this.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reopened: BTreeMap<StepName, u8>,
    /// Why each of these was done again last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clashes: BTreeMap<StepName, String>,
    /// Why it is where it is, where its last move said so.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub note: Option<Arc<str>>,
}

impl FlowMerge {
    /// Whether it waits until this step is done again.
    #[must_use]
    pub fn waits_for(&self, step: &StepName) -> bool {
        self.stage == MergeStage::Waits && self.step.as_ref() == Some(step)
    }
}

/// Where that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeStage {
    /// One branch after the other is merged and checked.
    Merging,
    /// A step is done again, since its branch did not fit.
    Waits,
    /// All are on the branch.
    Done,
    /// It has ended without some of them.
    Failed,
}

impl MergeStage {
    /// Every one of them, in order.
    pub const ALL: [Self; 4] = [Self::Merging, Self::Waits, Self::Done, Self::Failed];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Merging => "merging",
            Self::Waits => "waits",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Whether it goes on by itself.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Merging | Self::Waits)
    }
}

/// What moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeMove {
    /// Somebody asks for it.
    Begin,
    /// The branch of this step is next.
    Next,
    /// The branch of this step does not fit, so the step is done again.
    Wait,
    /// That is done, and all branches are looked at anew.
    GoOn,
    /// All are merged.
    Finish,
    /// It cannot go on.
    Fail,
}

impl MergeMove {
    /// Every one of them, in order.
    pub const ALL: [Self; 6] = [Self::Begin, Self::Next, Self::Wait, Self::GoOn, Self::Finish, Self::Fail];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Next => "next",
            Self::Wait => "wait",
            Self::GoOn => "go_on",
            Self::Finish => "finish",
            Self::Fail => "fail",
        }
    }
}

/// Moves it on; none where that cannot be, which changes nothing.
#[must_use]
pub fn next(stage: Option<MergeStage>, to: MergeMove) -> Option<MergeStage> {
    use MergeMove as M;
    use MergeStage as S;
    match (stage, to) {
        (None | Some(S::Done | S::Failed), M::Begin) | (Some(S::Waits), M::GoOn) => Some(S::Merging),
        (Some(S::Merging), M::Next) => Some(S::Merging),
        (Some(S::Merging), M::Wait) => Some(S::Waits),
        (Some(S::Merging), M::Finish) => Some(S::Done),
        (Some(S::Merging | S::Waits), M::Fail) => Some(S::Failed),
        (None | Some(S::Merging | S::Waits | S::Done | S::Failed), _) => None,
    }
}
