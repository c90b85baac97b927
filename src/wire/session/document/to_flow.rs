//! A document as a flow that goes on: what is done stays done, and everything else is to be done.

use super::form::{AgentSession, SessionTask, SessionTime, TaskResult};
use super::words::{MessageRole, SessionStatus, TaskStatus, WorktreeStrategy};
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::head::{FlowHead, FlowKind};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::{FoundPlan, Opening, StepDone, step};
use crate::engine::flow::plan::{Assignee, OnFailure, PlannedTask, TaskTree};
use crate::engine::flow::tree::FlowRepository;
use crate::engine::flow::unmet::Join;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, Millis};
use chrono::DateTime;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is wanted to let the session of a document go on. `branches` are those of its worktrees that are in the repository: what needs
/// a task whose branch is not begins without it. `is_there` says who is in the team: for what was somebody else's, an agent
/// is hired.
///
/// # Errors
/// It is done already, or an id in it is none of a flow.
pub fn to_flow(
    session: &AgentSession,
    master: AgentName,
    (repository, branches): (Option<FlowRepository>, &BTreeSet<BranchName>),
    is_there: &dyn Fn(&AgentName) -> bool,
) -> Result<Opening, Refusal> {
    let refuse = |code, why: String| Err(Refusal::new(code, why));
    let is_done = session.tasks.iter().all(|task| task.status == TaskStatus::Completed);
    if session.status == SessionStatus::Completed && is_done {
        return refuse(Code::WrongStage, format!("session {} is Completed", session.id.as_str()));
    }
    let Ok(id) = FlowId::new(session.id.as_str()) else {
        return refuse(Code::BadId, format!("`{}` is no id of a session", session.id.as_str()));
    };
    let owners = owners(session);
    let tasks = session.tasks.iter().map(|task| planned(task, session, &owners, is_there));
    let steps = tasks.map(|task| step(task, repository.is_some())).collect::<Result<Vec<_>, _>>()?;
    let steps = FoundPlan::with_trees(steps);
    let done = session.tasks.iter().filter(|task| task.status == TaskStatus::Completed);
    let done = done.map(|task| done_elsewhere(task, branches)).collect();
    let said = session.conversation.messages.iter().find(|message| message.role == MessageRole::User);
    let request = said.map(|message| message.content.as_str()).unwrap_or_default();
    let text = |key: &str| besides(session, key).and_then(Json::as_str);
    let named = text("master").and_then(|name| AgentName::new(name).ok()).filter(is_there);
    let on_failure =
        text("on_failure").and_then(|word| OnFailure::ALL.into_iter().find(|one| one.word() == word));
    let parallel = besides(session, "parallel").and_then(Json::as_u64).and_then(|of| u16::try_from(of).ok());
    let head = FlowHead {
        id,
        kind: FlowKind::Session,
        owner: AgentName::user(),
        master: Some(named.unwrap_or(master)),
        name: text("name").map(str::to_owned),
        on_failure: on_failure.unwrap_or_default(),
        parallel: parallel.unwrap_or(crate::wire::session::plan::PARALLEL_DEFAULT),
        repository: repository.map(Box::new),
        // Whoever lets one go on that waits for a yes has seen its plan.
        confirm: is(session, "needs_yes") && !is(session, "waits_for_yes"),
        pull_requests: is(session, "pull_requests"),
        created: moment(&session.created_at),
        debate: None,
        from_debate: text("debate").and_then(|id| FlowId::new(id).ok()),
    };
    Ok(Opening { head, request: body(request), steps, done, ask: None, again: true })
}

fn besides<'a>(session: &'a AgentSession, key: &str) -> Option<&'a Json> {
    session.tasuki.as_ref()?.get(key)
}

fn is(session: &AgentSession, key: &str) -> bool {
    besides(session, key).and_then(Json::as_bool).unwrap_or_default()
}

fn of_task<'a>(session: &'a AgentSession, task: &SessionTask, key: &str) -> Option<&'a Json> {
    besides(session, "tasks")?.get(task.id.as_str())?.get(key)
}

/// For each branch the first task that has its worktree: the others share it.
fn owners(session: &AgentSession) -> BTreeMap<&str, &StepName> {
    let mut owners = BTreeMap::new();
    for task in &session.tasks {
        if let Some(tree) = &task.assigned_worktree {
            owners.entry(tree.branch_name.as_str()).or_insert(&task.id);
        }
    }
    owners
}

fn planned(
    task: &SessionTask,
    session: &AgentSession,
    owners: &BTreeMap<&str, &StepName>,
    is_there: &dyn Fn(&AgentName) -> bool,
) -> PlannedTask {
    let owner = task.assigned_worktree.as_ref().and_then(|tree| owners.get(tree.branch_name.as_str()));
    let shared = owner.copied().or(task.dependencies.first()).filter(|owner| **owner != task.id);
    let tree = match task.worktree_strategy {
        WorktreeStrategy::Shared => shared.cloned().map(TaskTree::SharedWith),
        WorktreeStrategy::New => None,
    };
    let to = of_task(session, task, "to").and_then(Json::as_str);
    let to = to.and_then(|name| AgentName::new(name).ok()).filter(is_there);
    let expect = of_task(session, task, "expect").and_then(|of| serde_json::from_value(of.clone()).ok());
    PlannedTask {
        id: task.id.clone(),
        name: task.name.clone(),
        description: task.description.as_str().into(),
        dependencies: task.dependencies.clone(),
        join: match of_task(session, task, "join").and_then(Json::as_str) {
            Some("any") => Join::Any,
            _ => Join::All,
        },
        tree,
        who: to.map(Assignee::Member),
        timeout_ms: of_task(session, task, "timeout_ms").and_then(Json::as_u64),
        expect,
        touches: of_task(session, task, "touches")
            .and_then(|of| serde_json::from_value(of.clone()).ok())
            .unwrap_or_default(),
    }
}

fn done_elsewhere(task: &SessionTask, branches: &BTreeSet<BranchName>) -> StepDone {
    let at = |time: &Option<SessionTime>| time.as_ref().and_then(moment);
    StepDone {
        step: task.id.clone(),
        branch: task
            .assigned_worktree
            .as_ref()
            .map(|tree| tree.branch_name.clone())
            .filter(|branch| branches.contains(branch)),
        began: at(&task.started_at),
        ended: at(&task.completed_at),
        document: serde_json::to_string(&besides_texts(task)).ok().map(Arc::from),
        body: body(task.result.as_ref().map(|result| result.summary.as_str()).unwrap_or_default()),
    }
}

fn moment(time: &SessionTime) -> Option<Millis> {
    let at = DateTime::parse_from_rfc3339(time.as_str()).ok()?;
    u64::try_from(at.timestamp_millis()).ok().map(Millis)
}

/// A task without the texts that the flow has anyway.
fn besides_texts(task: &SessionTask) -> SessionTask {
    let result = task.result.clone().map(|result| TaskResult { summary: String::new(), ..result });
    SessionTask { name: String::new(), description: String::new(), result, ..task.clone() }
}

fn body(content: &str) -> Body {
    Body { content: content.into(), extra: "".into() }
}
