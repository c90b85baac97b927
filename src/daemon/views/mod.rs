//! The views: which files are out of date, what they say, and the thread that writes them.

pub mod dirty;
mod flows;
mod fresh;
pub mod handle;
pub mod item;
pub(in crate::daemon) mod log_backfill;
pub mod owed;
pub mod pages;
pub mod rebuild;
pub mod throttle;
pub mod worker;
