//! The mailbox: files that were dropped, and the thread that claims, reads and removes them.

pub mod handle;
pub mod handled;
pub mod worker;
