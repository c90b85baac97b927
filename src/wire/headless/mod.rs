//! What is shown and told of a turn that is done by a program that is asked once.

pub(in crate::wire) mod plain;
mod shown;
mod turn_time;

pub use shown::ShownRows;
pub use turn_time::{TurnTime, cut, fitting, joined, spent};
