//! JSON → the types of a document, each field by itself.

use super::error::DocumentError;
use super::form::{
    AgentSession, Conversation, PullRequestRef, SessionMessage, SessionTask, SessionTime, SessionUuid,
    SubAgent, TaskResult, WorktreeRef,
};
use super::spot::Spot;
use super::words::{
    DetectedBy, MessageRole, SessionStatus, SubAgentStatus, SubAgentType, TaskStatus, WorktreeStrategy,
};
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::name::StepName;
use crate::wire::yaml::shown;
use serde_json::Value as Json;

type Read<T> = Result<T, DocumentError>;

const SESSION: &[&str] = &[
    "id",
    "created_at",
    "updated_at",
    "status",
    "repository_path",
    "conversation",
    "tasks",
    "worktrees",
    "tasuki",
];
const TASK: &[&str] = &[
    "id",
    "name",
    "description",
    "status",
    "dependencies",
    "worktree_strategy",
    "assigned_worktree",
    "sub_agent",
    "created_at",
    "started_at",
    "completed_at",
    "result",
];
const SUB_AGENT: &[&str] =
    &["id", "agent_type", "pane_id", "pid", "status", "started_at", "completed_at", "completion_source"];

const NO_ID: &str = "give it one of its own (`uuidgen` makes one), by which it is known here";

pub(super) fn session(value: &Json) -> Read<AgentSession> {
    let whole = Spot::whole(value);
    let object = whole.object(SESSION)?;
    let id = "a UUID, such as a1b2c3d4-e5f6-4890-abcd-ef1234567890";
    Ok(AgentSession {
        id: object
            .get("id")
            .map_err(|error| DocumentError { cure: format!("{NO_ID}, {id}"), ..error })?
            .read(SessionUuid::new, id)?,
        created_at: moment(&object.get("created_at")?)?,
        updated_at: moment(&object.get("updated_at")?)?,
        status: object.get("status")?.word(SessionStatus::ALL, SessionStatus::word)?,
        repository_path: path(&object.get("repository_path")?)?,
        conversation: conversation(&object.get("conversation")?)?,
        tasks: object.get("tasks")?.list(task)?,
        worktrees: object.get("worktrees")?.list(worktree)?,
        tasuki: object.some("tasuki", |spot| Ok(spot.json()))?,
    })
}

/// A task by itself; none if it is not what was written.
pub(super) fn task_alone(text: &str) -> Option<SessionTask> {
    let value: Json = serde_json::from_str(text).ok()?;
    task(&Spot::whole(&value)).ok()
}

fn conversation(spot: &Spot<'_>) -> Read<Conversation> {
    let object = spot.object(&["messages"])?;
    Ok(Conversation { messages: object.get("messages")?.list(message)? })
}

fn message(spot: &Spot<'_>) -> Read<SessionMessage> {
    let object = spot.object(&["role", "content", "timestamp"])?;
    Ok(SessionMessage {
        role: object.get("role")?.word(MessageRole::ALL, MessageRole::word)?,
        content: object.get("content")?.text()?.to_owned(),
        timestamp: moment(&object.get("timestamp")?)?,
    })
}

fn task(spot: &Spot<'_>) -> Read<SessionTask> {
    let object = spot.object(TASK)?;
    let strategy = object.get("worktree_strategy")?;
    Ok(SessionTask {
        id: name(&object.get("id")?)?,
        name: object.get("name")?.text()?.to_owned(),
        description: object.get("description")?.text()?.to_owned(),
        status: object.get("status")?.word(TaskStatus::ALL, TaskStatus::word)?,
        dependencies: object.get("dependencies")?.list(name)?,
        worktree_strategy: strategy.word(WorktreeStrategy::ALL, WorktreeStrategy::word)?,
        assigned_worktree: object.some("assigned_worktree", worktree)?,
        sub_agent: object.some("sub_agent", sub_agent)?,
        created_at: moment(&object.get("created_at")?)?,
        started_at: object.some("started_at", moment)?,
        completed_at: object.some("completed_at", moment)?,
        result: object.some("result", result)?,
    })
}

fn sub_agent(spot: &Spot<'_>) -> Read<SubAgent> {
    let object = spot.object(SUB_AGENT)?;
    Ok(SubAgent {
        id: filled(&object.get("id")?)?,
        agent_type: object.get("agent_type")?.word(SubAgentType::ALL, SubAgentType::word)?,
        pane_id: filled(&object.get("pane_id")?)?,
        pid: object.get("pid")?.number("the number of a process")?,
        status: object.get("status")?.word(SubAgentStatus::ALL, SubAgentStatus::word)?,
        started_at: moment(&object.get("started_at")?)?,
        completed_at: object.some("completed_at", moment)?,
        completion_source: object
            .some("completion_source", |spot| spot.word(DetectedBy::ALL, DetectedBy::word))?,
    })
}

fn result(spot: &Spot<'_>) -> Read<TaskResult> {
    let object = spot.object(&["success", "summary", "pull_request", "error", "tasuki"])?;
    Ok(TaskResult {
        success: object.get("success")?.truth()?,
        summary: object.get("summary")?.text()?.to_owned(),
        pull_request: object.some("pull_request", pull_request)?,
        error: object.some("error", |spot| spot.text().map(str::to_owned))?,
        tasuki: object.some("tasuki", |spot| Ok(spot.json()))?,
    })
}

fn pull_request(spot: &Spot<'_>) -> Read<PullRequestRef> {
    let object = spot.object(&["number", "url"])?;
    Ok(PullRequestRef {
        number: object.get("number")?.number("the number of a pull request")?,
        url: object.get("url")?.text()?.to_owned(),
    })
}

fn worktree(spot: &Spot<'_>) -> Read<WorktreeRef> {
    let object = spot.object(&["branch_name", "path", "created_at", "task_ids"])?;
    let branch = object.get("branch_name")?;
    let branch_name = BranchName::new(branch.text()?).map_err(|bad| {
        let cure = "give it a name such as agent/jwt-auth";
        branch.text().map_or_else(
            |wrong| wrong,
            |text| branch.refuse(format!("is {}, which {bad}", shown(text)), cure),
        )
    })?;
    let place = object.get("path")?;
    let path = path(&place)?;
    let folder = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if folder != branch_name.folder() {
        let why = format!("ends in {}, and its branch is `{branch_name}`", shown(folder));
        return Err(place.refuse(why, format!("call the folder `{}`", branch_name.folder())));
    }
    Ok(WorktreeRef {
        branch_name,
        path,
        created_at: moment(&object.get("created_at")?)?,
        task_ids: object.get("task_ids")?.list(name)?,
    })
}

fn name(spot: &Spot<'_>) -> Read<StepName> {
    let text = spot.text()?;
    StepName::new(text).map_err(|bad| {
        spot.refuse(format!("is {}, which {bad}", shown(text)), "give it a name such as task-1")
    })
}

fn moment(spot: &Spot<'_>) -> Read<SessionTime> {
    spot.read(SessionTime::new, "a moment in RFC 3339, such as 2026-01-22T10:30:00Z")
}

/// A path that a program can be given.
fn path(spot: &Spot<'_>) -> Read<String> {
    let fits = |text: &str| (!text.is_empty() && !text.contains('\0')).then(|| text.to_owned());
    spot.read(fits, "a path: a text that is not empty and has no NUL")
}

/// A text that is not empty.
fn filled(spot: &Spot<'_>) -> Read<String> {
    spot.read(|text| (!text.is_empty()).then(|| text.to_owned()), "a text that is not empty")
}
