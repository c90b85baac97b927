//! Jobs: what is done outside that is neither a keystroke nor a view. A job's id follows from what it is for and which try it is,
//! so one that was under way at a crash is named again, and doing it twice is harmless.

use crate::engine::evidence::{Base, Evidence};
use crate::engine::flow::planning::FoundPlan;
use crate::engine::message::Expect;
use crate::engine::words::{AgentName, MessageId};
use std::fmt;
use std::sync::Arc;

/// Which job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobId {
    /// What is there before an agent is told of a task.
    Base { message: MessageId, agent: AgentName },
    /// The check of a task's claim with this number.
    Check { message: MessageId, made: u16 },
}

impl JobId {
    /// The message that it is for, if it is for one.
    #[must_use]
    pub fn message(&self) -> Option<&MessageId> {
        match self {
            Self::Base { message, .. } | Self::Check { message, .. } => Some(message),
        }
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base { message, agent } => write!(f, "record what {agent} has before {message}"),
            Self::Check { message, made } => write!(f, "check claim {made} of {message}"),
        }
    }
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Record what is there before an agent is told of a task.
    RecordBase {
        /// In whose tree.
        agent: AgentName,
        expect: Expect,
        /// The command that is to succeed, word by word; empty if none is.
        command: Vec<String>,
    },
    /// See whether what a task expects is there.
    Check {
        expect: Expect,
        /// What was there before.
        base: Base,
    },
    /// Read the plan in an answer.
    ReadPlan {
        /// Whose answer it is, who does what names nobody.
        master: AgentName,
        text: Arc<str>,
    },
}

impl Job {
    /// In whose tree it is done.
    #[must_use]
    pub fn agent(&self) -> &AgentName {
        match self {
            Self::RecordBase { agent, .. } | Self::ReadPlan { master: agent, .. } => agent,
            Self::Check { base, .. } => &base.agent,
        }
    }
}

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Base(Base),
    /// One for each thing that is expected, in the order of the contract: commit, files, report, command.
    Checked(Vec<Evidence>),
    /// A plan, or what its writer is told of it.
    Plan(Result<Box<FoundPlan>, String>),
    /// It could not be done: why, with the cure.
    NotDone(String),
}
