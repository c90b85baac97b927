//! The guards: everything that must hold before the first byte is typed.

use super::{ASK_AGAIN, End, Worker, answered};
use crate::engine::input::{Guard, Report};
use crate::engine::words::Token;
use crate::io::process;
use crate::io::tmux::{Rows, Screen};
use std::time::Duration;
use tokio::time::Instant;

/// How often a closed guard is tried again that nothing tells us of: a person's idle time counts in seconds, and the
/// reading of a terminal's input makes no sound.
const TRY_AGAIN: Duration = Duration::from_millis(250);

/// Whether a pane may be typed to.
pub(super) enum Verdict {
    /// Every guard is open; this is what the pane shows.
    Open(Screen),
    /// This one is closed; look again at this moment.
    Closed(Guard, Instant),
}

impl Worker {
    /// Looks at every guard once.
    pub(super) async fn guards(&mut self, since: Instant) -> Result<Verdict, End> {
        let again = Instant::now() + TRY_AGAIN;
        let unanswered = || Verdict::Closed(Guard::NoAnswer, Instant::now() + ASK_AGAIN);
        let Ok(screen) = answered(self.pane.capture(self.history.min(400), Rows::Joined).await)? else {
            return Ok(unanswered());
        };
        if screen.in_mode {
            return Ok(Verdict::Closed(Guard::CopyMode, again));
        }
        let Ok(person) = answered(self.pane.person().await)? else {
            return Ok(unanswered());
        };
        if let Some(person) = person
            && person.idle_ms < self.person_quiet_ms
        {
            return Ok(Verdict::Closed(Guard::PersonTyping, again));
        }
        let now = Instant::now();
        let quiet_at = self.printed + Duration::from_millis(self.launch.profile.ready_quiet_ms);
        let patient_until = since + Duration::from_millis(self.launch.profile.ready_within_ms);
        if process::unread_input(&self.tty).unwrap_or(0) > 0 {
            return Ok(Verdict::Closed(Guard::Busy, again));
        }
        if now < quiet_at && now < patient_until {
            return Ok(Verdict::Closed(Guard::Busy, quiet_at.min(patient_until)));
        }
        Ok(Verdict::Open(screen))
    }

    /// Goes on seeking: reports `Ready` once every guard is open.
    pub(super) async fn seek(&mut self) -> Result<(), End> {
        let Some(since) = self.seeking else { return Ok(()) };
        match self.guards(since).await? {
            Verdict::Open(screen) => {
                self.seeking = None;
                self.sought = Some(since);
                self.guard = None;
                let fresh = fresh_token(&screen);
                self.report(Report::Ready { fresh }).await;
            }
            Verdict::Closed(guard, again) => {
                self.look_by(again);
                // A pane that is merely printing is the rule while an agent starts; it is told only if it lasts.
                let told = guard != Guard::Busy || since.elapsed() > Duration::from_secs(1);
                if told && self.guard != Some(guard) {
                    self.guard = Some(guard);
                    self.report(Report::NotReady { guard }).await;
                }
            }
        }
        Ok(())
    }
}

/// A token that does not stand on the screen.
fn fresh_token(screen: &Screen) -> Token {
    loop {
        let token = Token::mint(getrandom::u64().unwrap_or_else(|_| u64::from(screen.cursor.0)));
        if !screen.rows.iter().any(|row| row.contains(token.as_str())) {
            return token;
        }
    }
}
