//! A life of the daemon: from the journal to the loop and back. It has a second one when a write to the journal has failed.

#[cfg(test)]
mod tests;

use crate::daemon::clients::handle::FacesDesk;
use crate::daemon::ending::{Broken, Ending};
use crate::daemon::health::Notes;
use crate::daemon::journal::handle::JournalDesk;
use crate::daemon::r#loop::claim_barrier::ClaimsDesk;
use crate::daemon::r#loop::run::{Daemon, EXPIRE_MS, Turning};
use crate::daemon::r#loop::service_notifier::Herald;
use crate::daemon::r#loop::stall_watch::Stillness;
use crate::daemon::r#loop::wall_clock::Wall;
use crate::daemon::mailbox::handle::MailDesk;
use crate::daemon::mailbox::handled::Decided;
use crate::daemon::news::{NEWS_MAX, News};
use crate::daemon::panes::handle::PanesDesk;
use crate::daemon::panes::orders::{Adopted, Launched, Terms};
use crate::daemon::start::lost;
use crate::daemon::start::process::{House, SHUTDOWN, StartError, io};
use crate::daemon::start::replay as memory;
use crate::daemon::start::replay::Memory;
use crate::daemon::start::signals::unless_ended;
use crate::daemon::start::threads;
use crate::daemon::start::threads::{Threads, Ways};
use crate::daemon::start::unavailable as away;
use crate::daemon::tmux::keeper as tmux;
use crate::daemon::tmux::keeper::{PanesFound, TmuxDesk};
use crate::daemon::views::handle as views_desk;
use crate::daemon::views::handle::ViewsDesk;
use crate::daemon::views::log_backfill::Untold;
use crate::daemon::views::worker as views;
use crate::daemon::views::worker::Item;
use crate::daemon::watches as watch;
use crate::engine::engine::Step;
use crate::engine::input::{Effect, Moment};
use crate::engine::state::Phase;
use crate::engine::team::Team;
use crate::engine::words::{AgentName, MessageId, Millis, Nonce};
use crate::io::clock::Clock;
use crate::io::frames::Frames;
use crate::io::journal::{Journal, Reader};
use crate::io::keys::Keys;
use crate::io::systemd::Word;
use crate::io::tmux::Tmux;
use crate::io::views::Views;
use crate::io::workspace::Workspace;
use crate::wire::team_file::Settings;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// A life: the loop's state and the threads under it.
pub(in crate::daemon) struct Life {
    daemon: Daemon,
    journal: std::thread::JoinHandle<Journal>,
    others: Vec<std::thread::JoinHandle<()>>,
}

/// How a life ended.
pub(in crate::daemon) struct LifeEnded {
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
    house: &mut House,
    settings: Settings,
    stopped: Option<Journal>,
) -> Result<Life, StartError> {
    let went_on = stopped.is_some();
    let (away, mut calls) = (house.away.clone(), away::take(&mut house.calls));
    let taken_up = away.meanwhile(&mut calls, take_up(house, &settings, stopped)).await;
    house.calls = calls;
    let (journal, memory, connected) = taken_up?;
    let connection = connected.tmux.clone();
    let decided = memory.decided.clone();
    let lost = lost::set_aside(house.workspace.root(), &memory.engine, &mut journal.archive());
    let roused = rouse(house, &settings, connected, journal, decided)?;
    let Roused { found, threads, workers, news, inbox } = roused;
    let tmux = (connection, &found);
    let assembled = assemble(house, settings, (memory, went_on), threads.ways, (news, inbox), tmux);
    let (mut daemon, step) = assembled?;
    daemon.workers = workers;
    daemon.views.spare(lost.left);
    if let Some(told) = lost.told {
        tracing::warn!("{told}");
        daemon.views.tell(daemon.clock.now(), None, told);
    }
    daemon.open(&found, step);
    Ok(Life { daemon, journal: threads.journal, others: threads.others })
}

