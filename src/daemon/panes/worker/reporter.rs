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
    /// How many turns it was given.
    turns: u32,
}

impl Reporter {
    pub(super) fn new(launched: &Launched, news: NewsSender) -> Self {
        Self { agent: launched.agent.clone(), nonce: launched.nonce, news, turns: 0 }
    }

    pub(super) fn turn_is_given(&mut self) {
        self.turns = self.turns.wrapping_add(1);
    }

    pub(super) async fn report(&self, report: Report) {
        self.say(PaneWord::Report(report)).await;
    }

    pub(super) async fn say(&self, what: PaneWord) {
        let (agent, nonce, turns) = (self.agent.clone(), self.nonce, self.turns);
        let _ = self.news.send(News::Pane(PaneNews { agent, nonce, turns, what })).await;
    }
}
