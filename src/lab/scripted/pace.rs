//! The only place where the scripted agent looks at the clock. It paces what is shown; nothing is decided or synchronised by
//! it.

use std::time::{Duration, Instant};

/// The time since some fixed moment of this process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of its own in a pane, without the daemon's clock"
    )]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub(super) fn now(self) -> Duration {
        self.0.elapsed()
    }
}

/// Never comes back: alive, and deaf.
pub(super) fn hang() -> ! {
    loop {
        std::thread::park();
    }
}
