//! What the engine remembers: everything here follows from the journal, and only `apply.rs` and `index.rs` write it.

use super::life::Stage;
use super::message::{BodyRef, Known, Message, Outcome};
use super::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey, Seq, Token};
use crate::engine::evidence::{Base, Checks};
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::stage::FlowStage;
use crate::engine::form::{self, is_default};
use crate::engine::life::queue::{Queue, QueueKey};
use crate::engine::life::said::Said;
pub use crate::engine::message::part_answer::PartAnswer;
use crate::engine::message::seldom::{Seldom, Usual};
use crate::engine::team::need::Need;
use crate::engine::team::roster::Hired;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Everything that follows from the journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// The last step.
    pub seq: Seq,
    /// Messages that have not ended.
    pub open: BTreeMap<MessageId, Box<Open>>,
    /// Messages that ended in the newest segment, or before, where their views are still owed.
    pub finished: BTreeMap<MessageId, Finished>,
    /// Agents that were started, as long as they are members.
    pub agents: BTreeMap<AgentName, Agent>,
    /// Agents that were hired, until they are dismissed.
    pub hired: BTreeMap<AgentName, Hired>,
    /// Messages that wait for an agent or a pool, in the order in which they go.
    pub queues: BTreeMap<AgentName, Queue>,
    /// Tokens of all turns of open messages.
    pub tokens: BTreeMap<Token, MessageId>,
    /// Messages that wait for another one to be completed.
    pub dependants: BTreeMap<MessageId, BTreeSet<MessageId>>,
    /// Messages that have not ended, by the agent that was given them.
    pub given: BTreeMap<AgentName, BTreeSet<MessageId>>,
    /// Tasks that have not ended, by the task of which they are parts.
    pub parts: BTreeMap<MessageId, BTreeSet<MessageId>>,
    /// Messages whose claim is being checked.
    pub claimed: BTreeSet<MessageId>,
    /// Moments at which something is to be looked at.
    pub timers: BTreeSet<(Millis, Timer)>,
    /// The deadlines of open messages: moments on the wall clock, which the timers do not go by.
    pub deadlines: BTreeSet<(Millis, Timer)>,
    /// Flows, also ended ones for as long as they are kept.
    pub flows: BTreeMap<FlowId, Box<Flow>>,
    /// Since when `queue/STOP` holds everything.
    pub halted: Option<Millis>,
    /// Drops refused since the segment began.
    pub refused: u64,
    /// How many messages stand where.
    pub tally: Tally,
}

/// How many open messages stand where, so that nobody has to count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// In a queue, dependants of others included.
    pub pending: usize,
    /// In doubt, waiting for a person.
    pub held: usize,
}

/// A message that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// All but its content.
    #[serde(flatten)]
    pub message: Message,
    #[serde(flatten)]
    pub stage: Stage,
    /// Where its content is.
    pub body: BodyRef,
    pub since: Millis,
    /// What became of it so far; read as if it was here.
    #[serde(flatten)]
    pub progress: Seldom<Progress>,
}

/// What became of a message that somebody works on, or that waits for something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How often its present turn was tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attempts: u8,
    /// Who works on it, once somebody does; nobody again when nothing of it was typed, or when it went back to its pool.
    #[serde(default, skip_serializing_if = "is_default")]
    pub agent: Option<AgentName>,
    /// Tokens of all turns that its agent was given, newest last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens: Vec<Token>,
    /// When its turn is overdue.
    #[serde(default, skip_serializing_if = "is_default")]
    pub due: Option<Millis>,
    /// Answers that its agent has not been told of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unread: Vec<MessageId>,
    /// All answers to its parts so far, in order.
    #[serde(default, skip_serializing_if = "is_default")]
    pub answers: Vec<PartAnswer>,
    /// How many of these came with it: what came of the steps that it needs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub given: usize,
    /// Dependencies that have not been completed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unmet: Vec<MessageId>,
    /// Number of its newest turn; 0 before the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub turns: u16,
    /// Whether its newest turn was a reminder.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reminded: bool,
    /// The launch of its agent to which something of it may have been typed last; another one has seen nothing of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Option<Nonce>,
    /// When its newest turn may have been typed first to the process that has it; none if what was typed is known to have been
    /// read, and is to be typed again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub typed_at: Option<Millis>,
    /// Why it is there, in words, where its last move said so.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub note: Option<Arc<str>>,
    /// What its agent said in turns that ended without a claim, since the last one that was no reminder.
    #[serde(default, skip_serializing_if = "is_default")]
    pub said: Option<Box<Said>>,
    /// What is known of its checks, where it expects any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checks: Option<Box<Checks>>,
}

impl Usual for Progress {
    fn usual() -> &'static Self {
        static NONE_YET: Progress = Progress {
            attempts: 0,
            agent: None,
            tokens: Vec::new(),
            due: None,
            unread: Vec::new(),
            answers: Vec::new(),
            given: 0,
            unmet: Vec::new(),
            turns: 0,
            reminded: false,
            launch: None,
            typed_at: None,
            note: None,
            said: None,
            checks: None,
        };
        &NONE_YET
    }
}

impl Deref for Open {
    type Target = Progress;

    fn deref(&self) -> &Progress {
        &self.progress
    }
}

impl DerefMut for Open {
    fn deref_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }
}

/// A message that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// All but its content.
    #[serde(flatten)]
    pub message: Box<Message>,
    /// How it ended.
    pub outcome: Outcome,
    /// Where its content is.
    pub body: BodyRef,
    #[serde(default, skip_serializing_if = "is_default")]
    pub answer: Option<BodyRef>,
    /// Who worked on it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub agent: Option<AgentName>,
    /// How often its last turn was tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attempts: u8,
    /// What was there before it, where it expected something and failed: what tries it again is held against the same.
    #[serde(default, skip_serializing_if = "is_default")]
    pub base: Option<Box<Base>>,
    /// The step that ended it.
    #[serde(rename = "ended_in")]
    pub seq: Seq,
    #[serde(rename = "ended_at")]
    pub at: Millis,
}

