//! An input that takes too long is a finding like one that panics.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What an input of any kind may take (durability, proof).
const MOST: Duration = Duration::from_millis(100);
/// An input is slow if it is so each time: pages may have to be brought in first.
const TRIES: usize = 4;

/// Calls a border, and again if it took too long: of this thread's own time, since others may have the processor for long.
pub fn in_time(border: fn(&[u8]), data: &[u8]) {
    let slow = |_: &usize| {
        let began = own_time();
        border(data);
        own_time().saturating_sub(began) > MOST
    };
    assert!((0..TRIES).take_while(slow).count() < TRIES, "it takes more than {MOST:?} each time");
}

fn own_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
