//! The other side of the socket, for programs that ask one thing and wait for it: each request has a connection and a
//! deadline of its own.

use crate::io::event_stream::EventStream;
use crate::io::exchange::{begin, exchange};
use crate::io::folder::FileId;
use crate::io::lock;
use crate::io::regular;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::api::Problem;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::http::request::Builder;
use hyper::{Method, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::runtime::Runtime;

/// How long an answer may take that waits for nothing but the daemon and its disk.
pub const ANSWER_DEADLINE: Duration = Duration::from_secs(30);
/// How long a connection may take: the kernel gives it at once unless 256 others are there.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);
/// More than the daemon's status has.
const STATUS_BYTES_MAX: u64 = 1 << 20;
/// Largest answer that is read, in bytes: 100,000 open messages have about 40 MiB, and 16 roles say 80 MiB at most in five rounds,
/// which JSON may make twice as long.
const ANSWER_BYTES_MAX: usize = 192 << 20;

/// What is done with the name and the data of an event, or with silence.
pub type EachEvent<'a> = dyn FnMut(Option<(&str, &str)>) -> ControlFlow<()> + 'a;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No daemon listens.
    #[error("no daemon is running for {}", .root.display())]
    NotRunning {
        /// The workspace.
        root: PathBuf,
    },
    /// The daemon says no.
    #[error("{}", .0.why)]
    Refused(Problem),
    /// It is just starting or ending, or cannot write its journal: what was asked may have been done all the same.
    #[error("{}", .0.why)]
    Unavailable(Problem),
    /// It did not answer in time.
    #[error("the daemon did not answer within {0:?}")]
    TooSlow(Duration),
    /// It went away in the middle.
    #[error("the daemon went away before it answered: {0}")]
    Gone(String),
    /// An answer that this version does not understand.
    #[error("the daemon's answer cannot be understood ({0}); is it of another version?")]
    Odd(String),
    /// The machine said no.
    #[error("cannot ask the daemon: {0}")]
    Io(#[from] io::Error),
}

impl ClientError {
    fn of(problem: Problem) -> Self {
        if problem.code == "unavailable" { Self::Unavailable(problem) } else { Self::Refused(problem) }
    }
}

/// Whether two paths lead to one folder.
fn is_one_folder(one: &Path, other: &Path) -> bool {
    let what = |path: &Path| rustix::fs::stat(path).ok().map(|stat| FileId::of(&stat));
    one == other || what(one).is_some_and(|one| what(other) == Some(one))
}

/// A way to ask the daemon of one workspace, for whoever waits for the answer.
#[derive(Debug)]
pub struct Client {
    runtime: Runtime,
    asker: Asker,
}

/// The same, for those who do other things meanwhile.
#[derive(Debug, Clone)]
pub struct Asker {
    workspace: Workspace,
    /// Where a daemon with our environment listens.
    candidates: Vec<PathBuf>,
    uid: u32,
    key: Option<String>,
}

impl Client {
    /// For this workspace. Nothing is asked yet.
    ///
    /// # Errors
    /// [`ClientError::Io`] if the system gives no event loop.
    pub fn new(workspace: &Workspace, around: &Surroundings) -> Result<Self, ClientError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let candidates = workspace.socket_candidates(around);
        // An agent's key is for its own workspace, by whatever path; elsewhere it would only be refused.
        let own =
            around.var("TASUKI_ROOT").is_none_or(|root| is_one_folder(Path::new(root), workspace.root()));
        let key =
            around.var("TASUKI_AGENT_KEY").filter(|_| own).and_then(|key| key.to_str()).map(str::to_owned);
        let asker = Asker { workspace: workspace.clone(), candidates, uid: around.uid, key };
        Ok(Self { runtime, asker })
    }

    /// The same way, for work within [`Client::run`].
    #[must_use]
    pub fn asker(&self) -> Asker {
        self.asker.clone()
    }

    /// Whether an agent asks: its key is shown with each request.
    #[must_use]
    pub fn is_agents(&self) -> bool {
        self.asker.key.is_some()
    }

    /// Reads something.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no answer.
    pub fn get<T: DeserializeOwned>(&self, path: &str, deadline: Duration) -> Result<T, ClientError> {
        self.runtime.block_on(self.asker.get(path, deadline))
    }

    /// Changes something.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no answer; what was asked may have been done all the same if it is
    /// [`ClientError::Gone`], [`ClientError::TooSlow`] or [`ClientError::Unavailable`].
    pub fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        deadline: Duration,
    ) -> Result<T, ClientError> {
        self.runtime.block_on(self.asker.post(path, body, deadline))
    }

    /// The same with a body that is written already.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no answer.
    pub fn post_text<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &str,
        deadline: Duration,
    ) -> Result<T, ClientError> {
        self.runtime.block_on(self.asker.ask(Method::POST, path, body.to_owned().into(), deadline))
    }

    /// Does something that waits for others.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Listens to a stream of events until it ends. `each` is given an event's name and its data, or nothing after `quiet`, and ends
    /// it by `Break`.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no stream.
    pub fn listen(&self, path: &str, quiet: Duration, each: &mut EachEvent<'_>) -> Result<(), ClientError> {
        self.runtime.block_on(async {
            let mut events = self.asker.follow(path, None).await?;
            loop {
                let flow = match tokio::time::timeout(quiet, events.next()).await {
                    Ok(None) => return Ok(()),
                    Ok(Some(event)) => each(Some((&event.name, &event.data))),
                    Err(_) => each(None),
                };
                if flow.is_break() {
                    return Ok(());
                }
            }
        })
    }

    /// Waits, for a client that has to look again at something that is no request.
    pub fn pause(&self, time: Duration) {
        // A timer is made within the runtime that drives it.
        self.runtime.block_on(async { tokio::time::sleep(time).await });
    }
}

