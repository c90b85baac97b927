//! Standing readiness: the worker says by itself when its agent is free, and when that is not known any more, so that what comes is
//! given at once. Nobody waits for that: it is looked at behind a turn and once what was printed has stopped, ever less often, and a
//! pane that prints without end or is still costs nothing.

use super::guards::{Verdict, fresh_token};
use super::{End, Worker};
use crate::engine::input::Report;
use std::time::Duration;
use tokio::time::Instant;

/// First wait between two such looks; twice as long each time until the next turn.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// Longest wait; where a guard is closed for so long it is looked at again only when the pane prints.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What the loop knows of its agent's being free.
#[derive(Debug)]
pub(super) struct Standing {
    /// Whether it was told that it is free, and has not given it a turn since.
    told: bool,
    /// Whether it is to be told that this is not known any more.
    lost: bool,
    /// When it is looked at next; none until the pane prints, or is given a turn.
    at: Option<Instant>,
    /// When it was looked at last.
    looked: Option<Instant>,
    wait: Duration,
}

impl Standing {
    /// Nothing was told; it is looked at from this moment on, if that is given.
    pub(super) const fn new(at: Option<Instant>) -> Self {
        Self { told: false, lost: false, at, looked: None, wait: FIRST_WAIT }
    }
}

impl Worker {
    /// A turn of its agent's is over, or something else that had begun: whether it is free is looked at soon.
    pub(super) fn stand_soon(&mut self) {
        self.lose_standing();
        let at = Instant::now() + self.quiet();
        (self.standing.wait, self.standing.at) = (FIRST_WAIT, Some(at));
        self.look_by(at);
    }

    /// The loop was told that it is free, since something waited.
    pub(super) fn stands_free(&mut self) {
        self.standing = Standing { told: true, looked: Some(Instant::now()), ..Standing::new(None) };
    }

    /// The loop has given it a turn, knows that something is in the way, or waits to be told: what was said before is void.
    pub(super) fn stands_no_more(&mut self) {
        self.standing = Standing { looked: self.standing.looked, ..Standing::new(None) };
    }

    /// What the loop was told may not be so any more.
    pub(super) fn lose_standing(&mut self) {
        self.standing.lost |= std::mem::take(&mut self.standing.told);
    }

    /// The pane printed something.
    pub(super) fn heard_while_standing(&mut self) {
        self.lose_standing();
        let quiet = Duration::from_millis(self.launch.profile.ready_quiet_ms).max(self.quiet());
        if self.standing.at.is_none() && self.may_stand() {
            let rested = self.standing.looked.map(|looked| looked + self.standing.wait);
            let at = rested.map_or(self.printed + quiet, |rested| rested.max(self.printed + quiet));
            self.standing.at = Some(at);
            self.look_by(at);
        }
    }

    /// Tells the loop if it believes what is not known any more.
    pub(super) async fn tell_standing(&mut self) {
        if std::mem::take(&mut self.standing.lost) {
            self.report(Report::Unready).await;
        }
    }

    /// Whether nobody waits for it and nothing is awaited of it.
    fn may_stand(&self) -> bool {
        let is_waited_for = !self.waiters.is_empty() || !self.sendings.is_empty();
        self.seeking.is_none() && self.awaited.is_none() && !self.standing.told && !is_waited_for
    }

    /// Looks whether it is free, if it is time.
    pub(super) async fn stand(&mut self) -> Result<(), End> {
        let Some(at) = self.standing.at.filter(|_| self.may_stand()) else { return Ok(()) };
        let now = Instant::now();
        if now < at {
            self.look_by(at);
            return Ok(());
        }
        let verdict = self.guards(now).await?;
        self.standing.looked = Some(now);
        let wait = self.standing.wait;
        self.standing.wait = (wait * 2).min(LONGEST_WAIT);
        match verdict {
            Verdict::Open(screen) => {
                (self.standing.at, self.standing.told, self.sought) = (None, true, None);
                self.report(Report::Ready { fresh: fresh_token(&screen) }).await;
            }
            Verdict::Closed(..) if wait >= LONGEST_WAIT => self.standing.at = None,
            Verdict::Closed(_, again) => {
                let at = again.max(now + wait);
                self.standing.at = Some(at);
                self.look_by(at);
            }
        }
        Ok(())
    }
}
