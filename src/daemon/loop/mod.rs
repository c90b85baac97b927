//! The loop: wait → step → journal → perform. It owns the engine and a handle for each subject; all of `impl Daemon` is here.

mod calls;
mod claims;
mod close;
pub mod daemon;
mod health;
mod hiring;
mod news;
mod open;
mod perform;
mod rotation;
mod run;
#[cfg(test)]
mod tests;
mod timers;
mod trees;
