//! The worker's way to the loop.

use crate::daemon::inbox::{News, NewsSender};
use crate::daemon::panes::orders::{Launched, PaneNews, PaneWord};
use crate::engine::input::Report;
use crate::engine::words::{AgentName, Nonce};

/// Reports in the name of one launch.
#[derive(Debug)]
pub(super) struct Reporter {
    agent: AgentName,
    nonce: Nonce,
    news: NewsSender,
}

impl Reporter {
    pub(super) fn new(launched: &Launched, news: NewsSender) -> Self {
        Self { agent: launched.agent.clone(), nonce: launched.nonce, news }
    }

    pub(super) async fn report(&self, report: Report) {
        self.say(PaneWord::Report(report)).await;
    }

    pub(super) async fn say(&self, what: PaneWord) {
        let (agent, nonce) = (self.agent.clone(), self.nonce);
        let _ = self.news.send(News::Pane(PaneNews { agent, nonce, what })).await;
    }
}
