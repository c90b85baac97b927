//! Deadlines are moments on the wall clock, and somebody may set that: how far it is believed.
//!
//! What the daemon does lasts by its own clock, which never jumps and is still while the machine sleeps. A deadline passes
//! when the wall clock says so, whatever happened to it since the daemon began: it was put right by hours, or the machine has
//! slept. A clock that was put back is believed at once, for nothing ends by that. One that was put ahead is believed when
//! it has been by it for a minute, so that a slip of a hand or of a time server ends nothing. Sleep is no such jump.

use crate::engine::input::Moment;
use crate::engine::words::Millis;
use crate::io::chance::chance;
use crate::io::clock::Clock;

/// How long the wall clock has to stay ahead until it is believed.
const DOUBT_MS: u64 = 60_000;
/// How far it may be ahead without a doubt: time servers move it a little all the time.
const SLACK_MS: i128 = 2_000;
/// How often it is looked at while there are deadlines: nobody tells when it was set, and timers stand still in sleep.
pub(super) const LOOK_MS: u64 = 10_000;

/// What is believed of the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wall {
    /// How far it is ahead of the clock that counts sleep and cannot be set.
    ahead_ms: i128,
    /// It was put ahead: how far, and since when by that clock.
    doubted: Option<(i128, Millis)>,
}

/// What two clocks say at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// The wall clock.
    wall: Millis,
    /// The daemon's own, with the time that the machine has slept.
    own: Millis,
}

impl Seen {
    /// Looks at both.
    pub(super) fn now(clock: &Clock) -> Self {
        let slept_ms = u64::try_from(clock.slept().as_millis()).unwrap_or(u64::MAX);
        Self { wall: clock.wall(), own: clock.now().plus(slept_ms) }
    }

    fn ahead_ms(self) -> i128 {
        i128::from(self.wall.0) - i128::from(self.own.0)
    }
}

impl Wall {
    /// Believes it: there is nothing to hold it against.
    fn begin(seen: Seen) -> Self {
        Self { ahead_ms: seen.ahead_ms(), doubted: None }
    }

    /// Begins, and the first moment by it.
    pub(super) fn begin_at(clock: &Clock) -> (Self, Moment) {
        let (now, seen) = (clock.now(), Seen::now(clock));
        let wall = Self::begin(seen);
        (wall, Moment { now, wall: wall.says(seen), chance: chance(now) })
    }

    /// After another look.
    #[must_use]
    pub(super) fn look(self, seen: Seen) -> Self {
        let ahead_ms = seen.ahead_ms();
        if ahead_ms <= self.ahead_ms + SLACK_MS {
            return Self { ahead_ms, doubted: None };
        }
        let same = self.doubted.filter(|(was, _)| (ahead_ms - was).abs() <= SLACK_MS);
        match same {
            Some((_, since)) if seen.own.since(since) >= DOUBT_MS => Self { ahead_ms, doubted: None },
            Some(_) => self,
            None => Self { doubted: Some((ahead_ms, seen.own)), ..self },
        }
    }

    /// The time on the wall, as far as it is believed; never later than what it says.
    pub(super) fn says(self, seen: Seen) -> Millis {
        let believed = i128::from(seen.own.0) + self.ahead_ms.min(seen.ahead_ms());
        Millis(u64::try_from(believed.max(0)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: u64 = 3_600_000;

    fn seen(wall: u64, own: u64) -> Seen {
        Seen { wall: Millis(wall), own: Millis(own) }
    }

    #[test]
    fn a_wall_that_was_put_back_is_believed_at_once_and_one_that_was_put_ahead_after_a_minute() {
        let (start, mut wall) = (10 * HOUR_MS, Wall::begin(seen(10 * HOUR_MS, 0)));
        for (own, is, says) in [
            (1_000, start + 1_000, start + 1_000),
            (2_000, start - HOUR_MS, start - HOUR_MS),
            // Put right: a jump ahead, for all that anybody can tell.
            (3_000, start + 3_000, start - HOUR_MS + 1_000),
            (62_000, start + 62_000, start - HOUR_MS + 60_000),
            (63_000, start + 63_000, start + 63_000),
        ] {
            wall = wall.look(seen(is, own));
            assert_eq!(wall.says(seen(is, own)), Millis(says), "after {own} ms");
        }
    }

    #[test]
    fn a_wall_that_is_ahead_for_a_moment_is_not_believed() {
        let mut wall = Wall::begin(seen(HOUR_MS, 0));
        // Each of these is another one that is wrong, or right again in between.
        for (own, ahead) in [(0, 5), (59_000, 5), (60_000, 0), (61_000, 5), (120_000, 9), (179_000, 9)] {
            let is = seen(HOUR_MS + own + ahead * HOUR_MS, own);
            wall = wall.look(is);
            assert_eq!(wall.says(is), Millis(HOUR_MS + own));
        }
    }

    #[test]
    fn a_wall_that_is_moved_little_by_little_is_followed() {
        let mut wall = Wall::begin(seen(HOUR_MS, 0));
        for step in 1..=100 {
            let is = seen(HOUR_MS + step * 11_500, step * 10_000);
            wall = wall.look(is);
            assert_eq!((wall.says(is), wall.doubted), (is.wall, None));
        }
    }

    #[test]
    fn clocks_at_the_ends_of_time_are_no_trouble() {
        for (first, then) in [(0, u64::MAX), (u64::MAX, 0)] {
            let wall = Wall::begin(seen(first, 0)).look(seen(then, u64::MAX));
            assert!(wall.says(seen(then, u64::MAX)) <= Millis(u64::MAX));
            assert_eq!(wall.says(seen(0, u64::MAX)), Millis(0));
        }
    }
}
