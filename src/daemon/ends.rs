//! Workers that ended: each is collected, and one that broke is news.

use crate::daemon::run::{Broken, Daemon};
use crate::engine::input::{Input, Report};
use crate::engine::words::{AgentName, Nonce};
use tokio::task::{Id, JoinError};

/// How a task ended, and which.
pub(super) type Ended = Result<(Id, &'static str), JoinError>;

impl Daemon {
    /// Takes note of the end of a task. A worker of a pane that broke costs its agent this launch, and nobody else
    /// anything; without one of the others the daemon cannot go on.
    pub(super) fn worker_ended(&mut self, ended: Ended) -> Result<(), Broken> {
        let (task, broke) = match ended {
            Ok((task, _)) => (task, None), // it was told to, or it has said why itself
            Err(broke) => (broke.id(), Some(broke)),
        };
        let who = self.panes.ended(task);
        let Some(broke) = broke else { return Ok(()) };
        tracing::error!(%broke, "a worker broke: please report this");
        match who {
            Some((agent, nonce)) => {
                self.pane_broke(agent, nonce, &broke);
                Ok(())
            }
            None => Err(Broken::Task(broke)),
        }
    }

    fn pane_broke(&mut self, agent: AgentName, nonce: Nonce, broke: &JoinError) {
        let how = format!("its worker broke ({broke})");
        self.step(Input::Report { agent, nonce, report: Report::Exited { how, clean: false } });
    }
}
