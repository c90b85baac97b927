//! How places are found in a text: `path:line`, also with a column or a range, and `path#L12-L15`.

use serde::Serialize;
use std::collections::HashSet;
use std::fmt;

/// A place in the repository, as a text cites it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Citation {
    /// From the root of the repository, with `/`.
    pub path: String,
    /// From 1, as the text has it.
    pub line: u32,
    /// The last line of a range.
    pub to: Option<u32>,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)?;
        self.to.map_or(Ok(()), |to| write!(f, "-{to}"))
    }
}

/// Most citations that are taken from one text; one that has more is no argument.
pub const CITATIONS_MAX: usize = 500;
/// Longest path that is taken for one, in bytes.
const PATH_BYTES_MAX: usize = 512;
/// Ends of host names, which stand before a port as a file stands before a line.
const HOSTS: &[&str] =
    &["com", "org", "net", "io", "dev", "local", "localhost", "jp", "ai", "app", "cloud", "internal"];
/// Files without an ending that are known by their names.
const BARE_NAMES: &[&str] = &[
    "BUILD",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "Procfile",
    "README",
    "Rakefile",
    "justfile",
    "makefile",
];

/// The places that a text cites, each once, in the order of the text.
///
/// In a span of code a path may have any letters. Elsewhere it has those of ASCII alone, since a sentence in Japanese has no blank
/// before it. Addresses, times and ports are none.
#[must_use]
pub fn citations(text: &str) -> Vec<Citation> {
    citations_among(text, |_| false)
}

/// The same where it is known which files there are: a span of code may be one path that has blanks in it.
#[must_use]
pub(super) fn citations_among(text: &str, is_file: impl Fn(&str) -> bool) -> Vec<Citation> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for line in text.lines() {
        for (at, part) in line.split('`').enumerate() {
            let has_blanks = part.contains(char::is_whitespace);
            let whole = citation(part).filter(|whole| at % 2 == 1 && (!has_blanks || is_file(&whole.path)));
            let is_span = whole.is_some();
            let tokens = if is_span { vec![part] } else { tokens(part) };
            for citation in tokens.into_iter().filter_map(citation) {
                if found.len() == CITATIONS_MAX {
                    return found;
                }
                if seen.insert(citation.clone()) {
                    found.push(citation);
                }
            }
        }
    }
    found
}

/// The words of a text that may be paths with lines: of ASCII, and not the rest of a word in other letters.
fn tokens(text: &str) -> Vec<&str> {
    let ends =
        |c: char| !c.is_ascii() || c.is_whitespace() || c.is_control() || "()[]{}<>\"',;|*=!?&$".contains(c);
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut is_behind_letter = false;
    while let Some(c) = rest.chars().next() {
        if ends(c) {
            is_behind_letter = c.is_alphabetic();
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (token, behind) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        // `認証.rs:12` is the name of one file, and not of `.rs`.
        if !(is_behind_letter && token.starts_with(['.', '/', '-', '_'])) {
            tokens.push(token);
        }
        (rest, is_behind_letter) = (behind, false);
    }
    tokens
}

/// The place that a word cites.
fn citation(word: &str) -> Option<Citation> {
    if word.contains("://") || word.starts_with("//") {
        return None;
    }
    if let Some((path, lines)) = word.split_once("#L") {
        return placed(path, lines);
    }
    let mut from = 0;
    while let Some(at) = word.get(from..)?.find(':').map(|at| from + at) {
        let (path, rest) = (word.get(..at)?, word.get(at + 1..)?);
        if rest.trim_start_matches('L').starts_with(|c: char| c.is_ascii_digit()) {
            return placed(path, rest);
        }
        from = at + 1;
    }
    None
}

/// `path` and what stands behind it: `12`, `12-15`, `12:5`, `L12-L15`.
fn placed(path: &str, lines: &str) -> Option<Citation> {
    let (line, rest) = number(lines)?;
    let to = rest.strip_prefix('-').and_then(number).map(|(to, _)| to).filter(|to| *to > line);
    // A word that goes on is something else: `12:30pm`, `3rd`.
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '/');
    let path = normal(path)?;
    (!goes_on && is_path(&path)).then_some(Citation { path, line, to })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// The path from the root of the repository: without `./` and `a/..`, and without the folder of a role's worktree.
fn normal(path: &str) -> Option<String> {
    let path = match path.split_once("/worktrees/round") {
        Some((_, behind)) => behind.split_once('/')?.1,
        None => path,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn is_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_word = path.len() <= PATH_BYTES_MAX
        && !path.starts_with('-')
        && !path.contains(':')
        && !path.contains(|c: char| c.is_control())
        && path.contains(char::is_alphabetic);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_name =
            ending.starts_with(|c: char| c.is_alphabetic()) && ending.chars().all(char::is_alphanumeric);
        let is_dot_file = stem.is_empty() && ending.len() > 2;
        is_name && (!stem.is_empty() || is_dot_file) && (path.contains('/') || !HOSTS.contains(&ending))
    });
    is_word && (has_ending || BARE_NAMES.contains(&name) || (path.contains('/') && !name.is_empty()))
}
