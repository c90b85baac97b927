//! The start of a worker: the window of its launch is made, or taken over, or neither.

use super::provision::Provision;
use super::reporter::Reporter;
use crate::daemon::inbox::NewsSender;
use crate::daemon::panes::orders::{Adopted, Launched, Launches, Order, Terms};
use crate::daemon::tmux::windows::{close_for_sure, process_of};
use crate::engine::input::Report;
use crate::engine::words::ProcessKey;
use crate::io::frames::Frames;
use crate::io::mux::{Mux, MuxError, Pane, Printed, Tag, WindowSpec};
use crate::io::team_file::Machine;
use crate::wire::team_file::Launch;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// Everything a worker is given.
#[derive(Debug)]
pub struct Start {
    /// The connection.
    pub tmux: Mux,
    /// Which agent, and whether its window is there already.
    pub launched: Launched,
    /// How the agent is started and typed to.
    pub launch: Arc<Launch>,
    /// Its key, for its environment.
    pub key: String,
    pub phrase: String,
    /// What holds for every worker.
    pub terms: watch::Receiver<Terms>,
    /// What `launch` became, once the settings have changed.
    pub launches: watch::Receiver<Launches>,
    /// Orders from the loop.
    pub orders: mpsc::Receiver<Order>,
    /// Where news go.
    pub news: NewsSender,
    /// Where frames go.
    pub frames: Frames,
}

/// Reports that the agent could not be started.
pub(super) async fn fail(start: Start, error: &MuxError) {
    let Start { tmux, launched, mut orders, news, .. } = start;
    let to_be_closed = refuse(&mut orders);
    Reporter::new(&launched, news).report(Report::StartFailed { why: error.to_string() }).await;
    if to_be_closed {
        close_for_sure(&tmux, &Tag { agent: launched.agent, nonce: launched.nonce }).await;
    }
}

/// Takes no order any more; whether it had been told to close its window.
fn refuse(orders: &mut mpsc::Receiver<Order>) -> bool {
    orders.close();
    std::iter::from_fn(|| orders.try_recv().ok()).any(|order| matches!(order, Order::Close))
}

/// What a pane prints, and when its size changes.
pub(super) type Heard = (watch::Receiver<Printed>, watch::Receiver<()>);
pub(super) type Opened = (Pane, ProcessKey, PathBuf, Heard, Provision);

/// Makes the window, or takes the one that is there.
pub(super) async fn open(start: &Start) -> Result<Opened, MuxError> {
    let Start { tmux, launched, launch, key, .. } = start;
    let tag = Tag { agent: launched.agent.clone(), nonce: launched.nonce };
    let own = Provision::of(launch, key, launched.adopt.is_none()).await?;
    let (id, process, tty) = match launched.adopt.clone() {
        Some(Adopted { pane, process, tty, .. }) => (pane, process, tty),
        None => {
            let Launch { argv, mut env, cwd, .. } = own.launch(launch);
            env.insert("TASUKI_AGENT_KEY".to_owned(), key.to_owned());
            let spec = WindowSpec {
                name: launched.agent.to_string(),
                cwd,
                env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
                argv: argv.into_iter().map(Into::into).collect(),
                tag: tag.clone(),
                one_shot: launch.profile.one_shot,
            };
            launch.missing(&Machine).map_or(Ok(()), |why| Err(MuxError::NoProgram { why }))?;
            let facts = tmux.create_window(&spec).await?;
            // A program that is gone already has no start time any more; its exit is told all the same.
            let gone = ProcessKey { pid: facts.pid, start_ticks: 0 };
            let found = process_of(facts.pid)?;
            (facts.pane, found.unwrap_or(gone), facts.tty)
        }
    };
    let pane = tmux.pane(id).tagged(tag);
    let heard = (pane.watch().await?, pane.watch_size().await?);
    Ok((pane, process, tty, heard, own))
}
