//! The end of a life: what is under way comes to its end, what is known comes to the disk, nothing new is begun.

use crate::daemon::ending::Ending;
use crate::daemon::ending::SHUTDOWN;
use crate::daemon::journal::rotation::RotationStage;
use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::views::worker::{AgentItem, Item};
use crate::engine::live::LiveAgent;

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
            self.panes.tasks.abort_all();
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
            while !self.panes.tasks.is_empty() {
                tokio::select! {
                    Some(_) = self.panes.tasks.join_next() => {}
                    Some(_) = self.inbox.receiver.recv() => {}
                }
            }
        };
        if tokio::time::timeout(SHUTDOWN, left).await.is_err() {
            self.panes.tasks.abort_all();
        }
    }

    /// Until the workers of panes have ended, all that they said is written, and shown.
    async fn work_off(&mut self) {
        loop {
            self.views.hurry();
            let may_hear = self.journal.rotation.stage == RotationStage::No;
            while may_hear && let Ok(news) = self.inbox.receiver.try_recv() {
                self.hear(news);
            }
            if let Err(broken) = self.hand_out() {
                return tracing::error!(%broken, "the last events could not be written");
            }
            let is_idle = self.journal.is_idle() && self.views.is_idle() && self.mailbox.claims.is_empty();
            if may_hear && is_idle && self.panes.tasks.is_empty() {
                return;
            }
            tokio::select! {
                Some(written) = self.journal.answers.recv() => {
                    if let Err(broken) = self.written(written) {
                        return tracing::error!(%broken, "the last events could not be written");
                    }
                }
                Some(shown) = self.views.answers.recv() => self.shown(shown),
                Some(news) = self.inbox.receiver.recv(), if may_hear => self.hear(news),
                Some(ended) = self.panes.tasks.join_next_with_id() => self.pane_worker_ended(ended),
            }
        }
    }

    /// After the journal has failed: writes the views of what was durable before, as far as the disk lets it.
    pub(in crate::daemon) async fn show_owed(&mut self) {
        while self.hand_out_owed() {
            match self.views.answers.recv().await {
                Some(shown) => self.views.done(shown.failed, self.timers.clock.now()),
                None => return,
            }
        }
    }

    /// Gives the views' thread what it is owed; whether there is an answer of it to wait for.
    pub(in crate::daemon) fn hand_out_owed(&mut self) -> bool {
        self.views.hurry();
        self.views.set_rotating(false); // no segment is turned any more, for which some would wait
        let given = self.views.submit(&self.engine, &self.journal, self.timers.clock.now());
        given.is_ok() && !self.views.is_idle()
    }

    fn show_agents_stopped(&mut self) {
        for name in self.engine.team().members.keys() {
            let Some(mut seen) = self.engine.agent(name) else { continue };
            (seen.pane, seen.pid, seen.why, seen.asks, seen.up_since) = (None, None, None, None, None);
            let at = self.timers.clock.now();
            let since = self.views.states.since(name, "stopped", at);
            self.views.put(Item::Agent(Box::new(AgentItem {
                seen,
                state: Some("stopped"),
                doing: None,
                known: LiveAgent::default(),
                since,
                at,
            })));
        }
    }
}
