//! The forms in which something is said above the input box, by the look of a script. Pure.

use super::look::{Look, Said};
use super::text::columns;

/// How something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Emphasis {
    Answer,
    /// An answer goes on.
    More,
    Limit,
    Error,
}

impl Emphasis {
    /// What a text looks like.
    pub(super) fn form(self, look: &Look) -> Said {
        let more = || {
            let before = &look.answer.more;
            Said { first: before.clone(), more: before.clone(), ..Said::default() }
        };
        match self {
            Self::Answer => look.answer.clone(),
            Self::More => more(),
            Self::Limit => look.limit.clone().unwrap_or_else(more),
            Self::Error => look.error.clone().unwrap_or_else(|| look.answer.clone()),
        }
    }

    /// Whether a turn in which this is said has failed.
    pub(super) fn fails(self) -> bool {
        matches!(self, Self::Limit | Self::Error)
    }
}

/// What a line looks like that was sent: unless the look says otherwise, as it stood in the box.
pub(super) fn sent(look: &Look, prompt: &str) -> Said {
    let plain = || {
        let more = " ".repeat(columns(prompt).max(2));
        Said { first: prompt.to_owned(), more, ..Said::default() }
    };
    look.sent.clone().unwrap_or_else(plain)
}
