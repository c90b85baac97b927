//! A life of the simulated daemon: the real loop with its handles, and its threads' work, done here one piece at a time.

use super::deeds::Jobs;
use super::tmux::Panes;
use crate::daemon::clients::request::{CALLS_MAX, Call};
use crate::daemon::ending::Broken;
use crate::daemon::inbox::{NEWS_MAX, NewsSender};
use crate::daemon::jobs::worker::ORDERS_MAX;
use crate::daemon::journal::rotation::RotationStage;
use crate::daemon::journal::worker as journal;
use crate::daemon::journal::worker::Written;
use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::mailbox::channel;
use crate::daemon::mailbox::mail::Job;
use crate::daemon::mailbox::worker::state;
use crate::daemon::mailbox::worker::state::Disk;
use crate::daemon::start::incarnation::{build, follow, show_owed};
use crate::daemon::start::replay;
use crate::daemon::start::replay::Memory;
use crate::daemon::start::state::Process;
use crate::daemon::start::threads::Ways;
use crate::daemon::tmux::keeper::Act;
use crate::daemon::views::worker as views;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::io::fake::Machine;
use crate::io::journal::{Extents, Journal};
use crate::io::mailbox::Mailbox;
use crate::io::mux::Mux;
use crate::io::views::Views;
use crate::io::watch::Watch;
use crate::wire::team_file::Settings;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::mpsc::{Receiver, sync_channel};
use tokio::sync::{mpsc, oneshot};

/// A batch of views tells of its turns and of its end.
pub(super) const SHOWN_MAX: usize = 8;

/// The loop, and what its threads work with.
pub(super) struct Incarnation {
    pub(super) daemon: Daemon,
    pub(super) journal: Journal,
    /// How far it reaches, as its thread says.
    pub(super) extents: Extents,
    pub(super) journal_jobs: Receiver<journal::Job>,
    pub(super) journal_now: crate::engine::words::Millis,
    /// What the journal has done and not said yet.
    pub(super) written: Option<Written>,
    pub(super) views: views::Worker,
    pub(super) views_jobs: Receiver<views::Job>,
    pub(super) shown: std::collections::VecDeque<views::BatchShown>,
    pub(super) mailbox: state::Worker,
    pub(super) mail_jobs: Receiver<Job>,
    /// What it asks of tmux.
    pub(super) acts: Receiver<Act>,
    pub(super) jobs: Jobs,
    pub(super) news: NewsSender,
    pub(super) calls: mpsc::Sender<Call>,
    /// Where its threads would tell, at the end.
    pub(super) written_to: mpsc::Sender<Written>,
    pub(super) shown_to: mpsc::Sender<views::BatchShown>,
    /// When it began, by the machine's clock.
    pub(super) since_ms: u64,
    pub(super) _alive: oneshot::Sender<Infallible>,
}

/// What a piece of work was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worked {
    Nothing,
    /// Something was done.
    Something,
    /// A segment was turned.
    Rotated,
}

/// Why a life did not begin, and the journal, if that is to be tried with again.
pub(super) type NotBegun = (String, Option<Box<Journal>>);

/// From the journal to the loop, as [`crate::daemon::start::incarnation::begin`] does it.
///
/// # Errors
/// In words, if the machine did not let it.
pub(super) fn begin(
    process: &mut Process,
    settings: &Settings,
    stopped: Option<Box<Journal>>,
    panes: &Panes,
) -> Result<Incarnation, NotBegun> {
    let (dir, went_on) = (process.workspace.journal(), stopped.is_some());
    let (journal, memory) = match stopped {
        None => {
            process.clock = Clock::start();
            let opened = replay::open(&dir, &process.boot, settings.team.clone());
            opened.map_err(|error| (error.to_string(), None))?
        }
        Some(journal) => go_on(process, settings, *journal)?,
    };
    process.clock = follow(process.clock, memory.fold.last_at);
    rouse(process, settings, journal, (memory, went_on), panes).map_err(|why| (why, None))
}

fn go_on(
    process: &Process,
    settings: &Settings,
    mut journal: Journal,
) -> Result<(Journal, Memory), NotBegun> {
    let (dir, root) = (process.workspace.journal(), process.workspace.root().to_owned());
    let show = |memory: &Memory, reader| {
        show_owed(&root, memory, reader, Millis(0)).err().map_or(BTreeSet::new(), |owed| owed.ids)
    };
    journal.stop("the daemon restarts");
    match replay::try_again(&dir, &mut journal, settings.team.clone(), process.clock.now(), &show) {
        Ok(memory) => Ok((journal, memory)),
        Err(error) => Err((error.to_string(), Some(Box::new(journal)))),
    }
}

