//! Each address of the socket and what it does: reads the request, asks the loop, and shows the answer.

use super::given::{Asked, Given, Key, Raw, Word, json_of};
use super::house::{Answer, House, duration, seen, unexpected};
use super::refused::Refused;
use super::{WAIT_MS_MAX, panes, show};
use crate::daemon::clients::request::{Request, Response, Until};
use crate::engine::input::{Command, Reply};
use crate::engine::message::Draft;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, MessageId, Millis, Token};
use crate::io::chance::mint_id;
use crate::wire::api::{
    Accepted, CancelQuery, Done, DownBody, HaltBody, Health, MessageInfo, MessageList, ReplyBody, StatusInfo,
    WaitQuery, Waited,
};
use crate::wire::message::{draft, json};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::Local;
use std::time::Duration;

/// The words of `stage:` (engine, life of a message).
const STAGES: [&str; 13] = [
    "queued",
    "retrying",
    "intent",
    "submitted",
    "working",
    "in_doubt",
    "held",
    "waiting",
    "claimed",
    "verified",
    "completed",
    "failed",
    "cancelled",
];

/// Every address.
pub(super) fn router(house: House) -> Router {
    Router::new()
        .route("/v1/messages", post(send).get(open))
        .route("/v1/messages/{id}", get(message))
        .route("/v1/messages/{id}/wait", get(wait))
        .route("/v1/messages/{id}/cancel", post(cancel))
        .route("/v1/messages/{id}/retry", post(retry))
        .route("/v1/turns/{token}/reply", post(reply))
        .route("/v1/turns/{token}/ack", post(acknowledge))
        .route("/v1/status", get(status))
        .route("/v1/health", get(health))
        .route("/v1/halt", post(halt))
        .route("/v1/down", post(down))
        .route("/v1/agents/start", post(start_all))
        .route("/v1/agents/{name}/start", post(start))
        .route("/v1/agents/{name}/stop", post(stop))
        .route("/v1/agents/{name}/restart", post(restart))
        .route("/v1/panes/{name}", get(panes::read))
        .route("/v1/panes/{name}/ready", get(panes::ready))
        .route("/v1/panes/{name}/look", get(panes::look))
        .route("/v1/panes/{name}/answer", post(panes::answer))
        .route("/v1/panes/{name}/send", post(panes::send))
        .route("/v1/panes/{name}/clear", post(panes::clear))
        .route("/v1/panes/{name}/clear-line", post(panes::clear_line))
        .route("/v1/panes/{name}/wait", post(panes::wait))
        .fallback(no_such_address)
        .method_not_allowed_fallback(no_such_method)
        .with_state(house)
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
    State(house): State<House>,
    key: Key,
    headers: HeaderMap,
    Raw(body): Raw,
) -> Result<(StatusCode, Json<Accepted>), Refused> {
    let drafts = read_drafts(&headers, &body, house.clock.wall())?;
    match house.ask(key, Request::Send { drafts }).await? {
        Response::Reply(Reply::Accepted { ids, duplicates }) => {
            let words = |ids: Vec<MessageId>| ids.iter().map(ToString::to_string).collect();
            let accepted = Accepted { ids: words(ids), duplicates: words(duplicates), durable: true };
            Ok((StatusCode::ACCEPTED, Json(accepted)))
        }
        other => Err(unexpected(other)),
    }
}

async fn open(State(house): State<House>) -> Answer<MessageList> {
    match house.ask(Key::NONE, Request::Open).await? {
        Response::Open(open) => {
            Ok(Json(MessageList { messages: open.iter().map(|seen| show::message(seen, None)).collect() }))
        }
        other => Err(unexpected(other)),
    }
}

async fn message(State(house): State<House>, Word(id): Word<MessageId>) -> Answer<MessageInfo> {
    house.message(id).await.map(Json)
}