impl Asker {
    /// Reads something.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub async fn get<T: DeserializeOwned>(&self, path: &str, deadline: Duration) -> Result<T, ClientError> {
        self.ask(Method::GET, path, Bytes::new(), deadline).await
    }

    /// Changes something.
    ///
    /// # Errors
    /// As [`Client::post`].
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        deadline: Duration,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| ClientError::Odd(error.to_string()))?;
        self.ask(Method::POST, path, body.into(), deadline).await
    }

    /// Follows a stream of events; `last` is the id of the last one that was seen.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no stream.
    pub async fn follow(&self, path: &str, last: Option<&str>) -> Result<EventStream, ClientError> {
        let open = async {
            let stream = self.connect().await?;
            let mut request = self.request(Method::GET, path).header(ACCEPT, "text/event-stream");
            if let Some(last) = last {
                request = request.header("last-event-id", last);
            }
            let request =
                request.body(Full::default()).map_err(|error| ClientError::Odd(error.to_string()))?;
            let response = begin(stream, request).await.map_err(ClientError::Gone)?;
            if response.status().is_success() {
                return Ok(EventStream::of(response.into_body()));
            }
            let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|error| ClientError::Gone(error.to_string()))?.to_bytes();
            Err(refusal(&body))
        };
        tokio::time::timeout(ANSWER_DEADLINE, open)
            .await
            .map_err(|_| ClientError::TooSlow(ANSWER_DEADLINE))?
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        deadline: Duration,
    ) -> Result<T, ClientError> {
        let stream = self.connect().await?;
        let exchange = tokio::time::timeout(deadline, self.exchange(stream, method, path, body));
        let (ok, answer) = exchange.await.map_err(|_| ClientError::TooSlow(deadline))??;
        if ok {
            return serde_json::from_slice(&answer).map_err(|error| ClientError::Odd(error.to_string()));
        }
        Err(refusal(&answer))
    }

    /// The first socket at which the workspace's daemon listens.
    async fn connect(&self) -> Result<UnixStream, ClientError> {
        let said = said_socket(&self.workspace)?;
        let own = self.candidates.iter().map(|path| Door { path: path.clone(), pid: None });
        for door in said.into_iter().chain(own) {
            match tokio::time::timeout(CONNECT_DEADLINE, UnixStream::connect(&door.path)).await {
                Ok(Ok(stream)) if door.is_kept(&stream, self.uid) => return Ok(stream),
                Ok(_) => {}
                Err(_) => return Err(ClientError::TooSlow(CONNECT_DEADLINE)),
            }
        }
        Err(ClientError::NotRunning { root: self.workspace.root().to_path_buf() })
    }

    async fn exchange(
        &self,
        stream: UnixStream,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(bool, Bytes), ClientError> {
        let request = self.request(method, path).header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::new(body)).map_err(|error| ClientError::Odd(error.to_string()))?;
        let answer = exchange(stream, request, ANSWER_BYTES_MAX).await.map_err(ClientError::Gone)?;
        Ok((answer.status().is_success(), answer.into_body()))
    }

    /// What every request begins with.
    fn request(&self, method: Method, path: &str) -> Builder {
        let request = Request::builder().method(method).uri(path).header(HOST, "tasuki");
        match &self.key {
            Some(key) => request.header(AUTHORIZATION, format!("Bearer {key}")),
            None => request,
        }
    }
}

/// What the daemon says when it says no.
fn refusal(answer: &[u8]) -> ClientError {
    match serde_json::from_slice(answer) {
        Ok(problem) => ClientError::of(problem),
        Err(error) => ClientError::Odd(error.to_string()),
    }
}

/// A socket at which the workspace's daemon may listen.
struct Door {
    path: PathBuf,
    /// The only process whose answers count, where it is known.
    pid: Option<u32>,
}

impl Door {
    /// Whether it is the daemon that listens there: a process of our own user, since `/tmp` is everybody's.
    fn is_kept(&self, stream: &UnixStream, uid: u32) -> bool {
        let is_known = |pid: Option<i32>| {
            self.pid.is_none_or(|known| pid.and_then(|pid| u32::try_from(pid).ok()) == Some(known))
        };
        stream.peer_cred().is_ok_and(|peer| peer.uid() == uid && is_known(peer.pid()))
    }
}

/// Where the daemon said that it listens; its environment need not be ours.
///
/// In a copy of the workspace the file names the socket of the original's daemon. That one holds the lock of the original's
/// folder, which goes with the folder where it is moved, and not the lock of the copy: that is nobody's, or the copy's own
/// daemon's, which the file does not name until it listens.
fn said_socket(workspace: &Workspace) -> io::Result<Option<Door>> {
    #[derive(serde::Deserialize)]
    struct Said {
        socket: Option<PathBuf>,
    }
    let Some(holder) = lock::holder(&workspace.lock())? else { return Ok(None) };
    let text = regular::read(&workspace.daemon_status(), STATUS_BYTES_MAX).unwrap_or_default();
    let said = serde_saphyr::from_str::<Said>(&text).ok();
    Ok(said.and_then(|said| said.socket).map(|path| Door { path, pid: holder.pid }))
}
