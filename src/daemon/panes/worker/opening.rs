//! The window of a launch: made, or taken over, or neither.

use super::ending;
use super::own::Own;
use crate::daemon::inbox::{News, NewsSender};
use crate::daemon::panes::orders::{Adopted, Launched, Order, PaneNews, PaneWord};
use crate::daemon::tmux::keeper::{close_for_sure, process_of};
use crate::engine::input::Report;
use crate::engine::words::ProcessKey;
use crate::io::team_file::Machine;
use crate::io::tmux::{Pane, Printed, Tag, Tmux, TmuxError, WindowSpec};
use crate::wire::team_file::Launch;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// Tells that the agent could not be started.
pub(super) async fn fail(
    tmux: &Tmux,
    launched: Launched,
    error: &TmuxError,
    orders: &mut mpsc::Receiver<Order>,
    news: &NewsSender,
) {
    let to_be_closed = ending::refuse(orders);
    let what = PaneWord::Report(Report::StartFailed { why: error.to_string() });
    let Launched { agent, nonce, .. } = launched;
    let tag = Tag { agent: agent.clone(), nonce };
    let _ = news.send(News::Pane(PaneNews { agent, nonce, what })).await;
    if to_be_closed {
        close_for_sure(tmux, &tag).await;
    }
}

pub(super) type Opened = (Pane, ProcessKey, PathBuf, watch::Receiver<Printed>, Own);

/// Makes the window, or takes the one that is there.
pub(super) async fn open(
    tmux: &Tmux,
    launched: &Launched,
    launch: &Arc<Launch>,
    key: &str,
) -> Result<Opened, TmuxError> {
    let tag = Tag { agent: launched.agent.clone(), nonce: launched.nonce };
    let own = Own::of(launch, key, launched.adopt.is_none()).await?;
    let (id, process, tty) = match launched.adopt.clone() {
        Some(Adopted { pane, process, tty }) => (pane, process, tty),
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
            launch.missing(&Machine).map_or(Ok(()), |why| Err(TmuxError::NoProgram { why }))?;
            let facts = tmux.create_window(&spec).await?;
            // A program that is gone already has no start time any more; its exit is told all the same.
            let gone = ProcessKey { pid: facts.pid, start_ticks: 0 };
            let found = process_of(facts.pid)?;
            (facts.pane, found.unwrap_or(gone), facts.tty)
        }
    };
    let pane = tmux.pane(id).tagged(tag);
    let output = pane.watch().await?;
    Ok((pane, process, tty, output, own))
}
