//! The daemon's side of the socket: takes connections of our own user, within limits, until it is dropped.

use super::routes::{self, House};
use super::types::DaemonInfo;
use crate::daemon::request::Calls;
use crate::daemon::serving::Faces;
use crate::io::clock::{self, Clock};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

/// Connections at a time: the loop's inbox has a place for each (`CALLS_MAX`); more wait in the kernel's queue.
const CONNECTIONS_MAX: usize = 256;
/// The head of a request comes at once or not at all; it also ends a connection that nobody uses any more.
const HEAD_DEADLINE: Duration = Duration::from_secs(10);
/// An answer is read at once or not at all: whoever asks and does not read keeps no other's place.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);
/// Pause after the system could not give a connection (no file descriptors left): it will not have one at once.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves the faces until it is dropped; every connection ends with it.
#[must_use]
pub fn serve(listener: UnixListener, calls: Calls) -> Faces {
    Box::pin(async move {
        let clock = Clock::start();
        let house = House { calls, clock, daemon: about(&listener, clock) };
        take_connections(&listener, &routes::router(house)).await;
        "http"
    })
}

async fn take_connections(listener: &UnixListener, app: &Router) {
    let ours = rustix::process::geteuid().as_raw();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            taken = listener.accept(), if connections.len() < CONNECTIONS_MAX => match taken {
                Ok((stream, _)) if is_of(&stream, ours) => drop(connections.spawn(talk(stream, app.clone()))),
                Ok(_) => tracing::warn!("another user's process was turned away from the socket"),
                Err(error) => {
                    tracing::warn!(%error, "the socket gives no connection");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The socket's mode keeps others out already; this holds where a file system has no modes.
fn is_of(stream: &UnixStream, uid: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == uid)
}

async fn talk(stream: UnixStream, app: Router) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_DEADLINE);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_DEADLINE));
    let stream = Box::pin(stream);
    // A client that goes away in the middle is no news: its request is answered to nobody.
    let _ = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)).await;
}

fn about(listener: &UnixListener, clock: Clock) -> DaemonInfo {
    let address = listener.local_addr().ok();
    let path = address.as_ref().and_then(|address| address.as_pathname());
    DaemonInfo {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: clock::rfc3339(clock.wall()),
        socket: path.map(|path| path.display().to_string()).unwrap_or_default(),
    }
}
