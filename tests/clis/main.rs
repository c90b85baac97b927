//! The real coding agents: `scripts/test-real-clis` installs them and runs this; without them each test says that it skips.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests may fail loudly")]
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]

#[path = "../support/clis.rs"]
mod clis;
mod daemon;
#[path = "../support/house.rs"]
#[expect(dead_code, reason = "a house has more rooms than these tests use")]
mod house;
mod panes;
#[path = "../support/stub/mod.rs"]
#[expect(dead_code, reason = "the tests of the stub itself use the rest")]
mod stub;
