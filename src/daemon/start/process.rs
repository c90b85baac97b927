//! Start-up and the end: lock, journal, agents that are still there, workers, signals. The same path is taken again
//! after a write to the journal has failed.

use crate::daemon::clients::request::{CALLS_MAX, Call};
use crate::daemon::clients::server as serving;
use crate::daemon::clients::server::{Serve, Serving};
use crate::daemon::ending::Ending;
use crate::daemon::r#loop::service_notifier::Voice;
use crate::daemon::start::ground::Ground;
use crate::daemon::start::incarnation as life;
use crate::daemon::start::signals::{signals, unless_ended};
use crate::daemon::start::unavailable::Away;
use crate::io::clock::{self, Clock};
use crate::io::folder::{FileId, FolderError};
use crate::io::journal::JournalError;
use crate::io::lock::{Lock, LockError};
use crate::io::log::{Log, LogError};
use crate::io::systemd::{Notifier, Word};
use crate::io::team_file::SettingsError;
use crate::io::tmux::{Server, TmuxError};
use crate::io::workspace::{Surroundings, Workspace, WorkspaceError};
use crate::wire::team_file::{Settings, TmuxSocket, is_own};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How long workers may take to end once they were told to.
pub(in crate::daemon) const SHUTDOWN: Duration = Duration::from_secs(5);
/// Open files without which nothing could be shown or told any more, the agents' own left out: some 40 are open all the time.
const FILES_MIN: u64 = 64;
/// A life that lasted this long was a good one: the next failure is not one of a row.
const HEALTHY_MS: u64 = 60_000;
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
    /// The lock or the journal was removed under it, and it has ended.
    #[error("{why}")]
    Displaced {
        /// What was removed, and the cure.
        why: String,
    },
    /// Another daemon of this workspace lost its lock, and listens still.
    #[error(
        "another daemon (process {pid}) still responds for this workspace, though it no longer holds {}; it ends by itself: try again, or end it with `kill {pid}`",
        .lock.display()
    )]
    Listens {
        /// Its process.
        pid: i32,
        /// The lock file.
        lock: std::path::PathBuf,
    },
    /// Too few files may be open.
    #[error(
        "this process may open {files} files and needs {needed}: raise the limit (`ulimit -n {needed}`, LimitNOFILE=)"
    )]
    Files {
        /// The limit.
        files: u64,
        /// What this team needs.
        needed: u64,
    },
    /// The machine said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the machine said.
        source: std::io::Error,
    },
}

pub(in crate::daemon) fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> StartError {
    move |source| StartError::Io { what, source }
}

