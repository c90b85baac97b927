//! A flow of this workspace as a document.

use super::form::{
    AgentSession, Conversation, PullRequestRef, SessionMessage, SessionTask, SessionTime, SessionUuid,
    SubAgent, TaskResult, WorktreeRef,
};
use super::read::task_alone;
use super::words::{DetectedBy, MessageRole, SubAgentStatus, SubAgentType, TaskStatus, WorktreeStrategy};
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::flow::{Flow, FlowStep};
use crate::engine::flow::in_tree::StepWork;
use crate::engine::flow::name::StepName;
use crate::engine::flow::seen::{FlowSeen, StepDoing, StepNow};
use crate::engine::flow::step::StepStage;
use crate::engine::flow::tree::{FlowRepository, StepTree, TreeStage};
use crate::engine::flow::unmet::Join;
use crate::engine::flow::worker::StepWorker;
use crate::engine::life::CompletionSource;
use crate::engine::message::BodyRef;
use crate::engine::words::Millis;
use crate::wire::session::work::{TaskPull, TaskWork, by_hand};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What is written where a text cannot be read any more.
const UNREADABLE: &str = "(tasuki cannot read this text any more)";

/// Finds the text that stands at a place; none if it cannot be read any more.
pub type Texts<'a> = &'a mut dyn FnMut(BodyRef) -> Option<Arc<str>>;

/// The document of a flow that works in this repository.
#[must_use]
pub fn of_flow(seen: &FlowSeen, repository: &str, texts: Texts<'_>) -> Option<AgentSession> {
    let flow = &seen.flow;
    let trees = trees(flow);
    let tasks = flow.steps.iter().enumerate().map(|(at, step)| {
        let tree = flow.tree_of(at).and_then(|owner| trees.get(owner)).cloned();
        let repository = flow.head.repository.as_deref();
        let task = task((step, repository), seen.working.get(&at), tree, texts);
        as_it_came(task, step)
    });
    let (mut tasks, mut worktrees): (Vec<_>, Vec<_>) = (tasks.collect(), trees.into_values().collect());
    add_worktrees(&mut tasks, &mut worktrees);
    Some(AgentSession {
        id: SessionUuid::new(flow.head.id.as_str())?,
        created_at: SessionTime::of(flow.opened_at),
        updated_at: SessionTime::of(flow.changed_at),
        status: flow.stage.into(),
        repository_path: flow.head.repository.as_ref().map_or(repository, |of| &of.root).to_owned(),
        conversation: conversation(flow, texts),
        tasks,
        worktrees,
        tasuki: Some(besides(flow)),
    })
}

fn read(texts: Texts<'_>, place: BodyRef) -> String {
    texts(place).map_or_else(|| UNREADABLE.to_owned(), |text| text.to_string())
}

/// What was asked for in words, and the plan that came of it.
fn conversation(flow: &Flow, texts: Texts<'_>) -> Conversation {
    let mut messages = Vec::new();
    let mut say = |role, content: String, at: Millis| {
        if !content.is_empty() {
            messages.push(SessionMessage { role, content, timestamp: SessionTime::of(at) });
        }
    };
    say(MessageRole::User, read(texts, flow.request), flow.opened_at);
    if let Some(planning) = &flow.planning {
        say(MessageRole::System, read(texts, planning.text), planning.asked_at);
        if let (Some(answer), Some(at)) = (planning.answer, planning.ended) {
            say(MessageRole::Assistant, read(texts, answer), at);
        }
    }
    Conversation { messages }
}

/// The worktrees that are there, each by the step whose own it is.
fn trees(flow: &Flow) -> BTreeMap<&StepName, WorktreeRef> {
    let mut trees: BTreeMap<&StepName, WorktreeRef> = BTreeMap::new();
    for (owner, tree) in &flow.trees {
        if let Some(path) = tree.path.as_deref().filter(|_| tree.stage == TreeStage::There) {
            let (branch_name, path) = (tree.branch.clone(), path.to_owned());
            let (created_at, task_ids) = (SessionTime::of(tree.wanted_at), Vec::new());
            trees.insert(owner, WorktreeRef { branch_name, path, created_at, task_ids });
        }
    }
    for (at, step) in flow.steps.iter().enumerate() {
        if let Some(tree) = flow.tree_of(at).and_then(|owner| trees.get_mut(owner)) {
            tree.task_ids.push(step.spec.name.clone());
        }
    }
    trees
}

fn task(
    (step, repository): (&FlowStep, Option<&FlowRepository>),
    now: Option<&StepNow>,
    tree: Option<WorktreeRef>,
    texts: Texts<'_>,
) -> SessionTask {
    let result = result(step, texts).map(|result| with_pull(result, step, tree.as_ref(), repository));
    SessionTask {
        id: step.spec.name.clone(),
        name: step.spec.title.clone(),
        description: read(texts, step.text),
        status: TaskStatus::from(step.stage),
        dependencies: step.spec.needs.clone(),
        worktree_strategy: match step.spec.tree {
            Some(StepTree::SharedWith(_)) => WorktreeStrategy::Shared,
            Some(StepTree::New) | None => WorktreeStrategy::New,
        },
        assigned_worktree: tree,
        sub_agent: sub_agent(step, now),
        created_at: SessionTime::of(step.planned_at),
        started_at: step.typed.or(step.began).map(SessionTime::of),
        completed_at: step.ended.map(SessionTime::of),
        result,
    }
}

