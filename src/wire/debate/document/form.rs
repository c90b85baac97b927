//! The parts of what a debate answers, in the order and under the names of the document.

use crate::engine::flow::debate::ROUNDS_MAX;
use crate::engine::words::Millis;
use crate::wire::time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// What came of one role in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundOutput {
    /// Id of the role.
    pub role: String,
    /// What it answered; empty if it failed.
    pub proposal: String,
    /// When it ended, in RFC 3339.
    pub timestamp: String,
    /// How long it took, in seconds.
    pub duration_secs: u64,
    /// Tokens that it used; 0 where its program does not tell.
    pub tokens_used: u32,
    /// Why it failed; null where it went well.
    #[serde(default)]
    pub error: Option<String>,
    /// What else is known.
    #[serde(default, skip_serializing_if = "OutputBesides::is_empty")]
    pub tasuki: OutputBesides,
}

/// What is known of an output besides.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OutputBesides {
    /// Profile of the role's agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Model of the role's agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Cost in US dollars, where its program tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How often it was asked, where that is more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tries: Option<u32>,
    /// Which error it met, for programs, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What to do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
    /// Places that it cites and that are not in the base.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What is odd, such as a text that was shortened for its prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The code of a role that was not asked in a round: the round was left out, or the debate was over before.
pub const NOT_ASKED: &str = "not-asked";
/// The code of a role that was at work when its debate was cancelled.
pub const CANCELLED: &str = "cancelled";

impl OutputBesides {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl RoundOutput {
    /// Why it failed; none if it went well, or was not asked or not let finish.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.error.as_deref().filter(|_| !self.is_unasked())
    }

    /// What became of one that has an error, in words.
    #[must_use]
    pub fn why_not(&self) -> &'static str {
        match self.tasuki.code.as_deref() {
            Some(NOT_ASKED) => "did not speak",
            Some(CANCELLED) => "was called off",
            _ => "failed",
        }
    }

    /// Whether it has an error without having failed: it was not asked, or not let finish.
    #[must_use]
    pub fn is_unasked(&self) -> bool {
        self.error.is_some() && matches!(self.tasuki.code.as_deref(), Some(NOT_ASKED | CANCELLED))
    }

    /// An output of a role that ended at this moment, after so many milliseconds: what it answered, or why it failed.
    #[must_use]
    pub fn new(role: &str, answer: Result<String, String>, at: Millis, ms: u64, tokens: u64) -> Self {
        let (proposal, error) = match answer {
            Ok(proposal) => (proposal, None),
            Err(error) => (String::new(), Some(error)),
        };
        Self {
            role: role.to_owned(),
            proposal,
            timestamp: time::rfc3339(at),
            duration_secs: ms / 1_000,
            tokens_used: u32::try_from(tokens).unwrap_or(u32::MAX),
            error,
            tasuki: OutputBesides::default(),
        }
    }
}

/// How far a debate is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DebateStatus {
    /// It has not begun.
    Pending,
    Round1InProgress,
    Round2InProgress,
    Round3InProgress,
    Round4InProgress,
    Round5InProgress,
    Completed,
    /// It failed, for this reason.
    Failed(String),
    Cancelled,
}

impl DebateStatus {
    /// The status while a round is under way; 0 is before the first.
    #[must_use]
    pub fn in_round(round: u8) -> Self {
        match round.min(ROUNDS_MAX) {
            0 => Self::Pending,
            1 => Self::Round1InProgress,
            2 => Self::Round2InProgress,
            3 => Self::Round3InProgress,
            4 => Self::Round4InProgress,
            _ => Self::Round5InProgress,
        }
    }

    /// Whether nothing more happens.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed(_) | Self::Cancelled)
    }

    /// The word of the document, without a reason.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Round1InProgress => "Round1InProgress",
            Self::Round2InProgress => "Round2InProgress",
            Self::Round3InProgress => "Round3InProgress",
            Self::Round4InProgress => "Round4InProgress",
            Self::Round5InProgress => "Round5InProgress",
            Self::Completed => "Completed",
            Self::Failed(_) => "Failed",
            Self::Cancelled => "Cancelled",
        }
    }
}

/// The answer to a request, and a debate in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateResult {
    /// UUID of the debate.
    pub debate_id: String,
    /// How far it is.
    pub status: DebateStatus,
    /// The same in a sentence.
    pub message: String,
    /// Worktrees that are there.
    pub worktree_paths: Vec<String>,
    /// Folder in which the outputs of its rounds are.
    pub context_path: String,
    /// What else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasuki: Option<Json>,
}

impl DebateResult {
    /// The same, and which files of it were found damaged.
    #[must_use]
    pub fn with_damage(mut self, damaged: &[String]) -> Self {
        for found in damaged {
            self.message.push_str("; ");
            self.message.push_str(found);
        }
        keep_damage(&mut self.tasuki, damaged);
        self
    }
}

impl DebateProgress {
    /// The same, and which files of it were found damaged.
    #[must_use]
    pub fn with_damage(mut self, damaged: &[String]) -> Self {
        keep_damage(&mut self.tasuki, damaged);
        self
    }

    /// Which files of it were found damaged, in words.
    #[must_use]
    pub fn damaged(&self) -> Vec<&str> {
        let damaged = self.tasuki.as_ref().and_then(|besides| besides.get(DAMAGED)?.as_array());
        damaged.into_iter().flatten().filter_map(Json::as_str).collect()
    }
}

const DAMAGED: &str = "damaged";

fn keep_damage(besides: &mut Option<Json>, damaged: &[String]) {
    if damaged.is_empty() {
        return;
    }
    if let Some(besides) = besides.get_or_insert_with(|| Json::Object(Map::new())).as_object_mut() {
        besides.insert(DAMAGED.to_owned(), Json::from(damaged));
    }
}

/// How far a debate is, with all that was said so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateProgress {
    /// UUID of the debate.
    pub debate_id: String,
    /// Round that is under way; 0 before the first, and the last one when it is over.
    pub current_round: u8,
    /// Role that began last; empty before the first.
    pub current_role: String,
    /// How far it is.
    pub status: DebateStatus,
    /// Outputs of all rounds so far, by round and in the order of the roles.
    pub outputs: Vec<RoundOutput>,
    /// What else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasuki: Option<Json>,
}