/// Puts the loop together from what the journal tells and the ways to its workers, and what it has to do first.
pub(in crate::daemon) fn assemble(
    house: &mut House,
    settings: Settings,
    (memory, went_on): (Memory, bool),
    ways: Ways,
    (news, inbox): (mpsc::Sender<News>, mpsc::Receiver<News>),
    (connection, found): (Tmux, &PanesFound),
) -> Result<(Daemon, Step), StartError> {
    let Memory { mut engine, places, decided, owed, last_at, untold, lost, .. } = memory;
    let untold = lines_of(&untold, &house.workspace, &settings.team);
    let unsynced = !decided.names().is_empty(); // dropped files that may be gone, but not durably
    // Before the engine goes on: what ends thereby ends in the new segment.
    let closed = if went_on { engine.state().finished.keys().cloned().collect() } else { owed };
    let (wall, moment @ Moment { now, .. }) = Wall::begin_at(&house.clock);
    let step = engine.recover(moment, &found.panes);
    let terms = Terms::of(&settings.general, engine.state().halted.is_some());
    let frames = Frames::new(house.workspace.frames(), house.clock);
    let tmux = TmuxDesk::new(house.server.clone(), connection, terms, frames);
    let keys = Keys::open(&house.workspace.memory().join("secret")).map_err(io("open the agents' secret"))?;
    let mut views = ViewsDesk::new(ways.views_jobs, unsynced);
    untold.into_iter().for_each(|line| views.put_line(line));
    let expire_at = first_expiry(now, last_at, settings.general.retention_ms);
    let daemon = Daemon {
        workspace: house.workspace.clone(),
        settings: Arc::new(settings),
        clock: house.clock,
        wall,
        engine,
        journal: JournalDesk::new(ways.journal_jobs, places),
        views,
        mail: MailDesk::new(ways.mailing, ways.decided),
        claims: ClaimsDesk::default(),
        panes: PanesDesk::new(keys),
        faces: FacesDesk::default(),
        tmux,
        herald: Herald::new(house.voice.clone()),
        ringing: BTreeMap::new(),
        workers: JoinSet::new(),
        pane_workers: JoinSet::new(),
        mailbox_alive: ways.mailbox_alive,
        closed,
        owed: BTreeSet::new(),
        stillness: Stillness::default(),
        held_back: VecDeque::new(),
        inbox,
        written: ways.written,
        shown: ways.shown,
        news,
        calls: away::take(&mut house.calls),
        beat_at: now,
        expire_at,
        notes: Notes::of_start(lost),
        started_at: house.clock.wall(),
        socket: house.socket.display().to_string(),
        daemon_shown_at: now,
        daemon_is_old: false,
        turning: Turning::No,
        ending: None,
    };
    Ok((daemon, step))
}

/// Whoever works for the loop.
struct Roused {
    found: PanesFound,
    threads: Threads,
    workers: JoinSet<&'static str>,
    news: mpsc::Sender<News>,
    inbox: mpsc::Receiver<News>,
}

/// Starts the threads and the tasks that live with the daemon.
fn rouse(
    house: &House,
    settings: &Settings,
    mut connected: tmux::Connected,
    journal: Journal,
    decided: Decided,
) -> Result<Roused, StartError> {
    let (news, inbox) = mpsc::channel(NEWS_MAX);
    let found = std::mem::take(&mut connected.found);
    let mut workers = JoinSet::new();
    workers.spawn(tmux::keep(house.server.clone(), connected, news.clone()));
    let threads = threads::start(house, journal, decided, settings, &news)?;
    workers.spawn(watch::views(house.workspace.clone(), news.clone()));
    workers.spawn(watch::team(house.workspace.clone(), house.around.clone(), settings.clone(), news.clone()));
    Ok(Roused { found, threads, workers, news, inbox })
}

/// What the journal tells, and the connection to tmux, which takes about as long.
async fn take_up(
    house: &mut House,
    settings: &Settings,
    stopped: Option<Journal>,
) -> Result<(Journal, Memory, tmux::Connected), StartError> {
    let server = house.server.clone();
    let (remembered, connected) = if stopped.is_some() {
        // This may take as long as the disk wants, and nobody would read from the connection meanwhile.
        (remember(house, settings, stopped).await?, tmux::connect(&server).await?)
    } else {
        let (remembered, connected) = tokio::join!(remember(house, settings, None), tmux::connect(&server));
        (remembered?, connected?)
    };
    Ok((remembered.0, remembered.1, connected))
}

impl Life {
    /// Lives until the end, and brings what waits to the disk.
    pub(in crate::daemon) async fn spend(
        mut self,
        house: &mut House,
        signals: &mut mpsc::Receiver<Ending>,
    ) -> LifeEnded {
        let how = self.daemon.run(signals).await;
        match how {
            Ok(ending) => {
                house.voice.say(Word::Stopping);
                self.daemon.close(ending).await;
            }
            Err(ref why) => {
                house.away.why = format!("the daemon restarts: {why}");
                let mut calls = away::take(&mut self.daemon.calls);
                let owed = tokio::time::timeout(SHUTDOWN, self.daemon.show_owed());
                drop(house.away.meanwhile(&mut calls, owed).await);
                self.daemon.calls = calls;
            }
        }
        let Daemon { settings, calls, workers, pane_workers, journal, views, mail, inbox, news, .. } =
            self.daemon;
        house.calls = calls;
        // The threads end when their desks are gone, tasks when their set is.
        drop((workers, pane_workers, journal, views, mail, inbox, news));
        let threads = tokio::task::spawn_blocking(move || {
            let journal = self.journal.join().ok();
            self.others.into_iter().for_each(|thread| drop(thread.join()));
            journal
        });
        let joined = match how {
            Ok(ending) => tokio::time::timeout(SHUTDOWN, threads).await.map_err(|_| ending),
            // However long the disk takes: it has to answer before anybody else writes to the same place.
            Err(_) => unless_ended(house.away.meanwhile(&mut house.calls, threads), signals).await,
        };
        let mut journal = match joined {
            Ok(journal) => journal.ok().flatten(),
            Err(ending) => {
                tracing::error!("the disk does not respond: a thread is left behind");
                return LifeEnded {
                    how: Ok(ending),
                    settings: Arc::unwrap_or_clone(settings),
                    journal: None,
                };
            }
        };
        if how.is_ok()
            && let Some(journal) = journal.take()
            && let Err(error) = journal.close()
        {
            tracing::error!(%error, "the journal could not be closed cleanly; nothing is lost");
        }
        LifeEnded { how, settings: Arc::unwrap_or_clone(settings), journal }
    }
}

