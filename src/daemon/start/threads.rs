//! The threads under the loop: journal, views and mailbox, each with its folder opened and its ways in and out.

use crate::daemon::inbox::NewsSender;
use crate::daemon::jobs::order::JobOrder;
use crate::daemon::journal::worker as journal;
use crate::daemon::mailbox::channel;
use crate::daemon::mailbox::handled::Handled;
use crate::daemon::mailbox::worker as mailbox;
use crate::daemon::start::error::{StartError, io};
use crate::daemon::start::state::Process;
use crate::daemon::views::worker as views;
use crate::io::journal::Journal;
use crate::io::mailbox::Mailbox;
use crate::io::views::Views;
use crate::wire::team_file::Settings;
use std::collections::BTreeSet;
use std::convert::Infallible;
use tokio::sync::{mpsc, oneshot};

/// The threads, and the ways to them.
#[derive(Debug)]
pub struct Threads {
    /// The loop's ends.
    pub ways: Ways,
    /// Gives the journal back when it ends.
    pub journal: std::thread::JoinHandle<Journal>,
    /// The threads that give nothing back: to be joined before others take their folders over.
    pub others: Vec<std::thread::JoinHandle<()>>,
}

/// The loop's ends of the ways to its threads and back.
#[derive(Debug)]
pub struct Ways {
    pub journal_jobs: journal::Jobs,
    /// What the journal says.
    pub written: mpsc::Receiver<journal::Written>,
    pub views_jobs: std::sync::mpsc::SyncSender<views::Job>,
    /// What the views say.
    pub shown: mpsc::Receiver<views::BatchShown>,
    /// To the mailbox.
    pub mailing: channel::Mailing,
    /// Resolves when the mailbox's thread ends.
    pub mailbox_alive: oneshot::Receiver<Infallible>,
    /// Dropped files that are in the journal and still on the disk.
    pub handled: Handled,
    /// To the worker of jobs.
    pub jobs: mpsc::Sender<JobOrder>,
}

/// Starts them.
///
/// # Errors
/// If a folder cannot be used, or the system gives no thread.
pub(in crate::daemon) fn start(
    process: &Process,
    journal: Journal,
    (handled, jobs): (Handled, mpsc::Sender<JobOrder>),
    (settings, names): (&Settings, BTreeSet<String>),
    news: &NewsSender,
) -> Result<Threads, StartError> {
    let (workspace, clock) = (&process.workspace, process.clock);
    let (reader, archive) = (journal.reader(), journal.archive());
    let (answers, written) = mpsc::channel(1);
    let started = journal::start(journal, answers, &process.published);
    let (journal_jobs, journal) = started.map_err(io("start the journal's thread"))?;
    let (tell, shown) = mpsc::channel(1);
    let mut views = Views::open(workspace.root())?;
    views.set_beside(&settings.queues);
    let started = views::start(views, reader, tell, process.published.live.clone());
    let (views_jobs, views) = started.map_err(io("start the views' thread"))?;
    let mut mailbox = Mailbox::open(workspace.root())?;
    mailbox.set_zones(&settings.queues);
    let low_bytes = settings.general.low_disk_bytes;
    let disk = mailbox::state::Disk {
        folder: workspace.memory(),
        low_bytes,
        full: false,
        ground: process.ground.clone(),
    };
    let names = (names, news.clone());
    let started = mailbox::start(mailbox, handled, archive, disk, clock, names);
    let started = started.map_err(io("start the mailbox's thread"))?;
    let mailbox::Started { mailing, alive: mailbox_alive, thread, handled } = started;
    let others = vec![views, thread];
    let ways = Ways { journal_jobs, written, views_jobs, shown, mailing, mailbox_alive, handled, jobs };
    Ok(Threads { ways, journal, others })
}
