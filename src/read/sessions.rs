//! Sessions as they are shown: those that the journal's newest segment knows, and behind them the documents of those that are over.

use super::kept;
use super::model::{Answers, Model};
use super::titles::title_of;
use crate::engine::flow::flow::{Flow, FlowStep};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::merge::FlowMerge;
use crate::engine::flow::step::StepStage;
use crate::engine::message::{BodyRef, Expect};
use crate::engine::words::{MessageId, Seq};
use crate::io::regular;
use crate::wire::api::{
    Problem, SessionCounts, SessionDetails, SessionDocumentQuery, SessionInfo, SessionList,
    SessionMergeAgain, SessionMergeInfo, SessionQuery, SessionTaskInfo, SessionsQuery,
};
use crate::wire::events;
use crate::wire::message::checked::expected;
use crate::wire::session::document::{
    AgentSession, MessageRole, SessionStatus, SessionTask, TaskResult, TaskStatus, import, of_flow,
};
use crate::wire::session::work::TaskPull;
use crate::wire::time::rfc3339;
use serde::Deserialize as _;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// Sessions that are over and in the list: whoever looks for an older one names it.
const OVER_MAX: usize = 200;
/// Largest document of a session that is over which is read, in bytes.
const DOCUMENT_BYTES_MAX: u64 = 64 << 20;

/// What holds up a task that may begin while nothing is typed to anybody.
const HELD: &str = "all typing is held: `tasuki stop --off` lets the work go on";

impl Answers for SessionsQuery {
    fn answer(self, model: &mut Model) -> Result<SessionList, Problem> {
        let flows = model.state().flows.values().filter(|flow| flow.debate().is_none());
        let flows: Vec<Flow> = flows.map(|flow| flow.without_steps()).collect();
        let mut steps = model.state().flows.values().flat_map(|flow| &flow.steps);
        let waiting = match steps.any(|step| step.stage == StepStage::Sent) {
            true => model.wait_for_a_person(),
            false => BTreeSet::new(),
        };
        let mut sessions = Vec::new();
        for flow in flows {
            let title = flow.head.name.clone().or_else(|| model.first_line(flow.request));
            let whole = model.state().flows.get(&flow.head.id);
            let counts = whole.map(|flow| model.counts_of(flow, &waiting)).unwrap_or_default();
            let merge = whole.and_then(|flow| merge_of(flow));
            sessions.push(SessionInfo { merge, ..info_of_flow(&flow, title, counts) });
        }
        sessions.extend(model.over(OVER_MAX).iter().map(|document| kept::info(document, info_of(document))));
        sessions.sort_by(|one, other| (&other.created_at, &other.id).cmp(&(&one.created_at, &one.id)));
        Ok(SessionList { sessions })
    }
}

impl Answers for SessionQuery {
    fn answer(self, model: &mut Model) -> Result<SessionDetails, Problem> {
        let document = model.document(&self.id)?;
        let mut session = info_of(&document);
        let besides = document.tasuki.as_ref().and_then(|tasuki| tasuki.get("tasks"));
        let mut tasks: Vec<_> = document.tasks.iter().map(|task| task_of(task, besides)).collect();
        if !model.has_flow(&session.id) {
            session = kept::info(&document, session);
            kept::tasks(&session, &mut tasks);
        }
        model.give_places_to(&mut tasks);
        model.tell_of_steps(&session.id, &mut tasks);
        model.count_what_waits(&tasks, &mut session.counts);
        let has_worktrees = document.tasuki.as_ref().is_some_and(|tasuki| tasuki.get("base").is_some());
        Ok(SessionDetails { session, goal: goal_of(&document), has_worktrees, tasks, seq: model.seq().0 })
    }
}

impl Answers for SessionDocumentQuery {
    fn answer(self, model: &mut Model) -> Result<Json, Problem> {
        let document = model.document(&self.id)?;
        Ok(serde_json::to_value(&document).unwrap_or_default())
    }
}

