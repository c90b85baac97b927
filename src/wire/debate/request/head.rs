//! What is kept of a debate apart from its texts: small, and the same for as long as it is known.

use crate::wire::team_file::Language;
use serde::{Deserialize, Serialize};

/// The head of a debate. Its texts (task, system prompts, context) stand elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateTerms {
    /// Who debates, in the order of the request: columns of the report.
    pub roles: Vec<RoleTerms>,
    /// In which language its prompts are.
    pub language: Language,
    pub rounds: u8,
    /// Roles at work at the same time; 0 is all.
    pub parallel: u16,
    /// How long a role may take in a round.
    pub timeout_seconds: u64,
    /// Whether worktrees stay when it is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preserve_worktrees: bool,
    /// Whether one role alone is asked besides, with the same budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub baseline: bool,
    #[serde(default, skip_serializing_if = "BudgetTerms::is_empty")]
    pub budget: BudgetTerms,
    /// The folder that it is about, as the request names it; none for the workspace's repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_dir: Option<String>,
}

/// One of those who debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleTerms {
    pub id: String,
    /// How people call it.
    pub name: String,
    /// Profile of its agent, where the request says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Model of its agent; none for the one that its provider takes by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a whole debate may use up. It is looked at before a role begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BudgetTerms {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of a US dollar, which add up without rounding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u64>,
}

impl BudgetTerms {
    /// Whether nothing is limited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
