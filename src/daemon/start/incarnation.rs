//! A life of the daemon: from the journal to the loop and back. It has a second one when a write to the journal has failed.

use crate::daemon::clients::handle::ClientsHandle;
use crate::daemon::ending::{Broken, Ending, SHUTDOWN};
use crate::daemon::health::HealthHandle;
use crate::daemon::inbox::{Inbox, NEWS_MAX, News};
use crate::daemon::jobs::ground::JobGround;
use crate::daemon::jobs::handle::JobsHandle;
use crate::daemon::jobs::worker as jobs;
use crate::daemon::journal::handle::JournalHandle;
use crate::daemon::r#loop::daemon::{Config, Daemon};
use crate::daemon::mailbox::handle::MailboxHandle;
use crate::daemon::mailbox::handled::Handled;
use crate::daemon::panes::handle::PanesHandle;
use crate::daemon::panes::orders::Terms;
use crate::daemon::roster::RosterHandle;
use crate::daemon::start::error::{StartError, io};
use crate::daemon::start::replay::{self, Memory};
use crate::daemon::start::signals::unless_ended;
use crate::daemon::start::state::Process;
use crate::daemon::start::threads::{self, Threads, Ways};
use crate::daemon::start::unavailable;
use crate::daemon::start::unknown_views;
use crate::daemon::timers::{EXPIRE_MS, Timers};
use crate::daemon::tmux::keeper::{self, TmuxHandle};
use crate::daemon::tmux::news::PanesFound;
use crate::daemon::views::handle::{ViewsHandle, finished_items};
use crate::daemon::views::log_backfill::LogBackfill;
use crate::daemon::views::owed::{Owed, write_now};
use crate::daemon::views::worker::Item;
use crate::daemon::watches;
use crate::engine::engine::Step;
use crate::engine::team::Team;
use crate::engine::words::{MessageId, Millis};
use crate::io::clock::Clock;
use crate::io::frames::Frames;
use crate::io::journal::{Journal, Reader};
use crate::io::keys::Keys;
use crate::io::mux::Mux;
use crate::io::systemd::Word;
use crate::io::views::Views;
use crate::io::workspace::Workspace;
use crate::read::Fold;
use crate::wire::team_file::Settings;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// A life: the loop's state and the threads under it.
pub(in crate::daemon) struct Incarnation {
    pub(in crate::daemon) daemon: Daemon,
    pub(in crate::daemon) journal: std::thread::JoinHandle<Journal>,
    pub(in crate::daemon) others: Vec<std::thread::JoinHandle<()>>,
}

/// How a life ended.
pub(in crate::daemon) struct Ended {
    pub(in crate::daemon) how: Result<Ending, Broken>,
    pub(in crate::daemon) settings: Settings,
    /// The journal, if it has to go on in a new segment.
    pub(in crate::daemon) journal: Option<Journal>,
}

/// Takes up the journal and the agents that are still there, and starts the threads.
///
/// # Errors
/// [`StartError`]
pub(in crate::daemon) async fn begin(
    process: &mut Process,
    settings: Settings,
    stopped: Option<Journal>,
) -> Result<Incarnation, StartError> {
    let went_on = stopped.is_some();
    let (unavailable, mut calls) = (process.unavailable.clone(), unavailable::take(&mut process.calls));
    let taken_up = unavailable.meanwhile(&mut calls, take_up(process, &settings, stopped)).await;
    process.calls = calls;
    let (journal, memory, connected) = taken_up?;
    let connection = connected.tmux.clone();
    let handled = memory.handled.clone();
    let lost =
        unknown_views::set_aside(process.workspace.root(), &memory.fold.engine, &mut journal.archive());
    let names = memory.fold.engine.team().names();
    let spawned = spawn_workers(process, &settings, connected, journal, (handled, names))?;
    let Spawned { found, threads, workers, news, inbox } = spawned;
    let tmux = (connection, &found);
    let assembled = build(process, settings, (memory, went_on), threads.ways, (news, inbox), tmux);
    let (mut daemon, step) = assembled?;
    daemon.inbox.tasks = workers;
    daemon.views.spare(lost.left);
    if let Some(told) = lost.told {
        tracing::warn!("{told}");
        daemon.views.tell(daemon.timers.clock.now(), None, told);
    }
    daemon.open(&found, step);
    Ok(Incarnation { daemon, journal: threads.journal, others: threads.others })
}

