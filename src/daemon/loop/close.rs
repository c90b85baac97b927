//! The end of a life: what is under way comes to its end, what is known comes to the disk, nothing new is begun.

use crate::daemon::ending::Ending;
use crate::daemon::r#loop::run::{Daemon, Turning};
use crate::daemon::start::process::SHUTDOWN;
use crate::daemon::views::worker::{AgentItem, Item};

impl Daemon {
    /// Ends in order: turns that are being typed are typed to the end, what the agents' workers still have to say is
    /// heard and written, with the parts that were handed on before a task was said to be done, and every view says that
    /// it was.
    pub(in crate::daemon) async fn close(&mut self, ending: Ending) {
        self.ending = Some(ending);
        self.panes.dismiss_all(ending == Ending::StopAgents);
        if ending == Ending::Displaced {
            return self.leave().await;
        }
        if tokio::time::timeout(SHUTDOWN, self.work_off()).await.is_err() {
            tracing::warn!("some work in progress could not be finished");
            self.pane_workers.abort_all();
            self.close_claims();
        }
        self.show_daemon();
        if ending == Ending::StopAgents {
            self.show_agents_stopped();
        }
        if tokio::time::timeout(SHUTDOWN, self.work_off()).await.is_err() {
            tracing::warn!("not everything could be written in time; the next start writes it");
        }
    }

    /// Ends where nothing that is written is anybody's: the workers leave their panes, and what they say is not heard.
    async fn leave(&mut self) {
        let left = async {
            while !self.pane_workers.is_empty() {
                tokio::select! {
                    Some(_) = self.pane_workers.join_next() => {}
                    Some(_) = self.inbox.recv() => {}
                }
            }
        };
        if tokio::time::timeout(SHUTDOWN, left).await.is_err() {
            self.pane_workers.abort_all();
        }
    }

    /// Until the workers of panes have ended, all that they said is written, and shown.
    async fn work_off(&mut self) {
        loop {
            self.views.hurry();
            let may_hear = self.turning == Turning::No;
            while may_hear && let Ok(news) = self.inbox.try_recv() {
                self.hear(news);
            }
            if let Err(broken) = self.hand_out() {
                return tracing::error!(%broken, "the last events could not be written");
            }
            let is_idle = self.journal.is_idle() && self.views.is_idle() && self.claims.is_empty();
            if may_hear && is_idle && self.pane_workers.is_empty() {
                return;
            }
            tokio::select! {
                Some(written) = self.written.recv() => {
                    if let Err(broken) = self.written(written) {
                        return tracing::error!(%broken, "the last events could not be written");
                    }
                }
                Some(shown) = self.shown.recv() => self.shown(shown),
                Some(news) = self.inbox.recv(), if may_hear => self.hear(news),
                Some(ended) = self.pane_workers.join_next_with_id() => self.pane_worker_ended(ended),
            }
        }
    }

    /// After the journal has failed: writes the views of what was durable before, as far as the disk lets it.
    pub(in crate::daemon) async fn show_owed(&mut self) {
        while self.hand_out_owed() {
            match self.shown.recv().await {
                Some(shown) if shown.under_way => {}
                Some(shown) => self.views.done(shown.failed, self.clock.now()),
                None => return,
            }
        }
    }

    /// Gives the views' thread what it is owed; whether there is an answer of it to wait for.
    pub(in crate::daemon) fn hand_out_owed(&mut self) -> bool {
        self.views.hurry();
        self.views.turn(false); // no segment is turned any more, for which some would wait
        let given = self.views.submit(&self.engine, &self.journal, self.clock.now());
        given.is_ok() && !self.views.is_idle()
    }

    fn show_agents_stopped(&mut self) {
        for name in self.engine.team().members.keys() {
            let Some(mut seen) = self.engine.agent(name) else { continue };
            (seen.pane, seen.pid, seen.why, seen.asks, seen.up_since) = (None, None, None, None, None);
            let at = self.clock.now();
            self.views.put(Item::Agent(Box::new(AgentItem {
                seen,
                state: Some("stopped"),
                doing: None,
                at,
            })));
        }
    }
}
