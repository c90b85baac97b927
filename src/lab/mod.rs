//! tasuki's own agents and its torture: programs that use only what ships.

mod chance;
pub mod scripted;
pub mod torture;
pub mod trouble;
