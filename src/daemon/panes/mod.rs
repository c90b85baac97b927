//! The agents' panes: what the loop orders, and a worker for each launch.

pub mod handle;
pub(in crate::daemon) mod limits;
pub mod orders;
pub mod worker;
