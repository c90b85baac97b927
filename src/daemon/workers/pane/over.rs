//! The end of a turn without a claim: the agent waits for input again, as it did before its turn.

use super::Worker;
use crate::daemon::orders::Typed;
use crate::engine::echo;
use crate::engine::input::Report;
use crate::engine::screen::Screen as Seen;
use crate::io::process;
use crate::io::tmux::Screen;
use std::time::Duration;
use tokio::time::Instant;

/// After how long a silence it is looked whether the turn is over: a few times, less and less often, and then no more until
/// the agent prints something, so that whoever works in silence costs nothing.
const SILENCES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16), Duration::from_secs(64)];
/// How much later it must look the same: between two steps of a script all may wait for a moment.
const AGAIN: Duration = Duration::from_secs(1);

/// How far the looking is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over {
    /// Which silence is waited for.
    next: usize,
    /// Since when it seems to be over.
    since: Option<Instant>,
}

impl Over {
    /// Nothing was looked at yet.
    pub(super) const fn new() -> Self {
        Self { next: 0, since: None }
    }
}

impl Worker {
    /// Reports the end of a turn that was not claimed, once it is sure.
    pub(super) async fn look_for_end(&mut self, typed: &Typed, screen: &Screen) {
        let Some(mut over) = self.over.filter(|_| self.unread.is_none()) else { return };
        let Some(silence) = SILENCES.get(over.next) else { return };
        let at = over.since.map_or(self.printed + *silence, |since| since + AGAIN);
        if Instant::now() < at {
            return self.look_by(at);
        }
        let waits = stands_where_it_stood(screen, typed)
            && process::waits_for_input(self.process.pid, &self.tty) == Some(true);
        match (waits, over.since) {
            (true, Some(_)) => {
                self.over = None;
                let (id, turn) = (typed.id.clone(), typed.turn.number);
                return self.report(Report::TurnOver { id, turn }).await;
            }
            (true, None) => {
                over.since = Some(Instant::now());
                self.look_by(Instant::now() + AGAIN);
            }
            (false, _) => {
                over = Over { next: over.next + 1, since: None };
                if let Some(silence) = SILENCES.get(over.next) {
                    self.look_by(self.printed + *silence);
                }
            }
        }
        self.over = Some(over);
    }
}

/// Whether what stands before the cursor is what stood before the turn's line when it was typed: nothing, or the same prompt.
/// A question that the agent asks stands there, too, and is no end.
fn stands_where_it_stood(screen: &Screen, typed: &Typed) -> bool {
    // Counted from below, for rows above the cursor may be joined.
    let from_below = usize::from(screen.height.saturating_sub(screen.cursor.1)).max(1);
    let row = screen.rows.len().checked_sub(from_below).and_then(|at| screen.rows.get(at));
    let row = row.map_or("", String::as_str).trim_end();
    if row.is_empty() {
        return true;
    }
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let echo = echo::last_echo(&Seen::lines(&rows), &typed.line, typed.turn.token);
    let typed_row = echo.and_then(|echo| rows.get(echo.first_row).copied());
    let prompt =
        typed_row.and_then(|row| row.find(crate::engine::doorbell::HEAD).map(|at| row[..at].trim_end()));
    prompt == Some(row)
}
