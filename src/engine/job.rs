//! Jobs: what is done outside that is neither a keystroke nor a view. A job's id follows from what it is for and which try it is,
//! so one that was under way at a crash is named again, and doing it twice is harmless.

use crate::engine::evidence::{Base, Evidence};
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::in_tree::WorkSum;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::FoundPlan;
use crate::engine::message::{BodyRef, Expect};
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
    /// The worktree of a step.
    Tree { flow: FlowId, tree: StepName },
    /// The end of the worktree of a step.
    EndTree { flow: FlowId, tree: StepName },
    /// What a step did in its worktree as this one of its messages.
    Work { flow: FlowId, step: StepName, tries: u16 },
    /// The pull request of that.
    Pull { flow: FlowId, step: StepName, tries: u16 },
    /// The worktree of an agent of the team file, in which it starts then.
    AgentTree { agent: AgentName },
    /// The branch of a step goes where all of its flow go.
    Merge { flow: FlowId, step: StepName },
}

impl JobId {
    /// The message that it is for, if it is for one.
    #[must_use]
    pub fn message(&self) -> Option<&MessageId> {
        match self {
            Self::Base { message, .. } | Self::Check { message, .. } => Some(message),
            Self::Tree { .. }
            | Self::EndTree { .. }
            | Self::Work { .. }
            | Self::Pull { .. }
            | Self::AgentTree { .. }
            | Self::Merge { .. } => None,
        }
    }
}

impl JobId {
    /// The job that has to be over before this one begins, if it is under way: a worktree that is being made cannot be removed.
    #[must_use]
    pub fn follows(&self) -> Option<Self> {
        match self {
            Self::EndTree { flow, tree } => Some(Self::Tree { flow: flow.clone(), tree: tree.clone() }),
            _ => None,
        }
    }

    /// Whether something goes on once it is done. What is only for whoever looks, or tidies up, can wait for that.
    #[must_use]
    pub const fn is_waited_for(&self) -> bool {
        match self {
            Self::Base { .. }
            | Self::Check { .. }
            | Self::Tree { .. }
            | Self::AgentTree { .. }
            | Self::Merge { .. } => true,
            Self::Work { .. } | Self::Pull { .. } | Self::EndTree { .. } => false,
        }
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base { message, agent } => write!(f, "record what {agent} has before {message}"),
            Self::Check { message, made } => write!(f, "check claim {made} of {message}"),
            Self::Merge { flow, step } => write!(f, "merge the branch of {step} of {flow}"),
            Self::Tree { flow, tree } => write!(f, "make the worktree of {tree} of {flow}"),
            Self::EndTree { flow, tree } => write!(f, "remove the worktree of {tree} of {flow}"),
            Self::Pull { flow, step, tries } => {
                write!(f, "open a pull request for {step} of {flow} in try {tries}")
            }
            Self::Work { flow, step, tries } => write!(f, "look at what {step} of {flow} did in try {tries}"),
            Self::AgentTree { agent } => write!(f, "make the worktree of {agent}"),
        }
    }
}

/// What a worktree is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeStart {
    /// A branch or a commit.
    pub name: String,
    /// The commit at which the branch is known to have been last: somebody may have removed it.
    pub ended_at: Option<Arc<str>>,
}

impl From<String> for TreeStart {
    fn from(name: String) -> Self {
        Self { name, ended_at: None }
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
        /// The folder in which the task is done, if that is not where its agent works anyway.
        folder: Option<Arc<str>>,
    },
    /// See whether what a task expects is there.
    Check {
        expect: Expect,
        /// What was there before.
        base: Base,
        /// As with the record of that.
        folder: Option<Arc<str>>,
    },
    /// Read the plan in an answer.
    ReadPlan {
        text: Arc<str>,
        /// Whether tasks have worktrees where the plan does not say.
        trees: bool,
    },
    /// Make a worktree.
    MakeTree {
        /// Folder of the repository.
        repository: String,
        branch: BranchName,
        /// Whose it is, by which it is known again.
        owner: String,
        /// With what it begins, merged in this order.
        from: Vec<TreeStart>,
        /// Branches of what its step needs: where it was there before, those that are not in it are merged into it.
        needs: Vec<String>,
    },
    /// Remove a worktree with its branch, whatever is in it; what was changed there is kept as a patch.
    EndTree {
        /// Folder of the repository.
        repository: String,
        branch: BranchName,
        /// Whose it is, by which it is known again.
        owner: String,
    },
    /// Open a pull request for a branch, unless there is one.
    OpenPull {
        /// Folder of the repository.
        repository: String,
        branch: BranchName,
        /// The branch into which it is to go, if that is known.
        base: Option<String>,
        title: String,
        /// For what it is, in words.
        about: String,
    },
    /// Look at what was done in a worktree.
    LookAtTree {
        /// Folder of the repository.
        repository: String,
        branch: BranchName,
        /// The commit at which it was before.
        from: Arc<str>,
        /// The commit up to which it counts; none if that is where the branch is.
        until: Option<Arc<str>>,
    },
    /// Merge a branch, and see whether what its step expects to succeed does so then.
    MergeBranch(Box<MergeJob>),
}