/// An agent's state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Agent {
    /// Whether it runs.
    #[serde(flatten)]
    pub phase: Phase,
    /// The newest launch.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nonce: Option<Nonce>,
    /// How that launch was made ([`super::team::Member::launch`]).
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Option<Digest>,
    /// The message it works on, or in whose middle it is: a later turn of it that waits for its next try counts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub current: Option<MessageId>,
    /// The message that may have been typed to its process last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub given: Option<MessageId>,
    /// Hands that the task or info went through that it was given last; none before the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hops: Option<u8>,
    /// What it needs, a person or time; it stays here when that time is over, until its screen says something else.
    #[serde(default, skip_serializing_if = "is_default")]
    pub blocked: Option<Need>,
    /// How often a need was looked at again of which nobody knows when it is over, since it last got something done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub looks: u8,
    /// How it ended last, if it ever did.
    #[serde(default, skip_serializing_if = "is_default")]
    pub last_end: Option<LastEnd>,
    /// When it was started again, newest last; for the limit, so no more than the limit can be.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restarts: Vec<Millis>,
    /// Since when it runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub up_since: Option<Millis>,
    /// Counts for its status file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counts: Counts,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastEnd {
    /// In words.
    #[serde(with = "form::shared")]
    pub why: Arc<str>,
    /// Whether it could not even be started.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unstarted: bool,
}

/// Whether an agent runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Not started yet.
    #[default]
    Absent,
    /// Its window is being made.
    Launching,
    /// It runs in this pane.
    Up { pane: PaneId, process: ProcessKey },
    /// It ended and is started again at this moment.
    Restarting {
        /// That moment.
        restart_at: Millis,
    },
    /// It was stopped, or ended well and is never started again by itself.
    Stopped,
    /// It ended well when nothing waited for it: what comes for it starts it.
    Asleep,
    /// It ended and is not started again.
    Failed {
        /// Why, in words.
        #[serde(with = "form::shared")]
        why: Arc<str>,
    },
}

/// Counts for a status file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Tasks it completed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub completed: u64,
    /// Tasks that failed with it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub failed: u64,
    /// Messages it sent, answers included.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sent: u64,
    /// Turns it was given, redeliveries included.
    #[serde(default, skip_serializing_if = "is_default")]
    pub received: u64,
    /// How often it was started again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restarts: u64,
}

/// What a timer is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Nothing; sorts before all others.
    None,
    /// A message's retry, overdue turn or deadline.
    Message(MessageId),
    /// An agent's restart.
    Agent(AgentName),
}

impl Open {
    /// A message that was just accepted.
    #[must_use]
    pub fn new(message: Message, body: BodyRef, not_before: Millis) -> Self {
        Self {
            since: message.accepted_at,
            message,
            body,
            stage: Stage::accepted(not_before),
            progress: Seldom::default(),
        }
    }

    /// Its place in a queue.
    #[must_use]
    pub fn key(&self) -> QueueKey {
        QueueKey::new(self.message.priority, self.body, self.message.id.clone())
    }

    /// Whether nothing of it has begun, and the session of which it is a task is paused.
    pub(super) fn rests(&self, flows: &BTreeMap<FlowId, Box<Flow>>) -> bool {
        let step = self.message.step.as_deref().filter(|step| step.step.is_some() && self.turns == 0);
        let flow = step.and_then(|step| flows.get(&step.flow));
        flow.is_some_and(|flow| flow.stage == FlowStage::Paused)
    }

    /// Whose queue it is in: its agent's once it has one, else its addressee's.
    #[must_use]
    pub fn queue(&self) -> &AgentName {
        self.agent.as_ref().unwrap_or(&self.message.to)
    }

    /// From when on it may go, if it may stand in a queue: it is queued and its dependencies are done.
    #[must_use]
    pub fn waits(&self) -> Option<Millis> {
        self.stage.not_before().filter(|_| self.unmet.is_empty())
    }

    /// The moments at which it wants to be looked at: its retry, its overdue turn.
    pub fn timers(&self) -> impl Iterator<Item = Millis> {
        let retry = self.stage.not_before().filter(|not_before| *not_before > Millis(0));
        [retry, self.due].into_iter().flatten()
    }
}

impl Finished {
    /// What is known of its id from now on.
    #[must_use]
    pub fn known(&self) -> Known {
        Known { digest: self.message.digest, outcome: self.outcome }
    }
}

impl Timer {
    /// Sorts before all others.
    pub const FIRST: Self = Self::None;

    /// The message that it is about, if it is about one.
    #[must_use]
    pub fn message(&self) -> Option<&MessageId> {
        match self {
            Self::Message(id) => Some(id),
            Self::None | Self::Agent(_) => None,
        }
    }
}

impl State {
    /// Tasks that are parts of this one and have not ended.
    #[must_use]
    pub fn open_parts(&self, id: &MessageId) -> usize {
        self.parts.get(id).map_or(0, BTreeSet::len)
    }

    /// Whether an agent is in the middle of a task: it has asked others for something, or is past its first turn.
    #[must_use]
    pub fn is_begun(&self, open: &Open) -> bool {
        open.turns > 1 || open.answers.len() > open.given || self.open_parts(&open.message.id) > 0
    }

    /// Forgets what ended in the segment that was closed, but for what is owed: the journal's fingerprints know it from now on.
    pub fn forget_finished(&mut self, owed: &BTreeSet<MessageId>) {
        self.finished.retain(|id, _| owed.contains(id));
        self.refused = 0;
    }
}