impl Model {
    /// The document of the session that is meant.
    fn document(&mut self, id: &str) -> Result<AgentSession, Problem> {
        let id = self.session_id(id)?;
        let seen = self.engine().flow(&id);
        if seen.as_ref().is_some_and(|seen| seen.flow.debate().is_some()) {
            return Err(Problem {
                cure: format!("it is a debate: `tasuki debate show {id}`"),
                ..no_session(id.as_str())
            });
        }
        let Some(seen) = seen else {
            return self.document_of_file(&id).ok_or_else(|| no_session(id.as_str()));
        };
        let texts = self.texts(seen.texts());
        let root = self.workspace.root_text().to_owned();
        let document = of_flow(&seen, &root, &mut |place| texts.get(&place).cloned());
        document.ok_or_else(|| no_session(id.as_str()))
    }

    /// Whether the engine knows more of a session than its document.
    fn has_flow(&self, id: &str) -> bool {
        FlowId::new(id).is_ok_and(|id| self.state().flows.contains_key(&id))
    }

    /// The document of a session that nothing but its document is known of; none of one that the engine knows.
    ///
    /// # Errors
    /// [`Problem`] if there is no such session.
    pub fn kept_session(&self, id: &str) -> Result<Option<AgentSession>, Problem> {
        let id = self.session_id(id)?;
        if self.state().flows.contains_key(&id) {
            return Ok(None);
        }
        self.document_of_file(&id).map(Some).ok_or_else(|| no_session(id.as_str()))
    }

    /// The session that has this id, or alone an id that begins so.
    ///
    /// # Errors
    /// [`Problem`] if none has, or several have.
    pub fn session_id(&self, text: &str) -> Result<FlowId, Problem> {
        if let Ok(id) = FlowId::new(text) {
            return Ok(id);
        }
        let known = self.state().flows.values().filter(|flow| flow.debate().is_none());
        let mut found: BTreeSet<FlowId> = known.map(|flow| flow.head.id.clone()).collect();
        found.extend(self.ids_of_files());
        only_one(text, found, no_session)
    }

    /// The repository of a session, and the branch onto which its branches are to come, if that is not its own.
    pub fn merge_target(&self, id: &str, into: &str) -> Option<(PathBuf, String)> {
        let flow = self.state().flows.get(&self.session_id(id).ok()?)?;
        let repository = flow.head.repository.as_deref().filter(|_| !flow.is_integration(into))?;
        Some((PathBuf::from(&repository.root), into.to_owned()))
    }

    /// The repository of a session that this workspace has itself, if it has one.
    pub fn session_repository(&self, id: &str) -> Option<(FlowId, PathBuf)> {
        let id = self.session_id(id).ok()?;
        let root = self.state().flows.get(&id)?.head.repository.as_deref()?.root.clone();
        Some((id, PathBuf::from(root)))
    }

    /// How many steps of a flow stand where.
    fn counts_of(&self, flow: &Flow, waiting: &BTreeSet<String>) -> SessionCounts {
        let mut counts = SessionCounts::default();
        for step in &flow.steps {
            counts.count(step.stage.into());
            let Some(id) = step.message.as_ref().filter(|_| step.stage == StepStage::Sent) else { continue };
            let waits_for_you = waiting.contains(id.as_str());
            counts.waits_for_you += usize::from(waits_for_you);
            counts.queued += usize::from(!waits_for_you && self.queue_that_has(id).is_some());
        }
        counts
    }

    /// Says of each task whether somebody is hired for it, and what holds it up, which no document has.
    fn tell_of_steps(&self, id: &str, tasks: &mut [SessionTaskInfo]) {
        let Some(flow) = FlowId::new(id).ok().and_then(|id| self.state().flows.get(&id)) else { return };
        let is_halted = self.state().halted.is_some();
        // While all is on hold, nothing is made.
        let waits = if is_halted { BTreeMap::new() } else { flow.waits() };
        let is_held =
            |step: &FlowStep| is_halted && step.stage == StepStage::Ready && flow.stage.begins_steps();
        for (at, (task, step)) in tasks.iter_mut().zip(&flow.steps).enumerate() {
            task.is_hired_for = step.spec.hire.is_some();
            task.waits_for =
                waits.get(&at).map(ToString::to_string).or_else(|| is_held(step).then(|| HELD.to_owned()));
        }
    }

