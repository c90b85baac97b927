//! As much of OpenCode's HTTP API as is asked by the daemon: it says what the test tells it to say.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::Arc;
use tokio::sync::watch;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Well,
    /// Never.
    Hangs,
    /// Words that are no JSON.
    Garbage,
    /// JSON of another kind.
    Other,
    /// With an error.
    Fails,
}

/// What it knows.
#[derive(Debug)]
struct Known {
    manner: Manner,
    messages: Vec<Value>,
    status: Value,
    asked: Vec<String>,
    logins: Vec<String>,
}

/// One session called `ses_1`, served until the test ends.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) port: u16,
    known: Arc<watch::Sender<Known>>,
    _runtime: tokio::runtime::Runtime,
}

impl Api {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener of tokio's");
        let port = listener.local_addr().expect("its port").port();
        let known =
            Known { manner, messages: Vec::new(), status: json!({}), asked: Vec::new(), logins: Vec::new() };
        let known = Arc::new(watch::Sender::new(known));
        let router = Router::new().fallback(answer).with_state(known.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener of tokio's");
            axum::serve(listener, router).await.expect("a server on loopback");
        });
        Self { port, known, _runtime: runtime }
    }

    /// It was given this line, and works on it.
    pub(crate) fn takes(&self, line: &str) {
        self.known.send_modify(|known| {
            let number = known.messages.len();
            known.messages.push(json!({
                "info": {"id": format!("msg_{number}"), "role": "user", "time": {"created": now()}},
                "parts": [{"type": "text", "text": line}],
            }));
            known.status = json!({"ses_1": {"type": "busy"}});
        });
    }

    /// Its model tries again.
    pub(crate) fn retries(&self, message: &str, in_ms: u64) {
        let status =
            json!({"ses_1": {"type": "retry", "attempt": 3, "message": message, "next": now() + in_ms}});
        self.known.send_modify(|known| known.status = status);
    }

    /// It has said this, and its turn is over.
    pub(crate) fn says(&self, text: &str) {
        self.known.send_modify(|known| {
        let number = known.messages.len();
        known.messages.push(json!({
            "info": {"id": format!("msg_{number}"), "role": "assistant", "time": {"created": now(), "completed": now()}},
            "parts": [{"type": "step-start"}, {"type": "text", "text": text}],
        }));
        known.status = json!({});
        });
    }

    /// It does nothing.
    pub(crate) fn rests(&self) {
        self.known.send_modify(|known| known.status = json!({}));
    }

    /// How often this was asked.
    pub(crate) fn asked(&self, path: &str) -> usize {
        let known = self.known.borrow();
        known.asked.iter().filter(|asked| asked.as_str() == path).count()
    }

    /// What was where a password belongs.
    pub(crate) fn logins(&self) -> Vec<String> {
        self.known.borrow().logins.clone()
    }
}

fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    u64::try_from(now.as_millis()).expect("this age")
}

/// Pages of two messages, the newest first; within a page the oldest is first.
async fn answer(State(known): State<Arc<watch::Sender<Known>>>, request: Request) -> Response {
    let (path, query) =
        (request.uri().path().to_owned(), request.uri().query().unwrap_or_default().to_owned());
    let query: HashMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let login =
        request.headers().get("authorization").and_then(|login| login.to_str().ok()).unwrap_or_default();
    known.send_modify(|known| {
        known.asked.push(path.clone());
        known.logins.push(login.to_owned());
    });
    let manner = known.borrow().manner;
    match manner {
        Manner::Well => {}
        Manner::Hangs => std::future::pending().await,
        Manner::Garbage => return "<html>no</html>".into_response(),
        Manner::Other => return json!({"name": "襷"}).to_string().into_response(),
        Manner::Fails => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
    let known = known.borrow();
    match path.as_str() {
        "/session" => json!([{"id": "ses_1", "directory": "", "time": {"created": now(), "updated": now()}}])
            .to_string()
            .into_response(),
        "/session/status" => known.status.to_string().into_response(),
        "/session/ses_1/message" => {
            let end = query.get("before").and_then(|at| at.parse().ok()).unwrap_or(known.messages.len());
            let first = end.saturating_sub(2);
            let page = Value::Array(known.messages[first..end].to_vec());
            let mut answer = Response::builder();
            if first > 0 {
                answer = answer.header("x-next-cursor", first.to_string());
            }
            answer.body(Body::from(page.to_string())).expect("an answer")
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
