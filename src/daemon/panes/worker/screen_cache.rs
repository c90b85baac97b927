//! What the pane showed when it was last asked for, for as long as nothing was printed since: a screen that cannot have
//! changed is not asked for again.

use crate::io::mux::{PaneScreen, Printed};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Rows above the screen that are searched for a claim or an echo; the whole history is read only once a claim is found.
pub(super) const SEARCHED_ROWS: u32 = 400;
/// How long a screen is kept: from a claim to the next turn's line. What was seen longer ago is cheap to see again.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// The screen that was seen last, if it may still be so.
#[derive(Debug, Default)]
pub(super) struct ScreenCache(Option<Seen>);

/// A screen, and when it was that.
#[derive(Debug)]
struct Seen {
    /// How much had been printed before it was asked for.
    printed: Printed,
    at: Instant,
    screen: Arc<PaneScreen>,
}

impl ScreenCache {
    pub(super) fn keep(&mut self, screen: &Arc<PaneScreen>, printed: Printed, at: Instant) {
        self.0 = Some(Seen { printed, at, screen: screen.clone() });
    }

    /// The screen, where no more was printed since it was seen.
    pub(super) fn get(&self, printed: Printed, now: Instant) -> Option<Arc<PaneScreen>> {
        let seen = self.0.as_ref().filter(|seen| seen.printed == printed && seen.at + KEPT_FOR > now)?;
        Some(seen.screen.clone())
    }

    /// Something is typed, which will change the screen before that is heard of.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}