async fn wait(
    State(house): State<House>,
    Word(id): Word<MessageId>,
    Asked(query): Asked<WaitQuery>,
) -> Answer<Waited> {
    let until = until(&query)?;
    let wait = Duration::from_millis(duration(query.timeout.as_deref(), WAIT_MS_MAX)?.min(WAIT_MS_MAX));
    match tokio::time::timeout(wait, house.ask(Key::NONE, Request::Await(id.clone(), until))).await {
        Ok(response) => {
            let message = seen(response?, &id)?;
            Ok(Json(Waited { reached: true, message }))
        }
        Err(_) => Ok(Json(Waited { reached: false, message: house.message(id).await? })),
    }
}

async fn cancel(
    State(house): State<House>,
    key: Key,
    Word(id): Word<MessageId>,
    Asked(query): Asked<CancelQuery>,
) -> Answer<Done> {
    house.command(key, Command::Cancel { id, let_finish: query.let_finish }).await
}

async fn retry(State(house): State<House>, key: Key, Word(id): Word<MessageId>) -> Answer<Done> {
    house.command(key, Command::Retry(id)).await
}

async fn reply(
    State(house): State<House>,
    key: Key,
    Word(token): Word<Token>,
    Given(body): Given<ReplyBody>,
) -> Answer<Done> {
    if body.text.trim().is_empty() {
        return Err(Refusal::new(Code::ContentEmpty, "the answer has no text").at("text").into());
    }
    house.command(key, Command::Reply { token, text: body.text.into(), failed: body.failed }).await
}

async fn acknowledge(State(house): State<House>, key: Key, Word(token): Word<Token>) -> Answer<Done> {
    house.command(key, Command::Acknowledge { token }).await
}

async fn status(State(house): State<House>) -> Answer<StatusInfo> {
    match house.ask(Key::NONE, Request::Overview).await? {
        Response::Overview(overview, notes, unread) => {
            Ok(Json(show::workspace(&overview, (notes, unread), house.daemon)))
        }
        other => Err(unexpected(other)),
    }
}

async fn health(State(house): State<House>) -> Json<Health> {
    Json(Health { ok: true, daemon: house.daemon })
}

async fn halt(State(house): State<House>, key: Key, Given(body): Given<HaltBody>) -> Answer<Done> {
    let what = if body.on { "nothing is typed any more" } else { "work goes on" };
    house.done(key, Request::Halt(body.on), what).await
}

async fn down(State(house): State<House>, key: Key, Given(body): Given<DownBody>) -> Answer<Done> {
    let what =
        if body.keep_agents { "the daemon ends; the agents go on" } else { "the daemon and the agents end" };
    house.done(key, Request::Down { keep_agents: body.keep_agents }, what).await
}

async fn start_all(State(house): State<House>, key: Key) -> Answer<Done> {
    house.command(key, Command::Start(None)).await
}

async fn start(State(house): State<House>, key: Key, Word(name): Word<AgentName>) -> Answer<Done> {
    house.command(key, Command::Start(Some(name))).await
}

async fn stop(State(house): State<House>, key: Key, Word(name): Word<AgentName>) -> Answer<Done> {
    house.command(key, Command::Stop(name)).await
}

async fn restart(State(house): State<House>, key: Key, Word(name): Word<AgentName>) -> Answer<Done> {
    house.command(key, Command::Restart(name)).await
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
            let known = STAGES.into_iter().find(|word| *word == stage);
            let why =
                || format!("`{}` is not a stage; the stages are {}", stage.escape_debug(), STAGES.join(", "));
            known.map(Until::Moved).ok_or_else(|| Refused::bad_request(why()))
        }
        ("moved", None) => Err(Refused::bad_request("`until=moved` needs `stage=`, the stage to be left")),
        (other, _) => {
            let why = format!("`until={}` is not one of delivered, ended, moved", other.escape_debug());
            Err(Refused::bad_request(why))
        }
    }
}
