//! When what an agent needs is told: as soon as its screen has said so for a moment, and ever less often where that changes all the
//! time. In the end what the screen says is told.

use crate::engine::screen::reading::{Dialog, ScreenState};
use std::time::Duration;
use tokio::time::Instant;

/// How long a screen must be in the same state before that is told: programs draw in pieces.
const TELLS_AFTER: Duration = Duration::from_millis(300);
/// How soon it is told again that it says something else in the same state; twice as long each time, up to a minute.
const TELLS_ANEW: Duration = Duration::from_secs(1);
const TELLS_ANEW_MAX: Duration = Duration::from_secs(60);
/// How often the time between two is doubled at most: until it is a minute.
const DOUBLED_MAX: u32 = 6;
/// Changes of state that are told at once, one after the other: half a dozen dialogs that a person answers in the pane.
const AT_ONCE: u32 = 12;
/// For as long as this nothing must have changed for one more to be told at once. With less, a screen that changes now and then
/// would be told more often than some six times a minute, all day.
const REST: Duration = Duration::from_secs(9);

/// What was said of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    state: ScreenState,
    words: String,
    asks: Option<Dialog>,
    at: Instant,
}

impl Said {
    /// Whether a screen that says this says the same.
    fn is(&self, state: ScreenState, words: &str, asks: Option<&Dialog>) -> bool {
        let asks_the_same = state != ScreenState::WaitingInput || self.asks.as_ref() == asks;
        (self.state, self.words.as_str()) == (state, words) && asks_the_same
    }
}

/// What was last told of an agent's need, and what may come next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Debounce {
    /// The state that its screen shows, and since when.
    shown: ScreenState,
    since: Instant,
    said: Option<Said>,
    /// When its screen last said something else than what was told.
    changed: Instant,
    /// How often it was told without rest that its state had changed, and that it said something else in the same one.
    changes: u32,
    anew: u32,
}

/// What follows from a look at a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Debounced {
    /// It says what was told.
    Known,
    /// It says something else: to be looked at again then.
    Later(Instant),
    /// It is to be told now.
    Now,
}

impl Debounce {
    /// Nothing yet.
    pub(super) const fn nothing(shown: ScreenState, now: Instant) -> Self {
        Self { shown, since: now, said: None, changed: now, changes: 0, anew: 0 }
    }

    /// The state that was told last.
    pub(super) fn state(&self) -> Option<ScreenState> {
        self.said.as_ref().map(|said| said.state)
    }

    /// Takes note of what a screen says.
    pub(super) fn sees(
        &mut self,
        state: ScreenState,
        words: &str,
        asks: Option<&Dialog>,
        now: Instant,
    ) -> Debounced {
        if self.shown != state {
            (self.shown, self.since) = (state, now);
        }
        if self.said.as_ref().is_some_and(|said| said.is(state, words, asks)) {
            return Debounced::Known;
        }
        self.rest(now);
        let settled_at = self.since + TELLS_AFTER;
        let tells_at =
            self.said.as_ref().map_or(settled_at, |said| settled_at.max(said.at + self.pause(said)));
        if now < tells_at {
            return Debounced::Later(tells_at);
        }
        self.count(state);
        self.said = Some(Said { state, words: words.to_owned(), asks: asks.cloned(), at: now });
        Debounced::Now
    }

    /// How long nothing more is told after this.
    fn pause(&self, said: &Said) -> Duration {
        let doubled = |times: u32| TELLS_ANEW * 2_u32.pow(times.min(DOUBLED_MAX));
        let often = self.changes.checked_sub(AT_ONCE + 1).map(doubled);
        let anew = (self.shown == said.state).then(|| doubled(self.anew));
        often.max(anew).unwrap_or_default().min(TELLS_ANEW_MAX)
    }

    /// What has been still for a while is not taken for what changes all the time.
    fn rest(&mut self, now: Instant) {
        let rested = now.duration_since(self.changed);
        let less = rested.as_secs() / REST.as_secs();
        self.changes = self.changes.saturating_sub(u32::try_from(less).unwrap_or(u32::MAX));
        if rested >= TELLS_ANEW_MAX {
            self.anew = 0;
        }
        self.changed = now;
    }

    fn count(&mut self, state: ScreenState) {
        if self.state() == Some(state) {
            self.anew = DOUBLED_MAX.min(self.anew + 1);
            return;
        }
        self.changes = (AT_ONCE + 1 + DOUBLED_MAX).min(self.changes + 1);
        if self.changes <= AT_ONCE {
            self.anew = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a program was told of that shows this at each moment, with a look each 50 ms; and what was told last.
    fn told(
        seconds: u64,
        shows: impl Fn(u64) -> (ScreenState, String),
    ) -> (usize, Option<(ScreenState, String)>) {
        let start = Instant::now();
        let mut told = Debounce::nothing(ScreenState::Ready, start);
        let mut times = 0;
        for ms in (0..seconds * 1_000).step_by(50) {
            let (state, words) = shows(ms);
            let now = start + Duration::from_millis(ms);
            times += usize::from(told.sees(state, &words, None, now) == Debounced::Now);
        }
        (times, told.said.map(|said| (said.state, said.words)))
    }

    #[test]
    fn what_changes_at_each_look_is_told_with_its_newest_words() {
        let spins = |ms: u64| (ScreenState::RateLimited, format!("{} limit", ms / 50 % 2));
        let (times, last) = told(1, spins);
        assert_eq!((times, last), (1, Some((ScreenState::RateLimited, "0 limit".to_owned()))));
        let (times, _) = told(3_600, |ms| (ScreenState::RateLimited, format!("{} s", ms / 1_000)));
        assert!((60..=70).contains(&times), "{times}");
    }

    #[test]
    fn what_flaps_is_told_ever_less_often_and_in_the_end_what_is_true() {
        let flaps = |ms: u64| match ms / 600 % 2 {
            0 => (ScreenState::WaitingInput, "Do you want it?".to_owned()),
            _ => (ScreenState::Ready, String::new()),
        };
        let (times, _) = told(180, flaps);
        assert!((15..=25).contains(&times), "{times}");
        let (times, _) = told(3_600, flaps);
        assert!((60..=90).contains(&times), "{times}");
        for end in [ScreenState::WaitingInput, ScreenState::Ready, ScreenState::RateLimited] {
            let words = "at last".to_owned();
            let stands = |ms| if ms < 600_000 { flaps(ms) } else { (end, words.clone()) };
            assert_eq!(told(662, stands).1, Some((end, words.clone())));
        }
    }

    #[test]
    fn a_person_who_answers_one_dialog_after_the_other_is_not_slowed_down() {
        let asks = |ms: u64| match ms / 1_000 % 2 {
            0 => (ScreenState::WaitingInput, format!("question {}", ms / 2_000)),
            _ => (ScreenState::Ready, String::new()),
        };
        assert_eq!(told(12, asks).0, 12);
        // One each twenty seconds, all day.
        let asks = |ms: u64| match ms / 10_000 % 2 {
            0 => (ScreenState::WaitingInput, format!("question {}", ms / 20_000)),
            _ => (ScreenState::Ready, String::new()),
        };
        assert_eq!(told(7_200, asks).0, 720);
    }
}
