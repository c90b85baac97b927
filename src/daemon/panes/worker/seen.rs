//! What the pane showed when it was last asked for, for as long as nothing was printed since: a screen that cannot have
//! changed is not asked for again.

use super::{End, Worker, answered};
use crate::io::tmux::{People, Printed, Screen, TmuxError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Rows above the screen that are searched for a claim or an echo; the whole history is read only once a claim is found.
pub(super) const SEARCHED_ROWS: u32 = 400;
/// How long a screen is kept: from a claim to the next turn's line. What was seen longer ago is cheap to see again.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// A screen, and when it was that.
#[derive(Debug)]
pub(super) struct Seen {
    /// How much had been printed before it was asked for.
    printed: Printed,
    at: Instant,
    screen: Arc<Screen>,
}

impl Worker {
    /// Takes the screen and the rows above it that are searched.
    pub(super) async fn see(&mut self) -> Result<Arc<Screen>, TmuxError> {
        let (printed, at) = (*self.output.borrow(), Instant::now());
        let screen = Arc::new(self.pane.capture(SEARCHED_ROWS, self.rows()).await?);
        self.seen = Some(Seen { printed, at, screen: screen.clone() });
        Ok(screen)
    }

    /// The same with the people who are there now; the screen may be one that was seen before.
    pub(super) async fn see_with_people(&mut self) -> Result<Result<(Arc<Screen>, People), TmuxError>, End> {
        let (printed, at) = (*self.output.borrow(), Instant::now());
        if let Some(seen) =
            self.seen.as_ref().filter(|seen| seen.printed == printed && seen.at + KEPT_FOR > at)
        {
            let screen = seen.screen.clone();
            return answered(self.pane.people().await.map(|people| (screen, people)));
        }
        let look = answered(self.pane.look(SEARCHED_ROWS, self.rows()).await)?;
        Ok(look.map(|(screen, people)| {
            let screen = Arc::new(screen);
            self.seen = Some(Seen { printed, at, screen: screen.clone() });
            (screen, people)
        }))
    }

    /// Something is typed, which will change the screen before that is heard of.
    pub(super) fn forget_seen(&mut self) {
        self.seen = None;
    }
}
