//! A part of what says what a command does, and the programs that run what a file says.

use super::files::Mark;
use serde::{Deserialize, Serialize};

/// Programs that run what a file says.
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "fish", "python", "python2", "python3", "node", "ruby", "perl", "php",
    "deno", "bun",
];

/// A part of what says what a command does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) role: Role,
    pub(super) mark: Mark,
}

/// What it is to the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// What is run itself.
    Program,
    /// A file that is named, as a test to run.
    Argument,
    /// Where the program reads what to run.
    Definition,
    /// What one of these runs or includes.
    Step,
    /// What one of these runs, and what may be the very work of a turn.
    Work,
}

/// The name of a file without its folders.
pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a program runs what a file says.
pub(super) fn interprets(program: &str) -> bool {
    let name = base_name(program);
    INTERPRETERS.contains(&name) || name.starts_with("python3.")
}
