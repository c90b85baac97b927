//! The life of a whole flow, in the words of a session's status.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a flow is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowStage {
    /// Steps begin as soon as they may.
    Active,
    /// No step begins; those under way go on.
    Paused,
    /// Every step is completed. One that is done again opens it.
    Completed,
    /// It has ended, and some step is not completed. A retry opens it again.
    Failed,
}

impl FlowStage {
    /// Every one of them, in order.
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Completed, Self::Failed];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// What it means.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Active => "steps begin as soon as they may",
            Self::Paused => "no step begins; those that are under way go on",
            Self::Completed => "every step is completed: one that is done again opens it",
            Self::Failed => "it has ended, and not every step is completed: a retry opens it again",
        }
    }

    /// Whether it has not ended.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::Active | Self::Paused => true,
            Self::Completed | Self::Failed => false,
        }
    }

    /// Whether steps may begin.
    #[must_use]
    pub const fn begins_steps(self) -> bool {
        matches!(self, Self::Active)
    }
}

impl fmt::Display for FlowStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What moves a flow on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowMove {
    /// Nothing more is to begin for now.
    Pause,
    /// It goes on.
    Resume,
    /// Its last step is completed, and so are all others.
    Complete,
    /// Nothing more is to be done and some step is not completed, or somebody has cancelled it.
    Fail,
    /// It was kept long enough after its end.
    Forget,
}

impl FlowMove {
    /// Every one of them, in order.
    pub const ALL: [Self; 5] = [Self::Pause, Self::Resume, Self::Complete, Self::Fail, Self::Forget];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Complete => "complete",
            Self::Fail => "fail",
            Self::Forget => "forget",
        }
    }

    /// When it is made.
    #[must_use]
    pub const fn when(self) -> &'static str {
        match self {
            Self::Pause => "somebody pauses it",
            Self::Resume => "somebody lets it go on, or retries one of its steps",
            Self::Complete => "its last step is completed, also while it was paused",
            Self::Fail => {
                "nothing more is to be done and some step is not completed, or somebody cancels the flow"
            }
            Self::Forget => "it ended longer ago than `retention`: nothing is known of it any more",
        }
    }
}

/// A move that a flow's stage does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a flow that is {stage} cannot {}", event.word())]
pub struct IllegalFlow {
    pub stage: FlowStage,
    /// What came.
    pub event: FlowMove,
}

/// Moves a flow on. Total: every pair of stage and move has an answer.
///
/// # Errors
/// [`IllegalFlow`] for a pair that cannot happen.
pub fn next(stage: FlowStage, event: FlowMove) -> Result<FlowStage, IllegalFlow> {
    use FlowMove as M;
    use FlowStage as S;
    match (stage, event) {
        (S::Active, M::Pause) => Ok(S::Paused),
        (S::Paused | S::Completed | S::Failed, M::Resume) => Ok(S::Active),
        (S::Active | S::Paused, M::Complete) => Ok(S::Completed),
        (S::Active | S::Paused, M::Fail) => Ok(S::Failed),
        // It is gone then.
        (S::Completed | S::Failed, M::Forget) => Ok(stage),
        (S::Active | S::Paused | S::Completed | S::Failed, _) => Err(IllegalFlow { stage, event }),
    }
}
