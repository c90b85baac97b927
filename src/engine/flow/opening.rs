//! What is needed to open a flow: its head, and its steps with what their agents are told.

use super::flow::{FlowHead, FlowKind, StepSpec};
use super::id::FlowId;
use super::plan::{Assignee, Plan};
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
}

impl Opening {
    /// The flow of a plan. Tasks that name nobody are `master`'s.
    ///
    /// # Errors
    /// A task that wants an agent of its own.
    pub fn of_plan(
        plan: Plan,
        (id, owner, master): (FlowId, AgentName, &AgentName),
        request: Arc<str>,
    ) -> Result<Self, Refusal> {
        let body = |content: Arc<str>| Body { content, extra: "".into() };
        let Plan { name, on_failure, parallel, tasks, .. } = plan;
        let mut steps = Vec::with_capacity(tasks.len());
        for task in tasks {
            let to = match task.who {
                None => master.clone(),
                Some(Assignee::Member(name)) => name,
                Some(Assignee::Hired(_)) => {
                    let why =
                        format!("{}: agents are not hired for tasks yet; name a member or a pool", task.id);
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
            steps.push((spec, body(task.description)));
        }
        let head = FlowHead { id, kind: FlowKind::Session, owner, name, on_failure, parallel };
        Ok(Self { head, request: body(request), steps })
    }
}
