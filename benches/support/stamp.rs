//! Moments that two processes can compare: nanoseconds of the wall clock. Only differences within a second are used.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in nanoseconds.
#[expect(clippy::disallowed_methods, reason = "a measurement, not the daemon")]
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(0)
}

/// From one moment to another, in microseconds.
pub(crate) fn us(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1e3
}

/// Seconds since a moment.
pub(crate) fn seconds_since(from: u64) -> f64 {
    us(from, now()) / 1e6
}
