//! The keeper of the connection to tmux: connects, tells when the connection or the server is gone, starts the server
//! again if need be, and connects anew.

use crate::daemon::inbox::{News, NewsSender};
use crate::daemon::panes::orders::{Launched, Launches, Order, Terms};
use crate::daemon::panes::worker::{self, Start};
use crate::daemon::tmux::news::{PanesFound, TmuxNews};
use crate::daemon::tmux::pulse::PulseHandle;
use crate::daemon::tmux::server::socket_name;
use crate::daemon::tmux::windows::{close_for_sure, process_of, see_off};
use crate::engine::input::FoundPane;
use crate::engine::words::{AgentName, Nonce, ProcessKey};
use crate::io::frames::Frames;
use crate::io::mux::{Driver, Mux, MuxError, Notice, Notices, Server, Tag};
use crate::io::process::{self, Bearer, Family};
use crate::wire::team_file::{Launch, Settings};
use std::collections::HashMap;
use std::convert::Infallible;
use std::ffi::OsStr;
#[cfg(test)]
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

/// First and longest wait before tmux is started again. The first start is at once.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// A connection that lasted no longer than this is not replaced at once: something seems to end each of them.
const LASTS: Duration = Duration::from_secs(1);

/// A connection that is up, what was found over it, and its two ends that want to be driven.
#[derive(Debug)]
pub struct Connected {
    /// The agents' panes that are there.
    pub found: PanesFound,
    /// The handle.
    pub tmux: Mux,
    /// What tmux tells.
    pub notices: Notices,
    /// Must run for anything to be answered.
    pub driver: Driver,
}

/// Makes sure that the server runs, connects, and looks which agents are there. What cannot be looked at is not taken for
/// gone: then there is no connection either.
///
/// # Errors
/// Those of [`Server::ensure`], [`Mux::connect`] and [`Mux::list_panes`]; [`MuxError::Io`] if a process cannot be
/// looked at.
pub async fn connect(server: &Server) -> Result<Connected, MuxError> {
    let left = server.ensure().await?;
    let (tmux, notices, mut driver) = Mux::connect(server, left).await?;
    let found = driver.meanwhile(find_panes(&tmux)).await??;
    Ok(Connected { found, tmux, notices, driver })
}

/// The agents' panes that are there, with the processes that live in them.
async fn find_panes(tmux: &Mux) -> Result<PanesFound, MuxError> {
    let mut found = PanesFound::default();
    for row in tmux.list_panes().await? {
        let Some(tag) = row.tag else { continue };
        let process = if row.dead { None } else { process_of(row.pid)? };
        found.panes.push(FoundPane { agent: tag.agent, nonce: tag.nonce, pane: row.pane, process });
        found.terminals.insert(row.pane, row.tty);
    }
    Ok(found)
}

/// Keeps a connection: drives it, and replaces it when it ends.
pub async fn keep(
    server: Server,
    mut connected: Connected,
    news: NewsSender,
    pulse: PulseHandle,
) -> &'static str {
    loop {
        let Connected { tmux, notices, driver, .. } = connected;
        let serves = process::key_of(tmux.server_pid());
        let shown = pulse.clone().show(tmux.weak());
        drop(tmux);
        let since = Instant::now();
        let why = tokio::select! {
            why = drive(driver, notices) => why,
            never = shown => match never {},
        };
        let wait = if since.elapsed() < LASTS { AGAIN.0 } else { Duration::ZERO };
        match replace(&server, serves, why, wait, &news).await {
            Some(new) => connected = new,
            None => return "tmux",
        }
    }
}

/// Makes a new connection and tells of it. It also tells if the server `serves` turns out to have ended, as soon as
/// that is known: tmux may not be to be started again for a while. `None` if nobody listens any more.
async fn replace(
    server: &Server,
    serves: Option<ProcessKey>,
    why: String,
    wait: Duration,
    news: &NewsSender,
) -> Option<Connected> {
    news.send(News::Tmux(TmuxNews::Cut { why: why.clone() })).await.ok()?;
    let mut lost = Some(TmuxNews::Lost { why });
    let again = connect_again(server, wait);
    tokio::pin!(again);
    let mut connected = tokio::select! {
        biased;
        () = ended(serves) => {
            news.send(News::Tmux(lost.take()?)).await.ok()?;
            again.await
        }
        done = &mut again => done,
    };
    let same = process::key_of(connected.tmux.server_pid()) == serves;
    if let (Some(lost), false) = (lost, same) {
        news.send(News::Tmux(lost)).await.ok()?;
    }
    let (tmux, found) = (connected.tmux.clone(), std::mem::take(&mut connected.found));
    news.send(News::Tmux(TmuxNews::Back { tmux, found })).await.ok()?;
    Some(connected)
}