/// What was done elsewhere is told as its document has told it, until it is done again.
fn as_it_came(task: SessionTask, step: &FlowStep) -> SessionTask {
    let Some(came) = step.document.as_deref().and_then(task_alone) else { return task };
    let summary = task.result.map(|result| result.summary).unwrap_or_default();
    SessionTask {
        worktree_strategy: came.worktree_strategy,
        assigned_worktree: came.assigned_worktree,
        sub_agent: came.sub_agent,
        created_at: came.created_at,
        started_at: came.started_at,
        completed_at: came.completed_at,
        result: came.result.map(|told| TaskResult { summary, ..told }),
        ..task
    }
}

/// Puts the worktrees with which tasks came beside those of the flow. Where a branch has one here, that counts.
fn add_worktrees(tasks: &mut [SessionTask], worktrees: &mut Vec<WorktreeRef>) {
    let places = worktrees.iter().enumerate().map(|(at, tree)| (tree.branch_name.clone(), at));
    let mut places: HashMap<BranchName, usize> = places.collect();
    for task in tasks {
        let Some(own) = &mut task.assigned_worktree else { continue };
        let at = *places.entry(own.branch_name.clone()).or_insert(worktrees.len());
        match worktrees.get_mut(at) {
            None => worktrees.push(own.clone()),
            Some(there) => {
                if !there.task_ids.contains(&task.id) {
                    there.task_ids.push(task.id.clone());
                }
                if own.path != there.path {
                    own.clone_from(there);
                }
            }
        }
    }
}

fn result(step: &FlowStep, texts: Texts<'_>) -> Option<TaskResult> {
    let note = || step.note.as_deref().map(str::to_owned);
    let mut text = || step.answer.as_ref().map(|answer| read(texts, answer.body));
    let (success, summary, error) = match step.stage {
        StepStage::Completed => (true, text().unwrap_or_default(), None),
        StepStage::Failed => (false, String::new(), text().or_else(note)),
        StepStage::Cancelled(_) => (false, String::new(), note()),
        StepStage::Pending | StepStage::Ready | StepStage::Preparing | StepStage::Sent => return None,
    };
    let tasuki = step.in_tree.work.as_deref().map(|work| json!({"work": work_of(work, texts)}));
    Some(TaskResult { success, summary, pull_request: None, error, tasuki })
}

/// A result with the pull request of the task, or with the command that opens one.
fn with_pull(
    result: TaskResult,
    step: &FlowStep,
    tree: Option<&WorktreeRef>,
    repository: Option<&FlowRepository>,
) -> TaskResult {
    let pull = step.in_tree.pull.as_deref();
    if let Some((number, url)) = pull.and_then(|pull| Some((pull.number?, pull.url.as_deref()?))) {
        return TaskResult { pull_request: Some(PullRequestRef { number, url: url.to_owned() }), ..result };
    }
    let has_commits = step.in_tree.work.as_ref().is_some_and(|work| work.sum.commits > 0);
    let can = result.success && has_commits;
    let (Some(tree), Some(repository), true) = (tree, repository, can) else { return result };
    let branch = tree.branch_name.as_str();
    let command = by_hand(&repository.root, branch, repository.branch.as_deref(), &step.spec.title);
    let why = pull.and_then(|pull| pull.why.as_deref()).map(str::to_owned);
    let pull = TaskPull { why, command: Some(command), ..TaskPull::default() };
    let mut tasuki = result.tasuki.unwrap_or_else(|| json!({}));
    if let Some(tasuki) = tasuki.as_object_mut() {
        tasuki.insert("pull_request".to_owned(), json!(pull));
    }
    TaskResult { tasuki: Some(tasuki), ..result }
}

/// What a task has done in its worktree.
fn work_of(work: &StepWork, texts: Texts<'_>) -> TaskWork {
    if let Some(why) = &work.sum.unknown {
        return TaskWork::unknown(&**why);
    }
    let found = texts(work.place).and_then(|text| TaskWork::of_text(&text));
    found.unwrap_or_else(|| TaskWork::unknown(UNREADABLE))
}

