//! What happened, as the journal keeps it. Ids, tokens and times are in the events: replay mints nothing.

mod answered;
mod proof;

use super::flow::branch::BranchName;
use super::flow::cause::FailureCause;
use super::flow::flow::{Flow, StepSpec};
use super::flow::head::FlowHead;
use super::flow::id::FlowId;
use super::flow::in_tree::{StepPull, WorkSum};
use super::flow::merge::MergeMove;
use super::flow::name::StepName;
use super::flow::plan::OnFailure;
use super::flow::spent::SpeechCost;
use super::flow::stage::FlowMove;
use super::flow::step::StepMove;
use super::flow::tree::TreeMove;
use super::flow::worker::StepWorker;
use super::form::{self, is_default};
pub use super::life::Why;
use super::life::{self, CompletionSource, Move};
use super::message::{Body, BodyRef, Kind, Message, Outcome};
use super::state::{Agent, Finished, Open};
use super::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey};
use crate::engine::evidence::{Base, Evidence, KeptClaim};
use crate::engine::life::interrupted::Interrupted;
use crate::engine::message::part_answer::PartAnswer;
use crate::engine::message::refusal::Code;
use crate::engine::team::need::{AnsweredBy, Need};
use crate::engine::team::roster::Hired;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub use proof::Proof;

