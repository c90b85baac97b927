//! Why a program that was asked once has given no answer, for programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest word for how a program ended, in characters.
const EXIT_CHARS_MAX: usize = 100;
/// Most of what it complained of that is kept, in characters: its end has the cause.
const STDERR_CHARS_MAX: usize = 2_000;

/// Why an agent that asks another program has no answer of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramFailure {
    /// What became of the program: `timed_out`, `crashed`, `broken_off` or `not_started`.
    pub cause: ProgramEnd,
    /// How it ended, such as `exit 3`; none if it ended well or was ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit: Option<String>,
    /// The end of what it printed on its standard error; none if nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stderr: Option<String>,
}

/// What became of a program that gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// It was ended, since its time was over.
    TimedOut,
    /// It failed, says that it failed, or answered nothing.
    Crashed,
    /// Somebody broke it off by a key.
    BrokenOff,
    /// It was not started.
    NotStarted,
}

impl ProgramFailure {
    /// A failure of which nothing else is known.
    #[must_use]
    pub fn of(cause: ProgramEnd) -> Self {
        Self { cause, exit: None, stderr: None }
    }

    /// The same within the bounds of what is kept.
    #[must_use]
    pub fn short(&self) -> Self {
        let exit = self.exit.as_deref().map(|exit| exit.chars().take(EXIT_CHARS_MAX).collect());
        let end = |text: &str| {
            let chars = text.chars().count();
            text.chars().skip(chars.saturating_sub(STDERR_CHARS_MAX)).collect()
        };
        Self { cause: self.cause, exit, stderr: self.stderr.as_deref().map(end) }
    }
}
