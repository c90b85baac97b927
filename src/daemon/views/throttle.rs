//! While a burst of drops is taken in, the views of its messages wait: they follow from the journal and nobody waits for them,
//! and a thread that writes them takes as long for each as it takes to accept two more messages.

use crate::engine::words::Millis;

/// However long a burst lasts, views wait no longer than this before they are written beside it: a hundred thousand drops, as
/// many as may be open, take 8 s.
const THROTTLED_MS_MAX: u64 = 10_000;

/// Whether views of new messages wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throttle {
    /// Until when, while a burst lasts.
    until: Option<Millis>,
}

impl Throttle {
    /// A burst is being taken in, or not.
    pub fn set(&mut self, burst: bool, now: Millis) {
        self.until = burst.then(|| self.until.unwrap_or(now.plus(THROTTLED_MS_MAX)));
    }

    /// Until when they wait at the longest; none if they do not.
    #[must_use]
    pub fn until(self) -> Option<Millis> {
        self.until
    }

    /// Whether they wait now.
    #[must_use]
    pub fn holds(self, now: Millis) -> bool {
        self.until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_wait_while_a_burst_lasts_but_not_for_ever() {
        let mut throttle = Throttle::default();
        throttle.set(false, Millis(1_000));
        assert!(!throttle.holds(Millis(1_000)));
        let end = 1_000 + THROTTLED_MS_MAX;
        for now in (1_000..end).step_by(500) {
            throttle.set(true, Millis(now));
            assert!(throttle.holds(Millis(now)), "{now}");
        }
        throttle.set(true, Millis(end));
        assert!(!throttle.holds(Millis(end)), "they have waited long enough");
        throttle.set(false, Millis(end + 1));
        throttle.set(true, Millis(end + 2));
        assert!(throttle.holds(Millis(end + 2)), "another burst");
        throttle.set(false, Millis(end + 3));
        assert!(!throttle.holds(Millis(end + 3)), "it is over");
    }
}
