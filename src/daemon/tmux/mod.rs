//! The tmux server under the agents: its keeper, and agents that outlived their daemon.

pub mod keeper;
pub mod server;
pub mod survivors;
