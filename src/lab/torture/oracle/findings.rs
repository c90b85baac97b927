//! What must not be, as it is found.

use std::fmt;

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Finding {
    pub(in super::super) kind: FindingKind,
    /// What, with the ids and files to look at.
    pub(in super::super) text: String,
}

/// What kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum FindingKind {
    /// Given and not there, or without an end.
    Lost,
    /// There twice, ended twice, typed twice without being marked.
    Double,
    /// There, and not as it should be.
    Wrong,
    /// Left behind.
    Left,
    /// Later than it may be.
    Slow,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "lost",
            Self::Double => "double",
            Self::Wrong => "wrong",
            Self::Left => "left behind",
            Self::Slow => "slow",
        })
    }
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(in super::super) struct Findings(pub(in super::super) Vec<Finding>);

impl Findings {
    pub(in super::super) fn add(&mut self, kind: FindingKind, text: impl Into<String>) {
        self.0.push(Finding { kind, text: text.into() });
    }

    /// Adds it unless it holds.
    pub(in super::super) fn check(&mut self, holds: bool, kind: FindingKind, text: impl FnOnce() -> String) {
        if !holds {
            self.add(kind, text());
        }
    }
}
