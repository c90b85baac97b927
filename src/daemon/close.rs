//! The end of a life: what is under way comes to its end, what is known comes to the disk, nothing new is begun.

use crate::daemon::run::{Daemon, Ending, Turning};
use crate::daemon::workers::views::{AgentItem, Item};

impl Daemon {
    /// Ends in order: turns that are being typed are typed to the end, what the agents' workers still have to say is
    /// heard and written, and every view says that it was.
    pub(super) async fn close(&mut self, ending: Ending) {
        self.ending = Some(ending);
        self.panes.dismiss_all(ending == Ending::StopAgents);
        while !self.pane_workers.is_empty() {
            if self.hand_out().is_err() {
                return;
            }
            tokio::select! {
                Some(written) = self.written.recv() => {
                    if self.written(written).is_err() {
                        return;
                    }
                }
                Some(shown) = self.shown.recv() => self.shown(shown),
                Some(news) = self.inbox.recv(), if self.turning == Turning::No => self.hear(news),
                Some(_) = self.pane_workers.join_next() => {}
            }
        }
        while let Ok(news) = self.inbox.try_recv() {
            self.hear(news);
        }
        self.drain().await;
        self.show_daemon();
        if ending == Ending::StopAgents {
            self.show_agents_stopped();
        }
        self.drain().await;
    }

    /// Brings what waits to the disk: steps, views, files that can go.
    async fn drain(&mut self) {
        loop {
            self.views.hurry();
            if self.hand_out().is_err() || (self.journal.is_idle() && self.views.is_idle()) {
                return;
            }
            tokio::select! {
                Some(written) = self.written.recv() => {
                    if self.written(written).is_err() {
                        return;
                    }
                }
                Some(shown) = self.shown.recv() => self.shown(shown),
            }
        }
    }

    /// After the journal has failed: writes the views of what was durable before, as far as the disk lets it.
    pub(super) async fn show_owed(&mut self) {
        loop {
            self.views.hurry();
            let given = self.views.submit(&self.engine, &self.journal, self.clock.now());
            if given.is_err() || self.views.is_idle() {
                return;
            }
            match self.shown.recv().await {
                Some(shown) => self.views.done(shown.failed, self.clock.now()),
                None => return,
            }
        }
    }

    fn show_agents_stopped(&mut self) {
        for name in self.engine.team().members.keys() {
            let Some(mut seen) = self.engine.agent(name) else { continue };
            (seen.pane, seen.pid, seen.why) = (None, None, None);
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
