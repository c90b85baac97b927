//! The mailbox: files that were dropped, and the thread that claims, reads and removes them.

pub mod channel;
pub mod handle;
pub mod handled;
mod in_flight;
pub mod mail;
pub mod room;
pub mod worker;
