//! The page in Debian's Chromium, on a real daemon with real panes.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::disallowed_types, reason = "servers beside the daemon keep what they were asked")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

mod away;
mod axe;
#[path = "../support/browser.rs"]
mod browser;
mod command;
mod debates;
mod elsewhere;
mod elsewhere_servers;
mod escaping;
#[expect(dead_code, reason = "a house has more rooms than one test uses")]
#[path = "../support/house.rs"]
mod house;
mod left_open;
mod logic;
mod looks;
mod looks_only;
mod messages;
mod needs;
mod opening;
#[expect(dead_code, reason = "other tests ask more of the process table")]
#[path = "../support/proc.rs"]
mod proc;
mod questions;
mod scene;
mod seen;
mod session_work;
mod sessions;
mod sessions_asking;
mod team;
