//! The tmux server under the agents: its keeper, and agents that outlived their daemon.

pub mod keeper;
pub mod news;
pub mod pulse;
pub mod server;
pub mod survivors;
pub(in crate::daemon) mod windows;
