//! The addresses at which sessions begin and are steered.

use super::gate::{Gate, JsonAnswer, unexpected};
use super::given::{Key, Large, Question, Whole};
use super::kept;
use super::refused::Refused;
use crate::daemon::clients::request::{Request, Response};
use crate::engine::input::{Command, Reply};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, USER};
use crate::io::chance::mint_flow_id;
use crate::io::session_file::{keep, replace};
use crate::io::worktree::{
    WorktreeError, branches_at, may_follow, repository_at, repository_of, repository_with_top,
    session_elsewhere,
};
use crate::read::Model;
use crate::ui::session::words::of_session;
use crate::wire::api::{
    DebateProgressQuery, Done, Problem, SessionBegun, SessionBody, SessionImportBody, SessionMergeBody,
    SessionQuery, SessionRetryBody, SessionTaskBody, SessionsQuery,
};
use crate::wire::debate::hand_over;
use crate::wire::session::document::SessionStatus;
use crate::wire::session::document::export;
use crate::wire::session::wanted::{self, TriedPlan};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;

/// The session in an address: its id, or the beginning of it.
#[derive(Debug, Deserialize)]
pub(super) struct SessionPath {
    id: String,
}

/// Begins a session: by a plan, or by a goal that its master is asked to split.
pub(super) async fn begin(
    State(gate): State<Gate>,
    key: Key,
    Large(body): Large<SessionBody>,
) -> JsonAnswer<SessionBegun> {
    let id = mint_flow_id();
    let SessionBody { plan, goal, master, yes, pr, debate, again } = body;
    let (of, begun) = (id.clone(), id.to_string());
    let workspace = asked(&gate, |model| model.workspace().clone()).await?;
    let debate = match debate {
        Some(word) => {
            let found = asked(&gate, move |model| model.debate_id(&word)).await?;
            let id = found.map_err(Refused::of_problem)?;
            Some((id.clone(), handed_over(&gate, id.to_string(), again).await?))
        }
        None => None,
    };
    let (debate, its_plan) = debate.unzip();
    let goal = goal.or(its_plan.filter(|_| plan.is_none()));
    let repository = repository_of(&workspace).await;
    let mut tried = None;
    let command = match (plan, goal) {
        (Some(plan), None) => {
            let master = asked(&gate, move |model| master_of(model, master)).await??;
            tried = Some(TriedPlan {
                plan: plan.clone(),
                master: master.clone(),
                repository: repository.clone(),
            });
            match computed(move || wanted::by_plan(of, &plan, master, repository, pr)).await {
                Ok(command) => command,
                Err(refused) => return Err(in_plan(&gate, refused, tried).await),
            }
        }
        (None, Some(goal)) => {
            let by_goal = move |model: &mut Model| {
                let master = master_of(model, master)?;
                wanted::by_goal(of, &goal, (model.team(), master), repository, (!yes, pr))
                    .map_err(Refused::of_problem)
            };
            asked(&gate, by_goal).await??
        }
        (Some(_), Some(_)) => {
            return Err(Refused::bad_request("there are both `plan` and `goal`: give one of them"));
        }
        (None, None) => {
            return Err(Refused::bad_request(
                "there is neither `plan` nor `goal`, and no `debate` that has one",
            ));
        }
    };
    let command = wanted::of_debate(command, debate, again);
    match gate.ask(key, Request::Command(command)).await? {
        Response::Reply(Reply::Done { what, .. }) => Ok(Json(SessionBegun { what, id: begun })),
        other => Err(in_plan(&gate, unexpected(other), tried).await),
    }
}

/// The final plan of a debate that may be handed over, as a goal.
async fn handed_over(gate: &Gate, id: String, again: bool) -> Result<String, Refused> {
    let progress = gate.read(DebateProgressQuery { id: id.clone() }).await?;
    let plan = hand_over::final_plan(&progress, None).map_err(Refused::of_problem)?;
    let sessions = gate.read(SessionsQuery {}).await?.sessions;
    if let Some(session) = hand_over::newest_of(&sessions, &id).filter(|_| !again) {
        let told = hand_over::handed_over(&id, session, of_session(session));
        return Err(Refused::of_problem(told));
    }
    Ok(hand_over::goal(&progress, plan))
}

/// A refusal with the places in the plan of all that is wrong, also for this team: the engine knows no lines, and who reads a plan no
/// team.
async fn in_plan(gate: &Gate, mut refused: Refused, tried: Option<TriedPlan>) -> Refused {
    let Some(tried) = tried else { return refused };
    let Ok(team) = asked(gate, |model| model.team().clone()).await else { return refused };
    let told = refused.problem.clone();
    let look = move || tried.mistakes(&told, &team);
    if let Ok(Some(problem)) = tokio::task::spawn_blocking(look).await {
        refused.problem = problem;
    }
    refused
}

pub(super) async fn pause(
    State(gate): State<Gate>,
    key: Key,
    Question(path): Question<SessionPath>,
) -> JsonAnswer<Done> {
    steer(&gate, key, path, |model, id| Ok(wanted::pause(model.session_id(&id)?))).await
}

