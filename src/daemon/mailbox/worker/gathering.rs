//! A wait for more drops before the next look.

use crate::engine::words::Millis;

/// While more is gathered, what lies there is counted so often.
pub(super) const COUNT_AGAIN_MS: u64 = 1;

/// Waits for more before the next look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gathering {
    /// When it is counted next.
    pub(super) count_at: Millis,
    /// How many lay there the last time.
    pub(super) lay: usize,
}

impl Gathering {
    pub(super) fn new(now: Millis) -> Self {
        Self { count_at: now.plus(COUNT_AGAIN_MS), lay: 0 }
    }
}

/// How long more is gathered before the next look. Whoever drops one file at a time never waits; where several lay there
/// at once more are coming, and one flush for all of them is what makes a burst fast.
pub(super) fn gather_ms(found: usize) -> u64 {
    match found {
        0 | 1 => 0,
        2..=4 => 5,
        _ => 20,
    }
}
