//! Each address of the socket and what it does: reads the request, asks the loop, and shows the answer.

use super::address::{Address, Form, get, long, post, read, scan};
use super::gate::{Gate, JsonAnswer, duration, seen, unexpected};
use super::given::{Asked, Given, Key, Question, Raw, Word, json_of};
use super::refused::Refused;
use super::tcp::asked::{prove, tab, web};
use super::{WAIT_MS_MAX, debates, events, hiring, large, metrics, openapi, panes, screen, sessions};
use crate::daemon::clients::request::{Request, Response, Until};
use crate::engine::input::{Command, Reply};
use crate::engine::life::StageName;
use crate::engine::message::Draft;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, MessageId, Millis, Token};
use crate::io::chance::mint_id;
use crate::wire::api::{
    Accepted, AgentHistoryQuery, AgentQuery, AgentsQuery, CancelQuery, Done, DownBody, EventsQuery, HaltBody,
    Health, HireBody, HistoryQuery, InboxQuery, LogQuery, MessageQuery, MessagesQuery, NeedsQuery,
    PaneAnswerBody, PaneAnswered, PaneLookInfo, PaneQuery, PaneReady, PaneSendBody, PaneText, PaneTyped,
    PaneWaitBody, Problem, ProofInfo, ProveQuery, ReplyBody, ResetInfo, ScreenInfo, ScreenQuery,
    SessionBegun, SessionBody, SessionDocumentQuery, SessionImportBody, SessionMergeBody, SessionQuery,
    SessionRetryBody, SessionTaskBody, SessionsQuery, StatusQuery, StepInfo, TabInfo, TeamQuery, UsageInfo,
    ViewInfo, WaitQuery, Waited, WebBody, WebInfo,
};
use crate::wire::api::{DebateProgressQuery, DebateQuery, DebateRoundQuery, DebatesQuery};
use crate::wire::debate::document::DebateResult;
use crate::wire::message::{draft, json};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router};
use chrono::Local;
use std::time::Duration;

/// Every address: the router, the page and the document for programs in other languages are made from this.
pub(super) fn addresses() -> Vec<Address> {
    [about_messages(), about_sessions(), about_debates(), about_all(), about_agents(), about_panes()]
        .into_iter()
        .flatten()
        .collect()
}

fn about_messages() -> Vec<Address> {
    vec![
        post::<(), Accepted, _, _>("/api/messages", send, "sends; answered (202) when durable")
            .taking("a message, or several")
            .status("202"),
        read::<MessagesQuery>(),
        read::<MessageQuery>(),
        scan::<HistoryQuery>(),
        get::<WaitQuery, Waited, _, _>("/api/messages/{id}/wait", wait, "waits until its stage has changed"),
        post::<CancelQuery, Done, _, _>(
            "/api/messages/{id}/cancel",
            cancel,
            "cancels it; answered once its turn has ended",
        ),
        post::<(), Done, _, _>(
            "/api/messages/{id}/retry",
            retry,
            "releases a held message, or tries one again that met an error",
        ),
        post::<(), Done, _, _>(
            "/api/messages/{id}/read",
            read_answer,
            "counts the answer to a task of the user's as read",
        ),
        post::<ReplyBody, Done, _, _>("/api/turns/{token}/reply", reply, "an agent answers its turn"),
        post::<(), Done, _, _>("/api/turns/{token}/ack", acknowledge, "an agent has read its turn"),
    ]
}

fn about_sessions() -> Vec<Address> {
    vec![
        post::<SessionBody, SessionBegun, _, _>(
            "/api/sessions",
            sessions::begin,
            "begins a session; answered when durable",
        ),
        post::<SessionImportBody, SessionBegun, _, _>(
            "/api/sessions/import",
            sessions::take_in,
            "keeps a session that comes from elsewhere; it stands still until `resume`",
        ),
        read::<SessionsQuery>(),
        read::<SessionQuery>(),
        read::<SessionDocumentQuery>(),
        post::<(), Done, _, _>(
            "/api/sessions/{id}/pause",
            sessions::pause,
            "begins nothing new of it; turns under way end",
        ),
        post::<(), Done, _, _>(
            "/api/sessions/{id}/resume",
            sessions::resume,
            "lets it go on; says yes to its plan, and tries again what has failed",
        ),
        post::<(), Done, _, _>("/api/sessions/{id}/cancel", sessions::cancel, "calls off what is open of it"),
        post::<SessionRetryBody, Done, _, _>(
            "/api/sessions/{id}/retry",
            sessions::retry,
            "tries a failed task again, and what was cancelled for its sake; or one that has ended, with another text",
        ),
        post::<SessionMergeBody, Done, _, _>(
            "/api/sessions/{id}/merge",
            sessions::merge,
            "brings the branches of its completed tasks onto one, and checks each",
        ),
        post::<SessionTaskBody, Done, _, _>("/api/sessions/{id}/tasks", sessions::add_task, "adds a task"),
    ]
}