    /// Counts the tasks of one session that wait for a person, and those that are in a queue.
    fn count_what_waits(&mut self, tasks: &[SessionTaskInfo], counts: &mut SessionCounts) {
        let running = |task: &&SessionTaskInfo| task.status == TaskStatus::Running.word();
        if !tasks.iter().any(|task| running(&task)) {
            return;
        }
        let waiting = self.wait_for_a_person();
        for task in tasks.iter().filter(running) {
            let waits_for_you = task.message.as_ref().is_some_and(|id| waiting.contains(id));
            counts.waits_for_you += usize::from(waits_for_you);
            counts.queued += usize::from(!waits_for_you && task.place.is_some());
        }
    }

    /// Puts in the places of those that are in a queue.
    fn give_places_to(&self, tasks: &mut [SessionTaskInfo]) {
        let message = |task: &SessionTaskInfo| {
            let id = task.message.as_deref().filter(|_| task.status == TaskStatus::Running.word())?;
            MessageId::new(id).ok()
        };
        let ids: Vec<Option<MessageId>> = tasks.iter().map(message).collect();
        let mut places = self.places_in_queues(ids.iter().flatten());
        for (task, id) in tasks.iter_mut().zip(&ids) {
            task.place = id.as_ref().and_then(|id| places.remove(id));
            if task.place.is_some() {
                task.started_at = None; // nobody works on it
            }
        }
    }

    /// Texts by their places. Each step of the journal is read once.
    pub(super) fn texts(&mut self, places: impl Iterator<Item = BodyRef>) -> HashMap<BodyRef, Arc<str>> {
        let mut by_step: BTreeMap<Seq, BTreeSet<u32>> = BTreeMap::new();
        for place in places {
            by_step.entry(place.seq).or_default().insert(place.index);
        }
        let mut texts = HashMap::new();
        for (seq, wanted) in by_step {
            let Some(record) = self.step(seq, None) else { continue };
            let bodies = events::bodies_of(&record.payload).into_iter();
            let bodies = bodies.filter(|(index, _)| wanted.contains(index));
            texts.extend(bodies.map(|(index, body)| (BodyRef { seq, index }, body.content)));
        }
        texts
    }

    pub(super) fn first_line(&mut self, place: BodyRef) -> Option<String> {
        let body = self.body(place)?;
        Some(title_of(&body.content)).filter(|title| !title.is_empty())
    }

    /// Documents of sessions that the newest segment does not know, those that were written last first.
    fn over(&self, most: usize) -> Vec<AgentSession> {
        let mut ids: Vec<_> = self.ids_of_files().into_iter().collect();
        ids.retain(|id| !self.state().flows.contains_key(id));
        let written =
            |id: &FlowId| std::fs::metadata(self.document_file(id)).and_then(|file| file.modified()).ok();
        ids.sort_by_cached_key(|id| std::cmp::Reverse(written(id)));
        ids.iter().take(most).filter_map(|id| self.document_of_file(id)).collect()
    }

    fn ids_of_files(&self) -> BTreeSet<FlowId> {
        let files = std::fs::read_dir(self.workspace.sessions()).into_iter().flatten().flatten();
        let id = |name: std::ffi::OsString| FlowId::new(name.to_str()?.strip_suffix(".json")?).ok();
        files.filter_map(|file| id(file.file_name())).collect()
    }

    fn document_file(&self, id: &FlowId) -> PathBuf {
        self.workspace.sessions().join(format!("{id}.json"))
    }

    fn document_of_file(&self, id: &FlowId) -> Option<AgentSession> {
        let text = regular::read(&self.document_file(id), DOCUMENT_BYTES_MAX).ok()?;
        import(&text).ok()
    }
}

