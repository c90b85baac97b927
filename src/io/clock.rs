//! The one place that reads the time.
//!
//! [`Clock::now`] is what the engine is given: the wall clock as it stood at start, carried on by the monotonic clock.
//! It therefore is still while the machine sleeps: an agent that slept with its machine has not used up its
//! working time. [`Clock::wall`] is for what people compare with their own clocks: deadlines, retention, the log. With
//! [`Clock::slept`] somebody may know whether that was set, or went on while this one was still.

use crate::engine::words::Millis;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Where the kernel says which boot this is.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// A clock that never jumps and never goes back.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall_at_start: Millis,
    started: Instant,
    /// For how long the machine had slept at the start, since it was booted.
    slept_at_start: Duration,
    /// Where a test gives the time: what it said at the start.
    #[cfg(test)]
    given: Option<u64>,
    /// Where a test gives the wall's time and nothing else: how far that is ahead of [`Clock::now`], and for how long the
    /// machine has slept.
    #[cfg(test)]
    wall_ahead_ms: Option<i64>,
    #[cfg(test)]
    slept_ms: u64,
}

impl Clock {
    /// Reads the wall clock once; from here on only the monotonic clock counts.
    #[must_use]
    pub fn start() -> Self {
        Self::starting_at(wall_now())
    }

    /// A clock that begins at `wall` now, for journals that are newer than the wall clock and for tests.
    #[must_use]
    pub fn starting_at(wall: Millis) -> Self {
        Self {
            wall_at_start: wall,
            started: Instant::now(),
            slept_at_start: slept_since_boot(),
            #[cfg(test)]
            given: super::fake::elapsed_ms(),
            #[cfg(test)]
            wall_ahead_ms: None,
            #[cfg(test)]
            slept_ms: 0,
        }
    }

    /// Now. Never less than what it said before, whatever happens to the wall clock.
    #[must_use]
    pub fn now(&self) -> Millis {
        #[cfg(test)]
        if let (Some(now), Some(began)) = (super::fake::elapsed_ms(), self.given) {
            return self.wall_at_start.plus(now - began);
        }
        self.wall_at_start.plus(to_ms(self.started.elapsed()))
    }

    /// What the wall clock says now; it may jump either way.
    #[must_use]
    pub fn wall(&self) -> Millis {
        #[cfg(test)]
        if let Some(ahead_ms) = self.wall_ahead_ms {
            return Millis(self.now().0.saturating_add_signed(ahead_ms));
        }
        wall_now()
    }

    /// For how long the machine was suspended since the start: so much the wall clock is ahead of [`Clock::now`] without
    /// anybody having set it.
    #[must_use]
    pub fn slept(&self) -> Duration {
        #[cfg(test)]
        if self.slept_ms > 0 {
            return Duration::from_millis(self.slept_ms);
        }
        slept_since_boot().saturating_sub(self.slept_at_start)
    }

    /// Sets the wall clock, for those who look at this one.
    #[cfg(test)]
    pub(crate) fn set_wall(&mut self, ahead_ms: i64) {
        self.wall_ahead_ms = Some(ahead_ms);
    }

    /// The machine sleeps, and the wall clock goes on.
    #[cfg(test)]
    pub(crate) fn sleep(&mut self, ms: u64) {
        self.slept_ms += ms;
        self.wall_ahead_ms = self.wall_ahead_ms.map(|ahead_ms| ahead_ms.saturating_add_unsigned(ms));
    }
}

/// Which boot of the machine this is: process numbers and start times mean something only within one.
///
/// # Errors
/// When `/proc` is not mounted.
pub fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string(BOOT_ID)?.trim().to_owned())
}

/// Lets this thread rest: for the few places that wait for what tells nobody when it comes, before the loop runs.
#[expect(clippy::disallowed_methods, reason = "this is the one clock")]
pub fn rest(length: Duration) {
    std::thread::sleep(length);
}

/// The wall clock, for the log, which has no [`Clock`] at hand.
#[expect(clippy::disallowed_methods, reason = "this is the one clock")]
pub(crate) fn wall_now() -> Millis {
    #[cfg(test)]
    if let Some(wall) = super::fake::wall() {
        return wall;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(to_ms(since))
}

/// For how long the machine has been suspended: of two clocks that begin with it one counts that and the other does not.
fn slept_since_boot() -> Duration {
    #[cfg(test)]
    if let Some(slept_ms) = super::fake::slept_ms() {
        return Duration::from_millis(slept_ms);
    }
    let since = |Timespec { tv_sec, tv_nsec }| {
        let (seconds, nanos) = (u64::try_from(tv_sec), u32::try_from(tv_nsec));
        Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
    };
    let awake = since(clock_gettime(ClockId::Monotonic));
    since(clock_gettime(ClockId::Boottime)).saturating_sub(awake)
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back() {
        let clock = Clock::starting_at(Millis(5_000));
        let mut last = clock.now();
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
        assert!(last.0 < 60_000, "it goes on from where it started, not from the wall");
        assert!(clock.wall().0 > 1_700_000_000_000, "the wall is the real one");
    }

    #[test]
    fn a_machine_that_did_not_sleep_has_slept_no_time() {
        let clock = Clock::start();
        rest(Duration::from_millis(20));
        assert!(clock.slept() < Duration::from_secs(1), "{:?}", clock.slept());
    }

    #[test]
    fn the_boot_has_a_name() {
        assert_eq!(boot_id().unwrap().len(), 36);
    }
}
