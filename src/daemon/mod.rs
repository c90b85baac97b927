//! FLOOR 4: gives the engine and the outside their time and tasks. A folder a subject, with both sides of it: the handle that the
//! loop owns, and the worker.

pub mod clients;
pub mod ending;
pub mod health;
pub mod journal;
pub mod r#loop;
pub mod mailbox;
pub mod news;
pub mod panes;
#[cfg(test)]
mod simulation;
pub mod start;
pub mod tmux;
pub mod views;
pub mod watches;
