//! The addresses of panes: what an agent's pane shows, what is typed there, and what it asks.

use super::gate::{Gate, JsonAnswer, duration, odd};
use super::given::{Asked, Given, Key, Word};
use super::refused::Refused;
use crate::daemon::clients::request::{
    ASKS_NOTHING, Hindrance, NO_DIALOGS, PaneRequest, PaneResponse, SendWish,
};
use crate::engine::words::AgentName;
use crate::wire::api::{
    Done, PaneAnswerBody, PaneAnswered, PaneLookInfo, PaneQuery, PaneReady, PaneSendBody, PaneText,
    PaneTyped, PaneWaitBody,
};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

/// How long `pane wait` waits unless it is told (protocol, team file).
const PANE_WAIT_MS: u64 = 30_000;
/// With this a person takes what an agent said for its answer.
const DONE: &str = "done";

pub(super) async fn read(
    State(gate): State<Gate>,
    Word(name): Word<AgentName>,
    Asked(query): Asked<PaneQuery>,
) -> JsonAnswer<PaneText> {
    match gate.pane(Key::NONE, name, PaneRequest::Read(query.history.unwrap_or(0))).await? {
        PaneResponse::Text(text) => Ok(Json(PaneText { text, timed_out: false })),
        other => Err(odd(&other)),
    }
}

pub(super) async fn ready(State(gate): State<Gate>, Word(name): Word<AgentName>) -> JsonAnswer<PaneReady> {
    match gate.pane(Key::NONE, name, PaneRequest::Ready).await? {
        PaneResponse::Ready => Ok(Json(PaneReady { ready: true, why: None, cure: None })),
        PaneResponse::Hindered(Hindrance { why, cure }) => {
            Ok(Json(PaneReady { ready: false, why: Some(why), cure }))
        }
        other => Err(odd(&other)),
    }
}

pub(super) async fn look(State(gate): State<Gate>, Word(name): Word<AgentName>) -> JsonAnswer<PaneLookInfo> {
    match gate.pane(Key::NONE, name, PaneRequest::Explain).await? {
        PaneResponse::Look(look) => Ok(Json(*look)),
        other => Err(odd(&other)),
    }
}

pub(super) async fn answer(
    State(gate): State<Gate>,
    Word(name): Word<AgentName>,
    key: Key,
    Given(body): Given<PaneAnswerBody>,
) -> JsonAnswer<PaneAnswered> {
    if key.0.is_some() {
        let why = "an agent may not answer for people: what is asked there is theirs to allow";
        return Err(Refused::new(StatusCode::FORBIDDEN, "not-yours", why, "let a person answer"));
    }
    let (mut not_done, shown) = (None, name.clone());
    if body.choose.trim().eq_ignore_ascii_case(DONE) {
        match gate.done_by_person(name.clone(), body.of.as_deref()).await? {
            Ok(choice) => return Ok(Json(PaneAnswered { choice, proven: true })),
            Err(refused) => not_done = Some(refused),
        }
    }
    match gate.pane(key, name, PaneRequest::Answer { wish: body.choose, of: body.of }).await? {
        PaneResponse::Answered(answered) => Ok(Json(answered)),
        PaneResponse::Hindered(hindrance) => match not_done {
            // Nor does it show a dialog in which that would be a choice.
            Some(refused) if hindrance.cure.is_none() => Err(refused),
            _ => {
                let otherwise = match hindrance.why.as_str() {
                    ASKS_NOTHING => format!("`tasuki detect explain {shown}` says how its screen is read"),
                    NO_DIALOGS => format!(
                        "`tasuki pane send --force {shown} TEXT` types an answer, `tasuki attach {shown}` shows its pane"
                    ),
                    _ => format!(
                        "`tasuki answer {shown}` shows what it asks, `tasuki attach {shown}` its pane"
                    ),
                };
                Err(hindered("not-answered", hindrance, &otherwise))
            }
        },
        other => Err(odd(&other)),
    }
}

pub(super) async fn send(
    State(gate): State<Gate>,
    key: Key,
    Word(name): Word<AgentName>,
    Given(body): Given<PaneSendBody>,
) -> JsonAnswer<PaneTyped> {
    let PaneSendBody { text, lines, force, wait } = body;
    let wait_ms = duration(wait.as_deref(), 0)?;
    match gate.pane(key, name, PaneRequest::Send(SendWish { text, lines, force, wait_ms })).await? {
        PaneResponse::Typed(proven) => Ok(Json(PaneTyped { proven })),
        PaneResponse::Unfit { code, why, cure } => {
            Err(Refused::new(StatusCode::UNPROCESSABLE_ENTITY, code, why, cure))
        }
        PaneResponse::Hindered(hindrance) => {
            let waiting =
                "`--wait` waits until it is ready; `--force` types now, as an answer to what a program asks";
            Err(hindered("not-ready", hindrance, waiting))
        }
        other => Err(odd(&other)),
    }
}

/// Nothing was pressed; `otherwise` is the cure where the pane has none.
fn hindered(code: &str, hindrance: Hindrance, otherwise: &str) -> Refused {
    let cure = hindrance.cure.unwrap_or_else(|| otherwise.to_owned());
    Refused::new(StatusCode::CONFLICT, code, hindrance.why, cure)
}

pub(super) async fn clear(
    State(gate): State<Gate>,
    key: Key,
    Word(name): Word<AgentName>,
) -> JsonAnswer<Done> {
    let what = format!("{name}'s pane has been cleared");
    cleared(gate, key, name, PaneRequest::Clear, what).await
}

pub(super) async fn clear_line(
    State(gate): State<Gate>,
    key: Key,
    Word(name): Word<AgentName>,
) -> JsonAnswer<Done> {
    let what = format!("{name}'s input is empty");
    cleared(gate, key, name, PaneRequest::ClearLine, what).await
}

async fn cleared(
    gate: Gate,
    key: Key,
    name: AgentName,
    request: PaneRequest,
    what: String,
) -> JsonAnswer<Done> {
    match gate.pane(key, name, request).await? {
        PaneResponse::Typed(_) => Ok(Json(Done { what, id: None })),
        PaneResponse::Hindered(hindrance) => {
            Err(hindered("not-cleared", hindrance, "see what it shows: `tasuki pane read`"))
        }
        other => Err(odd(&other)),
    }
}

pub(super) async fn wait(
    State(gate): State<Gate>,
    Word(name): Word<AgentName>,
    Given(body): Given<PaneWaitBody>,
) -> JsonAnswer<PaneText> {
    let timeout_ms = duration(body.timeout.as_deref(), PANE_WAIT_MS)?;
    let PaneWaitBody { text, shown, .. } = body;
    match gate.pane(Key::NONE, name, PaneRequest::Wait { text, shown, timeout_ms }).await? {
        PaneResponse::Text(text) => Ok(Json(PaneText { text, timed_out: false })),
        PaneResponse::TimedOut(text) => Ok(Json(PaneText { text, timed_out: true })),
        other => Err(odd(&other)),
    }
}
