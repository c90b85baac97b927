//! The server of the stub: which API a path is, the turn's answer from the script, the answer in that API's form.

use super::flow::{self, Flow};
use super::script::{self, Answer, Refusal, Rule, Said};
use super::{Api, Asked, anthropic, chat, gemini, ollama, responses};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};

/// More than any agent sends: the longest measured was 80 KB.
const BODY_BYTES_MAX: usize = 16 << 20;
/// More requests than any test makes; an agent that tries for ever must not fill the memory.
const ASKED_MAX: usize = 10_000;

/// What is asked of the one who holds the script.
pub(crate) enum Order {
    Note(Box<Asked>, oneshot::Sender<Option<Answer>>),
    Script(Vec<Rule>),
}

/// Holds the script and what was asked, until nobody can ask any more.
pub(crate) async fn desk(
    script: Vec<Rule>,
    asked: watch::Sender<Vec<Asked>>,
    mut orders: mpsc::Receiver<Order>,
) {
    let mut script = VecDeque::from(script);
    while let Some(order) = orders.recv().await {
        match order {
            Order::Script(rules) => script = rules.into(),
            Order::Note(request, reply) => {
                let answer = (!request.aside).then(|| script::next(&mut script));
                asked.send_modify(|asked| {
                    assert!(asked.len() < ASKED_MAX, "an agent asks without end");
                    asked.push(*request);
                });
                // Whoever went away needs no answer.
                let _ = reply.send(answer);
            }
        }
    }
}

/// Serves until it is dropped.
pub(crate) async fn serve(listener: TcpListener, orders: mpsc::Sender<Order>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener of tokio's");
    let router = Router::new().fallback(answer).with_state(orders);
    axum::serve(listener, router).await.expect("a server on loopback");
}

async fn answer(State(orders): State<mpsc::Sender<Order>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    if parts.method != Method::POST {
        return looked_up(path);
    }
    let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if path.ends_with("count_tokens") || path.ends_with(":countTokens") {
        return json_answer(&json!({"input_tokens": 10, "totalTokens": 10}));
    }
    let (Some(api), Ok(body)) = (api_of(path), serde_json::from_slice::<Value>(&body)) else {
        return unknown();
    };
    let asked = Asked {
        api,
        path: parts.uri.to_string(),
        aside: is_aside(api, &body),
        stream: is_stream(api, path, &body),
        key: key(&parts.headers),
        body,
    };
    let (reply, replied) = oneshot::channel();
    let (stream, model) = (asked.stream, model(path, &asked.body));
    let json_is_wanted = api != Api::Chat;
    let token = asked.tokens().pop().unwrap_or_default();
    if orders.send(Order::Note(Box::new(asked), reply)).await.is_err() {
        return unknown();
    }
    match replied.await {
        Ok(Some(Answer::Hangs)) => std::future::pending().await,
        Ok(Some(Answer::Cut)) => streamed(api, flow::cut_body()),
        Ok(Some(Answer::Refused { status, headers, body })) => refused(api, status, &headers, body),
        Ok(Some(Answer::Said(said))) => spoken(api, &said.with_token(&token), stream, &model),
        Ok(None) => spoken(api, &Said::aside(json_is_wanted), stream, &model),
        Err(_) => unknown(),
    }
}

fn api_of(path: &str) -> Option<Api> {
    const ENDS: &[(&str, Api)] = &[
        ("/messages", Api::Anthropic),
        ("/responses", Api::Responses),
        ("/chat/completions", Api::Chat),
        (":generateContent", Api::Gemini),
        (":streamGenerateContent", Api::Gemini),
        ("/api/chat", Api::OllamaChat),
        ("/api/generate", Api::OllamaGenerate),
    ];
    ENDS.iter().find(|(end, _)| path.ends_with(end)).map(|(_, api)| *api)
}