fn about_debates() -> Vec<Address> {
    vec![
        post::<(), DebateResult, _, _>(
            "/api/debates",
            debates::begin,
            "begins a debate; answered when durable, before anybody speaks",
        )
        .taking("the request of a debate, as JSON or YAML (debate.schema.json)"),
        read::<DebatesQuery>(),
        read::<DebateQuery>(),
        long::<DebateProgressQuery>(),
        long::<DebateRoundQuery>(),
        post::<(), Done, _, _>(
            "/api/debates/{id}/cancel",
            debates::cancel,
            "calls off what is open of it, and removes its worktrees",
        ),
    ]
}

fn about_all() -> Vec<Address> {
    vec![
        read::<StatusQuery>(),
        read::<AgentsQuery>(),
        read::<AgentQuery>(),
        scan::<AgentHistoryQuery>(),
        read::<NeedsQuery>(),
        post::<(), Done, _, _>(
            "/api/needs/{id}/dismiss",
            dismiss,
            "puts aside what waits for a person, where nothing is lost by that",
        ),
        read::<InboxQuery>(),
        read::<LogQuery>(),
        read::<TeamQuery>(),
        get::<EventsQuery, StepInfo, _, _>(
            "/api/events",
            events::events,
            "what happens, as server-sent events",
        )
        .also::<ResetInfo>()
        .also::<ViewInfo>()
        .answers(Form::Events),
        get::<(), (), _, _>("/api/openapi.json", openapi_document, "this page for programs")
            .giving("an OpenAPI 3.1 document"),
        get::<(), (), _, _>("/metrics", metrics::metrics, "numbers for Prometheus, as OpenMetrics text")
            .answers(Form::OpenMetrics),
        get::<(), Health, _, _>("/api/health", health, "whether the daemon listens"),
        post::<HaltBody, Done, _, _>("/api/halt", halt, "makes or removes queue/STOP"),
        post::<DownBody, Done, _, _>("/api/down", down, "ends the daemon"),
        post::<WebBody, WebInfo, _, _>("/api/web", web, "opens or closes the TCP port for browsers"),
        get::<ProveQuery, ProofInfo, _, _>(
            "/api/prove",
            prove,
            "proves to a page that the daemon knows its token",
        ),
        get::<(), TabInfo, _, _>(
            "/api/tab",
            tab,
            "gives a page that was loaded anew its token for its ticket",
        ),
    ]
}

fn about_agents() -> Vec<Address> {
    vec![
        post::<HireBody, Done, _, _>("/api/agents", hiring::hire, "hires an agent, and starts it"),
        post::<(), Done, _, _>(
            "/api/agents/{name}/dismiss",
            hiring::dismiss,
            "dismisses an agent that was hired; what waits for it fails",
        ),
        post::<(), Done, _, _>("/api/agents/start", start_all, "starts every agent that is not running"),
        post::<(), Done, _, _>("/api/agents/{name}/start", start, "starts an agent"),
        post::<(), Done, _, _>("/api/agents/{name}/stop", stop, "stops an agent; its messages wait"),
        post::<(), Done, _, _>("/api/agents/{name}/restart", restart, "restarts an agent"),
        get::<ScreenQuery, ScreenInfo, _, _>(
            "/api/agents/{name}/screen",
            screen::screen,
            "what an agent's screen shows, with its colours",
        )
        .also::<Problem>()
        .answers(Form::Either),
    ]
}

fn about_panes() -> Vec<Address> {
    vec![
        get::<PaneQuery, PaneText, _, _>("/api/panes/{name}", panes::read, "what an agent's pane shows"),
        get::<(), PaneReady, _, _>("/api/panes/{name}/ready", panes::ready, "whether it may be typed to"),
        get::<(), PaneLookInfo, _, _>(
            "/api/panes/{name}/look",
            panes::look,
            "how its screen is read, and by which rule",
        ),
        post::<PaneAnswerBody, PaneAnswered, _, _>(
            "/api/panes/{name}/answer",
            panes::answer,
            "answers what the agent asks",
        ),
        post::<PaneSendBody, PaneTyped, _, _>(
            "/api/panes/{name}/send",
            panes::send,
            "types a line if the guards allow it",
        ),
        post::<(), Done, _, _>("/api/panes/{name}/clear", panes::clear, "clears input, screen and history"),
        post::<(), Done, _, _>("/api/panes/{name}/clear-line", panes::clear_line, "removes the unsent text"),
        post::<PaneWaitBody, PaneText, _, _>("/api/panes/{name}/wait", panes::wait, "waits for a text"),
    ]
}

