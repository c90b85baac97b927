//! One pane: who is at it, what became of its program, and cleaning up after it.

use super::command::{TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::window::signal;
use crate::engine::words::PaneId;
use crate::io::mux::error::MuxError;
use crate::io::mux::screen::Printed;
use crate::io::mux::window::{ExitFacts, Tag};
use crate::io::process;
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;
use tokio::sync::watch;

/// How often, and how far apart (the first and the longest pause), tmux is asked for the status of a program that has
/// ended. It knows it after 5 ms (p50), on a loaded machine after some 100 ms; there is no event for it.
const STATUS_TRIES: u32 = 20;
const STATUS_PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// A pane, and whose it is meant to be. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pane {
    tmux: Tmux,
    id: PaneId,
    tag: Option<Tag>,
}

impl Tmux {
    /// A pane by its number.
    #[must_use]
    pub fn pane(&self, id: PaneId) -> Pane {
        Pane { tmux: self.clone(), id, tag: None }
    }
}

impl Pane {
    /// The same pane, as long as it belongs to this launch of this agent: everything that types, and the ending of
    /// the window, is checked by tmux itself in the same breath and refused otherwise.
    #[must_use]
    pub fn tagged(mut self, tag: Tag) -> Self {
        self.tag = Some(tag);
        self
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> PaneId {
        self.id
    }

    /// Whose it is meant to be.
    #[must_use]
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }

    pub(super) fn tmux(&self) -> &Tmux {
        &self.tmux
    }

    /// Counts its pieces of output; see [`Tmux::watch`].
    ///
    /// # Errors
    /// Those of [`Tmux::watch`].
    pub async fn watch(&self) -> Result<watch::Receiver<Printed>, MuxError> {
        self.tmux.watch(self.id).await
    }

    /// Tells when its size changes; see [`Tmux::watch_size`].
    ///
    /// # Errors
    /// Those of [`Tmux::watch_size`].
    pub async fn watch_size(&self) -> Result<watch::Receiver<()>, MuxError> {
        self.tmux.watch_size(self.id).await
    }

    /// Forgets the rows above the screen, and leaves copy mode. Only to be done where no person is.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn clear_history(&self) -> Result<(), MuxError> {
        self.run(TmuxCommand::silent("clear-history").target(self.id)).await.map(drop)
    }

    /// Closes its window; a program that still runs gets SIGHUP.
    ///
    /// # Errors
    /// [`MuxError::NoPane`], [`MuxError::NotOurs`]; those of [`Tmux::run`].
    pub async fn kill_window(&self) -> Result<(), MuxError> {
        self.if_ours(TmuxCommand::silent("kill-window").target(self.id)).await
    }

    /// Whether its program has ended, and how. If tmux has lost the signal of its end, it is reminded. The program may
    /// have ended a moment before tmux knows it; and the pane of one that left others at its terminal is never dead, but
    /// has its status.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn exit_facts(&self) -> Result<ExitFacts, MuxError> {
        let mut pause = STATUS_PAUSES.0;
        let (mut facts, mut pid) = self.ask_exit().await?;
        for _ in 0..STATUS_TRIES {
            let known = facts.status.is_some() || facts.signal.is_some();
            if known || (!facts.dead && process::key_of(pid).is_some()) {
                break;
            }
            remind(self.tmux.server_pid());
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(STATUS_PAUSES.1);
            (facts, pid) = self.ask_exit().await?;
        }
        Ok(facts)
    }

    /// What tmux knows of the end, and the program's process id.
    async fn ask_exit(&self) -> Result<(ExitFacts, u32), MuxError> {
        let format = "#{pane_id}|#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}|#{pane_pid}";
        let ask = TmuxCommand::new("display-message").flag("-p").target(self.id).word(format);
        let replies = self.run(ask).await?;
        let text = replies.first().map(TmuxReply::text).unwrap_or_default();
        let mut fields = text.split('|');
        let mut next = || fields.next().unwrap_or_default();
        if next() != self.id.to_string() {
            return Err(MuxError::NoPane { pane: self.id });
        }
        let facts = ExitFacts { dead: next() == "1", status: next().parse().ok(), signal: signal(next()) };
        Ok((facts, next().parse().unwrap_or_default()))
    }

    /// Runs commands; a pane that is not there has its own error.
    pub(super) async fn run(&self, command: TmuxCommand) -> Result<Vec<TmuxReply>, MuxError> {
        self.tmux.run(command).await.map_err(|error| match error {
            MuxError::Refused { words, .. } if words.starts_with("can't find pane") => {
                MuxError::NoPane { pane: self.id }
            }
            other => other,
        })
    }
}

/// SIGCHLD makes the server look for ended children again; the signal is lost in some builds.
fn remind(server: u32) {
    if let Some(pid) = i32::try_from(server).ok().and_then(Pid::from_raw) {
        // A server that is gone is noticed elsewhere.
        let _ = kill_process(pid, Signal::CHILD);
    }
}
