//! The life of a step: its stages, what moves it, and the one total function that does so. `protocol/LIFE.md` has its table, written by
//! a test.

use crate::engine::form::as_text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepStage {
    /// Something that it needs has not ended.
    Pending,
    /// It may begin, as soon as the flow has room for it.
    Ready,
    /// Its worktree is being made, or its agent is being hired.
    Preparing,
    /// It is in the hands of an agent, as a message.
    Sent,
    /// Done.
    Completed,
    /// Its message has failed or was cancelled, or it could not be prepared.
    Failed,
    /// It will not be done.
    Cancelled(CancelCause),
}

/// Why a step will not be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelCause {
    /// A step that it needs was not completed: it waits again when that one is retried.
    NeedFailed,
    /// Its whole flow was cancelled: it waits again when somebody resumes that.
    Called,
}

impl StepStage {
    /// Every one of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Pending,
        Self::Ready,
        Self::Preparing,
        Self::Sent,
        Self::Completed,
        Self::Failed,
        Self::Cancelled(CancelCause::NeedFailed),
        Self::Cancelled(CancelCause::Called),
    ];

    /// The word for it. Both ways to be cancelled have one.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Preparing => "preparing",
            Self::Sent => "sent",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled(_) => "cancelled",
        }
    }

    /// The word in the journal, which tells the two ways apart.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Cancelled(CancelCause::NeedFailed) => "skipped",
            other => other.word(),
        }
    }

    /// What it means.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Pending => "something that it needs has not ended",
            Self::Ready => "it may begin, as soon as the flow has room for it",
            Self::Preparing => "its worktree is being made, or its agent is being hired",
            Self::Sent => "it is in the hands of an agent, as a message",
            Self::Completed => "its message is completed",
            Self::Failed => "its message has failed or was cancelled, or it could not be prepared",
            Self::Cancelled(CancelCause::NeedFailed) => "a step that it needs was not completed",
            Self::Cancelled(CancelCause::Called) => {
                "its whole flow was cancelled: it waits again when that is resumed"
            }
        }
    }

    /// Whether it has ended. A retry may open it again.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        match self {
            Self::Pending | Self::Ready | Self::Preparing | Self::Sent => false,
            Self::Completed | Self::Failed | Self::Cancelled(_) => true,
        }
    }

    /// Whether it takes one of the places that a flow has at the same time.
    #[must_use]
    pub const fn is_under_way(self) -> bool {
        matches!(self, Self::Preparing | Self::Sent)
    }
}

as_text!(
    StepStage,
    "the stage of a step",
    |text| {
        let found = StepStage::ALL.into_iter().find(|stage| stage.key() == text);
        found.ok_or("is not known to this version")
    },
    key
);

impl fmt::Display for StepStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What moves a step on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepMove {
    /// The steps before it have ended as its [`Join`](super::unmet::Join) asks.
    NeedsMet,
    /// Its worktree is wanted, or its agent.
    Prepare,
    /// Its message was accepted.
    Send,
    /// Its message is completed.
    Complete,
    /// Its message has ended otherwise, or it could not be prepared.
    Fail,
    /// It is not to be done.
    Cancel(CancelCause),
    /// It is to be done again.
    Retry,
    /// A step that it needs is done again, and what it was given has changed with that.
    Reopen,
}

impl StepMove {
    /// Every one of them, in order.
    pub const ALL: [Self; 9] = [
        Self::NeedsMet,
        Self::Prepare,
        Self::Send,
        Self::Complete,
        Self::Fail,
        Self::Cancel(CancelCause::NeedFailed),
        Self::Cancel(CancelCause::Called),
        Self::Retry,
        Self::Reopen,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NeedsMet => "needs_met",
            Self::Prepare => "prepare",
            Self::Send => "send",
            Self::Complete => "complete",
            Self::Fail => "fail",
            Self::Cancel(CancelCause::NeedFailed) => "skip",
            Self::Cancel(CancelCause::Called) => "cancel",
            Self::Retry => "retry",
            Self::Reopen => "reopen",
        }
    }

    /// When it is made.
    #[must_use]
    pub const fn when(self) -> &'static str {
        match self {
            Self::NeedsMet => {
                "all that it needs is completed; with `join: any`, all has ended and one is completed"
            }
            Self::Prepare => "the flow has room for it, and its worktree or its agent is not there yet",
            Self::Send => "its message is accepted, in the same line of the journal",
            Self::Complete => "its message is completed",
            Self::Fail => "its message has ended otherwise, or it could not be prepared",
            Self::Cancel(CancelCause::NeedFailed) => {
                "a step that it needs was not completed, and the flow goes on without it"
            }
            Self::Cancel(CancelCause::Called) => "somebody cancels its whole flow",
            Self::Retry => {
                "somebody retries it, if completed with another text, or the step that it was cancelled for, or resumes the flow with which it was cancelled"
            }
            Self::Reopen => "somebody retries a step that it needs with another text",
        }
    }
}

as_text!(
    StepMove,
    "the move of a step",
    |text| {
        let found = StepMove::ALL.into_iter().find(|event| event.word() == text);
        found.ok_or("is not known to this version")
    },
    word
);

/// A move that its stage does not allow: a bug or a damaged journal, never a user's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a step that is {stage} cannot {}", event.word())]
pub struct IllegalStep {
    pub stage: StepStage,
    /// What came.
    pub event: StepMove,
}

/// Moves a step on. Total: every pair of stage and move has an answer.
///
/// # Errors
/// [`IllegalStep`] for a pair that cannot happen.
pub fn next(stage: StepStage, event: StepMove) -> Result<StepStage, IllegalStep> {
    use StepMove as M;
    use StepStage as S;
    let new = match (stage, event) {
        (S::Pending, M::NeedsMet) => S::Ready,
        (S::Ready, M::Prepare) => S::Preparing,
        (S::Ready | S::Preparing, M::Send) => S::Sent,
        (S::Sent, M::Complete) => S::Completed,
        (S::Preparing | S::Sent, M::Fail) => S::Failed,
        // What has begun has met its needs, and is not cancelled for them any more.
        (S::Pending, M::Cancel(CancelCause::NeedFailed)) => S::Cancelled(CancelCause::NeedFailed),
        (S::Pending | S::Ready | S::Preparing | S::Sent, M::Cancel(CancelCause::Called)) => {
            S::Cancelled(CancelCause::Called)
        }
        (S::Completed | S::Failed, M::Retry) => S::Ready,
        (S::Cancelled(_), M::Retry) => S::Pending,
        // What is called off stays so until its flow is resumed, whatever becomes of others.
        (S::Ready | S::Completed | S::Failed | S::Cancelled(CancelCause::NeedFailed), M::Reopen) => {
            S::Pending
        }
        (S::Pending | S::Ready | S::Preparing | S::Sent | S::Completed | S::Failed | S::Cancelled(_), _) => {
            return Err(IllegalStep { stage, event });
        }
    };
    Ok(new)
}
