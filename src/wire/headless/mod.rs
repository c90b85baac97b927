//! What is shown and told of a turn that is done by a program that is asked once.

pub mod failed;
pub(in crate::wire) mod plain;
mod shown;
mod turn_time;

pub use shown::ShownRows;
pub use turn_time::{TurnTime, cut, fitting, joined, spent};

/// The variable that names the profile whose program is asked.
pub const PROVIDER: &str = "TASUKI_HEADLESS_PROVIDER";
/// The variable that names the file to which all that the program prints is added.
pub const LOG: &str = "TASUKI_HEADLESS_LOG";
/// The variable that names the file to which what the program was told is written.
pub const PROMPT: &str = "TASUKI_HEADLESS_PROMPT";
