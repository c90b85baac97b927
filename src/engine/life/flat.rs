//! Moves and stages in an event: a word, and side by side with it what the word does not say. A move is named after the stage
//! it leads to (`stage:` in a task's file), or by a word of its own where two moves lead to the same one.

use super::{CompletionSource, Move, Receipt, Stage, Turn, Why};
use crate::engine::form::is_default;
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, MessageId, Millis};
use serde::{Deserialize, Serialize};

/// Where an open message stands.
#[derive(Serialize, Deserialize)]
pub(super) struct StageLine {
    stage: StageWord,
    #[serde(default, skip_serializing_if = "is_default")]
    not_before: Millis,
    #[serde(default, skip_serializing_if = "is_default")]
    turn: Option<Turn>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StageWord {
    Queued,
    Retrying,
    Intent,
    Submitted,
    Working,
    InDoubt,
    Held,
    Waiting,
    Claimed,
    Verified,
    Completed,
    Failed,
    Cancelled,
}

impl From<Stage> for StageLine {
    fn from(stage: Stage) -> Self {
        let not_before = match stage {
            Stage::Queued { not_before, .. } => not_before,
            _ => Millis(0),
        };
        let word = match stage {
            Stage::Queued { redo: None, .. } => StageWord::Queued,
            Stage::Queued { redo: Some(_), .. } => StageWord::Retrying,
            Stage::Intent(_) => StageWord::Intent,
            Stage::Submitted(_) => StageWord::Submitted,
            Stage::Working(_) => StageWord::Working,
            Stage::InDoubt(_) => StageWord::InDoubt,
            Stage::Held(_) => StageWord::Held,
            Stage::Waiting(_) => StageWord::Waiting,
            Stage::Claimed(_) => StageWord::Claimed,
            Stage::Verified(_) => StageWord::Verified,
            Stage::Finished(Outcome::Completed) => StageWord::Completed,
            Stage::Finished(Outcome::Failed) => StageWord::Failed,
            Stage::Finished(Outcome::Cancelled) => StageWord::Cancelled,
        };
        Self { stage: word, not_before, turn: stage.turn() }
    }
}

impl TryFrom<StageLine> for Stage {
    type Error = &'static str;

    fn try_from(line: StageLine) -> Result<Self, Self::Error> {
        let StageLine { stage, not_before, turn } = line;
        Ok(match stage {
            StageWord::Queued => Self::Queued { not_before, redo: None },
            StageWord::Retrying => Self::Queued { not_before, redo: Some(needed(turn)?) },
            StageWord::Intent => Self::Intent(needed(turn)?),
            StageWord::Submitted => Self::Submitted(needed(turn)?),
            StageWord::Working => Self::Working(needed(turn)?),
            StageWord::InDoubt => Self::InDoubt(needed(turn)?),
            StageWord::Held => Self::Held(needed(turn)?),
            StageWord::Waiting => Self::Waiting(needed(turn)?),
            StageWord::Claimed => Self::Claimed(needed(turn)?),
            StageWord::Verified => Self::Verified(needed(turn)?),
            StageWord::Completed => Self::Finished(Outcome::Completed),
            StageWord::Failed => Self::Finished(Outcome::Failed),
            StageWord::Cancelled => Self::Finished(Outcome::Cancelled),
        })
    }
}

fn needed(turn: Option<Turn>) -> Result<Turn, &'static str> {
    turn.ok_or("its `turn` is missing")
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MoveWord {
    Intent,
    Returned,
    Withdrawn,
    Submitted,
    Working,
    Retrying,
    InDoubt,
    Held,
    Waiting,
    Asking,
    Claimed,
    Verified,
    Reopened,
    Completed,
    Failed,
    Cancelled,
}

/// For `with`: all members of a move, whose order has the agent between the word and its turn.
pub(in crate::engine) mod moved {
    use super::{
        AgentName, CompletionSource, Deserialize, MessageId, Millis, Move, MoveWord, Outcome, Receipt,
        Serialize, Turn, Why, is_default, needed,
    };
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct MoveLine {
        id: MessageId,
        to: MoveWord,
        #[serde(default, skip_serializing_if = "is_default")]
        agent: Option<AgentName>,
        #[serde(default, skip_serializing_if = "is_default")]
        turn: Option<Turn>,
        #[serde(default, skip_serializing_if = "is_default")]
        not_before: Millis,
        #[serde(default, skip_serializing_if = "is_default")]
        redelivered: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        due: Option<Millis>,
        #[serde(default, skip_serializing_if = "is_default")]
        receipt: Option<Receipt>,
        #[serde(default, skip_serializing_if = "is_default")]
        source: Option<CompletionSource>,
        #[serde(default, skip_serializing_if = "is_default")]
        why: Option<String>,
    }

