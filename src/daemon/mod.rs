//! FLOOR 4: gives the engine and the outside their time and tasks. A folder a subject, with both sides of it: the handle that the
//! loop owns, and the worker.

pub mod claims;
pub mod clients;
pub mod ending;
mod ground;
pub mod health;
pub mod inbox;
pub mod jobs;
pub mod journal;
pub mod r#loop;
pub mod mailbox;
pub mod notify;
pub mod panes;
pub mod roster;
#[cfg(test)]
mod simulation;
pub mod start;
pub mod timers;
pub mod tmux;
pub mod views;
pub mod watches;
