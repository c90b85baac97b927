//! The keeper of the tmux server: connects, tells when the server is gone, starts it again and connects anew.

use crate::daemon::news::{News, NewsSender};
use crate::daemon::orders::{Launched, Order};
use crate::daemon::workers::pane::{self, Start};
use crate::engine::input::FoundPane;
use crate::engine::words::{AgentName, Nonce};
use crate::io::process;
use crate::io::settings::Launch;
use crate::io::tmux::{Driver, Notice, Notices, PaneRow, Server, Tag, Tmux, TmuxError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// First and longest wait before tmux is started again. The first start is at once.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// What the loop hears.
#[derive(Debug)]
pub enum TmuxNews {
    /// The server, our session or the connection is gone.
    Lost {
        /// What tmux said.
        why: String,
    },
    /// It is there again, with this connection.
    Back(Tmux),
}

/// A connection that is up, and its two ends that want to be driven.
#[derive(Debug)]
pub struct Connected {
    /// The handle.
    pub tmux: Tmux,
    /// What tmux tells.
    pub notices: Notices,
    /// Must run for anything to be answered.
    pub driver: Driver,
}

/// Makes sure that the server runs, and connects.
///
/// # Errors
/// Those of [`Server::ensure`] and [`Tmux::connect`].
pub async fn connect(server: &Server) -> Result<Connected, TmuxError> {
    server.ensure().await?;
    let (tmux, notices, driver) = Tmux::connect(server).await?;
    Ok(Connected { tmux, notices, driver })
}

/// The agents' panes that are there, with the processes that live in them.
///
/// # Errors
/// Those of [`Tmux::list_panes`].
pub async fn find_panes(tmux: &Tmux) -> Result<Vec<FoundPane>, TmuxError> {
    let rows = tmux.list_panes().await?;
    let found = rows.into_iter().filter_map(|row| {
        let tag = row.tag?;
        let process = if row.dead { None } else { process::key_of(row.pid) };
        Some(FoundPane { agent: tag.agent, nonce: tag.nonce, pane: row.pane, process })
    });
    Ok(found.collect())
}

/// Keeps a connection: drives it, and replaces it when it ends.
pub async fn keep(server: Server, mut connected: Connected, news: NewsSender) -> &'static str {
    loop {
        let Connected { tmux, notices, driver } = connected;
        drop(tmux);
        let why = drive(driver, notices).await;
        if news.send(News::Tmux(TmuxNews::Lost { why })).await.is_err() {
            return "tmux";
        }
        connected = connect_again(&server).await;
        let tmux = connected.tmux.clone();
        if news.send(News::Tmux(TmuxNews::Back(tmux))).await.is_err() {
            return "tmux";
        }
    }
}

async fn drive(driver: Driver, mut notices: Notices) -> String {
    let run = driver.run();
    tokio::pin!(run);
    loop {
        tokio::select! {
            why = &mut run => return why,
            notice = notices.next() => match notice {
                Some(Notice::ConfigError(text)) => tracing::warn!(text, "tmux complains of its configuration"),
                Some(Notice::Gone { .. }) | None => return run.await,
                Some(_) => {}
            },
        }
    }
}

async fn connect_again(server: &Server) -> Connected {
    let mut wait = AGAIN.0;
    loop {
        match connect(server).await {
            Ok(connected) => return connected,
            Err(error) => tracing::error!(%error, "tmux cannot be started; trying again in {wait:?}"),
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(AGAIN.1);
    }
}

/// What the loop gives a new worker of a pane.
#[derive(Debug)]
pub struct Given {
    /// Which agent, and whether its window is there already.
    pub launched: Launched,
    /// How the agent is started and typed to.
    pub launch: Launch,
    /// Its key, for its environment.
    pub key: String,
    /// Its phrase.
    pub phrase: String,
    /// Orders from the loop.
    pub orders: mpsc::Receiver<Order>,
    /// Where news go.
    pub news: NewsSender,
}

/// The loop's side: the connection of the moment, and what every worker of a pane is given.
#[derive(Debug)]
pub struct TmuxDesk {
    tmux: Tmux,
    person_quiet_ms: u64,
    history: u32,
}

impl TmuxDesk {
    /// A desk before this connection.
    #[must_use]
    pub fn new(tmux: Tmux, person_quiet_ms: u64, history: u32) -> Self {
        Self { tmux, person_quiet_ms, history }
    }

    /// There is a new connection.
    pub fn connected(&mut self, tmux: Tmux) {
        self.tmux = tmux;
    }

    /// Starts the worker of a launch.
    pub fn spawn_pane(&self, workers: &mut JoinSet<&'static str>, given: Given) {
        let Given { launched, launch, key, phrase, orders, news } = given;
        let tmux = self.tmux.clone();
        let (person_quiet_ms, history) = (self.person_quiet_ms, self.history);
        workers.spawn(pane::work(Start {
            tmux,
            launched,
            launch,
            key,
            phrase,
            person_quiet_ms,
            history,
            orders,
            news,
        }));
    }

    /// Closes the window of a launch that has no worker.
    pub fn close_stranger(&self, workers: &mut JoinSet<&'static str>, agent: AgentName, nonce: Nonce) {
        let tmux = self.tmux.clone();
        workers.spawn(async move {
            let tag = Tag { agent, nonce };
            if let Err(error) = close(&tmux, &tag).await {
                tracing::warn!(%error, %tag, "a window could not be closed");
            }
            "close"
        });
    }
}

async fn close(tmux: &Tmux, tag: &Tag) -> Result<(), TmuxError> {
    let rows: Vec<PaneRow> = tmux.list_panes().await?;
    for row in rows.into_iter().filter(|row| row.tag.as_ref() == Some(tag)) {
        tmux.pane(row.pane).tagged(tag.clone()).kill_window().await?;
    }
    Ok(())
}