/// The daemon's side of every address.
pub(super) fn router(gate: Gate) -> Router {
    let router = addresses()
        .into_iter()
        .fold(Router::new(), |router, address| router.route(address.path, address.handler))
        .fallback(no_such_address)
        .method_not_allowed_fallback(no_such_method)
        .with_state(gate);
    large::few_at_once(router)
}

async fn no_such_address() -> Refused {
    let cure = "see protocol/API.md for the addresses there are";
    Refused::new(StatusCode::NOT_FOUND, "no-such-address", "there is nothing at this address", cure)
}

async fn no_such_method() -> Refused {
    let cure = "see protocol/API.md for the method of each address";
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, "no-such-method", "this address has no such method", cure)
}

async fn send(
    State(gate): State<Gate>,
    key: Key,
    headers: HeaderMap,
    Raw(body): Raw,
) -> Result<(StatusCode, Json<Accepted>), Refused> {
    let drafts = read_drafts(&headers, &body, gate.clock.wall())?;
    let notes =
        drafts.iter().flat_map(|draft| draft.notes.iter().map(|note| format!("{}: {note}", draft.id)));
    let notes = notes.collect();
    match gate.ask(key, Request::Send { drafts }).await? {
        Response::Reply(Reply::Accepted { ids, duplicates }) => {
            let words = |ids: Vec<MessageId>| ids.iter().map(ToString::to_string).collect();
            let accepted = Accepted { ids: words(ids), duplicates: words(duplicates), durable: true, notes };
            Ok((StatusCode::ACCEPTED, Json(accepted)))
        }
        other => Err(unexpected(other)),
    }
}

async fn wait(
    State(gate): State<Gate>,
    Word(id): Word<MessageId>,
    Asked(query): Asked<WaitQuery>,
) -> JsonAnswer<Waited> {
    let until = until(&query)?;
    let wait = Duration::from_millis(duration(query.timeout.as_deref(), WAIT_MS_MAX)?.min(WAIT_MS_MAX));
    match tokio::time::timeout(wait, gate.ask(Key::NONE, Request::WaitFor(id.clone(), until))).await {
        Ok(response) => {
            // What ended in an earlier segment is not the loop's to know.
            let message = match seen(response?)? {
                Some(message) => message,
                None => gate.message(id).await?,
            };
            Ok(Json(Waited { reached: true, message }))
        }
        Err(_) => Ok(Json(Waited { reached: false, message: gate.message(id).await? })),
    }
}

async fn cancel(
    State(gate): State<Gate>,
    key: Key,
    Word(id): Word<MessageId>,
    Asked(query): Asked<CancelQuery>,
) -> JsonAnswer<Done> {
    gate.command_about(key, id.clone(), Command::Cancel { id, let_finish: query.let_finish }).await
}

async fn retry(State(gate): State<Gate>, key: Key, Word(id): Word<MessageId>) -> JsonAnswer<Done> {
    gate.command_about(key, id.clone(), Command::Retry(id)).await
}

async fn read_answer(State(gate): State<Gate>, key: Key, Word(id): Word<MessageId>) -> JsonAnswer<Done> {
    // As with what is put aside, an agent has nothing to say of what a person has seen.
    match gate.ask(key, Request::Dismiss(id.to_string())).await? {
        Response::Ok => {}
        other => return Err(unexpected(other)),
    }
    let about = id.clone();
    let what = gate.reads.ask(move |model| model.answer_is_seen(&about)).await;
    let what = what.ok_or_else(Refused::ending)?;
    gate.reads.changed();
    Ok(Json(Done { what: what.map_err(Refused::of_problem)?, id: Some(id.to_string()) }))
}

async fn reply(
    State(gate): State<Gate>,
    key: Key,
    Word(token): Word<Token>,
    Given(body): Given<ReplyBody>,
) -> JsonAnswer<Done> {
    if body.text.trim().is_empty() {
        return Err(Refusal::new(Code::ContentEmpty, "the answer has no text").at("text").into());
    }
    if let Some((field, why)) = body.usage.as_ref().and_then(UsageInfo::fault) {
        return Err(Refusal::new(Code::OutOfRange, why).at(field).into());
    }
    let (extra, spent) = (body.extra().into(), body.spent().map(Box::new));
    let (text, failed) = (body.text.into(), body.failed);
    gate.command(key, Command::Reply { token, text, failed, extra, spent }).await
}

