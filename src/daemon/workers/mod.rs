//! The workers: each has a name, an owner, one way in and one way out.

pub mod items;
pub mod journal;
pub mod mailbox;
pub mod pages;
pub mod pane;
pub mod tmux;
pub mod views;
pub mod watch;
