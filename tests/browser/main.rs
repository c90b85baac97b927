//! The page in Debian's Chromium, on a real daemon with real panes.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[expect(dead_code, reason = "benches use more of it")]
#[path = "../support/browser.rs"]
mod browser;
#[expect(dead_code, reason = "a house has more rooms than one test uses")]
#[path = "../support/house.rs"]
mod house;
mod logic;
mod opening;
#[expect(dead_code, reason = "other tests ask more of the process table")]
#[path = "../support/proc.rs"]
mod proc;
