//! An input that takes too long is a finding like one that panics.

use std::time::{Duration, Instant};

/// What an input of any kind may take (durability, proof).
const MOST: Duration = Duration::from_millis(100);
/// An input is slow if it is so each time: the machine may have done something else.
const TRIES: usize = 4;

/// Calls a border, and again if it took too long.
pub fn in_time(border: fn(&[u8]), data: &[u8]) {
    let slow = |_: &usize| {
        let began = Instant::now();
        border(data);
        began.elapsed() > MOST
    };
    assert!((0..TRIES).take_while(slow).count() < TRIES, "it takes more than {MOST:?} each time");
}
