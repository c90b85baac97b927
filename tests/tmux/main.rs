//! tasuki's tmux against the real one, each test on a server of its own that ends with it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test fails the test")]

mod agents;
mod claims;
mod hand;
mod left;
mod needs;
mod people;
mod screens;
mod server;
mod standing;
mod stress;
mod typing;
mod worker;
mod world;
