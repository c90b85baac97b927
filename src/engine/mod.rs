//! FLOOR 1: decides. Pure: no files, no clock, no async; time, ids and chance are arguments.

pub mod message;
pub mod patience;
pub mod refusal;
pub mod team;
pub mod words;
