//! The life of one message: its stages, what moves it, and the one total function that does so.
//! The same function runs and recovers; `protocol/LIFE.md` is its table, written by a test.

pub(in crate::engine) mod close;
pub(in crate::engine) mod deadline;
pub(in crate::engine) mod deliver;
pub mod interrupt;
pub(in crate::engine) mod proof;
pub mod queue;
pub(in crate::engine) mod report;
pub mod said;
pub(in crate::engine) mod stall;

use super::message::{Outcome, Status};
use super::words::{Millis, Token};
pub use crate::engine::screen::doorbell::TurnKind;

/// One doorbell and what may come of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// First turn is 1. A redelivery keeps its number and token; to somebody else, its number.
    pub number: u16,
    /// What it asks.
    pub kind: TurnKind,
    /// Proves that an answer belongs to this turn; none for info and for agents without tokens.
    pub token: Option<Token>,
    /// Whether it may have been typed before.
    pub redelivered: bool,
}

/// How it is known that the agent got a turn, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Receipt {
    /// Enter was pressed; nothing more can be seen.
    EnterOnly,
    /// The line was echoed and Enter pressed, but its reading cannot be seen (raw mode, no terminal queue).
    Echoed,
    /// The terminal's input queue went back to zero: the program has read the line.
    Read,
    /// It stands in the agent's own record of its session.
    Recorded,
    /// The agent said so itself.
    Acknowledged,
}

/// How it is known that a task is done, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionSource {
    /// `tasuki reply`, or a drop of type result or error.
    Reply,
    /// A provider's hook.
    Hook,
    /// Phrase and token on the screen.
    Marker,
    /// A one-shot program ended well.
    ProcessExit,
    /// It fell silent, and its provider takes that for done.
    Idle,
    /// A person took what it had said for the answer.
    Person,
}

/// Where a message stands. Each stage carries its own data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// In its agent's queue, or before a retry.
    Queued {
        /// Not to be typed before this moment.
        not_before: Millis,
        /// The turn to be typed, if one was tried or called back.
        redo: Option<Turn>,
    },
    /// Journalled, about to be typed. A crash here leaves it in doubt.
    Intent(Turn),
    /// Typed, Enter pressed, without proof that it was read.
    Submitted(Turn),
    /// The agent has it.
    Working(Turn),
    /// Nobody knows yet whether it was delivered.
    InDoubt(Turn),
    /// In doubt, and a person has to say what to do.
    Held(Turn),
    /// The turn is over and answers from others are awaited.
    Waiting(Turn),
    /// The agent says it is done; the evidence is looked at.
    Claimed(Turn),
    /// The evidence is there; the result is being written.
    Verified(Turn),
    /// Ended.
    Finished(Outcome),
}

/// What moves a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// It will be typed now.
    Intend(Turn),
    /// Nothing was typed: a guard closed or the token stood in the content.
    Withdraw,
    /// Enter was pressed.
    Submit,
    /// The agent has read it.
    Take,
    /// It was not delivered, its agent died, or it waits for a moment that a wrong clock set; try again at this moment.
    Retry {
        /// When.
        not_before: Millis,
        /// Whether the agent may have seen it.
        redelivered: bool,
    },
    /// Its agent is gone and it was sent to a pool: whoever is free first gets it from this moment on.
    Return {
        /// When.
        not_before: Millis,
    },
    /// It cannot be told whether it was delivered.
    Doubt,
    /// A person has to decide.
    Hold,
    /// The turn is over, and others' answers are awaited.
    Rest,
    /// The turn is over with a question of its agent's: a reminder would be taken for the answer.
    Ask,
    /// The agent said it is done.
    Claim,
    /// The evidence is there.
    Verify,
    /// A check failed; the agent gets another turn.
    Reopen,
    /// It ended.
    Finish(Outcome),
}

/// A move that its stage does not allow: a bug or a damaged journal, never a user's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message in stage {stage:?} cannot {event:?}")]
pub struct Illegal {
    /// Where it stood.
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
        _ => return Err(Illegal { stage, event }),
    };
    Ok(new)
}

/// A turn that goes back into the queue.
fn back(turn: Turn, not_before: Millis, redelivered: bool) -> Stage {
    let turn = Turn { redelivered: turn.redelivered || redelivered, ..turn };
    Stage::Queued { not_before, redo: Some(turn) }
}

impl Stage {
    /// A message that was just accepted.
    #[must_use]
    pub const fn accepted(not_before: Millis) -> Self {
        Self::Queued { not_before, redo: None }
    }

    /// The turn that is under way or to be tried again.
    #[must_use]
    pub fn turn(self) -> Option<Turn> {
        match self {
            Self::Queued { redo, .. } => redo,
            Self::Intent(turn)
            | Self::Submitted(turn)
            | Self::Working(turn)
            | Self::InDoubt(turn)
            | Self::Held(turn)
            | Self::Waiting(turn)
            | Self::Claimed(turn)
            | Self::Verified(turn) => Some(turn),
            Self::Finished(_) => None,
        }
    }

    /// Whether its agent is taken up by it.
    #[must_use]
    pub fn occupies(self) -> bool {
        !matches!(self, Self::Queued { .. } | Self::Held(_) | Self::Finished(_))
    }

    /// The contract's word (`status:`).
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Queued { .. } => Status::Pending,
            Self::Finished(outcome) => outcome.status(),
            _ => Status::InProgress,
        }
    }

    /// The finer word (`stage:`).
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued { redo: None, .. } => "queued",
            Self::Queued { .. } => "retrying",
            Self::Intent(_) => "intent",
            Self::Submitted(_) => "submitted",
            Self::Working(_) => "working",
            Self::InDoubt(_) => "in_doubt",
            Self::Held(_) => "held",
            Self::Waiting(_) => "waiting",
            Self::Claimed(_) => "claimed",
            Self::Verified(_) => "verified",
            Self::Finished(Outcome::Completed) => "completed",
            Self::Finished(Outcome::Failed) => "failed",
            Self::Finished(Outcome::Cancelled) => "cancelled",
        }
    }
}

impl CompletionSource {
    /// The contract's word (`completion_source:`).
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Hook => "hook",
            Self::Marker => "marker",
            Self::ProcessExit => "process_exit",
            Self::Idle => "idle",
            Self::Person => "person",
        }
    }
}

impl Receipt {
    /// The word in the journal and in `tasuki why`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::EnterOnly => "enter_only",
            Self::Echoed => "echoed",
            Self::Read => "read",
            Self::Recorded => "recorded",
            Self::Acknowledged => "acknowledged",
        }
    }
}
