//! The end of a program, by itself or since its window is closed.

use super::{ASK_AGAIN, Worker, answered};
use crate::daemon::panes::orders::Order;
use crate::engine::input::Report;
use crate::engine::life::CompletionSource;
use crate::io::process::Family;
use crate::io::tmux::TmuxError;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How long a program may take to end when its window is closed.
const HANGS_UP: Duration = Duration::from_secs(2);

impl Worker {
    /// The program has ended: a last look for its claim, then the news of its end.
    pub(super) async fn ended(mut self) {
        // Now its session's number cannot be another's yet. What a program leaves that ends after each task is its own affair.
        let left = (!self.launch.profile.one_shot).then(|| Family::of(self.process));
        let (how, clean) = loop {
            match answered(self.how_it_ended().await) {
                Ok(Ok(known)) => break known,
                Err(_) => return,
                Ok(Err(error)) => tracing::debug!(%error, "how an agent ended is not known yet"),
            }
            if self.orders.is_closed() {
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        };
        if clean && self.launch.profile.one_shot {
            self.claim_by_exit().await;
        }
        self.report(Report::Exited { how, clean }).await;
        while let Some(order) = self.next_order().await {
            match order {
                Order::Close => return self.close_with(left).await,
                Order::Leave => return,
                Order::Face(_, answer) => {
                    let why = format!("{} has ended", self.launched.agent);
                    drop(answer.send(crate::daemon::clients::request::Response::Unavailable(why)));
                }
                _ => {}
            }
        }
    }

    async fn next_order(&mut self) -> Option<Order> {
        match self.ahead.pop_front() {
            None => self.orders.recv().await,
            ahead => ahead,
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
        self.close_with(Some(Family::of(self.process))).await;
    }

    /// The same with those of its program's processes that are to end with it.
    async fn close_with(&mut self, family: Option<Family>) {
        loop {
            let closed = self.pane.kill_window().await;
            if let Some(family) = family.clone() {
                see_off(family).await;
            }
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

/// Ends a program whose window was closed, and all that it started, if they do not end by themselves: who ignores SIGHUP
/// would live on without a terminal, and go on with its work beside the next one.
pub(in crate::daemon) async fn see_off(family: Family) {
    family.see_off(Instant::now() + HANGS_UP).await;
}

/// Takes no order any more; whether it had been told to close its window.
pub(super) fn refuse(orders: &mut mpsc::Receiver<Order>) -> bool {
    orders.close();
    std::iter::from_fn(|| orders.try_recv().ok()).any(|order| matches!(order, Order::Close))
}
