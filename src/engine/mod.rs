//! FLOOR 1: decides. Pure: no files, no clock, no async; time, ids and chance are arguments.

mod apply;
mod command;
#[expect(clippy::module_inception, reason = "the room is named after the one thing in it")]
pub mod engine;
pub mod event;
pub mod evidence;
pub mod flow;
mod form;
pub mod history;
mod index;
pub mod input;
pub mod job;
pub mod life;
pub mod live;
pub mod message;
mod moment;
pub mod screen;
mod snapshot;
pub mod state;
pub(crate) mod suggest;
pub mod team;
pub mod view;
pub mod words;
