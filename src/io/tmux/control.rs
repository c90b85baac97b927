//! The handle of the one connection to a tmux server: whoever holds it may ask.

use super::calls::Calls;
use super::command::{TmuxCommand, TmuxReply};
use super::driver::{CALL_DEADLINE, Call, Driver};
use super::notice::{self, Notices};
use super::notification::SessionId;
use super::quote::shown;
use super::server::{Earlier, Server};
use super::set_option::SetOption;
use super::version::Version;
use crate::engine::words::PaneId;
use crate::io::mux::error::MuxError;
use crate::io::mux::screen::Printed;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

/// Calls that may wait for the driver, which takes them at once unless tmux is slow: one a pane of a large team.
const CALLS_MAX: usize = 128;

/// The connection, for whoever wants to ask. Cheap to clone; when the last is dropped the connection ends.
#[derive(Debug, Clone)]
pub struct Tmux {
    calls: mpsc::Sender<Call>,
    facts: Arc<Facts>,
}

/// A handle that does not keep the connection.
#[derive(Debug, Clone)]
pub struct WeakTmux {
    calls: mpsc::WeakSender<Call>,
    facts: Arc<Facts>,
}

impl WeakTmux {
    /// The connection, if anybody else still keeps it.
    #[must_use]
    pub fn get(&self) -> Option<Tmux> {
        Some(Tmux { calls: self.calls.upgrade()?, facts: self.facts.clone() })
    }

    /// Changes when somebody comes to a session of the server.
    #[must_use]
    pub fn coming(&self) -> watch::Receiver<u64> {
        self.facts.comes.clone()
    }
}

/// What does not change while a connection lasts.
#[derive(Debug)]
pub(super) struct Facts {
    pub version: Version,
    pub server_pid: u32,
    pub session: SessionId,
    pub scratch: PathBuf,
    pub size: (u16, u16),
    /// When a person was last at our session before this connection.
    pub person: Option<u64>,
    /// How often somebody came to a session of the server.
    pub comes: watch::Receiver<u64>,
}

impl Tmux {
    /// A handle on a connection that is gone.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        let (version, session) = (Version { major: 3, minor: 5, letter: None }, SessionId(0));
        let (person, comes, scratch) = (None, watch::channel(0).1, PathBuf::new());
        let facts = Facts { version, server_pid: 0, session, scratch, size: (200, 50), person, comes };
        Self { calls: mpsc::channel(1).0, facts: Arc::new(facts) }
    }

    /// Attaches to the session of `server`, which must be there, once `left`, the clients of an earlier connection, have
    /// left it: [`Server::ensure`] sees to the one and names the other.
    ///
    /// Nothing is answered unless the [`Driver`] runs: `workers.spawn(driver.run())`, which first starts the second client.
    /// What must be known soon may be asked before that, by [`Driver::meanwhile`].
    ///
    /// # Errors
    /// [`MuxError::Failed`] or [`MuxError::Gone`] with tmux's words if the session is not there or tmux does not let
    /// us attach; [`MuxError::Late`]; [`MuxError::Missing`].
    pub async fn connect(server: &Server, left: Earlier) -> Result<(Self, Notices, Driver), MuxError> {
        let Earlier { clients, person } = left;
        server.quiet(clients).await?;
        let (sender, receiver) = mpsc::channel(CALLS_MAX);
        let (news, notices) = notice::channel();
        let (come, comes) = watch::channel(0);
        let calls = Calls::new(news, come, Instant::now());
        let (mut driver, attached) = Driver::start(server, receiver, calls, person)?;
        let session = driver.meanwhile(in_time("attach-session", attached)).await??;
        let Greeting { version, server_pid, variables } =
            driver.meanwhile(greet(&sender, server, session)).await??;
        driver.read_buffers_as(version.buffer_escape());
        let (scratch, size) = (server.scratch.clone(), server.size);
        let facts = Facts { version, server_pid, session, scratch, size, person, comes };
        let tmux = Self { calls: sender, facts: Arc::new(facts) };
        driver.meanwhile(tmux.mask(&variables)).await??;
        Ok((tmux, notices, driver))
    }

    /// The same without keeping the connection.
    #[must_use]
    pub fn weak(&self) -> WeakTmux {
        WeakTmux { calls: self.calls.downgrade(), facts: self.facts.clone() }
    }

    /// Runs a line of commands and gives the reply of each, in order. Calls of one handle are run in the order in
    /// which they were made.
    ///
    /// # Errors
    /// The first [`MuxError::Refused`]; [`MuxError::Late`] after [`CALL_DEADLINE`]; [`MuxError::Gone`]; a word
    /// that no command can carry.
    pub async fn run(&self, command: TmuxCommand) -> Result<Vec<TmuxReply>, MuxError> {
        run(&self.calls, command).await
    }

    /// Waits for any answer.
    ///
    /// # Errors
    /// Those of [`Self::run`].
    pub async fn ping(&self) -> Result<(), MuxError> {
        self.run(TmuxCommand::new("display-message").flag("-p").word("")).await.map(drop)
    }

    /// Counts the pieces of output of `pane`, and its ways into and out of copy mode. It tells *that* something was
    /// printed; what is on the screen is to be asked. It ends when the connection does.
    ///
    /// # Errors
    /// [`MuxError::Gone`], [`MuxError::Late`].
    pub async fn watch(&self, pane: PaneId) -> Result<watch::Receiver<Printed>, MuxError> {
        self.watch_by(|answer| Call::Watch(pane, answer)).await
    }

    /// Tells when the size of `pane` changes from now on. It ends when the connection does.
    ///
    /// # Errors
    /// As [`Self::watch`].
    pub async fn watch_size(&self, pane: PaneId) -> Result<watch::Receiver<()>, MuxError> {
        self.watch_by(|answer| Call::WatchSize(pane, answer)).await
    }

    async fn watch_by<T>(&self, call: impl FnOnce(oneshot::Sender<T>) -> Call) -> Result<T, MuxError> {
        let (answer, told) = oneshot::channel();
        let ask = async {
            self.calls.send(call(answer)).await.map_err(|_| gone())?;
            told.await.map_err(|_| gone())
        };
        timeout(CALL_DEADLINE, ask).await.unwrap_or_else(|_| Err(late("watch", false)))
    }

    /// The version of the server that runs, which may be older than the program.
    #[must_use]
    pub fn version(&self) -> Version {
        self.facts.version
    }

    /// Process id of the server.
    #[must_use]
    pub fn server_pid(&self) -> u32 {
        self.facts.server_pid
    }

    /// Our session.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.facts.session
    }

    /// When a person was last at our session before this connection, by tmux's clock in seconds.
    pub(super) fn person_before(&self) -> Option<u64> {
        self.facts.person
    }

    /// How often somebody has come to a session of the server. Where nobody was and this has not changed, nobody is.
    #[must_use]
    pub fn comes(&self) -> u64 {
        *self.facts.comes.borrow()
    }

    /// Columns and rows of each window that we make.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        self.facts.size
    }

    /// Folder for files that tmux is to read.
    pub(super) fn scratch(&self) -> &Path {
        &self.facts.scratch
    }

    /// Marks each variable of the server's own environment as removed for our session, so that a pane's program gets
    /// what its [`super::window::WindowSpec`] says and nothing else.
    async fn mask(&self, variables: &[String]) -> Result<(), MuxError> {
        let session = format!("{}:", self.session());
        let mask = |name: &String| {
            TmuxCommand::silent("set-environment").flag("-t").word(&session).flag("-r").word(name)
        };
        let masks = variables.iter().map(mask).reduce(TmuxCommand::then);
        match masks {
            Some(masks) => self.run(masks).await.map(drop),
            None => Ok(()),
        }
    }
}