pub(super) async fn resume(
    State(gate): State<Gate>,
    key: Key,
    Question(path): Question<SessionPath>,
) -> JsonAnswer<Done> {
    let word = path.id.clone();
    let kept = asked(&gate, move |model| model.kept_session(&word)).await?.map_err(Refused::of_problem)?;
    let Some(session) = kept else {
        refuse_elsewhere(&gate, &path).await?;
        return steer(&gate, key, path, |model, id| Ok(wanted::resume(model.session_id(&id)?))).await;
    };
    let workspace = asked(&gate, |model| model.workspace().clone()).await?;
    let place = std::path::PathBuf::from(&session.repository_path);
    if !place.is_dir() {
        return Err(kept::without_repository(&session, &workspace));
    }
    if let Ok(id) = wanted::id_of(&session)
        && let Some(other) = session_elsewhere(&place, &workspace, &id).await
    {
        return Err(kept::goes_on_elsewhere(id.as_str(), &place, &other));
    }
    let goes_on = session.status != SessionStatus::Completed;
    let repository = match goes_on && wanted::has_branches(&session) {
        true => {
            let found = repository_with_top(&place, &workspace).await;
            Some(found.map_err(|error| kept::in_no_repository(&session, &workspace, &error))?)
        }
        false => repository_at(&place, &workspace).await,
    };
    let named = wanted::branches_of(&session);
    let branches = branches_at(&place, &workspace, named.clone()).await;
    let there = branches.clone();
    let again = move |model: &mut Model| {
        let master = master_of(model, None)?;
        wanted::begin_again(&session, (model.team(), master), (repository, &there))
            .map_err(Refused::of_problem)
    };
    let command = asked(&gate, again).await??;
    let gone: Vec<String> = named.difference(&branches).map(ToString::to_string).collect();
    let Json(mut done) = gate.command(key, command).await?;
    if !gone.is_empty() {
        done.what = format!("{}; not in the repository, so taken as merged: {}", done.what, gone.join(", "));
    }
    Ok(Json(done))
}

/// Keeps a session that comes from elsewhere.
pub(super) async fn take_in(
    State(gate): State<Gate>,
    key: Key,
    Whole(body): Whole<SessionImportBody>,
) -> JsonAnswer<SessionBegun> {
    let read = tokio::task::spawn_blocking(move || wanted::take_in(&body.document)).await;
    let (id, session) = read.map_err(|_| Refused::ending())?.map_err(Refused::of_problem)?;
    may_keep(&gate, key, id.to_string()).await?;
    let (word, name) = (id.to_string(), id.to_string());
    let known = asked(&gate, move |model| model.kept_session(&word).is_ok()).await?;
    let workspace = asked(&gate, |model| model.workspace().clone()).await?;
    let kept = !known
        && keep(&workspace, &id, &export(&session))
            .map_err(|error| Refused::unavailable(error.to_string()))?;
    if !kept {
        let why = format!("there is a session {id} already, and an id is that of one session for good");
        let mut refused = Refused::from(Refusal::new(Code::IdConflict, why).at("id"));
        refused.problem.cure = format!(
            "see it with `tasuki session show {id}`; to take the document in as another session, write a UUID of its own into its `id`"
        );
        return Err(refused);
    }
    gate.reads.changed();
    Ok(Json(SessionBegun { what: kept::said(&session), id: name }))
}

pub(super) async fn cancel(
    State(gate): State<Gate>,
    key: Key,
    Question(path): Question<SessionPath>,
) -> JsonAnswer<Done> {
    let word = path.id.clone();
    let kept = asked(&gate, move |model| model.kept_session(&word)).await?.map_err(Refused::of_problem)?;
    let Some(session) = kept else {
        return steer(&gate, key, path, |model, id| Ok(wanted::cancel(model.session_id(&id)?))).await;
    };
    if !session.is_open() {
        return Err(kept::is_over(&session));
    }
    // It stands still, and all that is known of it is its document.
    let (id, text) = wanted::call_off(session, gate.clock.wall()).map_err(Refused::of_problem)?;
    may_keep(&gate, key, id.to_string()).await?;
    let workspace = asked(&gate, |model| model.workspace().clone()).await?;
    replace(&workspace, &id, &text).map_err(|error| Refused::unavailable(error.to_string()))?;
    gate.reads.changed();
    Ok(Json(Done { what: format!("session {id} is cancelled"), id: None }))
}

/// An agent has nothing to say of what a person keeps.
async fn may_keep(gate: &Gate, key: Key, id: String) -> Result<(), Refused> {
    match gate.ask(key, Request::Dismiss(id)).await? {
        Response::Ok => Ok(()),
        other => Err(unexpected(other)),
    }
}

pub(super) async fn retry(
    State(gate): State<Gate>,
    key: Key,
    Question(path): Question<SessionPath>,
    Large(body): Large<SessionRetryBody>,
) -> JsonAnswer<Done> {
    refuse_elsewhere(&gate, &path).await?;
    steer(&gate, key, path, move |model, id| wanted::retry(model.session_id(&id)?, &body.task, body.text))
        .await
}

