//! tasuki's tmux against the real one, each test on a server of its own that ends with it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test fails the test")]

mod agents;
#[path = "../support/alone.rs"]
mod alone;
mod answers;
mod claims;
mod hand;
mod left;
mod memory;
mod needs;
mod people;
mod screens;
mod scripted;
mod server;
mod standing;
mod stress;
mod typing;
mod worker;
mod world;