async fn run(calls: &mpsc::Sender<Call>, command: TmuxCommand) -> Result<Vec<TmuxReply>, MuxError> {
    let name = command.name();
    let (line, parts) = command.into_line()?;
    let (answer, answered) = oneshot::channel();
    let mut sent = false;
    let ask = async {
        calls.send(Call::Run(line, parts, answer)).await.map_err(|_| gone())?;
        sent = true;
        answered.await.unwrap_or_else(|_| Err(gone()))
    };
    let answer = timeout(CALL_DEADLINE, ask).await;
    answer.unwrap_or_else(|_| Err(late(name, sent)))
}

fn late(command: &'static str, sent: bool) -> MuxError {
    let ms = u64::try_from(CALL_DEADLINE.as_millis()).unwrap_or(u64::MAX);
    MuxError::Late { command, ms, sent }
}

fn gone() -> MuxError {
    MuxError::Gone { why: "nobody drives it any more".to_owned() }
}

/// Waits for what the driver tells.
async fn in_time<T>(what: &'static str, told: oneshot::Receiver<T>) -> Result<T, MuxError> {
    timeout(CALL_DEADLINE, told).await.map_err(|_| late(what, true))?.map_err(|_| gone())
}

/// What tmux says first.
struct Greeting {
    version: Version,
    server_pid: u32,
    /// What is set in the environment of the server or of the session.
    variables: Vec<String>,
}

/// Asks who answers and what it would hand to programs, and sets our options.
async fn greet(
    calls: &mpsc::Sender<Call>,
    server: &Server,
    session: SessionId,
) -> Result<Greeting, MuxError> {
    let hello = TmuxCommand::new("display-message").flag("-p").word("#{version} #{pid}");
    let own = TmuxCommand::new("show-environment").flag("-t").word(format!("{session}:"));
    let ask = hello.then(TmuxCommand::new("show-environment").flag("-g")).then(own);
    // One line: each time that tmux is waited for costs a start more than what is asked.
    let options = server.options().into_iter().map(SetOption::into_command);
    let replies = run(calls, options.fold(ask, TmuxCommand::then)).await?;
    let mut texts = replies.iter().map(TmuxReply::text);
    let text = texts.next().unwrap_or_default();
    let unreadable = || MuxError::Unreadable { command: "display-message", words: shown(text.as_bytes()) };
    let (version, pid) = text.split_once(' ').ok_or_else(unreadable)?;
    let environment = texts.take(2).collect::<Vec<_>>().join("\n");
    let names = environment.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.to_owned());
    Ok(Greeting {
        version: Version::read(version)?.supported()?,
        server_pid: pid.parse().map_err(|_| unreadable())?,
        variables: names.filter(|name| !name.is_empty()).collect(),
    })
}
