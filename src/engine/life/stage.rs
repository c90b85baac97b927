//! Where a message is: its stages with all that each of them holds, and the table of their names, from which whoever shows,
//! waits for, or reads back a stage has what is to be known of it.

use crate::engine::form::is_default;
use crate::engine::message::{Outcome, Status};
use crate::engine::screen::doorbell::TurnKind;
use crate::engine::words::{Millis, Token};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One doorbell and what may come of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// First turn is 1. A redelivery keeps its number and token; to somebody else, its number.
    pub number: u16,
    /// What it asks.
    pub kind: TurnKind,
    /// Proves that an answer belongs to this turn; none for info and for agents without tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub token: Option<Token>,
    /// Whether it may have been typed before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub redelivered: bool,
}

/// Where a message is. Each stage carries its own data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StageLine", into = "StageLine")]
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

impl Stage {
    /// A message that was just accepted.
    #[must_use]
    pub const fn accepted(not_before: Millis) -> Self {
        Self::Queued { not_before, redo: None }
    }

    /// Not to be typed before this moment, if it is queued.
    #[must_use]
    pub fn not_before(self) -> Option<Millis> {
        match self {
            Self::Queued { not_before, .. } => Some(not_before),
            Self::Intent(_)
            | Self::Submitted(_)
            | Self::Working(_)
            | Self::InDoubt(_)
            | Self::Held(_)
            | Self::Waiting(_)
            | Self::Claimed(_)
            | Self::Verified(_)
            | Self::Finished(_) => None,
        }
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

    /// The turn to be typed again, if it is queued.
    #[must_use]
    pub fn redo(self) -> Option<Turn> {
        self.turn().filter(|_| self.is_queued())
    }

    /// How it is treated.
    #[must_use]
    pub fn category(self) -> Category {
        self.name().category()
    }

    /// Whether it is in a queue, or will be when its dependencies are completed.
    #[must_use]
    pub fn is_queued(self) -> bool {
        self.category() == Category::Queued
    }

    /// Whether its turn is on its way to its agent, or with it.
    #[must_use]
    pub fn is_under_way(self) -> bool {
        self.category() == Category::UnderWay
    }

    /// Whether its turn is about to be typed.
    #[must_use]
    pub fn is_intent(self) -> bool {
        self.name() == StageName::Intent
    }

    /// Whether nobody knows yet if its turn was delivered.
    #[must_use]
    pub fn is_in_doubt(self) -> bool {
        self.name() == StageName::InDoubt
    }

    /// Whether its agent has its turn, and the turn is not over.
    #[must_use]
    pub fn is_worked_on(self) -> bool {
        self.is_under_way() && self.name().is_delivered()
    }

    /// Whether its turn is over, and answers or a person are awaited.
    #[must_use]
    pub fn is_waiting(self) -> bool {
        self.category() == Category::Waiting
    }

    /// Whether it has a turn that is not under way: evidence that comes late may be about it.
    #[must_use]
    pub fn is_put_back(self) -> bool {
        !self.occupies() && self.turn().is_some()
    }

    /// Whether its turn may have been typed, or is about to be.
    #[must_use]
    pub fn may_be_typed(self) -> bool {
        self.turn().is_some_and(|turn| turn.redelivered || !self.is_queued())
    }

    /// Whether its agent is taken up by it.
    #[must_use]
    pub fn occupies(self) -> bool {
        match self.category() {
            Category::UnderWay | Category::Waiting | Category::Closing => true,
            Category::Queued | Category::Held | Category::Ended => false,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> StageName {
        match self {
            Self::Queued { redo: None, .. } => StageName::Queued,
            Self::Queued { .. } => StageName::Retrying,
            Self::Intent(_) => StageName::Intent,
            Self::Submitted(_) => StageName::Submitted,
            Self::Working(_) => StageName::Working,
            Self::InDoubt(_) => StageName::InDoubt,
            Self::Held(_) => StageName::Held,
            Self::Waiting(_) => StageName::Waiting,
            Self::Claimed(_) => StageName::Claimed,
            Self::Verified(_) => StageName::Verified,
            Self::Finished(Outcome::Completed) => StageName::Completed,
            Self::Finished(Outcome::Failed) => StageName::Failed,
            Self::Finished(Outcome::Cancelled) => StageName::Cancelled,
        }
    }

    /// The contract's word (`status:`).
    #[must_use]
    pub fn status(self) -> Status {
        self.name().status()
    }

    /// The finer word (`stage:`).
    #[must_use]
    pub fn word(self) -> &'static str {
        self.name().word()
    }
}

/// Whose time passes in a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spent {
    /// Nobody has it yet, or a person must decide.
    InQueue,
    ByAgent,
    /// Others have parts of it.
    OnAnswers,
    /// It has ended.
    Over,
}

/// How a message is treated. What the engine does follows from this, so a stage in a known category needs nothing more there; a new
/// category does not compile before each place that tells them apart has been seen to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// In a queue, or before a retry: it is typed when its turn comes.
    Queued,
    /// Its turn is being typed, delivered, or worked on.
    UnderWay,
    /// A person decides; its agent is free.
    Held,
    /// Its turn is over; its agent is free for nothing else.
    Waiting,
    /// Reported as done; its end is being recorded.
    Closing,
    /// Nothing moves it any more.
    Ended,
}

