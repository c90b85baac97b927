//! The addresses at which debates begin and end.

use super::gate::{Gate, JsonAnswer, unexpected};
use super::given::{Key, LargeRaw, Question};
use super::refused::Refused;
use crate::daemon::clients::request::{Request, Response};
use crate::engine::input::Reply;
use crate::engine::message::refusal::Refusal;
use crate::io::chance::mint_flow_id;
use crate::io::debate_files::{base_of, is_one_shot, no_repository, read_files, refuse_programs};
use crate::io::worktree::demand_repository;
use crate::read::Model;
use crate::wire::api::{DebateQuery, Done, Problem};
use crate::wire::debate::document::{DebateResult, DebateStatus};
use crate::wire::debate::request::{self, DebateRequest, Sketch};
use crate::wire::debate::wanted::{self, DebateGround, stands_on};
use crate::wire::session::wanted::problem_of_plan;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// The debate in an address: its id, or the beginning of it.
#[derive(Debug, Deserialize)]
pub(super) struct DebatePath {
    id: String,
}

/// Begins a debate. The body is its request, as JSON or YAML.
pub(super) async fn begin(
    State(gate): State<Gate>,
    key: Key,
    LargeRaw(body): LargeRaw,
) -> JsonAnswer<DebateResult> {
    let id = mint_flow_id();
    let workspace = asked(&gate, |model| model.workspace().clone()).await?;
    let text = body.clone();
    let read = blocking(move || request::sketch(&text).map_err(problem_of_plan)).await?;
    let Sketch { request, is_good, has_folder } = read;
    let base = base_of(&request, &workspace);
    let mut wrong = Vec::new();
    let repository = match has_folder {
        true => {
            demand_repository(&base, &workspace).await.map_err(|error| wrong.push(no_repository(&error))).ok()
        }
        false => None,
    };
    // Who else would speak is not known of a request that may have named somebody.
    let provider = if is_good { Some(provider_of(&gate, &request).await?) } else { None };
    let place = workspace.clone();
    let (of, folder) = (id.clone(), workspace.debates().join(id.as_str()));
    let made = blocking(move || {
        refuse_programs(&place, (&request, provider.as_deref()), &mut wrong);
        let files = read_files(has_folder.then_some(&*base), &request.roles, &mut wrong);
        let mistakes = request::at_door(&body, wrong).map(problem_of_plan);
        let (Some(repository), Some(provider), None) = (repository, provider, &mistakes) else {
            return Err(mistakes.unwrap_or_default());
        };
        let stands = stands_on(&repository, &base.canonicalize().unwrap_or_else(|_| base.clone()));
        let ground = DebateGround { repository, folder: &folder, provider: &provider, files: &files };
        wanted::open(of, &request, ground).map(|command| (command, stands)).map_err(problem)
    });
    let (command, stands) = made.await?;
    match gate.ask(key, Request::Command(command)).await? {
        Response::Reply(Reply::Done { what, .. }) => {
            let context: &Path = &workspace.debates().join(id.as_str()).join("context");
            Ok(Json(DebateResult {
                debate_id: id.to_string(),
                status: DebateStatus::Pending,
                message: format!("{what}; {stands}"),
                worktree_paths: Vec::new(),
                context_path: context.to_string_lossy().into_owned(),
                tasuki: Some(json!({})),
            }))
        }
        other => Err(unexpected(other)),
    }
}

pub(super) async fn cancel(
    State(gate): State<Gate>,
    key: Key,
    Question(DebatePath { id }): Question<DebatePath>,
) -> JsonAnswer<Done> {
    let word = id.clone();
    let command = asked(&gate, move |model| Ok(wanted::cancel(model.debate_id(&id)?))).await?;
    match gate.command(key, command.map_err(Refused::of_problem)?).await {
        Err(mut refused) if matches!(&*refused.problem.code, "wrong-stage" | "not-open") => {
            refused.problem.cure = "`tasuki debate list` says which are under way".to_owned();
            Err(refused)
        }
        done => {
            until_removed(&gate, &word).await;
            done
        }
    }
}

/// Whoever has called a debate off finds nothing left of it: its worktrees are gone then, unless that takes long.
async fn until_removed(gate: &Gate, id: &str) {
    let gone = async {
        loop {
            let now = gate.read(DebateQuery { id: id.to_owned() }).await;
            let removing = now.ok().and_then(|now| now.tasuki?.get("removing")?.as_bool());
            if removing != Some(true) {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    // Where it takes longer, it goes on by itself.
    let _ = tokio::time::timeout(REMOVED_WITHIN, gone).await;
}

/// The profile of roles that name none: that of whoever reports to the user, if such a program can be asked once.
async fn provider_of(gate: &Gate, request: &DebateRequest) -> Result<String, Refused> {
    if let Some(provider) = &request.provider {
        return Ok(provider.clone());
    }
    let of_team = asked(gate, |model: &mut Model| {
        let first = model.first_of_user()?;
        let workspace = model.workspace().clone();
        model.team().members.get(&first).map(|member| (workspace, member.provider.clone()))
    });
    let Some((workspace, provider)) = of_team.await? else { return Ok(USUAL.to_owned()) };
    let can = blocking(move || Ok(is_one_shot(&workspace, &provider).then_some(provider)));
    Ok(can.await?.unwrap_or_else(|| USUAL.to_owned()))
}

/// Between two looks whether worktrees are gone, and how long is waited for that: a role's programs are ended first.
const LOOK: Duration = Duration::from_millis(50);
const REMOVED_WITHIN: Duration = Duration::from_secs(10);

/// Whom the document has speak.
const USUAL: &str = "claude";

fn problem(refusal: Refusal) -> Problem {
    let cure = request::cure_of(&refusal).to_owned();
    let field = refusal.key();
    Problem { code: refusal.code.word().to_owned(), why: refusal.why, cure, field, ..Problem::default() }
}

/// Asks whoever answers questions for something.
async fn asked<T: Send + 'static>(
    gate: &Gate,
    what: impl FnOnce(&mut Model) -> T + Send + 'static,
) -> Result<T, Refused> {
    gate.reads.ask(what).await.ok_or_else(Refused::ending)
}

/// Does what takes a while, so that no other request waits for it.
async fn blocking<T: Send + 'static>(
    what: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(what).await;
    done.map_err(|_| Refused::ending())?.map_err(Refused::of_problem)
}
