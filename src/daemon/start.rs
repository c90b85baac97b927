//! Start-up and the end: lock, journal, agents that are still there, workers, signals. The same path is taken again
//! after a write to the journal has failed.

use crate::daemon::faces_desk::FacesDesk;
use crate::daemon::journal_desk::JournalDesk;
use crate::daemon::mail_desk::MailDesk;
use crate::daemon::memory::{self, Memory};
use crate::daemon::news::NEWS_MAX;
use crate::daemon::orders::Launched;
use crate::daemon::panes_desk::PanesDesk;
use crate::daemon::request::{CALLS_MAX, Call};
use crate::daemon::run::{Broken, Daemon, Ending, Turning};
use crate::daemon::threads;
use crate::daemon::views_desk::ViewsDesk;
use crate::daemon::workers::tmux::TmuxDesk;
use crate::daemon::workers::{tmux, watch};
use crate::engine::engine::Step;
use crate::engine::input::{Effect, FoundPane};
use crate::engine::state::Phase;
use crate::engine::words::{AgentName, Nonce};
use crate::io::clock::{self, Clock};
use crate::io::folder::FolderError;
use crate::io::journal::{Journal, JournalError};
use crate::io::keys::Keys;
use crate::io::lock::{Lock, LockError};
use crate::io::log::{Log, LogError};
use crate::io::settings::{Settings, SettingsError, TmuxSocket};
use crate::io::tmux::{Server, TmuxError};
use crate::io::workspace::{Surroundings, Workspace, WorkspaceError};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How long workers may take to end once they were told to.
const SHUTDOWN: Duration = Duration::from_secs(5);
/// First and longest wait before starting anew after the journal could not be written.
const AGAIN: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// Why the daemon does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Another daemon has it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The team file is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The drop zone cannot be used.
    #[error(transparent)]
    Mailbox(#[from] FolderError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// tmux cannot be used.
    #[error(transparent)]
    Tmux(#[from] TmuxError),
    /// The machine said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the machine said.
        source: std::io::Error,
    },
}

pub(super) fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> StartError {
    move |source| StartError::Io { what, source }
}

/// What makes the faces' side of the socket: given the way to the loop, serves until dropped.
pub type Serve = Box<dyn FnOnce(tokio::net::UnixListener, mpsc::Sender<Call>) -> Serving + Send>;
/// A server that runs.
pub type Serving = std::pin::Pin<Box<dyn Future<Output = &'static str> + Send>>;

/// What the daemon keeps over its lives.
struct House {
    workspace: Workspace,
    around: Surroundings,
    clock: Clock,
    boot: String,
    calls: mpsc::Receiver<Call>,
    signals: mpsc::Receiver<Ending>,
    socket: std::path::PathBuf,
}

/// Runs the daemon until it is told to end.
///
/// # Errors
/// [`StartError`] if it cannot start; once it runs it goes on until it is told to end.
pub fn run(workspace: Workspace, around: Surroundings, serve: Serve) -> Result<(), StartError> {
    workspace.prepare()?;
    let loaded = Settings::load(&workspace, &around)?;
    let clock = Clock::start();
    let _lock = Lock::take(&workspace.lock(), clock.wall())?;
    let log = Log::start(&workspace.daemon_log())?;
    let filter = std::env::var("TASUKI_LOG").unwrap_or_else(|_| loaded.settings.general.log.clone());
    // A second subscriber in one process (tests) is no error: the first stays.
    let _ = tracing::subscriber::set_global_default(log.subscriber(&filter)?);
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(io("start the runtime"))?;
    let done = runtime.block_on(live(workspace, around, clock, loaded.settings, serve));
    runtime.shutdown_timeout(SHUTDOWN);
    drop(log);
    done
}

