//! What is needed to open a flow: its head, and its steps with what their agents are told.

use super::flow::{FlowHead, FlowKind, StepSpec};
use super::id::FlowId;
use super::plan::{Assignee, OnFailure, Plan, PlannedTask};
use super::planning::FoundPlan;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::AgentName;
use std::sync::Arc;

/// A flow that is to be opened. Its steps make a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub head: FlowHead,
    /// The request as it came.
    pub request: Body,
    /// In order, each with its text.
    pub steps: Vec<(StepSpec, Body)>,
    /// What its master is asked, where it is to plan the steps.
    pub ask: Option<Body>,
}

impl Opening {
    /// The flow of a plan. Tasks that name nobody are `master`'s.
    ///
    /// # Errors
    /// A task that wants an agent of its own.
    pub fn of_plan(
        plan: Plan,
        (id, owner, master): (FlowId, AgentName, AgentName),
    ) -> Result<Self, Refusal> {
        let request = plan.goal.clone().unwrap_or_else(|| "".into());
        let FoundPlan { name, on_failure, parallel, steps } = FoundPlan::of(plan, &master)?;
        let (kind, master, confirm) = (FlowKind::Session, Some(master), false);
        let head = FlowHead { id, kind, owner, master, name, on_failure, parallel, confirm };
        Ok(Self { head, request: body(request), steps, ask: None })
    }

    /// A flow whose steps its master is asked for, in these words.
    #[must_use]
    pub fn of_goal(
        goal: Arc<str>,
        (id, owner, master): (FlowId, AgentName, AgentName),
        (prompt, confirm): (Arc<str>, bool),
    ) -> Self {
        let (kind, master, name) = (FlowKind::Session, Some(master), None);
        let (on_failure, parallel) = (OnFailure::default(), 0);
        let head = FlowHead { id, kind, owner, master, name, on_failure, parallel, confirm };
        Self { head, request: body(goal), steps: Vec::new(), ask: Some(body(prompt)) }
    }
}

impl FoundPlan {
    /// The steps of a plan. Tasks that name nobody are `master`'s.
    ///
    /// # Errors
    /// A task that wants an agent of its own.
    pub fn of(plan: Plan, master: &AgentName) -> Result<Self, Refusal> {
        let Plan { name, on_failure, parallel, tasks, .. } = plan;
        let steps = tasks.into_iter().map(|task| step(task, master)).collect::<Result<_, _>>()?;
        Ok(Self { name, on_failure, parallel, steps })
    }
}

/// The step that a task of a plan is.
///
/// # Errors
/// A task that wants an agent of its own.
pub fn step(task: PlannedTask, master: &AgentName) -> Result<(StepSpec, Body), Refusal> {
    let to = match task.who {
        None => master.clone(),
        Some(Assignee::Member(name)) => name,
        Some(Assignee::Hired(_)) => {
            let why = format!("{}: agents are not hired for tasks yet; name a member or a pool", task.id);
            return Err(Refusal::new(Code::UnknownAgent, why).at("hire"));
        }
    };
    let spec = StepSpec {
        name: task.id,
        title: task.name,
        needs: task.dependencies,
        join: task.join,
        to,
        timeout_ms: task.timeout_ms,
        expect: task.expect.map(Box::new),
    };
    Ok((spec, body(task.description)))
}

fn body(content: Arc<str>) -> Body {
    Body { content, extra: "".into() }
}
