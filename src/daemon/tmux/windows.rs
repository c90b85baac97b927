//! The end of windows, and of what ran in them.

use crate::engine::words::ProcessKey;
use crate::io::mux::{Mux, MuxError, PaneRow, Tag};
use crate::io::process::{self, Family};
use std::sync::Arc;
use std::time::Duration;

/// How soon tmux is asked again after it gave no answer: it is stopped or overloaded.
pub(in crate::daemon) const ASK_AGAIN: Duration = Duration::from_secs(1);
/// How long a program may take to end when its window is closed.
pub(in crate::daemon) const HANGS_UP: Duration = Duration::from_secs(2);

/// The process of a pane; none if it has ended.
///
/// # Errors
/// [`MuxError::Io`] if that cannot be looked at: then nothing is known of it.
pub(in crate::daemon) fn process_of(pid: u32) -> Result<Option<ProcessKey>, MuxError> {
    process::find(pid).map_err(|source| MuxError::Io {
        what: format!("cannot look at process {pid}"),
        source: Arc::new(source),
    })
}

/// Ends a program whose window was closed, and all that it started, if they do not end by themselves: who ignores SIGHUP
/// would live on without a terminal, and go on with its work beside the next one.
pub(in crate::daemon) async fn see_off(family: Family) {
    family.see_off(HANGS_UP).await;
}

/// Closes the window of a launch. While tmux does not answer it is tried again: the window of a launch that was given up is
/// made only when tmux goes on. What a connection that is gone has left is closed by the next one.
pub(in crate::daemon) async fn close_for_sure(tmux: &Mux, tag: &Tag) {
    while let Err(error) = close(tmux, tag).await {
        tracing::warn!(%error, %tag, "a window could not be closed");
        if !matches!(error, MuxError::Late { .. }) {
            return;
        }
        tokio::time::sleep(ASK_AGAIN).await;
    }
}

async fn close(tmux: &Mux, tag: &Tag) -> Result<(), MuxError> {
    let rows: Vec<PaneRow> = tmux.list_panes().await?;
    for row in rows.into_iter().filter(|row| row.tag.as_ref() == Some(tag)) {
        let family = process::key_of(row.pid).filter(|_| !row.dead).map(Family::of);
        let closed = tmux.pane(row.pane).tagged(tag.clone()).kill_window().await;
        if let Some(family) = family {
            see_off(family).await;
        }
        match closed {
            Ok(()) => tracing::info!(%tag, "a window that nobody waits for is closed"),
            Err(MuxError::NoPane { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