/// Waits for the end of the server. One that cannot be watched is known by its number once there is a connection.
async fn ended(serves: Option<ProcessKey>) {
    if let Some(serves) = serves
        && process::wait_exit(serves).await.is_err()
    {
        std::future::pending().await
    }
}

async fn drive(driver: Driver, mut notices: Notices) -> String {
    let run = driver.run();
    tokio::pin!(run);
    loop {
        tokio::select! {
            why = &mut run => return why,
            notice = notices.next() => match notice {
                Some(Notice::ConfigError(text)) => tracing::warn!(text, "tmux complains of its configuration"),
                Some(Notice::Gone { .. }) | None => return run.await,
                Some(_) => {}
            },
        }
    }
}

async fn connect_again(server: &Server, mut wait: Duration) -> Connected {
    loop {
        tokio::time::sleep(wait).await;
        wait = (wait * 2).clamp(AGAIN.0, AGAIN.1);
        match connect(server).await {
            Ok(connected) => return connected,
            Err(error) => tracing::error!(%error, "no connection to tmux; trying again in {wait:?}"),
        }
    }
}

/// What the loop gives a new worker of a pane.
#[derive(Debug)]
pub struct Given {
    /// Which agent, and whether its window is there already.
    pub launched: Launched,
    /// How the agent is started and typed to.
    pub launch: Arc<Launch>,
    /// Its key, for its environment.
    pub key: String,
    pub phrase: String,
    /// Orders from the loop.
    pub orders: mpsc::Receiver<Order>,
    /// Where news go.
    pub news: NewsSender,
}

/// The loop's side: the connection of the moment, and what every worker of a pane is given.
#[derive(Debug)]
pub struct TmuxHandle {
    server: Server,
    tmux: Mux,
    terms: watch::Sender<Terms>,
    launches: watch::Sender<Launches>,
    frames: Frames,
    /// Agents whose windows are gone and whose programs are seen off: a window for the next one waits for the end of that.
    leaving: HashMap<AgentName, oneshot::Receiver<Infallible>>,
    /// Where there is no tmux: who plays its part.
    #[cfg(test)]
    pub(in crate::daemon) actors: Option<std::sync::mpsc::Sender<Act>>,
}

/// Goes with a worker that is played.
#[cfg(test)]
pub(in crate::daemon) type Alive = oneshot::Sender<Infallible>;

/// What whoever plays tmux's part is asked for.
#[cfg(test)]
#[derive(Debug)]
pub(in crate::daemon) enum Act {
    /// To be the worker of a launch.
    Work(Given, Alive),
    /// To close the window of a launch that has no worker.
    Close(AgentName, Nonce),
}

impl TmuxHandle {
    /// A handle before this connection to this server.
    #[must_use]
    pub fn new(server: Server, tmux: Mux, terms: Terms, frames: Frames) -> Self {
        Self {
            server,
            tmux,
            terms: watch::channel(terms).0,
            launches: watch::channel(Launches::default()).0,
            frames,
            leaving: HashMap::new(),
            #[cfg(test)]
            actors: None,
        }
    }

    /// Where there is no tmux.
    #[cfg(test)]
    pub(in crate::daemon) fn none() -> Self {
        let nothing = || String::new();
        let server = Server {
            socket: nothing(),
            session: nothing(),
            root: nothing(),
            history_limit: 0,
            size: (0, 0),
            env: Vec::new(),
            scratch: PathBuf::new(),
        };
        let terms = Terms { halted: false, person_quiet_ms: 0, history: 0 };
        let frames = Frames::new(PathBuf::new(), crate::io::clock::Clock::start());
        Self::new(server, Mux::none(), terms, frames)
    }

    /// Waits until tmux answers over the connection of this moment, or that is gone. A slow answer is told.
    pub fn answers(&self, slow: fn(&MuxError)) -> impl Future<Output = ()> + use<> {
        let tmux = self.tmux.clone();
        async move {
            loop {
                match tmux.ping().await {
                    Err(error @ MuxError::Late { .. }) => slow(&error),
                    Ok(()) | Err(_) => return,
                }
            }
        }
    }

