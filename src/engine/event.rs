//! What happened, as the journal keeps it. Ids, tokens and times are in the events: replay mints nothing.

use super::life::{CompletionSource, Move, Receipt};
use super::message::{Body, Kind, Message, Outcome};
use super::state::{Agent, Finished, Open};
use super::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey};
use crate::engine::life::interrupted::Interrupted;
use crate::engine::message::refusal::Code;
use crate::engine::team::need::{AnsweredBy, Need};
use std::sync::Arc;

/// One thing that happened. A step is a list of these, durable as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A message was accepted.
    Accepted {
        /// All but its content.
        message: Box<Message>,
        /// The content.
        body: Body,
        /// Not to be typed before this moment (rates).
        not_before: Millis,
        /// Dependencies that have not been completed.
        unmet: Vec<MessageId>,
        /// The claimed file (`SEQ-ZONE-NAME`), if it came as one: a claim that is in the journal is not read again.
        name: Option<Arc<str>>,
        /// Unknown top-level keys, kept in the body.
        unknown_keys: Vec<String>,
    },
    /// A message came again, unchanged, and was dropped.
    Duplicate {
        /// Its id.
        id: MessageId,
        /// The claimed file (`SEQ-ZONE-NAME`), if it came as one.
        name: Option<Arc<str>>,
    },
    /// A drop was refused.
    Refused {
        /// The claimed file (`SEQ-ZONE-NAME`), if it came as one: it is set aside, and not read again.
        name: Option<Arc<str>>,
        /// Its sender, as far as it is known.
        from: Option<AgentName>,
        /// The class.
        code: Code,
        /// What is wrong with it.
        why: String,
    },
    /// A message moved on.
    Moved {
        /// Which.
        id: MessageId,
        /// Where to.
        to: Move,
        /// Who works on it from now on; none where that does not change.
        agent: Option<AgentName>,
        /// When the turn is overdue, from its delivery on until it is over.
        due: Option<Millis>,
        /// Evidence or cause, in words.
        why: Why,
    },
    /// What was said in a turn that ended without a claim, or given as the answer while parts were open.
    Said {
        /// Of which task.
        id: MessageId,
        /// In which turn; 0 if it was given as the answer.
        turn: u16,
        /// All that was said in it so far.
        text: Arc<str>,
        /// Whether its beginning could not be had.
        truncated: bool,
        /// Whether its program showed it in place of words.
        notice: bool,
    },
    /// A message ended.
    Ended {
        /// Which.
        id: MessageId,
        /// How.
        outcome: Outcome,
        /// What its sender gets; every task has one, and nothing else has.
        answer: Option<Box<Answer>>,
        /// Why, where it was not completed.
        why: Option<String>,
    },
    /// Something happened to an agent.
    Agent {
        /// Whom it is about.
        name: AgentName,
        /// What happened to it.
        change: AgentChange,
    },
    /// `queue/STOP` came or went, and who asked for that by the socket.
    Halted(Option<Millis>, Option<AgentName>),
    /// Part of a snapshot: an open message as it stood.
    KeptOpen(Box<Open>),
    /// Part of a snapshot: a message that ended in an earlier segment, whose views could not be written yet.
    KeptFinished(Box<Finished>),
    /// Part of a snapshot: an agent as it stood.
    KeptAgent(AgentName, Box<Agent>),
}

impl Event {
    /// Whether it brings a body that others refer to: a message's content, or an answer.
    #[must_use]
    pub const fn has_body(&self) -> bool {
        matches!(self, Self::Accepted { .. } | Self::Ended { answer: Some(_), .. })
    }
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

/// The one message that ends a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its own id.
    pub id: MessageId,
    /// Result or error.
    pub kind: Kind,
    /// Who answers: the agent, or `tasuki` where nobody did.
    pub from: AgentName,
    /// The text, and why.
    pub body: Body,
    /// How it is known; none for an error of tasuki's own.
    pub source: Option<CompletionSource>,
    /// Whether neither a token nor a key was shown: the phrase stood alone, somebody gave no more than the agent's name, or a
    /// program just ended.
    pub weak: bool,
    /// Whether only a part of the text could be kept.
    pub truncated: bool,
    /// When.
    pub at: Millis,
}

/// What is said of an answer of which only a part could be kept ([`Answer::truncated`]).
pub const ONLY_THE_END: &str = "only the end of the answer could be kept";

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The turn's token was shown, or its agent's key.
    Strong,
    /// Neither was.
    Weak,
    /// A person took what was said for the answer.
    Person,
}

impl Proof {
    /// The contract's word (`proof:`).
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Strong => "token",
            Self::Weak => "weak",
            Self::Person => "person",
        }
    }
}

impl Answer {
    /// What it is worth.
    #[must_use]
    pub fn proof(&self) -> Proof {
        match (self.source, self.weak) {
            (Some(CompletionSource::Person), _) => Proof::Person,
            (_, true) => Proof::Weak,
            (_, false) => Proof::Strong,
        }
    }
}

/// What happens to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentChange {
    /// It is being started; a pane with this nonce is this launch.
    Launching {
        /// Of this launch.
        nonce: Nonce,
        /// How it is made ([`super::team::Member::launch`]).
        launch: Digest,
        /// Who asked for it; nobody where it was due.
        by: Option<AgentName>,
    },
    /// It runs.
    Up {
        /// Of this launch.
        nonce: Nonce,
        /// Its pane.
        pane: PaneId,
        /// Its process.
        process: ProcessKey,
    },
    /// It was found alive after the daemon came back.
    Adopted,
    /// It ended or could not be started.
    Down {
        /// Why, in words.
        why: String,
        /// When it is started again; none if it is not.
        restart_at: Option<Millis>,
        /// Whether a person or the team file wanted it down.
        wanted: bool,
        /// Whether it ended normally and is started when there is work for it.
        asleep: bool,
        /// Whether it could not even be started.
        unstarted: bool,
    },
    /// It went with the daemon or with tmux; nothing is counted against it.
    Lost {
        /// Why, in words.
        why: String,
        /// Whether the try that it was at is none.
        spared: bool,
    },
    /// It needs a person, or time; nothing is typed.
    Blocked {
        /// What it needs; nothing when that is over.
        need: Option<Need>,
    },
    /// What it asked was answered.
    Answered {
        /// With which choice.
        choice: Arc<str>,
        /// By whom.
        by: AnsweredBy,
    },
    /// A turn of it was called off, and its pane was told so.
    Interrupted {
        /// Of which message.
        id: MessageId,
        /// What became of the turn.
        how: Interrupted,
    },
    /// It is no member any more.
    Removed,
}