/// One line a stage: its name, the word in `stage:`, the contract's word, how it is treated, whether its turn is proven to be
/// delivered by then, whose time passes, what it is called behind "is", and what it means.
macro_rules! stages {
    ($($name:ident $word:literal $status:ident $category:ident $delivered:literal $spent:ident $said:literal $meaning:literal;)+) => {
        /// The finer word (`stage:`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum StageName {
            $(#[doc = $meaning] #[serde(rename = $word)] $name,)+
        }

        impl StageName {
            /// Every one of them, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The word in `stage:`.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }

            /// The contract's word (`status:`).
            #[must_use]
            pub const fn status(self) -> Status {
                match self { $(Self::$name => Status::$status,)+ }
            }

            /// How it is treated.
            #[must_use]
            pub const fn category(self) -> Category {
                match self { $(Self::$name => Category::$category,)+ }
            }

            /// Whether its turn is proven to be delivered.
            #[must_use]
            pub const fn is_delivered(self) -> bool {
                match self { $(Self::$name => $delivered,)+ }
            }

            /// Whose time passes.
            #[must_use]
            pub const fn spent(self) -> Spent {
                match self { $(Self::$name => Spent::$spent,)+ }
            }

            /// What a person says behind "is".
            #[must_use]
            pub const fn said(self) -> &'static str {
                match self { $(Self::$name => $said,)+ }
            }

            /// What it means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

stages! {
    Queued "queued" Pending Queued false InQueue "queued" "accepted; waits in the queue of its agent or pool, or for what it depends on";
    Retrying "retrying" Pending Queued false InQueue "retrying" "back in the queue with a turn that was tried or withdrawn";
    Intent "intent" InProgress UnderWay false ByAgent "being typed" "recorded as about to be typed; the line may or may not be on the screen";
    Submitted "submitted" InProgress UnderWay true ByAgent "submitted" "typed, and Enter was pressed; nothing proves yet that it was read";
    Working "working" InProgress UnderWay true ByAgent "at work" "the agent has it";
    InDoubt "in_doubt" InProgress UnderWay false InQueue "in doubt" "it is unknown whether it was delivered; tasuki is looking at the pane";
    Held "held" InProgress Held false InQueue "held" "in doubt with `on_doubt: hold`: a person decides (`tasuki retry` or `cancel`)";
    Waiting "waiting" InProgress Waiting true OnAnswers "waiting" "its turn is over; it waits for answers of its parts, a reminder, or a person";
    Claimed "claimed" InProgress Closing true ByAgent "reported as done" "the agent says it is done; the evidence is being checked";
    Verified "verified" InProgress Closing true ByAgent "verified" "the evidence is there; the result is being written";
    Completed "completed" Completed Ended false Over "completed" "it has ended, and nothing moves it any more";
    Failed "failed" Failed Ended false Over "failed" "it has ended, and nothing moves it any more";
    Cancelled "cancelled" Cancelled Ended false Over "called off" "it has ended, and nothing moves it any more";
}

impl StageName {
    /// The stage with this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.word() == word)
    }

    /// Whether nothing moves it any more.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        matches!(self.category(), Category::Ended)
    }

    /// Whether a person decides what becomes of it.
    #[must_use]
    pub const fn is_held(self) -> bool {
        matches!(self.category(), Category::Held)
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A stage as an event has it: its name, and side by side with it what the name does not say.
#[derive(Serialize, Deserialize)]
struct StageLine {
    stage: StageName,
    #[serde(default, skip_serializing_if = "is_default")]
    not_before: Millis,
    #[serde(default, skip_serializing_if = "is_default")]
    turn: Option<Turn>,
}

impl From<Stage> for StageLine {
    fn from(stage: Stage) -> Self {
        Self { stage: stage.name(), not_before: stage.not_before().unwrap_or_default(), turn: stage.turn() }
    }
}

impl TryFrom<StageLine> for Stage {
    type Error = &'static str;

    fn try_from(line: StageLine) -> Result<Self, Self::Error> {
        let StageLine { stage, not_before, turn } = line;
        Ok(match stage {
            StageName::Queued => Self::Queued { not_before, redo: None },
            StageName::Retrying => Self::Queued { not_before, redo: Some(needed(turn)?) },
            StageName::Intent => Self::Intent(needed(turn)?),
            StageName::Submitted => Self::Submitted(needed(turn)?),
            StageName::Working => Self::Working(needed(turn)?),
            StageName::InDoubt => Self::InDoubt(needed(turn)?),
            StageName::Held => Self::Held(needed(turn)?),
            StageName::Waiting => Self::Waiting(needed(turn)?),
            StageName::Claimed => Self::Claimed(needed(turn)?),
            StageName::Verified => Self::Verified(needed(turn)?),
            StageName::Completed => Self::Finished(Outcome::Completed),
            StageName::Failed => Self::Finished(Outcome::Failed),
            StageName::Cancelled => Self::Finished(Outcome::Cancelled),
        })
    }
}

/// The turn that such a line must have.
pub(super) fn needed(turn: Option<Turn>) -> Result<Turn, &'static str> {
    turn.ok_or("its `turn` is missing")
}
