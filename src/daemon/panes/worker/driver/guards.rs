//! The guards: everything that must hold before the first byte is typed.

use super::Worker;
use crate::daemon::panes::worker::readiness::Due;
use crate::daemon::panes::worker::session::{End, IN_ANY_CASE, TRY_AGAIN, answered};
use crate::daemon::panes::worker::unsent::row_of;
use crate::daemon::tmux::windows::ASK_AGAIN;
use crate::engine::input::{Guard, Report};
use crate::engine::words::Token;
use crate::io::mux::PaneScreen;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long an interpreter may take on a loaded machine until it prints its prompt; many programs print none.
const SILENT_START: Duration = Duration::from_millis(500);

/// Whether a pane may be typed to.
pub(super) enum Verdict {
    /// Every guard is open; this is what the pane shows.
    Open(Arc<PaneScreen>),
    /// This one is closed; look again at this moment.
    Closed(Guard, Instant),
}

impl Worker {
    /// Looks at every guard once, the cheap ones first: a pane that prints on is not captured for this.
    pub(super) async fn guards(&mut self, since: Instant) -> Result<Verdict, End> {
        let now = self.session.now();
        if let Some((guard, again)) = self.busy(since, now) {
            return Ok(Verdict::Closed(guard, again));
        }
        // tmux may have taken long.
        let unanswered = |now: Instant| Verdict::Closed(Guard::NoAnswer, now + ASK_AGAIN);
        let Ok((mut screen, people)) = self.session.see_with_people().await? else {
            return Ok(unanswered(self.session.now()));
        };
        if screen.in_mode {
            return Ok(Verdict::Closed(Guard::CopyMode, now + IN_ANY_CASE));
        }
        if let Some(mut read) = self.session.read(&screen) {
            match answered(self.session.by_colour(&screen, &read).await)? {
                Ok(Some(other)) => (screen, read) = other,
                Ok(None) => {}
                Err(_) => return Ok(unanswered(self.session.now())),
            }
            self.overview.keep_frame(&screen, &read, &self.session);
            self.tell_need(&read).await?;
            let guard = self.needs.closed_by(&read, &self.own, &self.session.agent);
            self.unsent().tell_box(read.input.as_deref().filter(|_| guard == Some(Guard::Draft))).await;
            if let Some(guard) = guard {
                return Ok(Verdict::Closed(guard, now + IN_ANY_CASE));
            }
        } else if let Some(ready_at) = self.silent_start(&screen).filter(|at| now < *at) {
            return Ok(Verdict::Closed(Guard::NotReadyYet, ready_at));
        } else if self.session.program.is_occupied() {
            return Ok(Verdict::Closed(Guard::Occupied, now + TRY_AGAIN));
        } else if self.work.busy.is_still_at_something(since, &self.session) {
            return Ok(Verdict::Closed(Guard::Working, now + TRY_AGAIN));
        } else {
            match answered(self.unsent().has_words(&screen, &people).await)? {
                Ok(false) if self.is_asked_in(&row_of(&screen)) => {
                    return Ok(Verdict::Closed(Guard::Asking, now + IN_ANY_CASE));
                }
                Ok(false) => {}
                Ok(true) => return Ok(Verdict::Closed(Guard::Draft, now + IN_ANY_CASE)),
                Err(_) => return Ok(unanswered(self.session.now())),
            }
        }
        if let Some((guard, again)) = self.session.minds(people.here.as_ref()) {
            return Ok(Verdict::Closed(guard, again));
        }
        if self.record.is_working().await {
            return Ok(Verdict::Closed(Guard::Working, now + TRY_AGAIN));
        }
        Ok(Verdict::Open(screen))
    }

    fn is_asked_in(&self, row: &str) -> bool {
        self.unsent.is_asked_in(row, || self.session.program.waits_for_a_line())
    }

    /// Whether its terminal is busy, as far as that is known without asking tmux.
    fn busy(&self, since: Instant, now: Instant) -> Option<(Guard, Instant)> {
        if self.session.halted() {
            return Some((Guard::Stopped, now + IN_ANY_CASE));
        }
        if self.session.program.unread() > 0 {
            return Some((Guard::Busy, now + TRY_AGAIN));
        }
        let profile = self.session.agent.profile();
        let quiet_at = self.session.printed + Duration::from_millis(profile.ready_quiet_ms);
        let patient_until = since + Duration::from_millis(profile.ready_within_ms);
        (now < quiet_at && now < patient_until).then(|| (Guard::Busy, quiet_at.min(patient_until)))
    }

    /// Until when a program that was just started and has shown nothing yet is taken to be still starting: what it prints
    /// first would stand in one row with what is typed.
    fn silent_start(&self, screen: &PaneScreen) -> Option<Instant> {
        let quiet_ms = self.session.agent.profile().ready_quiet_ms;
        let is_blank = screen.rows.iter().all(|row| row.trim().is_empty());
        let started = self.session.program.started.filter(|_| is_blank && quiet_ms > 0)?;
        Some(started + SILENT_START.max(Duration::from_millis(quiet_ms)))
    }

    /// Probes readiness while something waits: reports `Ready` once every guard is open.
    pub(super) async fn probe(&mut self) -> Result<(), End> {
        let Some(since) = self.readiness.probed else { return Ok(()) };
        match self.guards(since).await? {
            Verdict::Open(screen) => {
                let patience = Duration::from_millis(self.session.agent.profile().ready_within_ms);
                self.readiness.found_free(since, patience, self.session.now());
                self.session.report(Report::Ready { fresh: fresh_token(&screen) }).await;
            }
            Verdict::Closed(guard, again) => {
                self.session.look_by(again);
                // What it prints meanwhile brings us here sooner, but ever less often.
                self.session.looks.slow_down();
                if self.readiness.found_closed(guard, since, self.session.now()) {
                    self.session.report(Report::NotReady { guard }).await;
                }
            }
        }
        Ok(())
    }

    /// The same unasked, if it is time.
    pub(super) async fn probe_unasked(&mut self) -> Result<(), End> {
        let now = self.session.now();
        match self.readiness.due(now, self.is_idle()) {
            Due::Never => return Ok(()),
            Due::Later(at) => {
                self.session.look_by(at);
                return Ok(());
            }
            Due::Now => {}
        }
        match self.guards(now).await? {
            Verdict::Open(screen) => {
                self.readiness.looked(now, None);
                self.session.report(Report::Ready { fresh: fresh_token(&screen) }).await;
            }
            Verdict::Closed(_, again) => {
                if let Some(at) = self.readiness.looked(now, Some(again)) {
                    self.session.look_by(at);
                }
            }
        }
        Ok(())
    }
}

/// A token that does not stand on the screen.
fn fresh_token(screen: &PaneScreen) -> Token {
    loop {
        let token = Token::mint(getrandom::u64().unwrap_or_else(|_| u64::from(screen.cursor.0)));
        if !screen.rows.iter().any(|row| row.contains(token.as_str())) {
            return token;
        }
    }
}
