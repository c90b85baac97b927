//! FLOOR 2: touches one outside thing a file. No decisions.

pub mod folder;
pub mod lease;
pub mod mailbox;
pub mod views;
pub mod watch;
pub mod wire;
