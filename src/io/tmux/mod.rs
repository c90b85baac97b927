//! tmux: one control-mode connection, typed commands over it, and the private server that it talks to. The names for everybody
//! else are in [`super::mux`].

mod breaking;
mod calls;
pub mod command;
pub mod control;

pub mod driver;
pub mod escape;
mod flood;
mod following;
mod hearing;
mod line;
pub mod notice;
pub mod notification;
mod options;
pub mod overview;
pub mod pane;
pub mod parse;
mod people;
mod pulse;
pub mod quote;
pub mod release;
mod screen;
mod served_by;
pub mod server;
pub mod sessions;
mod set_option;
pub mod socket;
mod typing;
pub mod version;
mod window;
