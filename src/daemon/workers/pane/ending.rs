//! The end of a program, by itself or since its window is closed.

use super::{ASK_AGAIN, Worker, answered};
use crate::daemon::orders::Order;
use crate::engine::input::Report;
use crate::engine::life::CompletionSource;
use crate::engine::words::ProcessKey;
use crate::io::process;
use crate::io::tmux::TmuxError;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a program may take to end when its window is closed.
const HANGS_UP: Duration = Duration::from_secs(2);

impl Worker {
    /// The program has ended: a last look for its claim, then the news of its end.
    pub(super) async fn ended(mut self, orders: &mut mpsc::Receiver<Order>) {
        let (how, clean) = loop {
            match answered(self.how_it_ended().await) {
                Ok(Ok(known)) => break known,
                Err(_) => return,
                Ok(Err(error)) => tracing::debug!(%error, "how an agent ended is not known yet"),
            }
            if orders.is_closed() {
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        };
        if clean && self.launch.profile.one_shot {
            self.claim_by_exit().await;
        }
        self.report(Report::Exited { how, clean }).await;
        while let Some(order) = orders.recv().await {
            match order {
                Order::Close => return self.close().await,
                Order::Leave => return,
                Order::Face(_, answer) => {
                    let why = format!("{} has ended", self.launched.agent);
                    drop(answer.send(crate::daemon::request::Response::Unavailable(why)));
                }
                _ => {}
            }
        }
    }

    /// How it ended, in words, and whether that was a clean end.
    async fn how_it_ended(&mut self) -> Result<(String, bool), TmuxError> {
        let closed = || ("its window was closed".to_owned(), false);
        let facts = match self.pane.exit_facts().await {
            Err(TmuxError::NoPane { .. }) => return Ok(closed()),
            facts => facts?,
        };
        let how = match (&facts.signal, facts.status) {
            (Some(signal), _) => format!("killed by SIG{signal}"),
            (None, Some(status)) => format!("exit {status}"),
            (None, None) => "ended".to_owned(),
        };
        let clean = facts.signal.is_none() && facts.status == Some(0);
        match self.last_words().await {
            Err(TmuxError::NoPane { .. }) => Ok(closed()),
            Ok(None) => Ok((how, clean)),
            Ok(Some(line)) => Ok((format!("{how}; its last line was: {line}"), clean)),
            Err(error) => Err(error),
        }
    }

    /// Closes its window. While tmux does not answer it is tried again, and its program does not live on for that long.
    pub(super) async fn close(&mut self) {
        loop {
            let closed = self.pane.kill_window().await;
            see_off(self.process).await;
            let Err(error) = closed else { return };
            if matches!(error, TmuxError::NoPane { .. } | TmuxError::Gone { .. }) {
                return;
            }
            tracing::warn!(%error, agent = %self.launched.agent, "its window could not be closed");
            if !matches!(error, TmuxError::Late { .. }) {
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
    }

    async fn claim_by_exit(&mut self) {
        if let Some(typed) = self.awaited.take() {
            self.claim(&typed, CompletionSource::ProcessExit, None).await;
        }
    }
}

/// Ends a program whose window was closed if it does not end by itself: one that ignores SIGHUP would live on without a
/// terminal.
pub(in crate::daemon::workers) async fn see_off(process: ProcessKey) {
    if tokio::time::timeout(HANGS_UP, process::wait_gone(process)).await.is_err() {
        let _ = process::kill_group(process, rustix::process::Signal::KILL);
    }
}
