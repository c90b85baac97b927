//! One regular expression of a profile, and its text.

use regex::{Error, Regex, RegexBuilder};
use std::sync::{Arc, OnceLock};

/// Bytes that a compiled expression may take; the first that is enough counts. Most of the built-in ones take a few KB, the
/// largest 113 KB (measured).
const ROOMS: [usize; 3] = [32 << 10, 128 << 10, Pattern::ROOM_MAX];
/// Bytes that it may take besides for what it remembers of the rows that it has seen.
const MEMORY_BYTES_MAX: usize = 128 << 10;

/// A regular expression that is matched against single rows. It is compiled when the first row is matched, once for all that
/// share it: a team uses one or two of the profiles, and the patterns of all of them take 8 MB.
#[derive(Debug, Clone)]
pub struct Pattern(Arc<Source>);

#[derive(Debug)]
struct Source {
    text: Box<str>,
    room: usize,
    /// Nothing if it cannot be compiled, which only a built-in one could be.
    regex: OnceLock<Option<Regex>>,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct PatternError {
    why: String,
    /// Whether it is an expression, and takes too much.
    pub is_too_large: bool,
}

impl PatternError {
    fn of(error: &Error) -> Self {
        // The first lines draw the expression with a caret; the last one says what is wrong.
        let text = error.to_string();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Self { why: last.trim().trim_start_matches("error: ").to_owned(), is_too_large: false }
    }
}

impl Pattern {
    /// Bytes that the largest may take.
    pub const ROOM_MAX: usize = 512 << 10;

    /// Checks that it can be compiled, in the syntax of the crate `regex`. What that makes is not kept.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        for room in ROOMS {
            match compile(text, room) {
                Ok(_) => return Ok(Self::unchecked(text, room)),
                Err(Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(PatternError::of(&error)),
            }
        }
        let why = format!("it takes more than {} KiB", Self::ROOM_MAX >> 10);
        Err(PatternError { why, is_too_large: true })
    }

    /// One of a built-in profile, which a test has checked. One that cannot be compiled would match nothing.
    #[must_use]
    pub fn built_in(text: &str) -> Self {
        Self::unchecked(text, Self::ROOM_MAX)
    }

    fn unchecked(text: &str, room: usize) -> Self {
        Self(Arc::new(Source { text: text.into(), room, regex: OnceLock::new() }))
    }

    /// Bytes that it takes at most.
    #[must_use]
    pub fn room(&self) -> usize {
        self.0.room
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether it matches somewhere in `row`.
    #[must_use]
    pub fn matches(&self, row: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(row))
    }

    /// Whether it matches all of `text`, and not only a part of it.
    #[must_use]
    pub fn is_all_of(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.find_iter(text).any(|found| found.range() == (0..text.len())))
    }

    /// Where its groups stand in `row`; none if it does not match.
    pub(super) fn groups(&self, row: &str) -> Option<Vec<std::ops::Range<usize>>> {
        let found = self.regex()?.captures(row)?;
        Some(found.iter().skip(1).flatten().map(|group| group.range()).collect())
    }

    /// Where its first group, or else the end of the match, is in `row`; none if it does not match.
    pub(super) fn group(&self, row: &str) -> Option<std::ops::Range<usize>> {
        let found = self.regex()?.captures(row)?;
        let whole = found.get(0)?;
        Some(found.get(1).map_or(whole.end()..whole.end(), |group| group.range()))
    }

    fn regex(&self) -> Option<&Regex> {
        let Source { text, room, regex } = &*self.0;
        regex.get_or_init(|| compile(text, *room).ok()).as_ref()
    }
}

fn compile(text: &str, room: usize) -> Result<Regex, Error> {
    RegexBuilder::new(text).size_limit(room).dfa_size_limit(MEMORY_BYTES_MAX).build()
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}
