//! Whether all goes well, and who is told.

pub mod notes;
pub mod service_notifier;
pub mod stall_watch;

use notes::Notes;
use service_notifier::{Heartbeat, ServiceNotifier};
use stall_watch::StallWatch;

/// What is known of the daemon's own health.
#[derive(Debug)]
pub struct HealthHandle {
    /// What does not work as it should.
    pub(in crate::daemon) notes: Notes,
    /// Since when nothing happens.
    pub(in crate::daemon) stall: StallWatch,
    /// What the service manager hears.
    pub(in crate::daemon) heartbeat: Heartbeat,
}

impl HealthHandle {
    /// At a start, of a journal of which this is lost.
    #[must_use]
    pub fn new(lost: Option<String>, notifier: ServiceNotifier) -> Self {
        let (notes, stall) = (Notes::of_start(lost), StallWatch::default());
        Self { notes, stall, heartbeat: Heartbeat::new(notifier) }
    }
}