async fn live(
    workspace: Workspace,
    around: Surroundings,
    clock: Clock,
    settings: Settings,
    serve: Serve,
) -> Result<(), StartError> {
    let signals = signals().map_err(io("listen for signals"))?;
    let socket = workspace.socket_path(&around)?;
    let (to_loop, calls) = mpsc::channel(CALLS_MAX);
    let listener = listen(&socket).map_err(io("listen on the socket"))?;
    let boot = format!("{}-{}", clock::boot_id().unwrap_or_default(), std::process::id());
    let mut house = House { workspace, around, clock, boot, calls, signals, socket };
    let mut settings = settings;
    let mut stopped: Option<Journal> = None;
    let mut wait = AGAIN.0;
    let mut server = Some((listener, serve, to_loop));
    let mut serving = JoinSet::new();
    loop {
        let life = begin(&mut house, settings.clone(), stopped.take()).await?;
        if let Some((listener, serve, to_loop)) = server.take() {
            serving.spawn(serve(listener, to_loop));
        }
        let ended = life.spend(&mut house).await;
        settings = ended.settings;
        match ended.how {
            Ok(ending) => {
                serving.abort_all();
                let _ = std::fs::remove_file(&house.socket);
                return finish(&house, &settings, ending).await;
            }
            Err(broken) => {
                tracing::error!(%broken, "starting anew in {wait:?}; drops stay in queue/ meanwhile");
                stopped = ended.journal;
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(AGAIN.1);
            }
        }
    }
}

/// SIGTERM and SIGINT end the daemon and leave the agents; SIGHUP and SIGIO (leases) do nothing.
fn signals() -> std::io::Result<mpsc::Receiver<Ending>> {
    let (sender, receiver) = mpsc::channel(1);
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (mut hup, mut lease) = (signal(SignalKind::hangup())?, signal(SignalKind::io())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => drop(sender.try_send(Ending::KeepAgents)),
                _ = int.recv() => drop(sender.try_send(Ending::KeepAgents)),
                _ = hup.recv() => {}
                _ = lease.recv() => {}
            }
        }
    });
    Ok(receiver)
}

/// The lock is ours, so a socket that is there is a dead daemon's.
fn listen(path: &std::path::Path) -> std::io::Result<tokio::net::UnixListener> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = tokio::net::UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// A life: the loop's state and the threads under it.
struct Life {
    daemon: Daemon,
    journal: std::thread::JoinHandle<Journal>,
}

/// How a life ended.
struct Ended {
    how: Result<Ending, Broken>,
    settings: Settings,
    /// The journal, if it has to go on in a new segment.
    journal: Option<Journal>,
}

async fn begin(house: &mut House, settings: Settings, stopped: Option<Journal>) -> Result<Life, StartError> {
    let dir = house.workspace.journal();
    let (journal, memory) = match stopped {
        None => memory::open(&dir, &house.boot, settings.team.clone(), house.clock.now())?,
        Some(journal) => memory::go_on(&dir, journal, settings.team.clone(), &house.clock).await,
    };
    let Memory { mut engine, places, claims } = memory;
    let connected = tmux::connect(&server(house, &settings)).await?;
    let (news, inbox) = mpsc::channel(NEWS_MAX);
    let mut workers = JoinSet::new();
    let connection = connected.tmux.clone();
    workers.spawn(tmux::keep(server(house, &settings), connected, news.clone()));
    let found = tmux::find_panes(&connection).await?;

    let threads = threads::start(
        &house.workspace,
        house.clock,
        journal,
        &claims,
        settings.general.low_disk_bytes,
        &news,
    )?;

    let now = house.clock.now();
    let moment = crate::engine::input::Moment { now, chance: getrandom::u64().unwrap_or(now.0) };
    let step = engine.recover(moment, &found);
    workers.spawn(watch::views(threads.watched, news.clone()));
    workers.spawn(watch::team(house.workspace.clone(), house.around.clone(), settings.clone(), news.clone()));
    let tmux = TmuxDesk::new(connection, settings.general.person_quiet_ms, settings.general.history_limit);
    let keys = Keys::open(&house.workspace.memory().join("secret")).map_err(io("open the agents' secret"))?;
    let (_, calls) = mpsc::channel(1);
    let mut daemon = Daemon {
        workspace: house.workspace.clone(),
        settings: Arc::new(settings),
        clock: house.clock,
        engine,
        journal: JournalDesk::new(threads.journal_jobs, places),
        views: ViewsDesk::new(threads.views_jobs),
        mail: MailDesk::new(threads.mail_jobs, claims),
        panes: PanesDesk::new(keys),
        faces: FacesDesk::default(),
        tmux,
        ringing: BTreeMap::new(),
        workers,
        inbox,
        written: threads.written,
        shown: threads.shown,
        news,
        calls: std::mem::replace(&mut house.calls, calls),
        beat_at: now,
        started_at: house.clock.wall(),
        socket: house.socket.display().to_string(),
        daemon_shown_at: now,
        daemon_is_old: false,
        turning: Turning::No,
        ending: None,
    };
    daemon.open(&found, step);
    Ok(Life { daemon, journal: threads.journal })
}

