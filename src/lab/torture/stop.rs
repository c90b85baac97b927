//! The end of a run, for those who are to hear of it.

use std::time::Duration;
use tokio::sync::watch;

/// Whether it is over.
pub(super) type Stop = watch::Receiver<bool>;

/// Waits so long, or until it is over.
pub(super) async fn wait(time: Duration, stop: &mut Stop) {
    // A sender that has gone says that it is over as well.
    let _ = tokio::time::timeout(time, stop.wait_for(|over| *over)).await;
}
