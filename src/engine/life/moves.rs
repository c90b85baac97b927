//! What moves a message and how that is known, and the form of a move in an event: a word, and side by side with it what the word
//! does not say. A move is named after the stage it leads to, or by a word of its own where two moves lead to the same one.

use super::stage::{Turn, needed};
use crate::engine::form::is_default;
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, MessageId, Millis};
use serde::{Deserialize, Serialize};

/// How it is known that the agent got a turn, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    /// Enter was pressed; nothing more can be seen.
    EnterOnly,
    /// The line was echoed and Enter pressed, but its reading cannot be seen (raw mode, no terminal queue).
    Echoed,
    /// The terminal's input queue went back to zero: the program has read the line.
    Read,
    /// It is in the agent's own record of its session.
    Recorded,
    /// The agent said so itself.
    Acknowledged,
}

/// How it is known that a task is done, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// What moves a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// It will be typed now.
    Intend(Turn),
    /// Nothing was typed: a guard closed or the token was in the content.
    Withdraw,
    /// Enter was pressed.
    Submit,
    /// The agent has read it.
    Take,
    /// It was not delivered, its agent died, or it waits for a moment that a wrong clock set; try again at this moment.
    Retry {
        not_before: Millis,
        /// Whether the agent may have seen it.
        redelivered: bool,
    },
    /// Its agent is gone and it was sent to a pool: whoever is free first gets it from this moment on.
    Return { not_before: Millis },
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

/// Evidence or cause of a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Why {
    /// Nothing to add.
    #[default]
    Plain,
    /// What proved the delivery.
    Receipt(Receipt),
    /// What said that it is done.
    Source(CompletionSource),
    /// A sentence.
    Text(String),
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
