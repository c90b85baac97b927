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

    /// What of it is used up by so many tokens, millionths of a dollar and milliseconds, as a reason not to begin another role.
    #[must_use]
    pub fn spent(&self, tokens: u64, cost_micro_usd: u64, ms: u64) -> Option<String> {
        if let Some(most) = self.tokens.filter(|most| tokens >= *most) {
            return Some(format!("the budget of {most} tokens is used up: {tokens} are known"));
        }
        if let Some(most) = self.cost_micro_usd.filter(|most| cost_micro_usd >= *most) {
            let (most, cost) = (usd(most), usd(cost_micro_usd));
            return Some(format!("the budget of {most} is used up: {cost} are known"));
        }
        let most = self.minutes.filter(|most| ms >= most.saturating_mul(60_000))?;
        Some(format!("the budget of {most} minutes is used up"))
    }
}

/// An amount such as `$1.25`, with a third and fourth place where it has them.
#[must_use]
pub fn usd(micro: u64) -> String {
    let (dollars, rest) = (micro / 1_000_000, micro % 1_000_000);
    let places = format!("{:04}", rest / 100);
    let short = places.strip_suffix("00").unwrap_or(&places);
    format!("${dollars}.{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_used_up_when_it_is_reached() {
        let of = |tokens, cost_micro_usd, minutes| BudgetTerms { tokens, cost_micro_usd, minutes };
        assert_eq!(of(None, None, None).spent(u64::MAX, u64::MAX, u64::MAX), None);
        assert_eq!(of(Some(10), None, None).spent(9, 0, 0), None);
        let said = of(Some(10), None, None).spent(10, 0, 0);
        assert_eq!(said.as_deref(), Some("the budget of 10 tokens is used up: 10 are known"));
        let said = of(None, Some(1_250_000), None).spent(0, 1_251_200, 0);
        assert_eq!(said.as_deref(), Some("the budget of $1.25 is used up: $1.2512 are known"));
        assert_eq!(of(None, None, Some(2)).spent(0, 0, 119_999), None);
        assert_eq!(
            of(None, None, Some(2)).spent(0, 0, 120_000).as_deref(),
            Some("the budget of 2 minutes is used up")
        );
    }
}
