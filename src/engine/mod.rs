//! FLOOR 1: decides. Pure: no files, no clock, no async; time, ids and chance are arguments.

mod accept;
pub mod answer;
mod apply;
mod bounce;
mod circle;
mod close;
mod command;
mod deliver;
pub mod doorbell;
pub mod echo;
#[expect(clippy::module_inception, reason = "the room is named after the one thing in it")]
pub mod engine;
pub mod event;
mod fit;
mod index;
pub mod input;
pub mod life;
pub mod marker;
pub mod message;
mod notice;
pub mod patience;
pub mod queue;
mod recover;
pub mod refusal;
mod reload;
mod report;
pub mod route;
pub mod screen;
mod speaker;
mod standstill;
pub mod state;
pub mod story;
pub mod team;
mod tend;
pub mod view;
mod wake;
pub mod words;