    /// The members of `Event::Moved`.
    type Members = (MessageId, Move, Option<AgentName>, Option<Millis>, Why);

    pub(in crate::engine) fn serialize<S: Serializer>(
        id: &MessageId,
        to: &Move,
        agent: &Option<AgentName>,
        due: &Option<Millis>,
        why: &Why,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let bare = |to| (to, None, Millis(0), false);
        let (to, turn, not_before, redelivered) = match *to {
            Move::Intend(turn) => (MoveWord::Intent, Some(turn), Millis(0), false),
            Move::Retry { not_before, redelivered } => (MoveWord::Retrying, None, not_before, redelivered),
            Move::Return { not_before } => (MoveWord::Returned, None, not_before, false),
            Move::Withdraw => bare(MoveWord::Withdrawn),
            Move::Submit => bare(MoveWord::Submitted),
            Move::Take => bare(MoveWord::Working),
            Move::Doubt => bare(MoveWord::InDoubt),
            Move::Hold => bare(MoveWord::Held),
            Move::Rest => bare(MoveWord::Waiting),
            Move::Ask => bare(MoveWord::Asking),
            Move::Claim => bare(MoveWord::Claimed),
            Move::Verify => bare(MoveWord::Verified),
            Move::Reopen => bare(MoveWord::Reopened),
            Move::Finish(Outcome::Completed) => bare(MoveWord::Completed),
            Move::Finish(Outcome::Failed) => bare(MoveWord::Failed),
            Move::Finish(Outcome::Cancelled) => bare(MoveWord::Cancelled),
        };
        let (receipt, source, why) = match why {
            Why::Plain => (None, None, None),
            Why::Receipt(receipt) => (Some(*receipt), None, None),
            Why::Source(source) => (None, Some(*source), None),
            Why::Text(text) => (None, None, Some(text.clone())),
        };
        let (id, agent, due) = (id.clone(), agent.clone(), *due);
        MoveLine { id, to, agent, turn, not_before, redelivered, due, receipt, source, why }
            .serialize(serializer)
    }

    pub(in crate::engine) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Members, D::Error> {
        let line = MoveLine::deserialize(from)?;
        let to = match line.to {
            MoveWord::Intent => Move::Intend(needed(line.turn).map_err(D::Error::custom)?),
            MoveWord::Retrying => Move::Retry { not_before: line.not_before, redelivered: line.redelivered },
            MoveWord::Returned => Move::Return { not_before: line.not_before },
            MoveWord::Withdrawn => Move::Withdraw,
            MoveWord::Submitted => Move::Submit,
            MoveWord::Working => Move::Take,
            MoveWord::InDoubt => Move::Doubt,
            MoveWord::Held => Move::Hold,
            MoveWord::Waiting => Move::Rest,
            MoveWord::Asking => Move::Ask,
            MoveWord::Claimed => Move::Claim,
            MoveWord::Verified => Move::Verify,
            MoveWord::Reopened => Move::Reopen,
            MoveWord::Completed => Move::Finish(Outcome::Completed),
            MoveWord::Failed => Move::Finish(Outcome::Failed),
            MoveWord::Cancelled => Move::Finish(Outcome::Cancelled),
        };
        let why = match (line.receipt, line.source, line.why) {
            (None, None, None) => Why::Plain,
            (Some(receipt), None, None) => Why::Receipt(receipt),
            (None, Some(source), None) => Why::Source(source),
            (None, None, Some(text)) => Why::Text(text),
            _ => return Err(D::Error::custom("a move has more than one of `receipt`, `source` and `why`")),
        };
        Ok((line.id, to, line.agent, line.due, why))
    }
}
