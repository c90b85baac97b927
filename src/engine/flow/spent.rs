//! What a speech of a debate has taken, and whether it gives a reason to debate on: as far as its agent says.

use crate::engine::form::is_default;
use serde::{Deserialize, Serialize};

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SpeechCost {
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens: u64,
    /// In millionths of a US dollar.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost_micro_usd: u64,
    /// Whether it brings neither an objection that cites a place nor a new proposal.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_news: bool,
}

/// An amount such as `$1.25`, with a third and fourth place where it has them.
#[must_use]
pub fn usd(micro: u64) -> String {
    let (dollars, rest) = (micro / 1_000_000, micro % 1_000_000);
    let places = format!("{:04}", rest / 100);
    let short = places.strip_suffix("00").unwrap_or(&places);
    format!("${dollars}.{short}")
}

impl SpeechCost {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost_micro_usd: self.cost_micro_usd.saturating_add(other.cost_micro_usd),
            no_news: self.no_news && other.no_news,
        }
    }
}