/// One thing that happened. A step is a list of these, durable as a whole.
///
/// Its form is the journal's, so the order of members is, too: what has its default is left out, and what it carries is
/// last. The name of an event is among its members; `wire/events` puts it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A message was accepted.
    Accepted {
        /// All but its content.
        #[serde(flatten)]
        message: Box<Message>,
        /// Not to be typed before this moment (rates).
        #[serde(default, skip_serializing_if = "is_default")]
        not_before: Millis,
        /// Dependencies that have not been completed.
        #[serde(default, skip_serializing_if = "is_default")]
        unmet: Vec<MessageId>,
        /// The claimed file (`SEQ-ZONE-NAME`), if it came as one: a claim that is in the journal is not read again.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        name: Option<Arc<str>>,
        /// Unknown top-level keys, kept in the body.
        #[serde(default, skip_serializing_if = "is_default")]
        unknown_keys: Vec<String>,
        /// Where its content stands, if not here: the text of the step that it is.
        #[serde(default, skip_serializing_if = "is_default")]
        text: Option<BodyRef>,
        /// What came of the steps that it needs.
        #[serde(default, skip_serializing_if = "is_default")]
        given: Vec<PartAnswer>,
        /// The content.
        #[serde(flatten)]
        body: Body,
    },
    /// A message came again, unchanged, and was dropped.
    Duplicate {
        id: MessageId,
        /// The claimed file (`SEQ-ZONE-NAME`), if it came as one.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        name: Option<Arc<str>>,
    },
    /// A drop was refused.
    Refused {
        /// The claimed file (`SEQ-ZONE-NAME`), if it came as one: it is set aside, and not read again.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        name: Option<Arc<str>>,
        /// Its sender, as far as it is known.
        #[serde(default, skip_serializing_if = "is_default")]
        from: Option<AgentName>,
        /// The class.
        code: Code,
        /// What is wrong with it.
        why: String,
    },
    /// A message moved on.
    #[serde(with = "life::moved")]
    Moved {
        id: MessageId,
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
        /// Whether its beginning could not be had.
        #[serde(default, skip_serializing_if = "is_default")]
        truncated: bool,
        /// Whether its program showed it in place of words.
        #[serde(default, skip_serializing_if = "is_default")]
        notice: bool,
        /// All that was said in it so far.
        #[serde(rename = "content", with = "form::shared")]
        text: Arc<str>,
    },
    /// What was there before an agent was told of a task that expects something.
    Based {
        /// Of which task.
        id: MessageId,
        base: Box<Base>,
    },
    /// A claim whose task expects something: it is checked before it counts.
    Claimed {
        /// Of which task.
        id: MessageId,
        /// The number of its check.
        made: u16,
        #[serde(flatten)]
        claim: Box<KeptClaim>,
    },
    /// What was found when a claim was checked.
    Checked {
        /// Of which task.
        id: MessageId,
        /// The number of the check.
        made: u16,
        /// One for each thing that is expected.
        evidence: Vec<Evidence>,
    },
    /// A message ended.
    Ended {
        id: MessageId,
        outcome: Outcome,
        /// Why, where it was not completed.
        #[serde(default, skip_serializing_if = "is_default")]
        why: Option<String>,
        /// What its sender gets; every task has one, and nothing else has.
        #[serde(flatten, with = "answered")]
        answer: Option<Box<Answer>>,
    },
    /// Somebody wants a flow: its steps follow in the same step of the journal.
    FlowOpened {
        #[serde(flatten)]
        head: Box<FlowHead>,
        /// The request as it came.
        #[serde(flatten)]
        body: Body,
    },
    /// The master of a flow has planned it: its steps follow in the same step of the journal.
    FlowPlanned {
        flow: FlowId,
        #[serde(default, skip_serializing_if = "is_default")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        on_failure: OnFailure,
        #[serde(default, skip_serializing_if = "is_default")]
        parallel: u16,
        /// Whether it says that pull requests are to be opened, which a master cannot order.
        #[serde(default, skip_serializing_if = "is_default")]
        pull_requests: bool,
    },
    /// A step of a flow, with what its agent is told.
    StepPlanned {
        flow: FlowId,
        #[serde(flatten)]
        spec: Box<StepSpec>,
        /// Whether it is there already, and this is what its agent is told from now on.
        #[serde(default, skip_serializing_if = "is_default")]
        again: bool,
        /// Whether what it was told before stays known, since more is said for a merge only.
        #[serde(default, skip_serializing_if = "is_default")]
        for_merge: bool,
        #[serde(flatten)]
        body: Body,
    },
    /// A step was done elsewhere, before its flow came here.
    StepImported {
        flow: FlowId,
        step: StepName,
        #[serde(default, skip_serializing_if = "is_default")]
        began: Option<Millis>,
        #[serde(default, skip_serializing_if = "is_default")]
        ended: Option<Millis>,
        /// The branch on which it was done, if that is in the repository.
        #[serde(default, skip_serializing_if = "is_default")]
        branch: Option<BranchName>,
        /// What the document that it came with says of it besides, as JSON.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        document: Option<Arc<str>>,
        /// What came of it.
        #[serde(flatten)]
        body: Body,
    },
    /// A step moved on. Where it became a message, that is accepted in the same step of the journal.
    StepMoved {
        flow: FlowId,
        step: StepName,
        to: StepMove,
        /// The message that it is from now on.
        #[serde(default, skip_serializing_if = "is_default")]
        message: Option<MessageId>,
        /// What came of it.
        #[serde(default, skip_serializing_if = "is_default")]
        answer: Option<PartAnswer>,
        /// Who did it, where somebody did.
        #[serde(default, skip_serializing_if = "is_default")]
        worker: Option<Box<StepWorker>>,
        /// Why, in words, where it does not follow.
        #[serde(default, skip_serializing_if = "is_default")]
        why: Option<String>,
        /// What its answer took, where its agent has said so.
        #[serde(default, skip_serializing_if = "is_default")]
        spent: Option<Box<SpeechCost>>,
        /// What it met, if it has failed and tasuki knows that.
        #[serde(default, skip_serializing_if = "is_default")]
        cause: Option<FailureCause>,
    },
    /// The worktree of a step is wanted, there, or cannot be made.
    TreeMoved {
        flow: FlowId,
        /// The step whose own it is.
        tree: StepName,
        to: TreeMove,
        #[serde(default, skip_serializing_if = "is_default")]
        branch: Option<BranchName>,
        /// Its folder.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        path: Option<Arc<str>>,
        /// The commit with which the work in it begins.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        base: Option<Arc<str>>,
        /// The step that is to begin in it.
        #[serde(default, skip_serializing_if = "is_default")]
        step: Option<StepName>,
        /// The commit at which it is before that.
        #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
        head: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "is_default")]
        why: Option<String>,
    },
    /// What a step has done in its worktree.
    StepWorked {
        flow: FlowId,
        step: StepName,
        #[serde(flatten)]
        sum: WorkSum,
        /// All of it, as JSON.
        #[serde(flatten)]
        body: Body,
    },
    /// A pull request was opened for what a step has done, or could not be.
    StepPulled {
        flow: FlowId,
        step: StepName,
        #[serde(flatten)]
        pull: StepPull,
    },
    /// The branches of a flow are brought together, or that has ended.
    MergeMoved {
        flow: FlowId,
        to: MergeMove,
        /// The branch onto which they are brought, where it begins.
        #[serde(default, skip_serializing_if = "is_default")]
        into: Option<String>,
        /// Whose branch is next, or does not fit.
        #[serde(default, skip_serializing_if = "is_default")]
        step: Option<StepName>,
        /// Who asked for it, or why.
        #[serde(default, skip_serializing_if = "is_default")]
        why: Option<String>,
    },
    /// A flow was paused, goes on, or has ended.
    FlowMoved {
        flow: FlowId,
        to: FlowMove,
        /// Who asked for it, or why it did so by itself.
        #[serde(default, skip_serializing_if = "is_default")]
        why: Option<String>,
    },
    /// Something happened to an agent.
    Agent {
        /// Whom it is about.
        name: AgentName,
        /// What happened to it.
        #[serde(flatten)]
        change: AgentChange,
    },
    /// `queue/STOP` came or went, and who asked for that by the socket.
    Halted {
        /// Since when; nothing where that is over, and that too is written, since it is what the line says.
        #[serde(default)]
        since: Option<Millis>,
        /// By whom.
        #[serde(default, skip_serializing_if = "is_default")]
        by: Option<AgentName>,
    },
    /// Part of a snapshot: an open message as it stood.
    KeptOpen(Box<Open>),
    /// Part of a snapshot: a message that ended in an earlier segment, whose views could not be written yet.
    KeptFinished(Box<Finished>),
    /// Part of a snapshot: a hired agent.
    KeptHired {
        name: AgentName,
        #[serde(flatten)]
        hired: Box<Hired>,
    },
    /// Part of a snapshot: an agent as it stood.
    KeptAgent {
        name: AgentName,
        #[serde(flatten)]
        agent: Box<Agent>,
    },
    /// Part of a snapshot: a flow as it stood.
    KeptFlow(Box<Flow>),
}