/// The merge of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeJob {
    /// Folder of the repository.
    pub repository: String,
    /// The commit with which the branch begins onto which all are merged, if it is not there.
    pub base: String,
    /// Whose the worktree is, by which it is known again.
    pub owner: String,
    /// The branch of the worktree in which it is done.
    pub tree: BranchName,
    /// The branch that follows that one; none if it is the branch itself.
    pub into: Option<String>,
    /// With the first branch of a merge, all of them: nothing is begun where one is missing.
    pub all: Vec<(StepName, TreeStart)>,
    /// What is merged.
    pub branch: BranchName,
    /// The commit at which that was when its work ended, if somebody has looked: what is merged where the branch is gone.
    pub ended_at: Option<Arc<str>>,
    /// The command that has to succeed afterwards, by its name and word by word.
    pub check: Option<(Expect, Vec<String>)>,
    /// Where what the agent of its step was told stands: if it cannot be merged, that is told more.
    pub text: BodyRef,
}

impl Job {
    /// In whose tree it is done, if in anybody's.
    #[must_use]
    pub fn agent(&self) -> Option<&AgentName> {
        match self {
            Self::RecordBase { agent, .. } => Some(agent),
            Self::Check { base, .. } => Some(&base.agent),
            Self::ReadPlan { .. }
            | Self::MakeTree { .. }
            | Self::EndTree { .. }
            | Self::LookAtTree { .. }
            | Self::OpenPull { .. }
            | Self::MergeBranch(_) => None,
        }
    }

    /// Where a text stands that it needs.
    #[must_use]
    pub fn text(&self) -> Option<BodyRef> {
        match self {
            Self::MergeBranch(job) => Some(job.text),
            Self::RecordBase { .. }
            | Self::Check { .. }
            | Self::ReadPlan { .. }
            | Self::MakeTree { .. }
            | Self::EndTree { .. }
            | Self::LookAtTree { .. }
            | Self::OpenPull { .. } => None,
        }
    }

    /// The folder in which it is done, if that is given.
    #[must_use]
    pub fn folder(&self) -> Option<&Arc<str>> {
        match self {
            Self::RecordBase { folder, .. } | Self::Check { folder, .. } => folder.as_ref(),
            Self::ReadPlan { .. }
            | Self::MakeTree { .. }
            | Self::EndTree { .. }
            | Self::LookAtTree { .. }
            | Self::OpenPull { .. }
            | Self::MergeBranch(_) => None,
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
    /// A worktree: its folder, and the commit with which the work in it begins.
    Tree {
        path: Arc<str>,
        base: Arc<str>,
        /// The commit at which it is.
        head: Arc<str>,
        /// What its user is told: that it had to be made again.
        note: Option<String>,
    },
    /// What was done in a worktree, in numbers and in full.
    Work {
        sum: WorkSum,
        text: Arc<str>,
    },
    /// A pull request that is open.
    Pull {
        number: u64,
        url: Arc<str>,
    },
    /// A worktree is gone, and its branch.
    Removed,
    /// The branch is merged, now or before.
    Merged,
    /// It does not fit: what the agent of its step is told now, and why in short.
    NotMerged {
        text: Arc<str>,
        why: String,
    },
    /// Nothing could be merged, for a reason that is none of the step's: the branch onto which all come, or its worktree.
    NotGathered(String),
    /// It could not be done: why, with the cure.
    NotDone(String),
}
