//! One regular expression of a profile, and its text.

use regex::{Regex, RegexBuilder};

/// Bytes that a compiled expression may take: a profile has some dozens of them, for each agent of a kind once.
const COMPILED_BYTES_MAX: usize = 128 << 10;

/// A regular expression that is matched against single rows.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct PatternError {
    why: String,
}

impl Pattern {
    /// Compiles it, in the syntax of the crate `regex`.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let built = RegexBuilder::new(text).size_limit(COMPILED_BYTES_MAX).build();
        built.map(|regex| Self { regex }).map_err(|error| {
            // The first lines draw the expression with a caret; the last one says what is wrong.
            let text = error.to_string();
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            PatternError { why: last.trim().trim_start_matches("error: ").to_owned() }
        })
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Whether it matches somewhere in `row`.
    #[must_use]
    pub fn matches(&self, row: &str) -> bool {
        self.regex.is_match(row)
    }

    /// Where its groups stand in `row`; none if it does not match.
    pub(super) fn groups(&self, row: &str) -> Option<Vec<std::ops::Range<usize>>> {
        let found = self.regex.captures(row)?;
        Some(found.iter().skip(1).flatten().map(|group| group.range()).collect())
    }

    /// Where its first group, or else the end of the match, stands in `row`; none if it does not match.
    pub(super) fn group(&self, row: &str) -> Option<std::ops::Range<usize>> {
        let found = self.regex.captures(row)?;
        let whole = found.get(0)?;
        Some(found.get(1).map_or(whole.end()..whole.end(), |group| group.range()))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}