/// What the daemon keeps over its lives.
pub(in crate::daemon) struct House {
    pub(in crate::daemon) workspace: Workspace,
    pub(in crate::daemon) around: Surroundings,
    pub(in crate::daemon) clock: Clock,
    pub(in crate::daemon) boot: String,
    pub(in crate::daemon) calls: mpsc::Receiver<Call>,
    /// What callers are told between two lives.
    pub(in crate::daemon) away: Away,
    /// What it stands on; a simulation stands on nothing.
    pub(in crate::daemon) ground: Option<Ground>,
    pub(in crate::daemon) socket: std::path::PathBuf,
    /// Where the agents live. It stays the same while the daemon runs, whatever becomes of the team file: they could not
    /// be moved, and would be left behind.
    pub(in crate::daemon) server: Server,
    /// The way to the service manager.
    pub(in crate::daemon) voice: Voice,
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
    let (files, needed) =
        (crate::io::process::raise_file_limit(), FILES_MIN + loaded.settings.launches.len() as u64);
    if files < needed {
        return Err(StartError::Files { files, needed });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(io("start the runtime"))?;
    let done = runtime.block_on(async {
        let mut speaking = JoinSet::new();
        let voice = Voice::start(Notifier::of_this_process(), &mut speaking);
        let done = live(workspace, around, clock, loaded.settings, serve, voice).await;
        // Every voice is gone: its task ends when it has said what was still to be said.
        let _ = tokio::time::timeout(SHUTDOWN, speaking.join_next()).await;
        done
    });
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
    voice: Voice,
) -> Result<(), StartError> {
    let (end, mut signals) = signals().map_err(io("listen for signals"))?;
    let (to_loop, calls) = mpsc::channel(CALLS_MAX);
    let (ground, socket, listener) = take_place(&workspace, &around, &end)?;
    let own = OwnFile::of(&socket);
    let boot = format!("{}-{}", clock::boot_id().unwrap_or_default(), std::process::id());
    let server = tmux_server(&workspace, &around, &settings);
    let away = Away::new(end, workspace.clone());
    let voice_of_house = voice.clone();
    let mut house =
        House { workspace, around, clock, boot, calls, away, ground, socket, server, voice: voice_of_house };
    let mut serving = None;
    let server = (listener, serve, to_loop);
    let ending = live_on(&mut house, settings, &mut signals, &voice, server, &mut serving).await;
    own.remove();
    let ending = ending?;
    Serving::end(serving).await;
    finish(&house, ending).await
}

/// What begins to be answered with the first life.
type Door = (UnixListener, Serve, mpsc::Sender<Call>);

/// One life after the other, until one ends as it should.
async fn live_on(
    house: &mut House,
    mut settings: Settings,
    signals: &mut mpsc::Receiver<Ending>,
    voice: &Voice,
    server: Door,
    serving: &mut Option<Serving>,
) -> Result<Ending, StartError> {
    let (mut stopped, mut wait) = (None, AGAIN.0);
    let mut server = Some(server);
    loop {
        let begin = life::begin(house, settings.clone(), stopped.take());
        let begun = match unless_ended(voice.meanwhile(begin), signals).await {
            Ok(begun) => begun,
            Err(ending) => return Ok(ending),
        };
        let why: Box<dyn std::error::Error> = match begun {
            // The first life shows whether it can be done at all.
            Err(error) if server.is_some() => return Err(error),
            Err(error) => Box::new(error),
            Ok(life) => {
                if let Some(server) = server.take() {
                    *serving = Some(answer(server).await?);
                    voice.say(Word::Ready);
                }
                let began = house.clock.now();
                let ended = life.spend(house, signals).await;
                settings = ended.settings;
                if house.clock.now().since(began) > HEALTHY_MS {
                    wait = AGAIN.0;
                }
                match ended.how {
                    Ok(ending) => return Ok(ending),
                    Err(broken) => {
                        stopped = ended.journal;
                        Box::new(broken)
                    }
                }
            }
        };
        if let Err(ending) = rest(house, why.as_ref(), wait, signals).await {
            return Ok(ending);
        }
        wait = (wait * 2).min(AGAIN.1);
    }
}

/// Takes hold of what the daemon stands on, and listens.
fn take_place(
    workspace: &Workspace,
    around: &Surroundings,
    end: &mpsc::Sender<Ending>,
) -> Result<(Option<Ground>, std::path::PathBuf, UnixListener), StartError> {
    let socket = workspace.socket_path(around)?;
    if let Some(pid) = serving::who_listens(&socket) {
        return Err(StartError::Listens { pid, lock: workspace.lock() });
    }
    let ground = Ground::of(workspace, end.clone()).map_err(io("take hold of .tasuki/"))?;
    tokio::spawn(ground.clone().watch());
    let listener = serving::listen(&socket).map_err(io("listen on the socket"))?;
    Ok((Some(ground), socket, listener))
}

/// Begins to answer those who connect.
async fn answer((listener, serve, to_loop): Door) -> Result<Serving, StartError> {
    serving::start(listener, serve, to_loop).await.map_err(io("serve the socket"))
}

/// A file that this daemon made. Where `.tasuki/` was removed, the next daemon may have made another one of its name.
struct OwnFile {
    path: std::path::PathBuf,
    id: Option<FileId>,
}

impl OwnFile {
    fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), id: id_of(path) }
    }

    /// Removes it, if it is still the one.
    fn remove(&self) {
        if self.id.is_some() && id_of(&self.path) == self.id {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn id_of(path: &Path) -> Option<FileId> {
    rustix::fs::lstat(path).ok().map(|stat| FileId::of(&stat))
}

/// Rests before it starts anew, and says so, unless the daemon is told to end.
async fn rest(
    house: &mut House,
    why: &(dyn std::error::Error + 'static),
    wait: Duration,
    signals: &mut mpsc::Receiver<Ending>,
) -> Result<(), Ending> {
    // The journal that failed may be one that was removed.
    if house.ground.as_ref().is_some_and(|ground| ground.lost().is_some()) {
        return Err(Ending::Displaced);
    }
    tracing::error!(why, "restarting in {wait:?}; drops stay in queue/ meanwhile");
    house.voice.say(Word::Status(format!("restarting: {why}")));
    house.away.why = format!("the daemon restarts: {why}");
    let pause = house.away.meanwhile(&mut house.calls, tokio::time::sleep(wait));
    unless_ended(house.voice.meanwhile(pause), signals).await
}

/// The tmux server of the workspace.
pub(in crate::daemon) fn tmux_server(
    workspace: &Workspace,
    around: &Surroundings,
    settings: &Settings,
) -> Server {
    let socket = socket_name(&settings.tmux_socket).to_owned();
    Server {
        socket,
        session: settings.session.clone(),
        root: workspace.root_text().to_owned(),
        history_limit: settings.general.history_limit,
        size: (settings.general.columns, settings.general.rows),
        env: tmux_env(around),
        scratch: workspace.memory(),
    }
}

/// The name of a socket, as tmux takes it.
pub(in crate::daemon) fn socket_name(socket: &TmuxSocket) -> &str {
    match socket {
        TmuxSocket::Private(name) => name,
        TmuxSocket::Users => crate::io::tmux::USERS_OWN_SOCKET,
    }
}

/// The environment of the tmux server: ours, less what is this process's own business, since a window that a person opens
/// there gets it too; in a UTF-8 locale, without which tmux does not start.
pub(in crate::daemon) fn tmux_env(around: &Surroundings) -> Vec<(OsString, OsString)> {
    let ours = around.vars.iter().filter(|(name, _)| !name.to_str().is_some_and(is_own));
    let mut env: BTreeMap<OsString, OsString> =
        ours.map(|(name, value)| (name.clone(), value.clone())).collect();
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

async fn finish(house: &House, ending: Ending) -> Result<(), StartError> {
    if ending == Ending::StopAgents {
        house.server.kill().await?;
    }
    tracing::info!(?ending, "the daemon ends");
    match &house.ground {
        Some(ground) if ending == Ending::Displaced => {
            Err(StartError::Displaced { why: ground.tell(&house.clock) })
        }
        _ => Ok(()),
    }
}
