//! `notify:` of the team file: a command of the user's that is told when something waits for a person. The worker asks the
//! reading thread as any other client does, so that the loop does nothing for it but show one note.

mod plan;
mod worker;

use crate::daemon::clients::reads::Reads;
use crate::daemon::inbox::{News, NewsSender};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use tokio::sync::watch;
use tokio::task::JoinSet;
use worker::NotifyWorker;

/// What the loop hears of the worker: why the command cannot be started, if it cannot.
#[derive(Debug, Clone, Default)]
pub struct NotifyHandle {
    /// None where there is no worker.
    note: Option<watch::Receiver<Option<String>>>,
}

impl NotifyHandle {
    /// Starts the worker, which ends when the task in `workers` does. It outlives the incarnations, and so does what it has
    /// told.
    pub(in crate::daemon) fn start(
        workspace: Workspace,
        clock: Clock,
        reads: Reads,
        workers: &mut JoinSet<&'static str>,
    ) -> Self {
        let (tell, note) = watch::channel(None);
        workers.spawn(NotifyWorker::new(workspace, clock, reads, tell).run());
        Self { note: Some(note) }
    }

    /// Sends the loop the note in force whenever it changes, until the loop is gone.
    pub(in crate::daemon) async fn report(self, news: NewsSender) -> &'static str {
        const NAME: &str = "notify";
        let Some(mut note) = self.note else { return NAME };
        // A life begins without a note.
        note.mark_unchanged();
        if note.borrow().is_some() {
            note.mark_changed();
        }
        while note.changed().await.is_ok() {
            let now = note.borrow_and_update().clone();
            if news.send(News::Notify(now)).await.is_err() {
                return NAME;
            }
        }
        let why = "`notify:` has stopped, which is a bug: `tasuki down --keep-agents` and `tasuki up` start it again";
        let _ = news.send(News::Notify(Some(why.to_owned()))).await;
        NAME
    }
}