impl Daemon {
    /// Takes up what goes on, owes every view, and begins to look for drops.
    pub(in crate::daemon) fn open(&mut self, found: &PanesFound, step: Step) {
        self.adopt(found, &step.effects);
        self.take_step(step);
        self.halt(self.workspace.stop_file().exists(), None);
        self.show_everything();
        self.show_daemon();
        self.mail.look();
        tracing::info!(open = self.engine.state().open.len(), "open for business");
    }

    /// Gives every agent that goes on its worker.
    pub(in crate::daemon) fn adopt(&mut self, found: &PanesFound, effects: &[Effect]) {
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
            let there = found.panes.iter().any(|found| found.agent == agent && found.nonce == nonce);
            let tty = found.terminals.get(&pane).filter(|_| there);
            if let (Some(tty), false) = (tty, launched.contains(&(agent.clone(), nonce))) {
                let adopt = Some(Adopted { pane, process, tty: tty.clone() });
                self.launch(Launched { agent, nonce, adopt });
            }
        }
    }
}

/// What earlier lives wrote to the journal and left untold.
fn lines_of(untold: &Untold, workspace: &Workspace, team: &Team) -> Vec<Item> {
    let views = Views::open(workspace.root());
    let views =
        views.inspect_err(|error| tracing::warn!(%error, "it is not known what is missing from the logs"));
    views.map_or(Vec::new(), |views| untold.lines(&views, |name| team.members.contains_key(name)))
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
) -> Result<(), views::Owed> {
    let finished = memory.engine.state().finished.iter().filter(|(_, finished)| finished.at >= kept_since);
    let ids: BTreeSet<MessageId> = finished.map(|(id, _)| id.clone()).collect();
    match Views::open(root) {
        Ok(views) => {
            let members = &memory.engine.team().members;
            let untold = memory.untold.lines(&views, |name| members.contains_key(name));
            let mut job = views_desk::finished_items(&memory.engine, &memory.places, &ids);
            job.extend(untold);
            views::write_now(views, reader, job)
        }
        Err(error) => Err(views::Owed { ids, why: error.to_string() }),
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
    house: &mut House,
    settings: &Settings,
    stopped: Option<Journal>,
) -> Result<(Journal, Memory), StartError> {
    let (dir, team) = (house.workspace.journal(), settings.team.clone());
    let (journal, memory) = match stopped {
        None => {
            let boot = house.boot.clone();
            let (tell, told) = oneshot::channel();
            // A thread of its own, since one of the runtime's would stay on for a while.
            let thread = std::thread::Builder::new().name("replay".to_owned());
            let replay = move || drop(tell.send(memory::open(&dir, &boot, team)));
            thread.spawn(replay).map_err(io("start the thread that reads the journal"))?;
            let gone = |_| io("read the journal")(std::io::Error::other("its thread has ended unexpectedly"));
            told.await.map_err(gone)??
        }
        Some(journal) => {
            let root = house.workspace.root().to_owned();
            let (clock, keep_ms) = (house.clock, settings.general.retention_ms);
            let show = |memory: &Memory, reader| {
                let kept_since = Millis(clock.now().0.saturating_sub(keep_ms));
                show_owed(&root, memory, reader, kept_since)
            };
            memory::go_on(&dir, journal, team, &house.clock, &show).await
        }
    };
    house.clock = follow(house.clock, memory.last_at);
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

/// 64 random bits from the system; the time if it has none to give.
pub(in crate::daemon) fn chance(now: Millis) -> u64 {
    #[cfg(test)]
    if let Some(bits) = crate::io::fake::bits() {
        return bits;
    }
    getrandom::u64().unwrap_or(now.0)
}