    /// There is a new connection.
    pub fn connected(&mut self, tmux: Mux) {
        self.tmux = tmux;
    }

    /// `queue/STOP` came or went: what is being typed stops in the middle.
    pub fn halt(&self, halted: bool) {
        self.change(|terms| terms.halted = halted);
    }

    /// Whether the panes are told that nothing may be typed.
    #[cfg(test)]
    pub(in crate::daemon) fn is_halted(&self) -> bool {
        self.terms.borrow().halted
    }

    /// The settings changed, and with them how agents are started. Gives the keys of those that are taken up at the next start only, since the agents that run
    /// could not follow.
    pub fn set(&self, settings: &Settings, launches: Launches) -> Vec<&'static str> {
        let general = &settings.general;
        self.change(|terms| *terms = Terms::of(general, terms.halted));
        self.launches.send_replace(launches);
        let kept = &self.server;
        let changed = [
            ("tmux_socket", kept.socket != socket_name(&settings.tmux_socket)),
            ("session", kept.session != settings.session),
            ("columns", kept.size.0 != general.columns),
            ("rows", kept.size.1 != general.rows),
            ("history_limit", kept.history_limit != general.history_limit),
        ];
        changed.into_iter().filter_map(|(key, changed)| changed.then_some(key)).collect()
    }

    fn change(&self, change: impl FnOnce(&mut Terms)) {
        self.terms.send_if_modified(|terms| {
            let before = *terms;
            change(terms);
            *terms != before
        });
    }

    /// Starts the worker of a launch. Gives the number of its task.
    pub fn spawn_pane(&mut self, workers: &mut JoinSet<&'static str>, given: Given) -> Id {
        #[cfg(test)]
        if let Some(actors) = &self.actors {
            let (alive, ended) = oneshot::channel();
            let _ = actors.send(Act::Work(given, alive));
            let task = async {
                let _ = ended.await;
                "pane"
            };
            return workers.spawn(task).id();
        }
        let Given { launched, launch, key, phrase, orders, news } = given;
        let (tmux, terms) = (self.tmux.clone(), self.terms.subscribe());
        let (frames, launches) = (self.frames.clone(), self.launches.subscribe());
        let left = self.leaving.remove(&launched.agent);
        let start = Start { launches, tmux, launched, launch, key, phrase, terms, orders, news, frames };
        let work = async {
            if let Some(left) = left {
                let _ = left.await;
            }
            worker::work(start).await
        };
        workers.spawn(work).id()
    }

    /// Ends what ran in a window that is gone, if it lives on. It is known by the key in its environment, too: after a start of
    /// the machine its number may be another's, and in a copy of the workspace it is the original's.
    pub fn see_off(
        &mut self,
        workers: &mut JoinSet<&'static str>,
        agent: AgentName,
        process: ProcessKey,
        key: String,
    ) {
        #[cfg(test)]
        if self.actors.is_some() {
            return;
        }
        let (gone, left) = oneshot::channel();
        self.leaving.insert(agent, left);
        let root = self.server.root.clone();
        workers.spawn(async move {
            let lives = move || {
                let family = Family::of(process);
                let is_ours = |bearer: &Bearer| {
                    bearer.var("TASUKI_AGENT_KEY") == Some(OsStr::new(&key))
                        && bearer.var("TASUKI_ROOT") == Some(OsStr::new(&root))
                };
                let mut bearers = family.living().into_iter().filter_map(|key| Bearer::of(key.pid));
                bearers.any(|bearer| is_ours(&bearer)).then_some(family)
            };
            // It looks at every process there is.
            if let Ok(Some(family)) = tokio::task::spawn_blocking(lives).await {
                see_off(family).await;
            }
            drop::<oneshot::Sender<Infallible>>(gone);
            "see off"
        });
    }

    /// Closes the window of a launch that has no worker.
    pub fn close_stranger(&self, workers: &mut JoinSet<&'static str>, agent: AgentName, nonce: Nonce) {
        #[cfg(test)]
        if let Some(actors) = &self.actors {
            return drop(actors.send(Act::Close(agent, nonce)));
        }
        let tmux = self.tmux.clone();
        workers.spawn(async move {
            close_for_sure(&tmux, &Tag { agent, nonce }).await;
            "close"
        });
    }
}
