//! Evidence: what was there before an agent was told of a task, and what was found when its claim was checked. How it is found
//! is in `io/evidence/`.

use crate::engine::form::{self, is_default};
use crate::engine::life::CompletionSource;
use crate::engine::words::{AgentName, Millis};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What was there before the first turn of a task was typed. A claim is held against it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Whose tree: the folder in which this agent works.
    pub agent: AgentName,
    /// When it was recorded.
    pub at: Millis,
    /// The commit that was checked out (its whole name in hex); none where there was no repository, or nothing in it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub commit: Option<String>,
    /// Bytes of git's log of what was checked out there: what is behind them was done since.
    #[serde(default, skip_serializing_if = "is_default")]
    pub log_bytes: u64,
    /// The command that is to succeed, as the team file had it then.
    #[serde(default, skip_serializing_if = "is_default")]
    pub command: Vec<String>,
    /// The record of the files that count for the checks: SHA-256 in hex, which is its name in `.tasuki/evidence/`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub record: Option<String>,
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was checked: `commit`, `file docs/plan.md`, `report docs/report.md`, `command test`.
    pub check: String,
    pub passed: bool,
    /// Whether it could not be carried out, which nobody who is asked to put things right can mend.
    #[serde(default, skip_serializing_if = "is_default")]
    pub broken: bool,
    /// What was found, in words; of a command the end of what it printed, too. At most [`HOW_BYTES_MAX`].
    pub how: String,
    pub at: Millis,
    /// How long it took, in ms.
    pub ms: u64,
}

/// Ends the first line of what is said of a command, before what it printed.
pub const PRINTED: &str = "; the end of what it printed:";

/// Longest account of one check, in bytes: some sixty lines, of which a person and a model read the cause.
pub const HOW_BYTES_MAX: usize = 6_144;

/// What is known of the checks of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Checks {
    /// What was there before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub base: Option<Base>,
    /// The claim that is being checked, or was checked last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub claim: Option<KeptClaim>,
    /// Claims so far: the number of the newest check.
    #[serde(default, skip_serializing_if = "is_default")]
    pub made: u16,
    /// Checks that failed, oldest first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub failed: Vec<FailedCheck>,
    /// Whether its agent has not been told of the newest of these.
    #[serde(default, skip_serializing_if = "is_default")]
    pub untold: bool,
}

/// A check of a claim that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCheck {
    /// The turn whose claim it was.
    pub turn: u16,
    pub at: Millis,
    pub evidence: Vec<Evidence>,
}

/// A claim while it is checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptClaim {
    /// How it is known.
    pub source: CompletionSource,
    /// Whether the token of its turn was shown, or its agent's key.
    #[serde(default, skip_serializing_if = "is_default")]
    pub proven: bool,
    /// Whether only a part of the text could be kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncated: bool,
    /// What it answers.
    #[serde(with = "form::shared")]
    pub text: Arc<str>,
    /// What else its sender put into the answer ([`crate::engine::message::Body::extra`]).
    #[serde(default = "nothing", skip_serializing_if = "str::is_empty", with = "form::shared")]
    pub metadata: Arc<str>,
}

fn nothing() -> Arc<str> {
    "".into()
}

impl Checks {
    /// What was claimed last, and whether its beginning is missing.
    #[must_use]
    pub fn claimed(&self) -> Option<(Arc<str>, bool)> {
        let claim = self.claim.as_ref().filter(|claim| !claim.text.trim().is_empty())?;
        Some((claim.text.clone(), claim.truncated))
    }

    /// What the newest check found that failed.
    #[must_use]
    pub fn newest(&self) -> &[Evidence] {
        self.failed.last().map_or(&[], |failed| &failed.evidence)
    }
}

impl Evidence {
    /// In one line: the check, whether it passed, and how; of a command that failed its exit and the last line that it printed.
    #[must_use]
    pub fn told(&self) -> String {
        let passed = if self.passed { "passed" } else { "failed" };
        let first = self.how.lines().next().unwrap_or_default();
        let how = first.trim_end_matches(PRINTED);
        let last = self.how.lines().rfind(|line| !line.trim().is_empty() && *line != first);
        let last = last.filter(|_| how != first && !self.passed);
        let last = last.map_or(String::new(), |last| format!(" ({})", last.trim()));
        format!("{} {passed}: {how}{last}", self.check)
    }
}