fn rouse(
    process: &mut Process,
    settings: &Settings,
    journal: Journal,
    (memory, went_on): (Memory, bool),
    panes: &Panes,
) -> Result<Incarnation, String> {
    let (jobs_of_journal, journal_jobs) = sync_channel(1);
    let (views_jobs, views_inbox) = sync_channel(1);
    let (news, inbox) = mpsc::channel(NEWS_MAX);
    let (calls, called) = mpsc::channel(CALLS_MAX);
    let (alive, mailbox_alive) = oneshot::channel();
    let root = process.workspace.root().to_owned();
    let mailbox = Mailbox::open(&root).map_err(|error| error.to_string())?;
    let (mailing, mail_jobs) = channel::mailing();
    let low_bytes = settings.general.low_disk_bytes;
    let disk = Disk { folder: process.workspace.memory(), low_bytes, full: false, ground: None };
    let disk = (disk, Watch::none());
    let way = (&mailing, memory.fold.engine.team().names(), news.clone());
    let handled = memory.handled.clone();
    let archive = journal.archive();
    let (mailbox, handled) = state::worker(mailbox, handled, archive, disk, process.clock, way);
    let views = views::Worker::new(Views::open(&root).map_err(|error| error.to_string())?, journal.reader());
    process.calls = called;
    let ((written_to, written), (shown_to, shown)) = (mpsc::channel(1), mpsc::channel(SHOWN_MAX));
    let (orders, orders_heard) = mpsc::channel(ORDERS_MAX);
    let (jobs, to_journal) = (orders, jobs_of_journal);
    let ways =
        Ways { journal_jobs: to_journal, written, views_jobs, shown, mailing, mailbox_alive, handled, jobs };
    let found = panes.found();
    let tmux = (Mux::none(), &found);
    let (mut daemon, step) =
        build(process, settings.clone(), (memory, went_on), ways, (news.clone(), inbox), tmux)
            .map_err(|error| error.to_string())?;
    let (actors, acts) = std::sync::mpsc::channel();
    daemon.panes.tmux.actors = Some(actors);
    daemon.open(&found, step);
    Ok(Incarnation {
        daemon,
        extents: journal.extents(),
        journal,
        journal_jobs,
        journal_now: Millis(0),
        written: None,
        views,
        views_jobs: views_inbox,
        shown: Default::default(),
        mailbox,
        mail_jobs,
        acts,
        jobs: Jobs::new(orders_heard),
        news,
        calls,
        written_to,
        shown_to,
        since_ms: Machine::with(|machine| machine.elapsed_ms),
        _alive: alive,
    })
}

impl Incarnation {
    /// One round of the loop ([`Daemon::run`]), with what has come; false if nothing had.
    pub(super) fn turn(&mut self, chance: u64) -> Result<bool, Broken> {
        let daemon = &mut self.daemon;
        let room = daemon.journal.has_room() && daemon.journal.rotation.stage == RotationStage::No;
        let still = daemon.journal.rotation.stage.is_making_snapshot();
        let due = daemon.wake_at().is_some_and(|at| at <= daemon.timers.clock.now()) && !still;
        // Which of those that are ready comes first is nobody's to say.
        let mut heard = false;
        for arm in 0..4 {
            match (arm + chance) % 4 {
                0 if self.written.is_some() => {
                    if let Some(written) = self.written.take() {
                        daemon.written(written)?;
                    }
                    heard = true;
                }
                1 if !self.shown.is_empty() => {
                    if let Some(shown) = self.shown.pop_front() {
                        daemon.shown(shown);
                    }
                    heard = true;
                }
                2 if room && !daemon.inbox.receiver.is_empty() => {
                    if let Ok(news) = daemon.inbox.receiver.try_recv() {
                        daemon.hear(news);
                    }
                    heard = true;
                }
                3 if due => {
                    daemon.wake();
                    heard = true;
                }
                _ => {}
            }
            if heard {
                break;
            }
        }
        heard |= !daemon.clients.calls.is_empty();
        daemon.hear_more();
        daemon.hand_out()?;
        Ok(heard)
    }

    /// Whether it has written little yet.
    pub(super) fn is_young(&self) -> bool {
        self.journal.counters().appends < 2
    }

    /// The journal's thread does what it was given. `wants_rotation`: as if the segment had grown large.
    pub(super) fn write(&mut self, wants_rotation: bool) -> Worked {
        if self.written.is_some() {
            return Worked::Nothing;
        }
        let Ok(job) = self.journal_jobs.try_recv() else { return Worked::Nothing };
        let mut written = journal::do_job(&mut self.journal, job, &mut self.journal_now);
        written.wants_rotation |= wants_rotation;
        if !matches!(written.done, journal::JobDone::Stopped(_)) {
            self.extents = self.journal.extents();
        }
        let turned = matches!(written.done, journal::JobDone::Rotated);
        self.written = Some(written);
        if turned { Worked::Rotated } else { Worked::Something }
    }

    /// The views' thread does what it was given.
    pub(super) fn show(&mut self) -> Worked {
        let Ok(job) = self.views_jobs.try_recv() else { return Worked::Nothing };
        self.shown.push_back(self.views.write(job));
        Worked::Something
    }

    /// The mailbox's thread goes round once.
    pub(super) fn look(&mut self) -> Worked {
        // It would wait for the loop to hear it.
        if self.news.capacity() < NEWS_MAX / 2 {
            return Worked::Nothing;
        }
        let job = self.mail_jobs.try_recv().ok();
        if job.is_none() && self.mailbox.wait_ms() > 0 {
            return Worked::Nothing;
        }
        self.mailbox.go_round(job);
        Worked::Something
    }

    /// Whether the mailbox is to look now.
    pub(super) fn is_to_look(&self) -> bool {
        self.mailbox.wait_ms() == 0
    }

    /// When something is to be done though nothing comes.
    pub(super) fn due_in_ms(&self) -> u64 {
        let now = self.daemon.timers.clock.now();
        let daemon = self.daemon.wake_at().map_or(u64::MAX, |at| at.since(now));
        daemon.min(self.mailbox.wait_ms())
    }

    /// The loop cannot go on: what [`crate::daemon::start::incarnation::Incarnation::spend`] does before it starts anew. The journal.
    pub(super) fn end(mut self) -> Journal {
        while self.daemon.hand_out_owed() {
            assert!(self.show() != Worked::Nothing || !self.shown.is_empty(), "it would wait for nothing");
            for shown in std::mem::take(&mut self.shown) {
                self.daemon.views.done(shown.failed, self.daemon.timers.clock.now());
            }
        }
        self.journal
    }

    /// The process is killed.
    pub(super) fn kill(self) {
        Machine::with(|machine| machine.faults.dead = true);
        drop(self);
    }
}
