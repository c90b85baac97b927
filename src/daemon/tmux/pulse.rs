//! The team's pulse in the status line of the agents' session. Nothing is asked or sent while nobody is attached, and tmux is told
//! only when the text has changed.

use crate::daemon::clients::reads::Reads;
use crate::io::mux::{MuxError, WeakMux};
use crate::read::Answers;
use crate::wire::api::StatusQuery;
use std::convert::Infallible;
use std::time::Duration;

/// Between two changes of the text: with each, tmux draws the whole screen of whoever is attached anew.
const BETWEEN: Duration = Duration::from_secs(1);

/// Where the pulse is read; nowhere in a simulation.
#[derive(Debug, Clone, Default)]
pub struct PulseHandle {
    reads: Option<Reads>,
}

impl PulseHandle {
    /// One that asks the reading thread.
    #[must_use]
    pub fn of(reads: Reads) -> Self {
        Self { reads: Some(reads) }
    }

    /// Shows it for as long as the connection lasts, and then waits to be dropped.
    pub(in crate::daemon) async fn show(self, mux: WeakMux) -> Infallible {
        if let Some(reads) = self.reads {
            follow(reads, &mux).await;
        }
        std::future::pending().await
    }
}

/// None when the connection or the daemon ends.
async fn follow(reads: Reads, mux: &WeakMux) -> Option<Infallible> {
    let mut coming = mux.coming();
    let (mut extents, mut live) = (reads.extents.clone(), reads.live.clone());
    let mut shown = None;
    loop {
        coming.mark_unchanged();
        extents.mark_unchanged();
        live.mark_unchanged();
        if !in_time(mux.get()?.has_people().await)?.unwrap_or(false) {
            coming.changed().await.ok()?;
            continue;
        }
        let status = reads.ask(|model| StatusQuery {}.answer(model)).await?;
        // What cannot be read is told elsewhere.
        if let Ok(status) = status {
            let text = Some((status.pulse.line(), status.pulse.alarm()));
            if text != shown
                && let Some((pulse, alarm)) = &text
                && in_time(mux.get()?.show_pulse(pulse, alarm).await)?.is_some()
            {
                shown = text;
            }
        }
        tokio::time::sleep(BETWEEN).await;
        tokio::select! {
            changed = coming.changed() => changed.ok()?,
            changed = extents.changed() => changed.ok()?,
            changed = live.changed() => changed.ok()?,
        }
    }
}

/// What tmux answered, or nothing yet if it is slow. None at all if the connection is gone.
fn in_time<T>(answer: Result<T, MuxError>) -> Option<Option<T>> {
    match answer {
        Ok(answer) => Some(Some(answer)),
        Err(MuxError::Late { .. }) => Some(None),
        Err(_) => None,
    }
}