fn is_aside(api: Api, body: &Value) -> bool {
    match api {
        Api::Anthropic => anthropic::is_aside(body),
        Api::Responses => responses::is_aside(body),
        Api::Chat => chat::is_aside(body),
        Api::Gemini => gemini::is_aside(body),
        Api::OllamaChat | Api::OllamaGenerate => false,
    }
}

/// Ollama streams unless it is told not to, the others only if they are asked to.
fn is_stream(api: Api, path: &str, body: &Value) -> bool {
    match api {
        Api::Gemini => path.ends_with(":streamGenerateContent"),
        Api::OllamaChat | Api::OllamaGenerate => body["stream"] != false,
        Api::Anthropic | Api::Responses | Api::Chat => body["stream"] == true,
    }
}

fn model(path: &str, body: &Value) -> String {
    let of_path = || path.rsplit('/').next()?.split(':').next();
    body["model"].as_str().or_else(of_path).unwrap_or_default().to_owned()
}

fn key(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let bearer = text(AUTHORIZATION.as_str()).map(|value| value.trim_start_matches("Bearer "));
    bearer.or_else(|| text("x-api-key")).or_else(|| text("x-goog-api-key")).map(str::to_owned)
}

fn spoken(api: Api, said: &Said, stream: bool, model: &str) -> Response {
    if !stream {
        return json_answer(&match api {
            Api::Anthropic => anthropic::whole(said, model),
            Api::Responses => responses::whole(said, model),
            Api::Chat => chat::whole(said, model),
            Api::Gemini => gemini::whole(said, model),
            Api::OllamaChat => ollama::whole(ollama::Form::Chat, said, model),
            Api::OllamaGenerate => ollama::whole(ollama::Form::Generate, said, model),
        });
    }
    let flow: Flow = match api {
        Api::Anthropic => anthropic::stream(said, model),
        Api::Responses => responses::stream(said, model),
        Api::Chat => chat::stream(said, model),
        Api::Gemini => gemini::stream(said, model),
        Api::OllamaChat => ollama::stream(ollama::Form::Chat, said, model),
        Api::OllamaGenerate => ollama::stream(ollama::Form::Generate, said, model),
    };
    streamed(api, flow::body(flow, said))
}

fn streamed(api: Api, body: Body) -> Response {
    let kind = match api {
        Api::OllamaChat | Api::OllamaGenerate => "application/x-ndjson",
        _ => "text/event-stream",
    };
    ([(CONTENT_TYPE, kind)], body).into_response()
}

fn refused(api: Api, status: u16, headers: &[(&'static str, String)], body: Refusal) -> Response {
    let body = match body {
        Refusal::Raw(body) => body,
        Refusal::Plain { kind, message } => match api {
            Api::Anthropic => anthropic::refusal(kind, &message),
            Api::Responses | Api::Chat => chat::refusal(kind, &message),
            Api::Gemini => gemini::refusal(status, kind, &message),
            Api::OllamaChat | Api::OllamaGenerate => ollama::refusal(&message),
        },
    };
    let mut response = json_answer(&body);
    *response.status_mut() = StatusCode::from_u16(status).expect("a status of HTTP");
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.parse().expect("the value of a header"));
    }
    response
}

/// What agents look up before they ask for anything.
fn looked_up(path: &str) -> Response {
    match path {
        "/v1/models" => {
            json_answer(&json!({"object": "list", "data": [{"id": "stub-model", "object": "model"}]}))
        }
        "/api/tags" => json_answer(&json!({"models": [{"name": "stub-model", "model": "stub-model"}]})),
        "/api/version" => json_answer(&json!({"version": "0.9.0"})),
        "/" | "/api/hello" => json_answer(&json!({})),
        _ => unknown(),
    }
}

fn unknown() -> Response {
    (StatusCode::NOT_FOUND, json_answer(&json!({"error": {"message": "the stub does not know this"}})))
        .into_response()
}

fn json_answer(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
