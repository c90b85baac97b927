//! The loop: wait → step → journal → perform. It owns the engine and a handle for each subject; all of `impl Daemon` is here.

mod calls;
mod claims;
mod close;
pub mod daemon;
mod health;
mod news;
mod open;
mod perform;
mod run;
mod segment;
#[cfg(test)]
mod tests;
mod timers;
