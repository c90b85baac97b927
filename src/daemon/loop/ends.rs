//! Workers that ended: each is collected, and one that broke is news.

use crate::daemon::ending::Broken;
use crate::daemon::r#loop::run::Daemon;
use crate::engine::input::{Input, Report};
use crate::engine::words::{AgentName, Nonce};
use tokio::task::{Id, JoinError};

/// How a task ended, and which.
pub(in crate::daemon) type TaskEnded = Result<(Id, &'static str), JoinError>;

/// A task that lives as long as the daemon has ended: without it the daemon cannot go on, if it broke.
pub(in crate::daemon) fn worker_ended(ended: Result<&'static str, JoinError>) -> Result<(), Broken> {
    ended.map(drop).map_err(Broken::Task) // it was told to, or it has said why itself
}

impl Daemon {
    /// Takes note of the end of a task of a pane. A worker that broke costs its agent this launch, and nobody else
    /// anything.
    pub(in crate::daemon) fn pane_worker_ended(&mut self, ended: TaskEnded) {
        let (task, broke) = match ended {
            Ok((task, _)) => (task, None), // it was told to, or it has said why itself
            Err(broke) => (broke.id(), Some(broke)),
        };
        let who = self.panes.ended(task);
        let Some(broke) = broke else { return };
        tracing::error!(%broke, "a worker broke: please report this");
        if let Some((agent, nonce)) = who {
            self.pane_broke(agent, nonce, &broke);
        }
    }

    fn pane_broke(&mut self, agent: AgentName, nonce: Nonce, broke: &JoinError) {
        let how = format!("its worker broke ({broke})");
        self.take_input(Input::Report { agent, nonce, report: Report::Exited { how, clean: false } });
    }
}
