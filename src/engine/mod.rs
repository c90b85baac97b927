//! FLOOR 1: decides. Pure: no files, no clock, no async; time, ids and chance are arguments.

pub mod answer;
pub mod doorbell;
pub mod echo;
pub mod marker;
pub mod screen;
pub mod words;
