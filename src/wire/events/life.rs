//! Turns, moves and stages in the journal. A move is named after the stage it leads to (`stage:` in a task's file),
//! or by a word of its own where two moves lead to the same one.

use super::field::{self, Wire, is_default};
use super::span::flaw;
use crate::engine::event::{Event, Why};
use crate::engine::life::{CompletionSource, Move, Receipt, Stage, Turn, TurnKind};
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, MessageId, Millis, Token};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Error;

/// `moved`.
#[derive(Serialize, Deserialize)]
pub(super) struct MovedPart {
    #[serde(with = "field")]
    id: MessageId,
    to: MoveWord,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    agent: Option<AgentName>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    turn: Option<Turn>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    not_before: Millis,
    #[serde(default, skip_serializing_if = "is_default")]
    redelivered: bool,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    due: Option<Millis>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    receipt: Option<Receipt>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    source: Option<CompletionSource>,
    #[serde(default, skip_serializing_if = "is_default")]
    why: Option<String>,
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

/// Where an open message stands; part of `kept_open`.
#[derive(Serialize, Deserialize)]
pub(super) struct StagePart {
    stage: StageWord,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    not_before: Millis,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
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

impl MovedPart {
    /// The event's fields, one by one.
    pub(super) fn new(
        id: &MessageId,
        to: Move,
        agent: Option<&AgentName>,
        due: Option<Millis>,
        why: &Why,
    ) -> Self {
        let bare = |to| (to, None, Millis(0), false);
        let (to, turn, not_before, redelivered) = match to {
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
        let (id, agent) = (id.clone(), agent.cloned());
        Self { id, to, agent, turn, not_before, redelivered, due, receipt, source, why }
    }

    /// The event.
    pub(super) fn event(self) -> Result<Event, Error> {
        let to = match self.to {
            MoveWord::Intent => Move::Intend(needed(self.turn)?),
            MoveWord::Retrying => Move::Retry { not_before: self.not_before, redelivered: self.redelivered },
            MoveWord::Returned => Move::Return { not_before: self.not_before },
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
        let why = match (self.receipt, self.source, self.why) {
            (None, None, None) => Why::Plain,
            (Some(receipt), None, None) => Why::Receipt(receipt),
            (None, Some(source), None) => Why::Source(source),
            (None, None, Some(text)) => Why::Text(text),
            _ => return Err(flaw("a move has more than one of `receipt`, `source` and `why`")),
        };
        Ok(Event::Moved { id: self.id, to, agent: self.agent, due: self.due, why })
    }
}

impl From<Stage> for StagePart {
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

impl TryFrom<StagePart> for Stage {
    type Error = Error;

    fn try_from(part: StagePart) -> Result<Self, Error> {
        let StagePart { stage, not_before, turn } = part;
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

#[derive(Serialize, Deserialize)]
#[serde(remote = "Turn")]
struct TurnWire {
    number: u16,
    #[serde(with = "TurnKindWire")]
    kind: TurnKind,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    token: Option<Token>,
    #[serde(default, skip_serializing_if = "is_default")]
    redelivered: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TurnKind", rename_all = "snake_case")]
enum TurnKindWire {
    Task,
    Answers,
    Feedback,
    Reminder,
    Info,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Receipt", rename_all = "snake_case")]
enum ReceiptWire {
    EnterOnly,
    Echoed,
    Read,
    Recorded,
    Acknowledged,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "CompletionSource", rename_all = "snake_case")]
enum SourceWire {
    Reply,
    Hook,
    Marker,
    ProcessExit,
    Idle,
    Person,
}

impl Wire for Turn {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        TurnWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        TurnWire::deserialize(from)
    }
}

impl Wire for Receipt {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ReceiptWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ReceiptWire::deserialize(from)
    }
}

impl Wire for CompletionSource {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        SourceWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        SourceWire::deserialize(from)
    }
}

fn needed(turn: Option<Turn>) -> Result<Turn, Error> {
    turn.ok_or_else(|| flaw("its `turn` is missing"))
}