/// Puts the loop together from what the journal tells and the ways to its workers, and what it has to do first.
pub(in crate::daemon) fn build(
    process: &mut Process,
    settings: Settings,
    (memory, went_on): (Memory, bool),
    ways: Ways,
    (news, inbox): (mpsc::Sender<News>, mpsc::Receiver<News>),
    (connection, found): (Mux, &PanesFound),
) -> Result<(Daemon, Step), StartError> {
    let Memory { fold, handled, owed, backfill, lost, .. } = memory;
    let Fold { mut engine, places, last_at, .. } = fold;
    let backfill = lines_of(&backfill, &process.workspace, engine.team());
    let unsynced = !handled.names().is_empty(); // dropped files that may be gone, but not durably
    // Before the engine goes on: what ends thereby ends in the new segment.
    let closed = if went_on { engine.state().finished.keys().cloned().collect() } else { owed };
    let (first, retention_ms) = (last_at, settings.general.retention_ms);
    let (timers, moment) = Timers::start(process.clock, |now| first_expiry(now, first, retention_ms));
    let step = engine.recover(moment, &found.panes);
    let terms = Terms::of(&settings.general, engine.state().halted.is_some());
    let frames = Frames::new(process.workspace.frames(), process.clock);
    let tmux = TmuxHandle::new(process.server.clone(), connection, terms, frames);
    let settings = Arc::new(settings);
    let clients = ClientsHandle::new(unavailable::take(&mut process.calls), process.published.live.clone());
    clients.publish_team(settings.clone());
    clients.tell_members(|name| engine.team().members.contains_key(name));
    let keys =
        Keys::open(&process.workspace.memory().join("secret")).map_err(io("open the agents' secret"))?;
    let mut views = ViewsHandle::new(ways.views_jobs, ways.shown, unsynced);
    backfill.into_iter().for_each(|line| views.put_line(line));
    let mut journal = JournalHandle::new(ways.journal_jobs, ways.written, places);
    journal.rotation.closed = closed;
    let daemon = Daemon {
        config: Config {
            workspace: process.workspace.clone(),
            roster: RosterHandle::new(process.around.clone(), settings.queues.clone()),
            settings,
            socket: process.socket.display().to_string(),
            started_at: process.clock.wall(),
        },
        timers,
        engine,
        journal,
        views,
        mailbox: MailboxHandle::new(ways.mailing, ways.mailbox_alive, ways.handled),
        panes: PanesHandle::new(keys, tmux),
        jobs: JobsHandle::new(ways.jobs),
        clients,
        health: HealthHandle::new(lost, process.notifier.clone()),
        inbox: Inbox { receiver: inbox, sender: news, tasks: JoinSet::new() },
        ending: None,
    };
    Ok((daemon, step))
}

/// Whoever works for the loop.
struct Spawned {
    found: PanesFound,
    threads: Threads,
    workers: JoinSet<&'static str>,
    news: mpsc::Sender<News>,
    inbox: mpsc::Receiver<News>,
}

/// Starts the threads and the tasks that live with the daemon.
fn spawn_workers(
    process: &Process,
    settings: &Settings,
    mut connected: keeper::Connected,
    journal: Journal,
    (handled, names): (Handled, BTreeSet<String>),
) -> Result<Spawned, StartError> {
    let (news, inbox) = mpsc::channel(NEWS_MAX);
    let found = std::mem::take(&mut connected.found);
    let mut workers = JoinSet::new();
    let pulse = process.pulse.clone();
    workers.spawn(keeper::keep(process.server.clone(), connected, news.clone(), pulse));
    let (orders, inbox_of_jobs) = mpsc::channel(jobs::ORDERS_MAX);
    let ground = JobGround::of(&process.workspace, &process.around, process.clock);
    workers.spawn(jobs::work(inbox_of_jobs, ground, news.clone()));
    let threads = threads::start(process, journal, (handled, orders), (settings, names), &news)?;
    workers.spawn(process.notify.clone().report(news.clone()));
    workers.spawn(watches::views(process.workspace.clone(), news.clone()));
    workers.spawn(watches::team(
        process.workspace.clone(),
        process.around.clone(),
        settings.clone(),
        news.clone(),
    ));
    Ok(Spawned { found, threads, workers, news, inbox })
}

/// What the journal tells, and the connection to tmux, which takes about as long.
async fn take_up(
    process: &mut Process,
    settings: &Settings,
    stopped: Option<Journal>,
) -> Result<(Journal, Memory, keeper::Connected), StartError> {
    let server = process.server.clone();
    let (remembered, connected) = if stopped.is_some() {
        // This may take as long as the disk wants, and nobody would read from the connection meanwhile.
        (remember(process, settings, stopped).await?, keeper::connect(&server).await?)
    } else {
        let (remembered, connected) =
            tokio::join!(remember(process, settings, None), keeper::connect(&server));
        (remembered?, connected?)
    };
    Ok((remembered.0, remembered.1, connected))
}

