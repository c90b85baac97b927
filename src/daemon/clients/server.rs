//! The clients' side of the socket, on a thread of its own: what a crowd of clients sends is read and parsed there, and is not
//! in the loop's way.

use crate::daemon::clients::reads::Reads;
use crate::daemon::clients::request::Call;
use crate::daemon::ending::SHUTDOWN;
use crate::io::clock;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::pin::Pin;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};

/// What makes the clients' side of the socket: given the ways to the loop and to whoever answers questions, serves until dropped.
pub type Serve = Box<dyn FnOnce(tokio::net::UnixListener, mpsc::Sender<Call>, Reads) -> Connections + Send>;
/// A server that runs.
pub type Connections = Pin<Box<dyn Future<Output = &'static str> + Send>>;

/// Threads that read the whole journal for a history, at a time: whoever asks beyond that waits, and the daemon keeps its share of
/// the machine.
const SCANS_MAX: usize = 2;

/// Answers that are ready when the end comes still go out: a task is woken once for it, and may yield once.
const LAST_ROUNDS: usize = 8;

/// The thread that answers; it ends when this is dropped.
pub(in crate::daemon) struct Serving {
    until: oneshot::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

/// How often, and how long each time, one that listens though the lock is ours is waited for: it is on its way to its end.
const ENDING_TRIES: u32 = 40;
const ENDING_REST: std::time::Duration = std::time::Duration::from_millis(50);

/// The process that listens there though the lock is ours: a daemon whose lock was removed under it.
pub(in crate::daemon) fn who_listens(path: &Path) -> Option<i32> {
    let mut listens = None;
    for _ in 0..ENDING_TRIES {
        // Only the process that listens counts: what is left of a dead one refuses.
        let stream = connect(path).ok()?;
        listens = Some(net::sockopt::socket_peercred(&stream).map_or(0, |peer| peer.pid.as_raw_pid()));
        drop(stream);
        clock::rest(ENDING_REST);
    }
    listens
}

/// Connects to one that takes no connection, too: a crowd of others may wait for it.
fn connect(path: &Path) -> rustix::io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match net::connect(&stream, &address) {
        Ok(()) | Err(Errno::AGAIN) => Ok(stream),
        Err(errno) => Err(errno),
    }
}

/// Listens. The lock is ours, so a socket that is there is a dead daemon's.
///
/// # Errors
/// What the machine said.
pub(in crate::daemon) fn listen(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    listener.set_nonblocking(true)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Begins to answer those who connect.
///
/// # Errors
/// If the machine has no thread to give, or cannot watch the socket.
pub(in crate::daemon) async fn start(
    listener: UnixListener,
    serve: Serve,
    to_loop: mpsc::Sender<Call>,
    reads: Reads,
) -> io::Result<Serving> {
    let (until, ended) = oneshot::channel::<()>();
    let (tell, told) = oneshot::channel();
    let work = move || match watch(listener) {
        Ok((runtime, listener)) => {
            let _ = tell.send(Ok(()));
            runtime.block_on(talk(serve(listener, to_loop, reads), ended));
            runtime.shutdown_background();
        }
        Err(error) => drop(tell.send(Err(error))),
    };
    let thread = std::thread::Builder::new().name("socket".to_owned()).spawn(work)?;
    told.await.map_err(io::Error::other)??;
    Ok(Serving { until, thread })
}

fn watch(listener: UnixListener) -> io::Result<(Runtime, tokio::net::UnixListener)> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(SCANS_MAX).build()?;
    let within = runtime.enter();
    let listener = tokio::net::UnixListener::from_std(listener)?;
    drop(within);
    Ok((runtime, listener))
}

async fn talk(mut clients: Connections, ended: oneshot::Receiver<()>) {
    tokio::select! {
        _ = &mut clients => return,
        _ = ended => {}
    }
    for _ in 0..LAST_ROUNDS {
        tokio::task::yield_now().await;
    }
}

impl Serving {
    /// Ends it, if it was begun, once the answers that are ready have gone out.
    pub(in crate::daemon) async fn end(serving: Option<Self>) {
        let Some(Self { until, thread }) = serving else { return };
        drop(until);
        let joined = tokio::task::spawn_blocking(move || drop(thread.join()));
        let _ = tokio::time::timeout(SHUTDOWN, joined).await;
    }
}
