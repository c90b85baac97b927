//! Bursts: while many come, what nobody waits for is put off.

use crate::engine::words::Millis;

/// Drops and requests that are a burst where they come within so long; it lasts so long after the last ones.
const MANY: usize = 32;
const WITHIN_MS: u64 = 50;

/// Whether a burst is being taken in.
#[derive(Debug, Default)]
pub(super) struct Burst {
    since: Millis,
    came: usize,
    until: Option<Millis>,
}

impl Burst {
    /// So many came at once. What comes one by one is no burst: its sender may wait for each view.
    pub(super) fn came(&mut self, count: usize, now: Millis) {
        if count < 2 {
            return;
        }
        if now.since(self.since) >= WITHIN_MS {
            (self.since, self.came) = (now, 0);
        }
        self.came += count;
        if self.came >= MANY {
            self.until = Some(now.plus(WITHIN_MS));
        }
    }

    /// When it is over, if there is one.
    pub(super) fn until(&self) -> Option<Millis> {
        self.until
    }

    /// Whether it has just ended.
    pub(super) fn ends(&mut self, now: Millis) -> bool {
        self.until.take_if(|until| *until <= now).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_within_a_moment_are_a_burst_and_one_after_the_other_is_none() {
        let mut burst = Burst::default();
        (0..1_000).for_each(|at| burst.came(1, Millis(at)));
        (1_000..2_000).step_by(10).for_each(|at| burst.came(MANY / 10, Millis(at)));
        assert_eq!(burst.until(), None);
        (3_000..3_100).step_by(10).for_each(|at| burst.came(MANY / 4, Millis(at)));
        let end = 3_090 + WITHIN_MS;
        assert_eq!(burst.until(), Some(Millis(end)));
        assert!(!burst.ends(Millis(end - 1)) && burst.ends(Millis(end)) && !burst.ends(Millis(end)));
    }
}
