//! The session of an agent in its pane: what every part of the worker works with. It knows what the program printed and showed, looks
//! at it and presses keys.

use super::agent::Agent;
use super::looks::{Looks, PACE_MIN};
use super::program::Program;
use super::read::Read;
use super::reporter::Reporter;
use super::screen_cache::{SEARCHED_ROWS, ScreenCache};
use crate::daemon::panes::orders::Terms;
use crate::engine::input::{Guard, Report};
use crate::io::mux::{Key, MuxError, Pane, PaneScreen, People, Person, Printed, Rows};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often a closed guard is tried again that nothing tells us of: the reading of a terminal's input makes no sound,
/// and a person's idle time counts in seconds.
pub(super) const TRY_AGAIN: Duration = Duration::from_millis(250);
/// The same where something tells us, as the end of copy mode does, in case that it was not heard.
pub(super) const IN_ANY_CASE: Duration = Duration::from_secs(5);
/// A person may leave before having been quiet for long enough.
const PERSON_AGAIN_MAX: Duration = Duration::from_secs(1);

/// Why a worker ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::daemon) enum End {
    /// It was told to, or the loop is gone.
    Dismissed,
    /// The connection is gone; its keeper tells the loop.
    Disconnected,
}

/// What tmux answered; without a connection the worker ends, and anything else is a reason to ask again.
pub(super) fn answered<T>(answer: Result<T, MuxError>) -> Result<Result<T, MuxError>, End> {
    match answer {
        Err(MuxError::Gone { .. }) => Err(End::Disconnected),
        answer => Ok(answer),
    }
}

/// Why no key may be pressed, if there is a reason, and when to ask again.
pub(super) type Objection = Option<(Guard, Instant)>;

/// An agent in its pane.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) agent: Agent,
    pub(super) program: Program,
    pub(super) pane: Pane,
    pub(super) output: watch::Receiver<Printed>,
    /// When the pane's size changes.
    pub(super) size: watch::Receiver<()>,
    /// When the pane last printed something.
    pub(super) printed: Instant,
    pub(super) cache: ScreenCache,
    pub(super) looks: Looks,
    /// What holds for every worker.
    pub(super) terms: watch::Receiver<Terms>,
    pub(super) reporter: Reporter,
}

impl Session {
    /// The worker's clock.
    pub(super) fn now(&self) -> Instant {
        Instant::now()
    }

    pub(super) async fn report(&self, report: Report) {
        self.reporter.report(report).await;
    }

    pub(super) fn look_by(&mut self, at: Instant) {
        self.looks.by(at);
    }

    pub(super) fn look_now(&mut self) {
        self.looks.by(self.now());
    }

    /// The next look is now, whenever it would have been.
    pub(super) fn look_at_once(&mut self) {
        self.looks.next = Some(self.now());
    }

    /// How long it has printed nothing.
    pub(super) fn silence(&self) -> Duration {
        self.now().duration_since(self.printed)
    }

    /// What its profile makes of a screen; none if it has no rules.
    pub(super) fn read(&self, screen: &PaneScreen) -> Option<Read> {
        Some(Read::of(screen, self.agent.rules()?, &self.agent.mask))
    }

    /// What colours say of a screen, where its profile asks them.
    pub(super) async fn by_colour(
        &self,
        screen: &PaneScreen,
        read: &Read,
    ) -> Result<Option<(Arc<PaneScreen>, Read)>, MuxError> {
        let Some(rules) = self.agent.rules().filter(|rules| read.asks_for_colour(rules)) else {
            return Ok(None);
        };
        let above = screen.rows.len().saturating_sub(usize::from(screen.height));
        let coloured = self.pane.capture(u32::try_from(above).unwrap_or(0), Rows::Coloured).await?;
        let other = read.by_colour(coloured, rules, &self.agent.mask);
        Ok(other.map(|(screen, read)| (Arc::new(screen), read)))
    }

    /// The screen, and as many rows above it.
    pub(super) async fn capture(&self, above: u32) -> Result<PaneScreen, MuxError> {
        self.pane.capture(above, self.agent.rows()).await
    }

    /// The same with the people who are there.
    pub(super) async fn capture_with_people(&self, above: u32) -> Result<(PaneScreen, People), MuxError> {
        self.pane.look(above, self.agent.rows()).await
    }

