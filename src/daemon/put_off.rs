//! While a burst of drops is taken in, the views of its messages wait: they follow from the journal and nobody waits for them,
//! and a thread that writes them takes as long for each as it takes to accept two more messages.

use crate::engine::words::Millis;

/// So many drops found at once are a burst.
pub const BURST_DROPS: usize = 16;
/// A burst is over when none was found at once for this long: a few looks at a queue into which somebody is still writing.
const OVER_MS: u64 = 100;
/// However long it lasts, a view waits no longer than this before its turn comes: twenty to two hundred thousand drops.
const PUT_OFF_MS_MAX: u64 = 10_000;

/// Whether a burst is being taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PutOff {
    /// When it began, and when drops were last found; none while there is no burst.
    burst: Option<(Millis, Millis)>,
}

impl PutOff {
    /// So many drops were found at once.
    pub fn found(&mut self, drops: usize, now: Millis) {
        if drops >= BURST_DROPS {
            let began =
                self.burst.filter(|(_, last)| now.since(*last) <= OVER_MS).map_or(now, |(began, _)| began);
            self.burst = Some((began, now));
        }
    }

    /// Until when views of new messages wait; none if they do not.
    #[must_use]
    pub fn until(&self) -> Option<Millis> {
        self.burst.map(|(began, last)| last.plus(OVER_MS).min(began.plus(PUT_OFF_MS_MAX)))
    }

    /// Whether they wait now.
    #[must_use]
    pub fn holds(&self, now: Millis) -> bool {
        self.until().is_some_and(|until| now < until)
    }

    /// Nothing waits any longer: the end is near.
    pub fn end(&mut self) {
        self.burst = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_wait_while_a_burst_lasts_but_not_for_ever() {
        let mut put_off = PutOff::default();
        put_off.found(BURST_DROPS - 1, Millis(1_000));
        assert!(!put_off.holds(Millis(1_000)), "a few drops are no burst");
        put_off.found(BURST_DROPS, Millis(1_000));
        assert!(put_off.holds(Millis(1_099)) && !put_off.holds(Millis(1_100)), "it is over when none come");
        for now in (1_100..11_000).step_by(100) {
            put_off.found(256, Millis(now));
            assert!(put_off.holds(Millis(now)), "{now}");
        }
        put_off.found(256, Millis(11_000));
        assert!(!put_off.holds(Millis(11_000)), "they have waited long enough");
        put_off.found(256, Millis(11_101));
        assert!(put_off.holds(Millis(11_101)), "another burst");
        put_off.end();
        assert!(!put_off.holds(Millis(11_101)));
    }
}
