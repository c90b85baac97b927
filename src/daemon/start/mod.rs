//! The start and the end of the daemon: lock, journal, agents that are still there, threads, signals.

pub(in crate::daemon) mod ground;
pub mod incarnation;
pub(in crate::daemon) mod lost;
pub mod process;
pub mod replay;
pub(in crate::daemon) mod signals;
pub mod threads;
pub(in crate::daemon) mod unavailable;
