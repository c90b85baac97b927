//! The life of one message: its stages, what moves it, and the one total function that does so.
//! The same function runs and recovers; `protocol/LIFE.md` is its table, written by a test.

pub(in crate::engine) mod check;
pub(in crate::engine) mod close;
pub(in crate::engine) mod deadline;
pub(in crate::engine) mod deliver;
pub mod interrupt;
pub mod interrupted;
mod moves;
pub(in crate::engine) mod owed;
pub(in crate::engine) mod proof;
pub mod queue;
pub(in crate::engine) mod report;
pub mod said;
mod stage;
pub(in crate::engine) mod stall;

use super::words::Millis;
pub use crate::engine::screen::doorbell::TurnKind;
pub(in crate::engine) use moves::moved;
pub use moves::{CompletionSource, Move, Receipt, Why};
pub use stage::{Category, Spent, Stage, StageName, Turn};

/// A move that its stage does not allow: a bug or a damaged journal, never a user's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message in stage {stage:?} cannot {event:?}")]
pub struct Illegal {
    pub stage: Stage,
    /// What came.
    pub event: Move,
}

/// Moves a message on. Total: every pair of stage and move has an answer.
///
/// # Errors
/// [`Illegal`] for a pair that cannot happen.
pub fn next(stage: Stage, event: Move) -> Result<Stage, Illegal> {
    use Move as M;
    use Stage as S;
    let new = match (stage, event) {
        (S::Finished(_), _) => return Err(Illegal { stage, event }),
        (_, M::Finish(outcome)) => S::Finished(outcome),
        (S::Queued { .. } | S::Waiting(_), M::Intend(turn)) => S::Intent(turn),
        (S::Intent(turn) | S::InDoubt(turn), M::Withdraw) => {
            S::Queued { not_before: Millis(0), redo: Some(turn) }
        }
        (S::Intent(turn) | S::InDoubt(turn), M::Submit) => S::Submitted(turn),
        (S::Intent(turn) | S::Submitted(turn) | S::InDoubt(turn), M::Take) => S::Working(turn),
        (S::Intent(turn) | S::Submitted(turn), M::Doubt) => S::InDoubt(turn),
        // Evidence that comes after the message was put back, or given to a person to decide.
        (S::Queued { redo: Some(turn), .. } | S::Held(turn), M::Submit) => S::Submitted(turn),
        (S::Queued { redo: Some(turn), .. } | S::Held(turn), M::Take) => S::Working(turn),
        (S::Queued { redo: Some(turn), .. } | S::Held(turn), M::Rest) => S::Waiting(turn),
        (S::Queued { redo: Some(turn), .. } | S::Held(turn), M::Claim) => S::Claimed(turn),
        // It waits for a moment that is far off only because a clock was wrong.
        (S::Queued { redo, .. }, M::Retry { not_before, .. }) => S::Queued { not_before, redo },
        (S::Held(turn), M::Retry { not_before, redelivered }) => back(turn, not_before, redelivered),
        (S::Queued { redo: Some(turn), .. } | S::Held(turn), M::Return { not_before }) => {
            back(turn, not_before, true)
        }
        (
            S::Intent(turn) | S::Submitted(turn) | S::Working(turn) | S::InDoubt(turn) | S::Waiting(turn),
            event,
        ) => match event {
            M::Retry { not_before, redelivered } => back(turn, not_before, redelivered),
            M::Return { not_before } => back(turn, not_before, true),
            M::Hold => S::Held(turn),
            M::Claim => S::Claimed(turn),
            M::Rest | M::Ask if !matches!(stage, S::Waiting(_)) => S::Waiting(turn),
            _ => return Err(Illegal { stage, event }),
        },
        (S::Claimed(turn), M::Verify) => S::Verified(turn),
        (S::Claimed(turn), M::Reopen) => S::Waiting(turn),
        // It was claimed late, when nobody had it any more, or its agent had something else.
        (S::Claimed(turn), M::Retry { not_before, redelivered }) => back(turn, not_before, redelivered),
        _ => return Err(Illegal { stage, event }),
    };
    Ok(new)
}

/// A turn that goes back into the queue.
fn back(turn: Turn, not_before: Millis, redelivered: bool) -> Stage {
    let turn = Turn { redelivered: turn.redelivered || redelivered, ..turn };
    Stage::Queued { not_before, redo: Some(turn) }
}