/// The one of these ids that begins with a text.
///
/// # Errors
/// What `none` says if there is none; that several begin so.
pub(super) fn only_one(
    text: &str,
    mut found: BTreeSet<FlowId>,
    none: impl FnOnce(&str) -> Problem,
) -> Result<FlowId, Problem> {
    let text = text.to_ascii_lowercase();
    let is_beginning = !text.is_empty() && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    found.retain(|id| is_beginning && id.as_str().starts_with(&text));
    match (found.pop_first(), found.pop_first()) {
        (Some(id), None) => Ok(id),
        (None, _) => Err(none(&text)),
        (Some(one), Some(other)) => Err(Problem {
            code: "bad-id".to_owned(),
            why: format!("`{text}` is the beginning of several ids: {one}, {other}"),
            cure: "write more of it".to_owned(),
            field: Some("id".to_owned()),
            ..Problem::default()
        }),
    }
}

fn no_session(id: &str) -> Problem {
    Problem {
        code: "no-session".to_owned(),
        why: format!("there is no session {}", id.escape_debug()),
        cure: "`tasuki session list` lists the sessions".to_owned(),
        field: Some("id".to_owned()),
        ..Problem::default()
    }
}

impl SessionCounts {
    fn count(&mut self, status: TaskStatus) {
        *match status {
            TaskStatus::Pending => &mut self.pending,
            TaskStatus::Ready => &mut self.ready,
            TaskStatus::Running => &mut self.running,
            TaskStatus::Completed => &mut self.completed,
            TaskStatus::Failed => &mut self.failed,
            TaskStatus::Cancelled => &mut self.cancelled,
        } += 1;
    }
}

fn info_of_flow(flow: &Flow, title: Option<String>, counts: SessionCounts) -> SessionInfo {
    let planning = flow.planning.as_ref().filter(|_| flow.is_being_planned());
    SessionInfo {
        id: flow.head.id.to_string(),
        title,
        status: SessionStatus::from(flow.stage).word().to_owned(),
        stands_still: false,
        only_document: false,
        missing_repository: None,
        note: flow.note.as_deref().map(str::to_owned),
        waits_for_yes: flow.waits_for_yes(),
        planning: planning.map(|planning| planning.message.to_string()),
        owner: Some(flow.head.owner.to_string()),
        master: flow.head.master.as_ref().map(ToString::to_string),
        on_failure: Some(flow.head.on_failure.word().to_owned()),
        parallel: flow.head.parallel,
        pull_requests: flow.head.pull_requests,
        asks_for_pull_requests: flow.planning.as_ref().is_some_and(|planning| planning.asks_for_pulls),
        debate: flow.head.from_debate.as_ref().map(ToString::to_string),
        created_at: rfc3339(flow.opened_at),
        updated_at: rfc3339(flow.changed_at),
        counts,
        merge: None,
    }
}

/// How the branches of a flow with all its steps are brought together.
fn merge_of(flow: &Flow) -> Option<SessionMergeInfo> {
    let merge = flow.merge.as_deref()?;
    Some(SessionMergeInfo {
        into: merge.into.clone(),
        status: merge.stage.word().to_owned(),
        task: merge.step.as_ref().map(ToString::to_string),
        note: merge.note.as_deref().map(str::to_owned),
        unmerged: flow.unmerged().into_iter().map(ToString::to_string).collect(),
        again: again_for(merge),
    })
}

fn again_for(merge: &FlowMerge) -> Vec<SessionMergeAgain> {
    let again = merge.reopened.iter().map(|(step, times)| SessionMergeAgain {
        task: step.to_string(),
        times: *times,
        why: merge.clashes.get(step).cloned().unwrap_or_default(),
    });
    again.collect()
}

