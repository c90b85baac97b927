//! The start and the end of the daemon: lock, journal, agents that are still there, threads, signals.

pub mod error;
pub mod incarnation;
pub mod process;
pub mod replay;
pub(in crate::daemon) mod signals;
pub(in crate::daemon) mod state;
pub mod threads;
pub(in crate::daemon) mod unavailable;
pub(in crate::daemon) mod unknown_views;
