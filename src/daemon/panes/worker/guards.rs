//! The guards: everything that must hold before the first byte is typed.

use super::looking::PACE_MIN;
use super::{ASK_AGAIN, End, Worker, answered};
use crate::engine::input::{Guard, Report};
use crate::engine::words::Token;
use crate::io::process;
use crate::io::tmux::{Person, Screen, TmuxError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often a closed guard is tried again that nothing tells us of: the reading of a terminal's input makes no sound,
/// and a person's idle time counts in seconds.
const TRY_AGAIN: Duration = Duration::from_millis(250);
/// The same where something tells us, as the end of copy mode does, in case that it was not heard.
const IN_ANY_CASE: Duration = Duration::from_secs(5);
/// How long an interpreter may take on a loaded machine until it prints its prompt; many programs print none.
const SILENT_START: Duration = Duration::from_millis(500);
/// A person may leave before having been quiet for long enough.
const PERSON_AGAIN_MAX: Duration = Duration::from_secs(1);

/// Whether a pane may be typed to.
pub(super) enum Verdict {
    /// Every guard is open; this is what the pane shows.
    Open(Arc<Screen>),
    /// This one is closed; look again at this moment.
    Closed(Guard, Instant),
}

impl Worker {
    /// Looks at every guard once, the cheap ones first: a pane that prints on is not captured for this.
    pub(super) async fn guards(&mut self, since: Instant) -> Result<Verdict, End> {
        let now = Instant::now();
        if let Some((guard, again)) = self.busy(since, now) {
            return Ok(Verdict::Closed(guard, again));
        }
        let unanswered = || Verdict::Closed(Guard::NoAnswer, Instant::now() + ASK_AGAIN);
        let Ok((mut screen, people)) = self.see_with_people().await? else { return Ok(unanswered()) };
        if screen.in_mode {
            return Ok(Verdict::Closed(Guard::CopyMode, now + IN_ANY_CASE));
        }
        if let Some(mut read) = self.read(&screen) {
            match answered(self.by_colour(&screen, &read).await)? {
                Ok(Some(other)) => (screen, read) = other,
                Ok(None) => {}
                Err(_) => return Ok(unanswered()),
            }
            self.keep_frame(&screen, &read);
            self.tell_need(&read).await?;
            let guard = self.closed_by(&read);
            self.tell_box(read.input.as_deref().filter(|_| guard == Some(Guard::Draft))).await;
            if let Some(guard) = guard {
                return Ok(Verdict::Closed(guard, now + IN_ANY_CASE));
            }
        } else if let Some(ready_at) = self.silent_start(&screen).filter(|at| now < *at) {
            return Ok(Verdict::Closed(Guard::NotReadyYet, ready_at));
        } else if self.is_occupied() {
            return Ok(Verdict::Closed(Guard::Occupied, now + TRY_AGAIN));
        } else if self.is_still_at_something(since) {
            return Ok(Verdict::Closed(Guard::Working, now + TRY_AGAIN));
        } else {
            match answered(self.has_unsent(&screen, &people).await)? {
                Ok(false) => {}
                Ok(true) => return Ok(Verdict::Closed(Guard::Draft, now + IN_ANY_CASE)),
                Err(_) => return Ok(unanswered()),
            }
        }
        if let Some((guard, again)) = self.minds(people.here.as_ref()) {
            return Ok(Verdict::Closed(guard, again));
        }
        if self.says_it_works().await {
            return Ok(Verdict::Closed(Guard::Working, now + TRY_AGAIN));
        }
        Ok(Verdict::Open(screen))
    }

    /// Whether its terminal is busy, as far as that is known without asking tmux.
    fn busy(&self, since: Instant, now: Instant) -> Option<(Guard, Instant)> {
        if self.halted() {
            return Some((Guard::Stopped, now + IN_ANY_CASE));
        }
        if process::unread_input(&self.tty).unwrap_or(0) > 0 {
            return Some((Guard::Busy, now + TRY_AGAIN));
        }
        let profile = &self.launch.profile;
        let quiet_at = self.printed + Duration::from_millis(profile.ready_quiet_ms);
        let patient_until = since + Duration::from_millis(profile.ready_within_ms);
        (now < quiet_at && now < patient_until).then(|| (Guard::Busy, quiet_at.min(patient_until)))
    }

    /// Whether its program is a shell at whose terminal another program runs, which reads what is typed.
    pub(super) fn is_occupied(&self) -> bool {
        process::runs_in_front(self.process.pid) == Some(false) && process::is_bare_shell(self.process.pid)
    }

    /// Until when a program that was just started and has shown nothing yet is taken to be still starting: what it prints
    /// first would stand in one row with what is typed.
    fn silent_start(&self, screen: &Screen) -> Option<Instant> {
        let quiet_ms = self.launch.profile.ready_quiet_ms;
        let is_blank = screen.rows.iter().all(|row| row.trim().is_empty());
        let started = self.started.filter(|_| is_blank && quiet_ms > 0)?;
        Some(started + SILENT_START.max(Duration::from_millis(quiet_ms)))
    }

    /// Why no key may be pressed, not even one that ends what was begun: somebody wants that nothing is typed, or types.
    pub(super) async fn hands_off(&mut self) -> Result<Option<(Guard, Instant)>, TmuxError> {
        let person = if self.halted() { None } else { self.pane.person().await? };
        Ok(self.minds(person.as_ref()))
    }

    /// The same, with the person who looks at the pane known already.
    pub(super) fn minds(&self, person: Option<&Person>) -> Option<(Guard, Instant)> {
        let now = Instant::now();
        if self.halted() {
            return Some((Guard::Stopped, now + IN_ANY_CASE));
        }
        let quiet_ms = self.terms.borrow().person_quiet_ms;
        let typing = person.filter(|person| person.idle_ms < quiet_ms);
        typing.map(|person| {
            let rest = Duration::from_millis(quiet_ms - person.idle_ms);
            (Guard::PersonTyping, now + rest.clamp(TRY_AGAIN, PERSON_AGAIN_MAX))
        })
    }

    /// Whether nothing is to be typed anywhere.
    pub(super) fn halted(&self) -> bool {
        self.terms.borrow().halted
    }

    /// Rows of history that an answer may take.
    pub(super) fn history(&self) -> u32 {
        self.terms.borrow().history
    }

    /// Something waits for the agent: from now on the loop wants to know whether it is ready, and why not.
    pub(super) fn begin_to_seek(&mut self, past: Option<Arc<str>>) {
        self.seeking = Some(Instant::now());
        self.stands_no_more();
        self.past = past;
        self.pace = PACE_MIN;
        self.guard = None;
        self.look_at = Some(Instant::now());
    }

    /// Goes on seeking: reports `Ready` once every guard is open.
    pub(super) async fn seek(&mut self) -> Result<(), End> {
        let Some(since) = self.seeking else { return Ok(()) };
        match self.guards(since).await? {
            Verdict::Open(screen) => {
                self.seeking = None;
                let patience = Duration::from_millis(self.launch.profile.ready_within_ms);
                self.sought = (since.elapsed() >= patience).then_some(since);
                self.stands_free();
                self.guard = None;
                let fresh = fresh_token(&screen);
                self.report(Report::Ready { fresh }).await;
            }
            Verdict::Closed(guard, again) => {
                self.look_by(again);
                // What it prints meanwhile brings us here sooner, but ever less often.
                self.slow_down();
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
pub(super) fn fresh_token(screen: &Screen) -> Token {
    loop {
        let token = Token::mint(getrandom::u64().unwrap_or_else(|_| u64::from(screen.cursor.0)));
        if !screen.rows.iter().any(|row| row.contains(token.as_str())) {
            return token;
        }
    }
}