/// The tmux server of the workspace.
fn server(house: &House, settings: &Settings) -> Server {
    let socket = match &settings.tmux_socket {
        TmuxSocket::Private(name) => name.clone(),
        TmuxSocket::Users => crate::io::tmux::USERS_OWN_SOCKET.to_owned(),
    };
    Server {
        socket,
        session: settings.session.clone(),
        root: house.workspace.root_text().to_owned(),
        history_limit: settings.general.history_limit,
        size: (settings.general.columns, settings.general.rows),
        env: tmux_env(&house.around),
        scratch: house.workspace.memory(),
    }
}

/// The environment of the tmux server: ours, in a UTF-8 locale, without which tmux does not start.
fn tmux_env(around: &Surroundings) -> Vec<(OsString, OsString)> {
    let mut env: BTreeMap<OsString, OsString> = around.vars.clone();
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.get(OsStr::new(name))).is_some_and(
        |value| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        },
    );
    if !utf8 {
        env.insert("LC_ALL".into(), "C.UTF-8".into());
    }
    env.into_iter().collect()
}

impl Daemon {
    /// Takes up what goes on, owes every view, and begins to look for drops.
    fn open(&mut self, found: &[FoundPane], step: Step) {
        self.adopt(found, &step.effects);
        self.tell_names();
        self.take_step(step);
        self.show_everything();
        self.show_daemon();
        self.mail.look();
        tracing::info!(open = self.engine.state().open.len(), "open for business");
    }

    /// Gives every agent that goes on its worker.
    fn adopt(&mut self, found: &[FoundPane], effects: &[Effect]) {
        let launched: Vec<(AgentName, Nonce)> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Launch { agent, nonce } => Some((agent.clone(), *nonce)),
                _ => None,
            })
            .collect();
        let agents = self.engine.state().agents.iter();
        let up = agents.filter_map(|(name, agent)| match (&agent.phase, agent.nonce) {
            (Phase::Up { pane, process }, Some(nonce)) => Some((name.clone(), nonce, *pane, *process)),
            _ => None,
        });
        for (agent, nonce, pane, process) in up.collect::<Vec<_>>() {
            let there = found.iter().any(|found| found.agent == agent && found.nonce == nonce);
            if there && !launched.contains(&(agent.clone(), nonce)) {
                self.launch(Launched { agent, nonce, adopt: Some((pane, process)) });
            }
        }
    }
}

impl Life {
    /// Lives until the end, and brings what waits to the disk.
    async fn spend(mut self, house: &mut House) -> Ended {
        let how = self.daemon.run(&mut house.signals).await;
        if how.is_ok() {
            let _ = tokio::time::timeout(SHUTDOWN, self.daemon.drain()).await;
        }
        let Daemon { settings, mut panes, calls, mut workers, journal, views, mail, inbox, news, .. } =
            self.daemon;
        panes.dismiss_all(matches!(how, Ok(Ending::StopAgents)));
        house.calls = calls;
        // The threads end when their desks are gone, the tasks when they are told; whatever hangs is left behind.
        drop((journal, views, mail, inbox, news));
        let tasks = async { while workers.join_next().await.is_some() {} };
        workers_end(tasks).await;
        let journal = match &how {
            Ok(_) => tokio::task::spawn_blocking(move || self.journal.join()).await.ok().and_then(Result::ok),
            Err(_) => self.journal.join().ok(),
        };
        let journal = match (journal, how.is_ok()) {
            (Some(journal), true) => {
                if let Err(error) = journal.close() {
                    tracing::error!(%error, "the journal could not be closed in order; nothing is lost");
                }
                None
            }
            (journal, _) => journal,
        };
        Ended { how, settings: Arc::unwrap_or_clone(settings), journal }
    }
}

async fn workers_end(tasks: impl Future<Output = ()>) {
    let _ = tokio::time::timeout(Duration::from_millis(500), tasks).await;
}

async fn finish(house: &House, settings: &Settings, ending: Ending) -> Result<(), StartError> {
    if ending == Ending::StopAgents {
        server(house, settings).kill().await?;
    }
    tracing::info!(?ending, "the daemon ends");
    Ok(())
}