/// Brings its branches together.
pub(super) async fn merge(
    State(gate): State<Gate>,
    key: Key,
    Question(path): Question<SessionPath>,
    Large(body): Large<SessionMergeBody>,
) -> JsonAnswer<Done> {
    body.into.as_deref().map_or(Ok(()), wanted::check_branch).map_err(Refused::of_problem)?;
    refuse_elsewhere(&gate, &path).await?;
    let (word, into) = (path.id.clone(), body.into.clone());
    let target = asked(&gate, move |model| model.merge_target(&word, into?.as_str())).await?;
    if let Some((place, into)) = target {
        let workspace = asked(&gate, |model| model.workspace().clone()).await?;
        // What is checked out later is seen by the merge itself.
        match may_follow(&place, &workspace, &into).await {
            Err(error @ WorktreeError::Beside { .. }) => {
                let why = format!("`{}` cannot be a branch: {error}", into.escape_debug());
                let mut refused = Refused::from(Refusal::new(Code::BadBranch, why).at("into"));
                refused.problem.cure =
                    format!("name another one, for example `{}-merged`", into.replace('/', "-"));
                return Err(refused);
            }
            Err(error) if error.is_refusal() => {
                return Err(Refusal::new(Code::WrongStage, error.to_string()).at("into").into());
            }
            _ => {}
        }
    }
    steer(&gate, key, path, move |model, id| wanted::merge(model.session_id(&id)?, body.into)).await
}

/// Adds a task to a session.
pub(super) async fn add_task(
    State(gate): State<Gate>,
    key: Key,
    Question(path): Question<SessionPath>,
    Large(body): Large<SessionTaskBody>,
) -> JsonAnswer<Done> {
    refuse_elsewhere(&gate, &path).await?;
    let details = gate.read(SessionQuery { id: path.id.clone() }).await?;
    steer(&gate, key, path, move |model, id| wanted::add_task(model.session_id(&id)?, &body.task, &details))
        .await
}

/// Refuses to have a session of this workspace go on that goes on in another one.
async fn refuse_elsewhere(gate: &Gate, path: &SessionPath) -> Result<(), Refused> {
    let word = path.id.clone();
    let own = asked(gate, move |model| (model.session_repository(&word), model.workspace().clone())).await?;
    if let (Some((id, place)), workspace) = own
        && let Some(other) = session_elsewhere(&place, &workspace, &id).await
    {
        return Err(kept::goes_on_elsewhere(id.as_str(), &place, &other));
    }
    Ok(())
}

/// Asks something of the session that is meant.
async fn steer(
    gate: &Gate,
    key: Key,
    SessionPath { id }: SessionPath,
    command: impl FnOnce(&mut Model, String) -> Result<Command, Problem> + Send + 'static,
) -> JsonAnswer<Done> {
    let word = id.clone();
    let command = asked(gate, move |model| command(model, word)).await?.map_err(Refused::of_problem)?;
    match gate.command(key, command).await {
        // One of which there is its document alone is no open one, and is there all the same.
        Err(refused) if refused.problem.code == Code::NotOpen.word() => {
            let word = id.clone();
            let (kept, workspace) =
                asked(gate, move |model| (model.kept_session(&word), model.workspace().clone())).await?;
            match kept {
                Ok(Some(session)) => Err(kept::stands(&session, &workspace)),
                Ok(None) => Err(refused.of_session(&id)),
                Err(problem) => Err(Refused::of_problem(problem)),
            }
        }
        Err(refused) => Err(refused.of_session(&id)),
        done => done,
    }
}

/// Who splits the goal of a session, and is the model of those hired for what its plan gives to nobody.
fn master_of(model: &Model, wanted: Option<String>) -> Result<AgentName, Refused> {
    if let Some(wanted) = wanted {
        let name = AgentName::new(&wanted).map_err(|error| {
            let why = format!("`{}` {error}", wanted.escape_debug());
            Refusal::new(Code::BadName, why).at("master")
        })?;
        return Ok(model.team().member(&name)?);
    }
    model.first_of_user().ok_or_else(|| {
        let why = format!("nobody in the team reports to `{USER}`: name the master with `master`");
        Refusal::new(Code::UnknownAgent, why).at("master").into()
    })
}

/// Asks whoever answers questions for something.
async fn asked<T: Send + 'static>(
    gate: &Gate,
    what: impl FnOnce(&mut Model) -> T + Send + 'static,
) -> Result<T, Refused> {
    gate.reads.ask(what).await.ok_or_else(Refused::ending)
}

/// Has a command made that takes a while, so that no other request waits for it.
async fn computed(
    what: impl FnOnce() -> Result<Command, Problem> + Send + 'static,
) -> Result<Command, Refused> {
    let done = tokio::task::spawn_blocking(what).await;
    done.map_err(|_| Refused::ending())?.map_err(Refused::of_problem)
}
