//! The threads under the loop: journal, views and mailbox, each with its folder opened and its ways in and out.

use crate::daemon::news::NewsSender;
use crate::daemon::start::{StartError, io};
use crate::daemon::workers::{journal, mailbox, views};
use crate::io::clock::Clock;
use crate::io::journal::Journal;
use crate::io::mailbox::Mailbox;
use crate::io::views::Views;
use crate::io::workspace::Workspace;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The threads, and the ways to them.
#[derive(Debug)]
pub struct Threads {
    /// To the journal.
    pub journal_jobs: journal::Jobs,
    /// Gives the journal back when it ends.
    pub journal: std::thread::JoinHandle<Journal>,
    /// What the journal says.
    pub written: mpsc::Receiver<journal::Written>,
    /// What the views say.
    pub shown: mpsc::Receiver<views::Shown>,
    /// To the views.
    pub views_jobs: std::sync::mpsc::SyncSender<views::Job>,
    /// Folders of views, to be watched.
    pub watched: Vec<PathBuf>,
    /// To the mailbox.
    pub mail_jobs: mailbox::Jobs,
    /// Views and mailbox. They touch the workspace until they have ended, so nobody else may begin before.
    pub others: [std::thread::JoinHandle<()>; 2],
}

/// Starts them.
///
/// # Errors
/// If a folder cannot be used, or the system gives no thread.
pub fn start(
    workspace: &Workspace,
    clock: Clock,
    journal: Journal,
    claims: &BTreeSet<Arc<str>>,
    low_bytes: u64,
    news: &NewsSender,
) -> Result<Threads, StartError> {
    let (reader, archive) = (journal.reader(), journal.archive());
    let (answers, written) = mpsc::channel(1);
    let started = journal::start(journal, answers);
    let (journal_jobs, journal) = started.map_err(io("start the journal's thread"))?;
    let views = Views::open(workspace.root())?;
    let watched = views.places();
    let (tell, shown) = mpsc::channel(1);
    let started = views::start(views, reader, tell);
    let (views_jobs, views) = started.map_err(io("start the views' thread"))?;
    let mailbox = Mailbox::open(workspace.root())?;
    let disk = mailbox::Disk { folder: workspace.memory(), low_bytes, full: false };
    let started = mailbox::start(mailbox, claims, archive, disk, clock, news.clone());
    let (mail_jobs, mailbox) = started.map_err(io("start the mailbox's thread"))?;
    let others = [views, mailbox];
    Ok(Threads { journal_jobs, journal, written, shown, views_jobs, watched, mail_jobs, others })
}
