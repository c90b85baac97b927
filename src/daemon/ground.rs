//! The ground that a daemon is on: when its lock or its journal is not the one on the disk any more, another daemon may
//! run beside it, and it goes to its end at once.

use crate::daemon::ending::Ending;
use crate::io::clock::Clock;
use crate::io::foothold::{Foothold, Lost};
use crate::io::views::{last_word, line};
use crate::io::workspace::Workspace;
use crate::wire::status;
use crate::wire::status::DaemonStatus;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Between two looks where nothing tells of a change.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Many files may come and go in the workspace: it is looked at no more often.
const RESTS: Duration = Duration::from_millis(50);

/// The ground, and the way to whoever ends the daemon.
#[derive(Debug, Clone)]
pub(in crate::daemon) struct Ground {
    foothold: Arc<Foothold>,
    end: mpsc::Sender<Ending>,
}

impl Ground {
    /// Takes hold of what is there, once the lock is ours.
    ///
    /// # Errors
    /// If something of it cannot be opened.
    pub(in crate::daemon) fn of(workspace: &Workspace, end: mpsc::Sender<Ending>) -> io::Result<Self> {
        Ok(Self { foothold: Arc::new(Foothold::of(workspace)?), end })
    }

    /// What of it is gone. If anything is, the daemon goes to its end: nothing may be taken any more.
    pub(in crate::daemon) fn lost(&self) -> Option<Lost> {
        let lost = self.foothold.lost();
        if lost.is_some() {
            // If there is no room, it is on its way to its end already.
            let _ = self.end.try_send(Ending::Displaced);
        }
        lost
    }

    /// Looks whenever something is removed, until the ground is gone.
    pub(in crate::daemon) async fn watch(self) -> &'static str {
        let removals = self.foothold.watch();
        let removals = removals.inspect_err(
            |error| tracing::warn!(%error, "the removal of .tasuki/ cannot be watched for; it is checked every second"),
        );
        while self.lost().is_none() {
            match &removals {
                Ok(removals) if self.foothold.is_in_place() => {
                    if removals.next().await.is_err() {
                        tokio::time::sleep(LOOK_AGAIN).await;
                    }
                    tokio::time::sleep(RESTS).await;
                }
                _ => tokio::time::sleep(LOOK_AGAIN).await,
            }
        }
        "ground"
    }

    /// Why the daemon ends, in words, with the cure.
    pub(in crate::daemon) fn why(&self) -> String {
        let lost = self.foothold.lost();
        let lost =
            lost.map_or_else(|| "its .tasuki/ was removed for a while".to_owned(), |lost| lost.to_string());
        format!(
            "the daemon has ended and left the agents running: {lost}; put it back and run `tasuki up`, or end the agents with `tasuki down`"
        )
    }

    /// Says so where people look. Nobody else writes there: the threads have ended.
    pub(in crate::daemon) fn tell(&self, clock: &Clock) -> String {
        let (why, at) = (self.why(), clock.wall());
        tracing::error!("{why}");
        let daemon = status::daemon(&DaemonStatus {
            pid: None,
            version: env!("CARGO_PKG_VERSION"),
            started_at: at,
            at,
            socket: None,
            stopped_since: None,
            counts: &[],
            notes: std::slice::from_ref(&why),
        });
        // Where the whole is gone there is nobody who looks there.
        let told = self.foothold.root().map(|root| last_word(&root, &line(clock.now(), &why), &daemon));
        if let Some(Err(error)) = told {
            tracing::error!(%error, "it could not be noted in status/");
        }
        why
    }
}