async fn acknowledge(State(gate): State<Gate>, key: Key, Word(token): Word<Token>) -> JsonAnswer<Done> {
    gate.command(key, Command::Acknowledge { token }).await
}

/// The document for programs.
async fn openapi_document() -> Json<serde_json::Value> {
    Json(openapi::document(&addresses()))
}

async fn health(State(gate): State<Gate>) -> JsonAnswer<Health> {
    let daemon = gate.reads.live.borrow().daemon.clone();
    let daemon = daemon.ok_or_else(|| Refused::unavailable("the daemon is starting"))?;
    Ok(Json(Health { ok: true, daemon }))
}

async fn halt(State(gate): State<Gate>, key: Key, Given(body): Given<HaltBody>) -> JsonAnswer<Done> {
    let what = if body.on { "nothing is typed any more" } else { "work goes on" };
    gate.done(key, Request::Halt(body.on), what).await
}

/// The id in an address; a file that was refused may have any name.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedPath {
    id: String,
}

async fn dismiss(
    State(gate): State<Gate>,
    key: Key,
    Question(NeedPath { id }): Question<NeedPath>,
) -> JsonAnswer<Done> {
    match gate.ask(key, Request::Dismiss(id.clone())).await? {
        Response::Ok => {}
        other => return Err(unexpected(other)),
    }
    let what = gate.reads.ask(move |model| model.dismiss(&id)).await;
    let what = what.ok_or_else(Refused::ending)?;
    gate.reads.changed();
    Ok(Json(Done { what: what.map_err(Refused::of_problem)?, id: None }))
}

async fn down(State(gate): State<Gate>, key: Key, Given(body): Given<DownBody>) -> JsonAnswer<Done> {
    let what =
        if body.keep_agents { "the daemon ends; the agents go on" } else { "the daemon and the agents end" };
    gate.done(key, Request::Down { keep_agents: body.keep_agents }, what).await
}

async fn start_all(State(gate): State<Gate>, key: Key) -> JsonAnswer<Done> {
    gate.command(key, Command::Start(None)).await
}

async fn start(State(gate): State<Gate>, key: Key, Word(name): Word<AgentName>) -> JsonAnswer<Done> {
    gate.command(key, Command::Start(Some(name))).await
}

async fn stop(State(gate): State<Gate>, key: Key, Word(name): Word<AgentName>) -> JsonAnswer<Done> {
    gate.command(key, Command::Stop(name)).await
}

async fn restart(State(gate): State<Gate>, key: Key, Word(name): Word<AgentName>) -> JsonAnswer<Done> {
    gate.command(key, Command::Restart(name)).await
}

/// YAML unless it says that it is JSON: a list of messages, or one.
fn read_drafts(headers: &HeaderMap, body: &[u8], now: Millis) -> Result<Vec<Draft>, Refused> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.contains("json") {
        return Ok(draft::read(body, None, &|_| false, &mut mint_id, now, &Local)?);
    }
    let values = match json_of(body)? {
        serde_json::Value::Array(values) => values,
        value => vec![value],
    };
    if values.is_empty() {
        return Err(Refused::of_json(Refusal::new(Code::Blank, "the list has no messages")));
    }
    if values.len() > draft::DOCUMENTS_MAX {
        let why = format!("there are more than {} messages", draft::DOCUMENTS_MAX);
        return Err(Refusal::new(Code::TooManyDocuments, why).into());
    }
    let read = |(document, value): (usize, &serde_json::Value)| {
        json::read(value, &mut mint_id, now, &Local).map_err(|mut refusal| {
            refusal.document = document;
            Refused::of_json(refusal)
        })
    };
    values.iter().enumerate().map(read).collect()
}

fn until(query: &WaitQuery) -> Result<Until, Refused> {
    match (query.until.as_deref().unwrap_or("ended"), query.stage.as_deref()) {
        ("ended", _) => Ok(Until::Ended),
        ("delivered", _) => Ok(Until::Delivered),
        ("moved", Some(stage)) => {
            let why = || {
                let words: Vec<&str> = StageName::ALL.iter().map(|name| name.word()).collect();
                format!("`{}` is not a stage; the stages are {}", stage.escape_debug(), words.join(", "))
            };
            StageName::of(stage).map(Until::Moved).ok_or_else(|| Refused::bad_request(why()))
        }
        ("moved", None) => Err(Refused::bad_request("`until=moved` needs `stage=`, the stage to be left")),
        (other, _) => {
            let why = format!("`until={}` is not one of delivered, ended, moved", other.escape_debug());
            Err(Refused::bad_request(why))
        }
    }
}
