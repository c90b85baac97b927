//! The daemon's side of the socket: takes connections of our own user, within limits, until it is dropped.

use super::gate::Gate;
use super::places::{Admitted, Busy, Places};
use super::routes::{self};
use crate::daemon::clients::reads::Reads;
use crate::daemon::clients::request::Calls;
use crate::daemon::clients::server::Connections;
use crate::io::clock::Clock;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

/// The head of a request comes at once or not at all; it also ends a connection that nobody uses any more.
const HEAD_DEADLINE: Duration = Duration::from_secs(10);
/// An answer is read at once or not at all: whoever asks and does not read keeps no other's place.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);
/// Pause after the system could not give a connection (no file descriptors left): it will not have one at once.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves the faces until it is dropped; every connection ends with it.
#[must_use]
pub fn serve(listener: UnixListener, calls: Calls, reads: Reads) -> Connections {
    Box::pin(async move {
        let clock = Clock::start();
        let gate = Gate { calls, reads, clock };
        take_connections(&listener, &routes::router(gate)).await;
        "http"
    })
}

async fn take_connections(listener: &UnixListener, app: &Router) {
    let ours = rustix::process::geteuid().as_raw();
    let (mut connections, mut places) = (JoinSet::new(), Places::default());
    let mut waiting: Vec<(i32, UnixStream)> = Vec::new();
    loop {
        let next = tokio::select! {
            taken = listener.accept() => match taken {
                Ok((stream, _)) if is_of(&stream, ours) => admit(&mut places, &mut waiting, stream),
                Ok(_) => {
                    tracing::warn!("another user's process was turned away from the socket");
                    None
                }
                Err(error) => {
                    tracing::warn!(%error, "the socket gives no connection");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                    None
                }
            },
            Some(ended) = connections.join_next_with_id() => {
                let task = ended.map_or_else(|error| error.id(), |(task, ())| task);
                let process = places.free(task);
                let first = process.and_then(|process| waiting.iter().position(|(of, _)| *of == process));
                first.map(|at| waiting.remove(at))
            }
        };
        if let Some((process, stream)) = next {
            let busy = Busy::default();
            let task = connections.spawn(talk(stream, app.clone(), busy.clone()));
            places.take(process, busy, task);
        }
    }
}

/// A connection that is to be served now; one that is not waits, or is closed.
fn admit(
    places: &mut Places,
    waiting: &mut Vec<(i32, UnixStream)>,
    stream: UnixStream,
) -> Option<(i32, UnixStream)> {
    let process = stream.peer_cred().ok().and_then(|peer| peer.pid()).unwrap_or_default();
    match places.admit(process) {
        Admitted::Served => return Some((process, stream)),
        Admitted::Waits => waiting.push((process, stream)),
        Admitted::Not => tracing::warn!(process, "a process with very many connections was turned away"),
    }
    None
}

/// The socket's mode keeps others out already; this holds where a file system has no modes.
fn is_of(stream: &UnixStream, uid: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == uid)
}

/// What answers the requests of one connection, and tells whether it does so at the moment.
struct Answering {
    app: TowerToHyperService<Router>,
    busy: Busy,
}

impl Service<Request<Incoming>> for Answering {
    type Response = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (answer, busy) = (self.app.call(request), self.busy.clone());
        busy.store(true, Ordering::Relaxed);
        Box::pin(async move {
            let answer = answer.await;
            busy.store(false, Ordering::Relaxed);
            answer
        })
    }
}

async fn talk(stream: UnixStream, app: Router, busy: Busy) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_DEADLINE);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_DEADLINE));
    let stream = Box::pin(stream);
    // A client that goes away in the middle is no news: its request is answered to nobody.
    let _ = http
        .serve_connection(TokioIo::new(stream), Answering { app: TowerToHyperService::new(app), busy })
        .await;
}
