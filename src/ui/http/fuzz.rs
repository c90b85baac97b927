//! Requests as `cargo fuzz` and the tests send them: the real routes, and a loop that knows nobody and refuses all.

use super::gate::Gate;
use super::routes::router;
use super::tcp::order::Way;
use crate::daemon::clients::published::Published;
use crate::daemon::clients::reads;
use crate::daemon::clients::request::{Call, Request, Response};
use crate::engine::input::Reply;
use crate::engine::message::refusal::{Code, Refusal};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::Problem;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// Addresses that read a body, and some that do not.
const ADDRESSES: [(&str, &str); 10] = [
    ("POST", "/api/messages"),
    ("POST", "/api/turns/k7qf2m/reply"),
    ("POST", "/api/halt"),
    ("POST", "/api/down"),
    ("POST", "/api/panes/coder/send"),
    ("POST", "/api/panes/coder/wait"),
    ("POST", "/api/messages/msg-1/cancel"),
    ("POST", "/api/agents/coder/start"),
    ("GET", "/api/messages"),
    ("PUT", "/api/messages"),
];
const TYPES: [&str; 3] = ["application/json", "application/yaml", "text/plain; charset=襷"];

thread_local! {
    static DOOR: Option<(Runtime, Router)> = door();
}

/// One request with this body.
pub(crate) fn request(which: usize, how: usize, body: &[u8]) {
    DOOR.with(|door| {
        let Some((runtime, router)) = door else { panic!("a runtime") };
        runtime.block_on(ask(router.clone(), which, how, body.to_vec()));
    });
}

async fn ask(router: Router, which: usize, how: usize, body: Vec<u8>) {
    let (method, address) = ADDRESSES[which % ADDRESSES.len()];
    let request = axum::http::Request::builder()
        .method(Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST))
        .uri(address)
        .header(CONTENT_TYPE, TYPES[how % TYPES.len()])
        .body(Body::from(body));
    let Ok(request) = request else { panic!("{method} {address}") };
    let answer = match TowerToHyperService::new(router).call(request).await {
        Ok(answer) => answer,
        Err(never) => match never {},
    };
    let status = answer.status();
    let bytes = match to_bytes(answer.into_body(), usize::MAX).await {
        Ok(bytes) => bytes,
        Err(error) => panic!("{error}"),
    };
    if status.is_success() {
        let done: Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
        assert!(done.is_ok(), "{status}: {bytes:?}");
        return;
    }
    assert!(status.is_client_error() || status == StatusCode::SERVICE_UNAVAILABLE, "{status}: {bytes:?}");
    let problem: Problem = match serde_json::from_slice(&bytes) {
        Ok(problem) => problem,
        Err(error) => panic!("{error}: {bytes:?}"),
    };
    assert!(![&problem.code, &problem.why, &problem.cure].into_iter().any(String::is_empty), "{problem:?}");
    assert!(!problem.why.chars().any(char::is_control), "{problem:?}");
}

fn door() -> Option<(Runtime, Router)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let (calls, asked) = mpsc::channel(1);
    runtime.spawn(refuse_all(asked));
    let workspace = Workspace::at(&std::env::temp_dir()).ok()?;
    let (reads, _) = reads::start(workspace, Clock::start(), &Published::default()).ok()?;
    Some((
        runtime,
        router(Gate { calls, reads, clock: Clock::start(), way: Way::Socket(mpsc::channel(1).0) }),
    ))
}

async fn refuse_all(mut asked: mpsc::Receiver<Call>) {
    while let Some(Call { request, answer, .. }) = asked.recv().await {
        let refused = || Response::Reply(Reply::Refused(Refusal::new(Code::UnknownAgent, "nobody is here")));
        let _ = answer.send(match request {
            Request::Send { drafts, .. } => {
                let ids = drafts.into_iter().map(|draft| draft.id).collect();
                Response::Reply(Reply::Accepted { ids, duplicates: Vec::new() })
            }
            Request::Halt(_) | Request::Down { .. } => Response::Ok,
            Request::WaitFor(..) => Response::Message(None),
            Request::Pane(..) => Response::Unavailable("no pane".to_owned()),
            _ => refused(),
        });
    }
}
