//! A plan: what is to be done, in tasks of which some need others. It was read and checked as far as it speaks of itself; whether the
//! agents and commands that it names exist is for the engine to say.

use super::graph::StepGraph;
use super::name::StepName;
use super::unmet::Join;
use crate::engine::message::Expect;
use crate::engine::words::AgentName;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A plan whose tasks make a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The purpose, for whoever reads the plan later.
    pub goal: Option<Arc<str>>,
    /// What it is called, in one line.
    pub name: Option<String>,
    pub on_failure: OnFailure,
    /// How many tasks are under way at the same time; 0 is as many as there are.
    pub parallel: u16,
    /// Whether a pull request is opened for each task that has a worktree.
    pub pull_requests: bool,
    /// In the order in which they were written.
    pub tasks: Vec<PlannedTask>,
    /// The tasks by their places in `tasks`.
    pub graph: StepGraph,
}

/// What a flow does when a task is not completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Nothing more begins; what is under way ends, and then the flow has failed. It can be resumed.
    #[default]
    Stop,
    /// What needs that task is cancelled, and the rest goes on.
    Skip,
    /// What needs that task begins as if it had been completed.
    Continue,
}

impl OnFailure {
    /// Every one of them, in order.
    pub const ALL: [Self; 3] = [Self::Stop, Self::Skip, Self::Continue];

    /// The word in `on_failure:`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Skip => "skip",
            Self::Continue => "continue",
        }
    }
}

/// One task of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTask {
    pub id: StepName,
    /// What it is called, in one line.
    pub name: String,
    /// What its agent is told.
    pub description: Arc<str>,
    /// What it needs, each once.
    pub dependencies: Vec<StepName>,
    pub join: Join,
    /// In which worktree it is done; none if the plan leaves that open.
    pub tree: Option<TaskTree>,
    /// Who does it; none if whoever makes the flow is to say.
    pub who: Option<Assignee>,
    /// Longest time that its agent may work on it.
    pub timeout_ms: Option<u64>,
    pub expect: Option<Expect>,
    /// Patterns of the files that it will change, relative to the repository: two tasks that touch the same are better not done at
    /// the same time.
    pub touches: Vec<String>,
}

/// In which worktree a task is done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TaskTree {
    /// In one of its own.
    New,
    /// In that of this task, which has one of its own.
    SharedWith(StepName),
}

/// Who does a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignee {
    /// A member of the team, or a pool of members.
    Member(AgentName),
    /// An agent that is made for it.
    Hired(HireWish),
}

/// What kind of agent is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HireWish {
    pub from: HireFrom,
    /// The model that it is to use, in the words of its program; none for the one that it would use anyway.
    pub model: Option<String>,
}

/// After what an agent is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HireFrom {
    /// After a profile of this name.
    Provider(String),
    /// After a member of the team.
    Like(AgentName),
}