fn info_of(document: &AgentSession) -> SessionInfo {
    let besides = |key: &str| document.tasuki.as_ref().and_then(|tasuki| tasuki.get(key));
    let text = |key: &str| besides(key).and_then(Json::as_str).map(str::to_owned);
    let mut counts = SessionCounts::default();
    document.tasks.iter().for_each(|task| counts.count(task.status));
    let title = text("name").or_else(|| goal_of(document).map(|goal| title_of(&goal)));
    SessionInfo {
        id: document.id.as_str().to_owned(),
        title: title.filter(|title| !title.is_empty()),
        status: document.status.word().to_owned(),
        stands_still: false,
        only_document: false,
        missing_repository: None,
        note: text("note"),
        waits_for_yes: besides("waits_for_yes").and_then(Json::as_bool).unwrap_or_default(),
        planning: text("planning"),
        owner: text("owner"),
        master: text("master"),
        on_failure: text("on_failure"),
        parallel: besides("parallel")
            .and_then(Json::as_u64)
            .and_then(|of| u16::try_from(of).ok())
            .unwrap_or_default(),
        pull_requests: besides("pull_requests").and_then(Json::as_bool).unwrap_or_default(),
        asks_for_pull_requests: besides("asks_for_pull_requests").and_then(Json::as_bool).unwrap_or_default(),
        debate: text("debate"),
        created_at: document.created_at.as_str().to_owned(),
        updated_at: document.updated_at.as_str().to_owned(),
        counts,
        merge: besides("merge").and_then(|merge| serde_json::from_value(merge.clone()).ok()),
    }
}

/// What a person asked for first.
fn goal_of(document: &AgentSession) -> Option<String> {
    let mut said = document.conversation.messages.iter();
    said.find(|message| message.role == MessageRole::User).map(|message| message.content.clone())
}

/// The pull request of a task, as its result has it.
fn pull_of(result: &TaskResult) -> Option<TaskPull> {
    let open = result.pull_request.clone();
    let open =
        open.map(|open| TaskPull { number: Some(open.number), url: Some(open.url), ..TaskPull::default() });
    open.or_else(|| serde_json::from_value(result.tasuki.as_ref()?.get("pull_request")?.clone()).ok())
}

fn task_of(task: &SessionTask, besides: Option<&Json>) -> SessionTaskInfo {
    let besides = |key: &str| besides.and_then(|tasks| tasks.get(task.id.as_str())?.get(key));
    let text = |key: &str| besides(key).and_then(Json::as_str).map(str::to_owned);
    let agent = task.sub_agent.as_ref();
    let result = task.result.as_ref();
    SessionTaskInfo {
        id: task.id.to_string(),
        name: task.name.clone(),
        description: Some(task.description.clone()),
        status: task.status.word().to_owned(),
        dependencies: task.dependencies.iter().map(ToString::to_string).collect(),
        join: text("join").unwrap_or_else(|| "all".to_owned()),
        expect: besides("expect")
            .and_then(|of| Expect::deserialize(of).ok())
            .as_ref()
            .map(expected)
            .unwrap_or_default(),
        worktree: task.assigned_worktree.as_ref().map(|tree| tree.path.clone()),
        branch: task.assigned_worktree.as_ref().map(|tree| tree.branch_name.to_string()),
        to: text("to"),
        is_hired_for: false,
        agent: agent.map(|agent| agent.id.clone()),
        agent_status: agent.map(|agent| agent.status.word().to_owned()),
        place: None,
        waits_for: None,
        message: text("message"),
        tries: besides("tries")
            .and_then(Json::as_u64)
            .and_then(|of| u16::try_from(of).ok())
            .unwrap_or_default(),
        note: text("note"),
        started_at: task.started_at.as_ref().map(|at| at.as_str().to_owned()),
        completed_at: task.completed_at.as_ref().map(|at| at.as_str().to_owned()),
        result: result.map(|result| result.error.clone().unwrap_or_else(|| result.summary.clone())),
        pull_request: result.and_then(pull_of),
        work: result
            .and_then(|result| serde_json::from_value(result.tasuki.as_ref()?.get("work")?.clone()).ok()),
    }
}