impl Event {
    /// Whether it brings a body that others refer to: a message's content, or an answer.
    #[must_use]
    pub const fn has_body(&self) -> bool {
        matches!(
            self,
            Self::Accepted { text: None, .. }
                | Self::Ended { answer: Some(_), .. }
                | Self::FlowOpened { .. }
                | Self::StepPlanned { .. }
                | Self::StepImported { .. }
                | Self::StepWorked { .. }
        )
    }

    /// Whether it may change who is in the team.
    #[must_use]
    pub const fn changes_roster(&self) -> bool {
        matches!(
            self,
            Self::KeptHired { .. }
                | Self::Agent { change: AgentChange::Hired(_) | AgentChange::Removed { .. }, .. }
        )
    }

    /// That body.
    #[must_use]
    pub fn body(&self) -> Option<&Body> {
        match self {
            Self::Accepted { body, .. }
            | Self::FlowOpened { body, .. }
            | Self::StepPlanned { body, .. }
            | Self::StepImported { body, .. }
            | Self::StepWorked { body, .. } => Some(body),
            Self::Ended { answer, .. } => answer.as_ref().map(|answer| &answer.body),
            _ => None,
        }
    }

    /// The same, to be filled in.
    pub fn body_mut(&mut self) -> Option<&mut Body> {
        match self {
            Self::Accepted { body, .. }
            | Self::FlowOpened { body, .. }
            | Self::StepPlanned { body, .. }
            | Self::StepImported { body, .. }
            | Self::StepWorked { body, .. } => Some(body),
            Self::Ended { answer, .. } => answer.as_mut().map(|answer| &mut answer.body),
            _ => None,
        }
    }
}

/// The one message that ends a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Its own id.
    pub id: MessageId,
    /// Result or error.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Who answers: the agent, or `tasuki` where nobody did.
    pub from: AgentName,
    /// The text, and why.
    #[serde(skip)]
    pub body: Body,
    /// How it is known; none for an error of tasuki's own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub source: Option<CompletionSource>,
    /// Whether neither a token nor a key was shown: the phrase was alone, somebody gave no more than the agent's name, or a
    /// program just ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub weak: bool,
    /// Whether only a part of the text could be kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncated: bool,
    /// What was found when its claim was checked, where the task expects something.
    #[serde(default, skip_serializing_if = "is_default")]
    pub evidence: Vec<Evidence>,
    pub at: Millis,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum AgentChange {
    /// It is being started; a pane with this nonce is this launch.
    Launching {
        /// Of this launch.
        nonce: Nonce,
        /// How it is made ([`super::team::Member::launch`]).
        launch: Digest,
        /// Who asked for it; nobody where it was due.
        #[serde(default, skip_serializing_if = "is_default")]
        by: Option<AgentName>,
    },
    /// It runs.
    Up {
        /// Of this launch.
        nonce: Nonce,
        pane: PaneId,
        process: ProcessKey,
    },
    /// It was found alive after the daemon came back.
    Adopted,
    /// It ended or could not be started.
    Down {
        /// Why, in words.
        why: String,
        /// When it is started again; none if it is not.
        #[serde(default, skip_serializing_if = "is_default")]
        restart_at: Option<Millis>,
        /// Whether a person or the team file wanted it down.
        #[serde(default, skip_serializing_if = "is_default")]
        wanted: bool,
        /// Whether it ended normally and is started when there is work for it.
        #[serde(default, skip_serializing_if = "is_default")]
        asleep: bool,
        /// Whether it could not even be started.
        #[serde(default, skip_serializing_if = "is_default")]
        unstarted: bool,
    },
    /// It went with the daemon or with tmux; nothing is counted against it.
    Lost {
        /// Why, in words.
        why: String,
        /// Whether the try that it was at is none.
        #[serde(default, skip_serializing_if = "is_default")]
        spared: bool,
    },
    /// It needs a person, or time; nothing is typed.
    Blocked {
        /// What it needs; nothing when that is over, and that too is written, since it is what the line says.
        #[serde(default)]
        need: Option<Need>,
    },
    /// What it asked was answered.
    Answered {
        #[serde(with = "form::shared")]
        choice: Arc<str>,
        /// By whom.
        by: AnsweredBy,
    },
    /// A turn of it was called off, and its pane was told so.
    Interrupted {
        id: MessageId,
        /// What became of the turn.
        how: Interrupted,
    },
    /// It was hired: it is a member from now on, besides those of the team file.
    Hired(Box<Hired>),
    /// It is no member any more.
    Removed {
        /// Who dismissed it; nobody where that follows from the team file.
        #[serde(default, skip_serializing_if = "is_default")]
        by: Option<AgentName>,
    },
}
