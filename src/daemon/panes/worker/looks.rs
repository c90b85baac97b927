//! When the pane is looked at: woken by its output, paced while it prints on.

use crate::io::mux::SILENCE;
use std::time::Duration;
use tokio::time::Instant;

/// Wait between the first output and the first look: what a program prints in one go arrives within 2 ms.
pub(super) const PACE_MIN: Duration = Duration::from_millis(2);
/// Wait between two looks at a pane that prints without end (performance: one capture a second).
pub(super) const PACE_MAX: Duration = SILENCE;

/// The looks at a pane.
#[derive(Debug)]
pub(super) struct Looks {
    /// When the next one is due.
    pub(super) next: Option<Instant>,
    /// Until when further output is not listened to: there is a look by then.
    pub(super) deaf_until: Option<Instant>,
    /// Wait before the next one while the pane prints on.
    pub(super) pace: Duration,
    /// When its screen was last asked for.
    pub(super) last: Instant,
}

impl Looks {
    pub(super) const fn new(next: Option<Instant>, now: Instant) -> Self {
        Self { next, deaf_until: None, pace: PACE_MIN, last: now }
    }

    /// The next look is no later than this.
    pub(super) fn by(&mut self, at: Instant) {
        self.next = Some(self.next.map_or(at, |sooner| sooner.min(at)));
    }

    /// The next one is now, and looks are frequent again.
    pub(super) fn restart(&mut self, now: Instant) {
        (self.pace, self.next) = (PACE_MIN, Some(now));
    }

    /// Fruitless looks get rarer while it prints on.
    pub(super) fn slow_down(&mut self) {
        self.pace = (self.pace.max(PACE_MIN) * 2).min(PACE_MAX);
    }

    /// Whether output is heard at once: not while a look is due that will see what comes until then.
    pub(super) fn listens(&self, now: Instant) -> bool {
        self.deaf_until.is_none_or(|until| now >= until)
    }
}
