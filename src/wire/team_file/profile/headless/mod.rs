//! Programs that are asked once and end: how one is started, and what its output means.

pub(in crate::wire) mod entry;
pub(super) mod kind;
mod output;
mod verdict;

pub use kind::{AnswerIn, FailedRecord, Headless, LogOf, OneShotCommand, PromptBy};
pub use output::ReadOutput;
pub use verdict::{JudgedAnswer, OneShotEnded};
