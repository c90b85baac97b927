//! The daemon's side of the socket: takes connections of our own user, within limits, until it is dropped.

use super::connection::{self, ACCEPT_AGAIN};
use super::gate::Gate;
use super::places::{Admitted, Busy, Places};
use super::routes;
use super::tcp::Door;
use super::tcp::order::{ORDERS_MAX, Way};
use crate::daemon::clients::reads::Reads;
use crate::daemon::clients::request::Calls;
use crate::daemon::clients::server::Connections;
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Serves the faces until it is dropped; every connection ends with it. The Unix socket opens the TCP port of this workspace for
/// browsers, where one is named.
#[must_use]
pub fn serve(listener: UnixListener, calls: Calls, reads: Reads, browsers: Option<Workspace>) -> Connections {
    Box::pin(async move {
        let (orders, ordered) = mpsc::channel(ORDERS_MAX);
        let gate = Gate { calls, reads, clock: Clock::start(), way: Way::Socket(orders) };
        let app = routes::router(gate.clone());
        match browsers {
            // Each is a task of its own in one thread, and ends with this one.
            Some(workspace) => tokio::select! {
                () = take_connections(&listener, &app) => {}
                () = Door::new(gate, workspace, ordered).serve() => {}
            },
            None => {
                drop(ordered); // nobody obeys, and whoever asks is told so
                take_connections(&listener, &app).await;
            }
        }
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
            let answering = Answering { app: TowerToHyperService::new(app.clone()), busy: busy.clone() };
            let task = connections.spawn(connection::talk(stream, answering, None));
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