    /// The screen and the rows above it that are searched.
    pub(super) async fn see(&mut self) -> Result<Arc<PaneScreen>, MuxError> {
        let (printed, at) = (*self.output.borrow(), self.now());
        let screen = Arc::new(self.capture(SEARCHED_ROWS).await?);
        self.cache.keep(&screen, printed, at);
        Ok(screen)
    }

    /// The same with the people who are there now; the screen may be one that was seen before.
    pub(super) async fn see_with_people(
        &mut self,
    ) -> Result<Result<(Arc<PaneScreen>, People), MuxError>, End> {
        let (printed, at) = (*self.output.borrow(), self.now());
        if let Some(screen) = self.cache.get(printed, at) {
            return answered(self.pane.people().await.map(|people| (screen, people)));
        }
        let look = answered(self.capture_with_people(SEARCHED_ROWS).await)?;
        Ok(look.map(|(screen, people)| {
            let screen = Arc::new(screen);
            self.cache.keep(&screen, printed, at);
            (screen, people)
        }))
    }

    /// How often the pane's size may have changed.
    pub(super) fn resized(&self) -> u64 {
        self.output.borrow().resized
    }

    /// As much of the history as can be had with the bottom of the screen: a capture that is too large lacks that.
    pub(super) async fn whole(&self) -> Option<PaneScreen> {
        self.whole_as(self.agent.rows()).await
    }

    /// The same with its rows in this way.
    pub(super) async fn whole_as(&self, given: Rows) -> Option<PaneScreen> {
        let mut rows = self.terms.borrow().history;
        loop {
            let screen = self.pane.capture(rows, given).await.ok()?;
            if !screen.cut || rows <= SEARCHED_ROWS {
                return Some(screen);
            }
            rows /= 2;
        }
    }

    /// Presses a key, which will change the screen before that is heard of.
    pub(super) async fn press(&mut self, key: Key) -> Result<(), MuxError> {
        self.cache.forget();
        self.pane.key(key).await
    }

    pub(super) async fn press_enter(&mut self) -> Result<(), MuxError> {
        self.cache.forget();
        self.pane.enter().await
    }

    pub(super) async fn paste(&mut self, line: &str) -> Result<(), MuxError> {
        self.cache.forget();
        self.pane.paste(line).await
    }

    pub(super) async fn type_keys(&mut self, line: &str) -> Result<(), MuxError> {
        self.cache.forget();
        self.pane.type_literal(line).await
    }

    /// Takes note of output until a moment.
    pub(super) async fn listen_until(&mut self, at: Instant) -> Result<(), End> {
        while self.listen_once(at).await? {}
        Ok(())
    }

    /// Waits until a moment, or for output before it; whether there was some.
    pub(super) async fn listen_once(&mut self, at: Instant) -> Result<bool, End> {
        tokio::select! {
            () = tokio::time::sleep_until(at) => Ok(false),
            changed = self.output.changed() => {
                changed.map_err(|_| End::Disconnected)?;
                self.printed = self.output.borrow().at;
                Ok(true)
            }
        }
    }

    /// The same for so long at most.
    pub(super) async fn listen_for(&mut self, most: Duration, deadline: Instant) -> Result<bool, End> {
        let at = deadline.min(self.now() + most);
        self.listen_once(at).await
    }

    /// Waits until the pane has been still for `quiet`, or the deadline.
    pub(super) async fn be_quiet(&mut self, quiet: Duration, deadline: Instant) -> Result<(), End> {
        loop {
            let still_at = (self.printed + quiet).min(deadline);
            if self.now() >= still_at {
                return Ok(());
            }
            self.listen_until(still_at).await?;
        }
    }

    /// Wait between the first output and the first look: none where nothing has to settle.
    pub(super) fn first_pace(&self) -> Duration {
        PACE_MIN.min(self.agent.quiet())
    }

    /// Whether nothing is to be typed anywhere.
    pub(super) fn halted(&self) -> bool {
        self.terms.borrow().halted
    }

    /// Why no key may be pressed, not even one that ends what was begun: somebody wants that nothing is typed, or types.
    pub(super) async fn hands_off(&mut self) -> Result<Objection, MuxError> {
        let person = if self.halted() { None } else { self.pane.person().await? };
        Ok(self.minds(person.as_ref()))
    }

    /// The same, with the person who looks at the pane known already.
    pub(super) fn minds(&self, person: Option<&Person>) -> Objection {
        let now = self.now();
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
}
