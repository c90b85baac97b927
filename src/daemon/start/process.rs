//! Start-up and the end: lock, journal, agents that are still there, workers, signals. The same path is taken again
//! after a write to the journal has failed.

use crate::daemon::clients::published::Published;
use crate::daemon::clients::reads::{self, Reads};
use crate::daemon::clients::request::{CALLS_MAX, Call};
use crate::daemon::clients::server::{self, Serve, Serving};
use crate::daemon::ending::{Ending, SHUTDOWN};
use crate::daemon::ground::Ground;
use crate::daemon::health::service_notifier::ServiceNotifier;
use crate::daemon::notify::NotifyHandle;
use crate::daemon::start::error::{StartError, io};
use crate::daemon::start::incarnation;
use crate::daemon::start::signals::{signals, unless_ended};
use crate::daemon::start::state::Process;
use crate::daemon::start::unavailable::Unavailable;
use crate::daemon::tmux::pulse::PulseHandle;
use crate::daemon::tmux::server::tmux_server;
use crate::io::c_library::keep_little_memory;
use crate::io::clock::{self, Clock};
use crate::io::folder::FileId;
use crate::io::lock::Lock;
use crate::io::log::Log;
use crate::io::systemd::{Notifier, Word};
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::api::DaemonInfo;
use crate::wire::team_file::Settings;
use crate::wire::time::rfc3339;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Open files without which nothing could be shown or told any more, the agents' own left out: some 40 are open all the time.
const FILES_MIN: u64 = 64;
/// Open files of a drop zone: itself, its claims where it is on another device, and its watch.
const FILES_OF_ZONE: u64 = 3;
/// A life that lasted this long was a good one: the next failure is not one of a row.
const HEALTHY_MS: u64 = 60_000;
/// First and longest wait before starting anew after the journal could not be written.
const AGAIN: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// Runs the daemon until it is told to end.
///
/// # Errors
/// [`StartError`] if it cannot start; once it runs it goes on until it is told to end.
pub fn run(workspace: Workspace, around: Surroundings, serve: Serve) -> Result<(), StartError> {
    keep_little_memory();
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
    let zones = FILES_OF_ZONE * loaded.settings.queues.len() as u64;
    let (files, needed) =
        (crate::io::process::raise_file_limit(), FILES_MIN + zones + loaded.settings.launches.len() as u64);
    if files < needed {
        return Err(StartError::Files { files, needed });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(io("start the runtime"))?;
    let done = runtime.block_on(async {
        let mut speaking = JoinSet::new();
        let notifier = ServiceNotifier::start(Notifier::of_this_process(), &mut speaking);
        let done = live(workspace, around, clock, loaded.settings, serve, notifier).await;
        // Every notifier is gone: its task ends when it has said what was still to be said.
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
    notifier: ServiceNotifier,
) -> Result<(), StartError> {
    let (end, mut signals) = signals().map_err(io("listen for signals"))?;
    let (to_loop, calls) = mpsc::channel(CALLS_MAX);
    let (ground, socket, listener) = take_place(&workspace, &around, &end)?;
    let own = OwnFile::of(&socket);
    let boot = format!("{}-{}", clock::boot_id().unwrap_or_default(), std::process::id());
    let server = tmux_server(&workspace, &around, &settings);
    let unavailable = Unavailable::new(end, workspace.clone());
    let of_process = notifier.clone();
    let published = Published::default();
    let about = DaemonInfo {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: rfc3339(clock.wall()),
        socket: socket.display().to_string(),
    };
    published.live.send_modify(|live| live.daemon = Some(about));
    let (asked, reading) = reads::start(workspace.clone(), clock, &published)
        .map_err(io("start the thread that answers questions"))?;
    let mut telling = JoinSet::new();
    let notify = NotifyHandle::start(workspace.clone(), clock, asked.clone(), &mut telling);
    let mut process = Process {
        workspace,
        around,
        clock,
        boot,
        calls,
        unavailable,
        ground,
        socket,
        server,
        notifier: of_process,
        published,
        notify,
        pulse: PulseHandle::of(asked.clone()),
    };
    let mut serving = None;
    let server = (listener, serve, to_loop, asked);
    let ending = live_on(&mut process, settings, &mut signals, &notifier, server, &mut serving).await;
    own.remove();
    // The reading thread ends when nobody can ask it any more.
    process.pulse = PulseHandle::default();
    telling.shutdown().await;
    let ending = ending?;
    Serving::end(serving).await;
    reading.end().await;
    finish(&process, ending).await
}

/// What begins to be answered with the first life.
type Door = (UnixListener, Serve, mpsc::Sender<Call>, Reads);

/// One life after the other, until one ends as it should.
async fn live_on(
    process: &mut Process,
    mut settings: Settings,
    signals: &mut mpsc::Receiver<Ending>,
    notifier: &ServiceNotifier,
    server: Door,
    serving: &mut Option<Serving>,
) -> Result<Ending, StartError> {
    let (mut stopped, mut wait) = (None, AGAIN.0);
    let mut server = Some(server);
    loop {
        let begin = incarnation::begin(process, settings.clone(), stopped.take());
        let begun = match unless_ended(notifier.meanwhile(begin), signals).await {
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
                    notifier.say(Word::Ready);
                }
                let began = process.clock.now();
                let ended = life.live(process, signals).await;
                settings = ended.settings;
                if process.clock.now().since(began) > HEALTHY_MS {
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
        if let Err(ending) = rest(process, why.as_ref(), wait, signals).await {
            return Ok(ending);
        }
        wait = (wait * 2).min(AGAIN.1);
    }
}

/// Takes hold of what the daemon is on, and listens.
fn take_place(
    workspace: &Workspace,
    around: &Surroundings,
    end: &mpsc::Sender<Ending>,
) -> Result<(Option<Ground>, std::path::PathBuf, UnixListener), StartError> {
    let socket = workspace.socket_path(around)?;
    if let Some(pid) = server::who_listens(&socket) {
        return Err(StartError::Listens { pid, lock: workspace.lock() });
    }
    let ground = Ground::of(workspace, end.clone()).map_err(io("take hold of .tasuki/"))?;
    tokio::spawn(ground.clone().watch());
    let listener = server::listen(&socket).map_err(io("listen on the socket"))?;
    Ok((Some(ground), socket, listener))
}

/// Begins to answer those who connect.
async fn answer((listener, serve, to_loop, reads): Door) -> Result<Serving, StartError> {
    server::start(listener, serve, to_loop, reads).await.map_err(io("serve the socket"))
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
    process: &mut Process,
    why: &(dyn std::error::Error + 'static),
    wait: Duration,
    signals: &mut mpsc::Receiver<Ending>,
) -> Result<(), Ending> {
    // The journal that failed may be one that was removed.
    if process.ground.as_ref().is_some_and(|ground| ground.lost().is_some()) {
        return Err(Ending::Displaced);
    }
    tracing::error!(why, "restarting in {wait:?}; drops stay in queue/ meanwhile");
    process.notifier.say(Word::Status(format!("restarting: {why}")));
    process.is_away(&why);
    let pause = process.unavailable.meanwhile(&mut process.calls, tokio::time::sleep(wait));
    unless_ended(process.notifier.meanwhile(pause), signals).await
}

async fn finish(process: &Process, ending: Ending) -> Result<(), StartError> {
    if ending == Ending::StopAgents {
        process.server.kill().await?;
    }
    tracing::info!(?ending, "the daemon ends");
    match &process.ground {
        Some(ground) if ending == Ending::Displaced => {
            Err(StartError::Displaced { why: ground.tell(&process.clock) })
        }
        _ => Ok(()),
    }
}
