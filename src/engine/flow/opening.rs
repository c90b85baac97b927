//! What is needed to open a flow: its head, and its steps with what their agents are told.

use super::branch::BranchName;
use super::flow::StepSpec;
use super::head::{FlowHead, FlowKind};
use super::id::FlowId;
use super::name::StepName;
use super::plan::{Assignee, HireFrom, HireWish, OnFailure, Plan, PlannedTask, TaskTree};
use super::tree::{FlowRepository, StepTree};
use super::worker::StepHire;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::roster::Like;
use crate::engine::words::{AgentName, Millis};
use std::collections::HashSet;
use std::sync::Arc;

/// A flow that is to be opened. Its steps make a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub head: FlowHead,
    /// The request as it came.
    pub request: Body,
    /// In order, each with its text.
    pub steps: Vec<(StepSpec, Body)>,
    /// The steps that were done elsewhere, before the flow came here.
    pub done: Vec<StepDone>,
    /// What its master is asked, where it is to plan the steps.
    pub ask: Option<Body>,
    /// Whether the plan of a debate is carried out once more, beside a session that does so.
    pub again: bool,
}

/// A step that was done elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDone {
    pub step: StepName,
    pub began: Option<Millis>,
    pub ended: Option<Millis>,
    /// The branch on which it was done, if that is in the repository.
    pub branch: Option<BranchName>,
    /// What the document that it comes with says of it besides, as JSON.
    pub document: Option<Arc<str>>,
    /// What came of it.
    pub body: Body,
}

/// A plan that was found in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlan {
    pub name: Option<String>,
    pub on_failure: OnFailure,
    pub parallel: u16,
    /// Whether it says that pull requests are to be opened.
    pub pull_requests: bool,
    /// In order, each with its text.
    pub steps: Vec<(StepSpec, Body)>,
}

impl Opening {
    /// The flow of a plan. For tasks that name nobody an agent is hired.
    ///
    /// # Errors
    /// A task that wants a worktree where there is no repository.
    pub fn of_plan(
        plan: Plan,
        (id, owner, master): (FlowId, AgentName, AgentName),
        repository: Option<Box<FlowRepository>>,
    ) -> Result<Self, Refusal> {
        let request = plan.goal.clone().unwrap_or_else(|| "".into());
        let found = FoundPlan::of(plan, repository.is_some())?;
        let FoundPlan { name, on_failure, parallel, pull_requests, steps } = found;
        let (kind, master, confirm) = (FlowKind::Session, Some(master), false);
        let head = FlowHead {
            id,
            kind,
            owner,
            master,
            name,
            on_failure,
            parallel,
            repository,
            confirm,
            pull_requests,
            created: None,
            debate: None,
            from_debate: None,
        };
        Ok(Self { head, request: body(request), steps, done: Vec::new(), ask: None, again: false })
    }

    /// A flow whose steps its master is asked for, in these words.
    #[must_use]
    pub fn of_goal(
        goal: Arc<str>,
        (id, owner, master): (FlowId, AgentName, AgentName),
        repository: Option<Box<FlowRepository>>,
        (prompt, confirm): (Arc<str>, bool),
    ) -> Self {
        let (kind, master, name) = (FlowKind::Session, Some(master), None);
        let (on_failure, parallel, pull_requests) = (OnFailure::default(), 0, false);
        let head = FlowHead {
            id,
            kind,
            owner,
            master,
            name,
            on_failure,
            parallel,
            repository,
            confirm,
            pull_requests,
            created: None,
            debate: None,
            from_debate: None,
        };
        Self {
            head,
            request: body(goal),
            steps: Vec::new(),
            done: Vec::new(),
            ask: Some(body(prompt)),
            again: false,
        }
    }
}

impl FoundPlan {
    /// The steps of a plan. For tasks that name nobody an agent is hired; `trees` says whether there is a repository, in which
    /// each of these has a worktree.
    ///
    /// # Errors
    /// A task that wants a worktree where there is no repository.
    pub fn of(plan: Plan, trees: bool) -> Result<Self, Refusal> {
        let Plan { name, on_failure, parallel, pull_requests, tasks, .. } = plan;
        let steps = tasks.into_iter().map(|task| step(task, trees)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { name, on_failure, parallel, pull_requests, steps: Self::with_trees(steps) })
    }

    /// Whoever's worktree is shared has one of its own.
    #[must_use]
    pub fn with_trees(mut steps: Vec<(StepSpec, Body)>) -> Vec<(StepSpec, Body)> {
        let shared = steps.iter().filter_map(|(spec, _)| match &spec.tree {
            Some(StepTree::SharedWith(owner)) => Some(owner.clone()),
            Some(StepTree::New) | None => None,
        });
        let shared: HashSet<StepName> = shared.collect();
        for (spec, _) in &mut steps {
            if spec.tree.is_none() && shared.contains(&spec.name) {
                spec.tree = Some(StepTree::New);
            }
        }
        steps
    }
}

/// The step that a task of a plan is.
///
/// # Errors
/// A task that wants a worktree where there is no repository.
pub fn step(task: PlannedTask, trees: bool) -> Result<(StepSpec, Body), Refusal> {
    if !trees && task.tree.is_some() {
        let why =
            format!("{}: there is no git repository with a commit here, so it can have no worktree", task.id);
        return Err(Refusal::new(Code::NoRepository, why).at("worktree_strategy"));
    }
    let (to, hire) = match task.who {
        Some(Assignee::Member(name)) => (name, None),
        Some(Assignee::Hired(HireWish { from, model })) => {
            let like = match from {
                HireFrom::Provider(name) => Like::Profile(name),
                HireFrom::Like(name) => Like::Member(name),
            };
            (AgentName::user(), Some(StepHire { like: Some(like), model, ..StepHire::default() }))
        }
        None => (AgentName::user(), Some(StepHire::default())),
    };
    let tree = match task.tree {
        Some(TaskTree::New) => Some(StepTree::New),
        Some(TaskTree::SharedWith(owner)) => Some(StepTree::SharedWith(owner)),
        None => (trees && hire.is_some()).then_some(StepTree::New),
    };
    let spec = StepSpec {
        name: task.id,
        title: task.name,
        needs: task.dependencies,
        join: task.join,
        to,
        hire: hire.map(Box::new),
        tree,
        touches: task.touches,
        timeout_ms: task.timeout_ms,
        expect: task.expect.map(Box::new),
    };
    Ok((spec, body(task.description)))
}

fn body(content: Arc<str>) -> Body {
    Body { content, extra: "".into() }
}
