//! What the checks of a task found, as files and the API tell it: beside an answer, and to the agent that is to put it right.

use crate::engine::evidence::{Checks, Evidence, FailedCheck};
use crate::engine::message::Expect;
use crate::engine::words::Token;
use crate::wire::time::rfc3339;
use crate::wire::yaml::write::Prose;
use schemars::JsonSchema;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EvidenceInfo {
    /// What was checked: `commit`, `file PATH`, `report PATH` or `command NAME`.
    pub check: String,
    /// Whether it is as the task expects.
    pub passed: bool,
    /// What was found; of a command that failed also the end of its output.
    #[serde(serialize_with = "prose")]
    pub how: String,
    /// Time of the check (RFC 3339); left out in `feedback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// How long the check took, in ms; left out in `feedback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// A check of a claim that failed, as its agent is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FeedbackInfo {
    /// Number of the turn whose claim was checked.
    pub turn: u16,
    /// Time (RFC 3339).
    pub at: String,
    /// What was found: what failed with the whole account, the rest in a line.
    pub checks: Vec<EvidenceInfo>,
}

/// What is known of an answer: what the checks found, or a sentence where nothing was to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum EvidenceTold {
    Checked(Vec<EvidenceInfo>),
    Said(String),
}

/// What must not be shown where an agent reads, since a screen with it would be taken for its claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hidden<'a> {
    /// Tokens of the task.
    pub(super) tokens: &'a [Token],
    /// Its phrase, where that counts alone.
    pub(super) phrase: Option<&'a str>,
}

/// What a task expects, each thing as its check is called.
#[must_use]
pub fn expected(expect: &Expect) -> Vec<String> {
    let Expect { commit, files, command, report } = expect;
    let commit = commit.then(|| "commit".to_owned());
    let files = files.iter().map(|path| format!("file {path}"));
    let report = report.iter().map(|path| format!("report {path}"));
    let command = (!command.is_empty()).then(|| format!("command {}", command.join(" ")));
    commit.into_iter().chain(files).chain(report).chain(command).collect()
}

impl EvidenceInfo {
    /// All that is known of it.
    #[must_use]
    pub fn of(evidence: &Evidence) -> Self {
        let Evidence { check, passed, how, at, ms, .. } = evidence;
        let (at, ms) = (Some(rfc3339(*at)), Some(*ms));
        Self { check: check.clone(), passed: *passed, how: how.clone(), at, ms }
    }

    /// What its agent needs of it.
    fn told(evidence: &Evidence, hidden: Hidden<'_>) -> Self {
        let Evidence { check, passed, how, .. } = evidence;
        let how = if *passed { how.lines().next().unwrap_or_default() } else { how };
        Self { check: check.clone(), passed: *passed, how: hidden.cut(how), at: None, ms: None }
    }
}

impl FeedbackInfo {
    /// Every check of a task that failed, oldest first.
    #[must_use]
    pub(super) fn all(checks: Option<&Checks>, hidden: Hidden<'_>) -> Vec<Self> {
        let failed = checks.map_or(&[][..], |checks| &checks.failed);
        failed.iter().map(|failed| Self::of(failed, hidden)).collect()
    }

    fn of(failed: &FailedCheck, hidden: Hidden<'_>) -> Self {
        let FailedCheck { turn, at, evidence } = failed;
        let checks = evidence.iter().map(|evidence| EvidenceInfo::told(evidence, hidden)).collect();
        Self { turn: *turn, at: rfc3339(*at), checks }
    }
}

impl Hidden<'_> {
    /// The text without any of it: a command may print what its agent's screen had, or the task's own file.
    fn cut(self, text: &str) -> String {
        let mut text = text.to_owned();
        for token in self.tokens {
            text = text.replace(token.as_str(), "(token)");
        }
        match self.phrase.filter(|phrase| text.contains(phrase)) {
            Some(phrase) => text.replace(phrase, "(phrase)"),
            None => text,
        }
    }
}

fn prose<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&Prose(text), to)
}

impl Serialize for EvidenceTold {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Checked(found) => found.serialize(to),
            Self::Said(sentence) => Prose(sentence).serialize(to),
        }
    }
}