impl Incarnation {
    /// Lives until the end, and brings what waits to the disk.
    pub(in crate::daemon) async fn live(
        mut self,
        process: &mut Process,
        signals: &mut mpsc::Receiver<Ending>,
    ) -> Ended {
        let how = self.daemon.run(signals).await;
        match how {
            Ok(ending) => {
                process.notifier.say(Word::Stopping);
                self.daemon.close(ending).await;
            }
            Err(ref why) => {
                process.is_away(&why);
                let mut calls = unavailable::take(&mut self.daemon.clients.calls);
                let owed = tokio::time::timeout(SHUTDOWN, self.daemon.show_owed());
                drop(process.unavailable.meanwhile(&mut calls, owed).await);
                self.daemon.clients.calls = calls;
            }
        }
        let Daemon { config, clients, journal, views, mailbox, panes, inbox, .. } = self.daemon;
        let settings = config.settings;
        process.calls = clients.calls;
        // The threads end when their handles are gone, tasks when their set is.
        drop((panes, journal, views, mailbox, inbox));
        let threads = tokio::task::spawn_blocking(move || {
            let journal = self.journal.join().ok();
            self.others.into_iter().for_each(|thread| drop(thread.join()));
            journal
        });
        let joined = match how {
            Ok(ending) => tokio::time::timeout(SHUTDOWN, threads).await.map_err(|_| ending),
            // However long the disk takes: it has to answer before anybody else writes to the same place.
            Err(_) => unless_ended(process.unavailable.meanwhile(&mut process.calls, threads), signals).await,
        };
        let mut journal = match joined {
            Ok(journal) => journal.ok().flatten(),
            Err(ending) => {
                tracing::error!("the disk does not respond: a thread is left behind");
                return Ended { how: Ok(ending), settings: Arc::unwrap_or_clone(settings), journal: None };
            }
        };
        if how.is_ok()
            && let Some(journal) = journal.take()
            && let Err(error) = journal.close()
        {
            tracing::error!(%error, "the journal could not be closed cleanly; nothing is lost");
        }
        Ended { how, settings: Arc::unwrap_or_clone(settings), journal }
    }
}

/// What earlier lives wrote to the journal and left backfill.
fn lines_of(backfill: &LogBackfill, workspace: &Workspace, team: &Team) -> Vec<Item> {
    let views = Views::open(workspace.root());
    let views =
        views.inspect_err(|error| tracing::warn!(%error, "it is not known what is missing from the logs"));
    views.map_or(Vec::new(), |views| backfill.lines(&views, |name| team.members.contains_key(name)))
}

/// Writes what ended in a segment that is about to be left, as a turn in order does, but for what is not kept any more.
///
/// # Errors
/// What could not be written: the snapshot of the next segment has to name it.
pub(in crate::daemon) fn show_owed(
    root: &Path,
    memory: &Memory,
    reader: Reader,
    kept_since: Millis,
) -> Result<(), Owed> {
    let finished =
        memory.fold.engine.state().finished.iter().filter(|(_, finished)| finished.at >= kept_since);
    let ids: BTreeSet<MessageId> = finished.map(|(id, _)| id.clone()).collect();
    match Views::open(root) {
        Ok(views) => {
            let members = &memory.fold.engine.team().members;
            let backfill = memory.backfill.lines(&views, |name| members.contains_key(name));
            let mut job = finished_items(&memory.fold.engine, &memory.fold.places, &ids);
            job.extend(backfill);
            write_now(views, reader, job)
        }
        Err(error) => Err(Owed { ids, why: error.to_string() }),
    }
}

/// How far the journal may be ahead of the wall clock and still be followed: a zone or a summer time taken for UTC.
const AHEAD_MS_MAX: u64 = 14 * 3_600_000;

/// Where nothing has happened for longer than anything is kept, it may be the clock that is wrong: nothing is removed
/// before it has run for a while.
fn first_expiry(now: Millis, last_at: Millis, retention_ms: u64) -> Millis {
    if now.since(last_at) > retention_ms { now.plus(EXPIRE_MS) } else { now }
}

/// What the journal tells. Where it tells of a time that the wall clock has not reached, since that was put right
/// meanwhile, the daemon's clock goes on from there. A clock that was all wrong is not followed.
async fn remember(
    process: &mut Process,
    settings: &Settings,
    stopped: Option<Journal>,
) -> Result<(Journal, Memory), StartError> {
    let (dir, team) = (process.workspace.journal(), settings.team.clone());
    let (journal, memory) = match stopped {
        None => {
            let boot = process.boot.clone();
            let (tell, told) = oneshot::channel();
            // A thread of its own, since one of the runtime's would stay on for a while.
            let thread = std::thread::Builder::new().name("replay".to_owned());
            let replay = move || drop(tell.send(replay::open(&dir, &boot, team)));
            thread.spawn(replay).map_err(io("start the thread that reads the journal"))?;
            let gone = |_| io("read the journal")(std::io::Error::other("its thread has ended unexpectedly"));
            told.await.map_err(gone)??
        }
        Some(journal) => {
            let root = process.workspace.root().to_owned();
            let (clock, keep_ms) = (process.clock, settings.general.retention_ms);
            let show = |memory: &Memory, reader| {
                let kept_since = Millis(clock.now().0.saturating_sub(keep_ms));
                show_owed(&root, memory, reader, kept_since)
            };
            replay::go_on(&dir, journal, team, &process.clock, &show).await
        }
    };
    process.clock = follow(process.clock, memory.fold.last_at);
    Ok((journal, memory))
}

/// A clock that is not behind the journal, unless it was all wrong.
pub(in crate::daemon) fn follow(clock: Clock, last_at: Millis) -> Clock {
    let ahead_ms = last_at.since(clock.now());
    if !(1..=AHEAD_MS_MAX).contains(&ahead_ms) {
        return clock;
    }
    tracing::warn!(ahead_ms, "the journal is ahead of the wall clock; the journal's time is used");
    Clock::starting_at(last_at)
}
