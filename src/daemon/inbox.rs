//! What the loop hears of panes, mailbox, keeper and watches: one bounded channel of news.

use crate::daemon::mailbox::mail::Mail;
use crate::daemon::panes::orders::PaneNews;
use crate::daemon::tmux::news::TmuxNews;
use crate::engine::job::{Found, JobId};
use crate::io::team_file::SettingsError;
use crate::wire::team_file::Settings;
use std::path::PathBuf;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// News that may wait for the loop. A worker that finds it full waits, and its source with it: files stay in `queue/`,
/// bytes stay in the terminal.
pub const NEWS_MAX: usize = 1_024;

/// One piece of news.
#[derive(Debug)]
pub enum News {
    /// Drops were found.
    Mail(Mail),
    /// An agent's pane has something to say.
    Pane(PaneNews),
    /// A job is done.
    Job {
        id: JobId,
        /// What came of it.
        found: Found,
    },
    /// The tmux server came or went.
    Tmux(TmuxNews),
    /// The team file was read again.
    Team(Box<Result<Settings, SettingsError>>),
    /// Files among the views were written or removed, perhaps by somebody else; which is unknown if there is none.
    Meddled(Vec<PathBuf>),
    /// Why the command of `notify:` cannot be started; none if it can.
    Notify(Option<String>),
}

/// The way to the loop for its workers.
pub type NewsSender = mpsc::Sender<News>;

/// What the loop hears, and the tasks that live with the daemon and tell it.
#[derive(Debug)]
pub struct Inbox {
    pub(in crate::daemon) receiver: mpsc::Receiver<News>,
    pub(in crate::daemon) sender: NewsSender,
    pub(in crate::daemon) tasks: JoinSet<&'static str>,
}
