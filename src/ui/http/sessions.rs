//! The addresses at which sessions begin and are steered.

use super::gate::{Gate, JsonAnswer, unexpected};
use super::given::{Key, Large, Question};
use super::refused::Refused;
use crate::daemon::clients::request::{Request, Response};
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::{Opening, step};
use crate::engine::flow::wish::FlowWish;
use crate::engine::input::{Command, Reply};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, USER};
use crate::io::chance::mint_flow_id;
use crate::read::Model;
use crate::wire::api::{
    Done, Problem, SessionBegun, SessionBody, SessionQuery, SessionRetryBody, SessionTaskBody,
};
use crate::wire::session::plan::{PlanRefusal, read, read_task};
use crate::wire::session::prompt::prompt;
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
    let SessionBody { plan, goal, master, yes } = body;
    let master = gate.asked(move |model| master_of(model, master)).await??;
    let named = (id.clone(), AgentName::user(), master.clone());
    let opening = match (plan, goal) {
        (Some(plan), None) => {
            let plan = gate.compute(move || read(plan.as_bytes())).await?.map_err(of_plan)?;
            Opening::of_plan(plan, named)?
        }
        (None, Some(goal)) if goal.trim().is_empty() => {
            return Err(Refusal::new(Code::ContentEmpty, "the goal has no text").at("goal").into());
        }
        (None, Some(goal)) => {
            let words = goal.clone();
            let asked = gate.asked(move |model| prompt(model.team(), &master, &words)).await?;
            Opening::of_goal(goal.into(), named, (asked.into(), !yes))
        }
        (Some(_), Some(_)) => {
            return Err(Refused::bad_request("there are both `plan` and `goal`: give one of them"));
        }
        (None, None) => return Err(Refused::bad_request("there is neither `plan` nor `goal`")),
    };
    match gate.ask(key, Request::Command(Command::OpenFlow(Box::new(opening)))).await? {
        Response::Reply(Reply::Done { what, .. }) => Ok(Json(SessionBegun { what, id: id.to_string() })),
        other => Err(unexpected(other)),
    }
}

pub(super) async fn pause(State(gate): State<Gate>, key: Key, Question(SessionPath { id }): Question<SessionPath>) -> JsonAnswer<Done> {
    wish(&gate, key, id, FlowWish::Pause).await
}

pub(super) async fn resume(State(gate): State<Gate>, key: Key, Question(SessionPath { id }): Question<SessionPath>) -> JsonAnswer<Done> {
    wish(&gate, key, id, FlowWish::Resume).await
}

pub(super) async fn cancel(State(gate): State<Gate>, key: Key, Question(SessionPath { id }): Question<SessionPath>) -> JsonAnswer<Done> {
    wish(&gate, key, id, FlowWish::Cancel).await
}

pub(super) async fn retry(
    State(gate): State<Gate>,
    key: Key,
    Question(SessionPath { id }): Question<SessionPath>,
    Large(body): Large<SessionRetryBody>,
) -> JsonAnswer<Done> {
    let name = StepName::new(&body.task).map_err(|error| {
        let why = format!("`{}` {error}", body.task.escape_debug());
        Refusal::new(Code::BadId, why).at("task")
    })?;
    wish(&gate, key, id, FlowWish::Retry(name)).await
}

/// Adds a task to a session.
pub(super) async fn add_task(
    State(gate): State<Gate>,
    key: Key,
    Question(SessionPath { id }): Question<SessionPath>,
    Large(body): Large<SessionTaskBody>,
) -> JsonAnswer<Done> {
    let query = SessionQuery { id: id.clone() };
    let details = gate.read(query).await?;
    let names = details.tasks.iter().filter_map(|task| StepName::new(&task.id).ok()).collect::<Vec<_>>();
    let master = details.session.master.as_deref().and_then(|name| AgentName::new(name).ok());
    let master = master.unwrap_or_else(AgentName::user);
    let task = gate.compute(move || read_task(body.task.as_bytes(), &names)).await?.map_err(of_plan)?;
    let step = step(task, &master)?;
    wish(&gate, key, details.session.id, FlowWish::Add(Box::new(step))).await
}

/// Asks something of the session that has this id, or alone an id that begins so.
async fn wish(gate: &Gate, key: Key, id: String, wish: FlowWish) -> JsonAnswer<Done> {
    let id = gate.asked(move |model| model.session_id(&id)).await?.map_err(Refused::of_problem)?;
    let done = gate.command(key, Command::Flow { id: id.clone(), wish }).await;
    match done {
        // One that is over is no open one, and is there all the same.
        Err(refused) if refused.problem.code == Code::NotOpen.word() => {
            let details = gate.read(SessionQuery { id: id.to_string() }).await?;
            let why = format!("session {id} is {} and changes no more", details.session.status);
            Err(Refusal::new(Code::NotOpen, why).into())
        }
        done => done,
    }
}

/// Who splits the goal of a session, and does what its plan gives to nobody.
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

fn of_plan(refusal: PlanRefusal) -> Refused {
    let PlanRefusal { refusal, cure, line_text } = refusal;
    let shown = refusal.line.filter(|_| !line_text.is_empty());
    let why = match shown {
        Some(line) => format!("{}\n  {line} | {line_text}", refusal.why),
        None => refusal.why.clone(),
    };
    Refused::of_problem(Problem {
        code: refusal.code.word().to_owned(),
        why,
        cure: cure.to_owned(),
        field: refusal.field.map(str::to_owned),
        line: refusal.line,
        column: refusal.column,
        ..Problem::default()
    })
}

impl Gate {
    /// Asks whoever answers questions for something.
    async fn asked<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Model) -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let answer = self.reads.ask(what).await;
        answer.ok_or_else(|| Refused::unavailable("the daemon is ending or restarting"))
    }

    /// Has something computed that takes a while, so that no other request waits for it.
    async fn compute<T: Send + 'static>(
        &self,
        what: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let done = tokio::task::spawn_blocking(what).await;
        done.map_err(|_| Refused::unavailable("the daemon is ending or restarting"))
    }
}