/// Who does a task, or has done it.
fn sub_agent(step: &FlowStep, now: Option<&StepNow>) -> Option<SubAgent> {
    let (worker, status) = match (now, step.worker.as_deref()) {
        (Some(now), _) => (&now.worker, SubAgentStatus::from(now.doing)),
        (None, Some(worker)) if step.stage == StepStage::Completed => (worker, SubAgentStatus::Completed),
        (None, Some(worker)) => (worker, SubAgentStatus::Error),
        (None, None) => return None,
    };
    let StepWorker { agent, provider, pane, pid, source } = worker;
    Some(SubAgent {
        id: agent.to_string(),
        agent_type: agent_type(provider),
        pane_id: pane.map(|pane| pane.to_string()).unwrap_or_default(),
        pid: pid.unwrap_or_default(),
        status,
        started_at: SessionTime::of(step.typed.or(step.began).unwrap_or(step.planned_at)),
        completed_at: step.ended.map(SessionTime::of),
        completion_source: source.map(DetectedBy::from),
    })
}

/// Which program a profile is for.
fn agent_type(provider: &str) -> SubAgentType {
    match provider {
        "claude" => SubAgentType::ClaudeCode,
        "codex" => SubAgentType::Codex,
        "gemini" => SubAgentType::Gemini,
        "opencode" => SubAgentType::OpenCode,
        _ => SubAgentType::Other,
    }
}

impl From<StepDoing> for SubAgentStatus {
    fn from(doing: StepDoing) -> Self {
        match doing {
            StepDoing::Starting => Self::Starting,
            StepDoing::Working => Self::Running,
            StepDoing::WaitsForPerson => Self::WaitingInput,
            StepDoing::Gone => Self::Error,
        }
    }
}

impl From<CompletionSource> for DetectedBy {
    fn from(source: CompletionSource) -> Self {
        match source {
            // A person speaks through the same door as an agent's own word.
            CompletionSource::Reply | CompletionSource::Hook | CompletionSource::Person => Self::Hook,
            CompletionSource::ProcessExit => Self::ProcessExit,
            CompletionSource::Marker => Self::OutputPattern,
            CompletionSource::Idle => Self::IdleTimeout,
        }
    }
}

/// What only tasuki knows: who asked, who does what, and as which messages.
fn besides(flow: &Flow) -> Json {
    let head = &flow.head;
    let mut out = Map::new();
    let mut put = |key: &str, value: Json| drop(out.insert(key.to_owned(), value));
    put("owner", json!(head.owner.as_str()));
    if let Some(master) = &head.master {
        put("master", json!(master.as_str()));
    }
    if let Some(name) = &head.name {
        put("name", json!(name));
    }
    if let Some(repository) = &head.repository {
        put("base", json!(repository.base));
    }
    put("on_failure", json!(head.on_failure.word()));
    put("parallel", json!(head.parallel));
    if head.pull_requests {
        put("pull_requests", json!(true));
    }
    if flow.planning.as_ref().is_some_and(|planning| planning.asks_for_pulls) {
        put("asks_for_pull_requests", json!(true));
    }
    if let Some(debate) = &head.from_debate {
        put("debate", json!(debate.as_str()));
    }
    if let Some(note) = flow.note.as_deref() {
        put("note", json!(note));
    }
    if flow.waits_for_yes() {
        put("waits_for_yes", json!(true));
    }
    if flow.needs_yes() {
        put("needs_yes", json!(true));
    }
    if let Some(planning) = flow.planning.as_ref().filter(|_| flow.is_being_planned()) {
        put("planning", json!(planning.message.as_str()));
    }
    if let Some(merge) = flow.merge.as_deref() {
        let (task, note) = (merge.step.as_ref().map(StepName::as_str), merge.note.as_deref());
        let again = merge.reopened.iter().map(|(step, times)| {
            json!({"task": step.as_str(), "times": times, "why": merge.clashes.get(step).map_or("", |why| why)})
        });
        let again: Vec<Json> = again.collect();
        let mut told = json!({"into": merge.into, "status": merge.stage.word(), "task": task, "note": note, "again": again});
        let unmerged: Vec<&str> = flow.unmerged().into_iter().map(StepName::as_str).collect();
        if let Some(told) = told.as_object_mut().filter(|_| !unmerged.is_empty()) {
            told.insert("unmerged".to_owned(), json!(unmerged));
        }
        put("merge", told);
    }
    let steps = flow.steps.iter().map(|step| (step.spec.name.to_string(), of_step(step)));
    put("tasks", Json::Object(steps.collect()));
    Json::Object(out)
}

fn of_step(step: &FlowStep) -> Json {
    let mut out = Map::new();
    let mut put = |key: &str, value: Json| drop(out.insert(key.to_owned(), value));
    put("to", json!(step.spec.to.as_str()));
    if step.spec.join == Join::Any {
        put("join", json!(step.spec.join.word()));
    }
    if let Some(message) = &step.message {
        put("message", json!(message.as_str()));
        put("tries", json!(step.tries));
    }
    if let Some(note) = step.note.as_deref() {
        put("note", json!(note));
    }
    if !step.spec.touches.is_empty() {
        put("touches", json!(step.spec.touches));
    }
    if let Some(ms) = step.spec.timeout_ms {
        put("timeout_ms", json!(ms));
    }
    if let Some(expect) = &step.spec.expect {
        put("expect", json!(expect));
    }
    Json::Object(out)
}
