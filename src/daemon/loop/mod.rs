//! The loop: wait → step → journal → perform. It owns the engine and the handles of all workers.

pub(in crate::daemon) mod calls;
pub mod claim_barrier;
pub mod close;
pub(in crate::daemon) mod ends;
pub mod perform;
pub(in crate::daemon) mod rotation;
pub mod run;
pub mod service_notifier;
pub mod stall_watch;
pub(in crate::daemon) mod wall_clock;
