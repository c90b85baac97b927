//! The end of a program, by itself or since its window is closed.

use super::Worker;
use crate::daemon::clients::request::Response;
use crate::daemon::panes::orders::Order;
use crate::daemon::panes::worker::overview::last_line;
use crate::daemon::panes::worker::session::answered;
use crate::daemon::panes::worker::waiters;
use crate::daemon::tmux::windows::{ASK_AGAIN, see_off};
use crate::engine::input::Report;
use crate::engine::life::CompletionSource;
use crate::io::mux::MuxError;
use crate::io::process::Family;

impl Worker {
    /// The program has ended: a last look for its claim, then the news of its end.
    pub(super) async fn ended(mut self) {
        // Now its session's number cannot be another's yet. What a program leaves that ends after each task is its own affair.
        let left = (!self.session.agent.profile().one_shot).then(|| self.session.program.family());
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
        if clean && self.session.agent.profile().one_shot {
            self.claim_by_exit().await;
        }
        self.session.report(Report::Exited { how, clean }).await;
        while let Some(order) = self.orders.next().await {
            match order {
                Order::Close => return self.close_with(left).await,
                Order::Leave => return,
                Order::PaneVerb(_, answer) => {
                    let why = format!("{} has ended", self.session.agent.name());
                    drop(answer.send(Response::Unavailable(why)));
                }
                _ => {}
            }
        }
    }

    /// How it ended, in words, and whether that was a clean end.
    async fn how_it_ended(&mut self) -> Result<(String, bool), MuxError> {
        let closed = || ("its window was closed".to_owned(), false);
        let facts = match self.session.pane.exit_facts().await {
            Err(MuxError::NoPane { .. }) => return Ok(closed()),
            facts => facts?,
        };
        let how = match (&facts.signal, facts.status) {
            (Some(signal), _) => format!("killed by SIG{signal}"),
            (None, Some(status)) => format!("exit {status}"),
            (None, None) => "ended".to_owned(),
        };
        let clean = facts.signal.is_none() && facts.status == Some(0);
        match self.last_words().await {
            Err(MuxError::NoPane { .. }) => Ok(closed()),
            Ok(None) => Ok((how, clean)),
            Ok(Some(line)) => Ok((format!("{how}; its last line was: {line}"), clean)),
            Err(error) => Err(error),
        }
    }

    /// The program is gone: a claim that is there counts at once. Gives its last line.
    async fn last_words(&mut self) -> Result<Option<String>, MuxError> {
        let screen = self.session.see().await?;
        waiters::answer(&mut self.waiters, &screen, &mut self.session);
        if let Some(typed) = self.work.awaited.clone()
            && self.has_claimed(&screen, &typed).await
        {
            self.work.awaited = None;
            self.claim(&typed, CompletionSource::Marker, Some(&screen)).await;
        }
        Ok(last_line(&screen, &self.session))
    }

    /// Closes its window. While tmux does not answer it is tried again, and its program does not live on for that long.
    pub(super) async fn close(&mut self) {
        self.close_with(Some(self.session.program.family())).await;
    }

    /// The same with those of its program's processes that are to end with it.
    async fn close_with(&mut self, family: Option<Family>) {
        loop {
            let closed = self.session.pane.kill_window().await;
            if let Some(family) = family.clone() {
                see_off(family).await;
            }
            let Err(error) = closed else { return };
            if matches!(error, MuxError::NoPane { .. } | MuxError::Gone { .. }) {
                return;
            }
            tracing::warn!(%error, agent = %self.session.agent.name(), "its window could not be closed");
            if !matches!(error, MuxError::Late { .. }) {
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
    }

    async fn claim_by_exit(&mut self) {
        if let Some(typed) = self.work.awaited.take() {
            self.claim(&typed, CompletionSource::ProcessExit, None).await;
        }
    }
}
