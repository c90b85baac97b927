//! Places that a text cites as `path:line`, and what follows from whether they exist. Who calls knows the repository; here are texts.

mod scan;
#[cfg(test)]
mod tests;

use scan::citations_among;
pub use scan::{CITATIONS_MAX, Citation, citations};

use super::sections::{Section, is_nothing, sections};

/// A citation that was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCitation {
    pub citation: Citation,
    /// Why it points nowhere; none if the place exists.
    pub missing: Option<String>,
}

/// Looks up all that a text cites. `lines_of` is how many lines the file at a path has, or nothing where there is no such file.
pub fn check(text: &str, lines_of: impl Fn(&str) -> Option<u32>) -> Vec<CheckedCitation> {
    let checked = |citation: Citation| {
        let missing = why_missing(&citation, lines_of(&citation.path));
        CheckedCitation { citation, missing }
    };
    let all = citations_among(text, |path| lines_of(path).is_some());
    all.into_iter().map(checked).collect()
}

fn why_missing(citation: &Citation, lines: Option<u32>) -> Option<String> {
    let last = citation.to.unwrap_or(citation.line);
    match lines {
        None => Some("no such file".to_owned()),
        Some(_) if citation.line == 0 => Some("lines count from 1".to_owned()),
        Some(1) if last > 1 => Some("the file has 1 line".to_owned()),
        Some(lines) if last > lines => Some(format!("the file has {lines} lines")),
        Some(_) => None,
    }
}

/// The citations of these that point nowhere, as [`super::prompt::PriorOutput::missing`] wants them.
#[must_use]
pub fn missing(checked: &[CheckedCitation]) -> Vec<String> {
    let missing = checked.iter().filter(|one| one.missing.is_some());
    missing.map(|one| one.citation.to_string()).collect()
}

/// Titles below which a critique has its objections.
const OBJECTIONS: &[&str] = &[
    "objection",
    "problem",
    "issue",
    "concern",
    "critique",
    "criticism",
    "weakness",
    "risk",
    "flaw",
    "反論",
    "異議",
    "問題",
    "懸念",
    "批判",
    "指摘",
    "課題",
    "欠点",
    "弱点",
    "リスク",
];
/// Titles below which it has what nobody has proposed yet.
const PROPOSALS: &[&str] = &[
    "new propos",
    "alternative",
    "counter",
    "changed my mind",
    "新しい提案",
    "新提案",
    "新たな提案",
    "代替",
    "対案",
];

/// Whether the text of a critique gives a reason to debate on: an objection that cites a place which `exists`, or a new proposal. When
/// no role of a round does, another round would change nothing.
///
/// It goes by headings, as round 2 asks for them. Below a heading of objections it looks for a citation; below one of new proposals
/// for anything but `none`. A text with neither heading is taken for news: nobody can tell what it is.
pub fn brings_news(text: &str, exists: impl Fn(&Citation) -> bool) -> bool {
    let all = sections(text);
    let (mut is_sorted, mut is_news) = (false, false);
    for (at, section) in all.iter().enumerate() {
        // What is above all headings, and a title of the whole, is no objection.
        if section.level == 0 {
            continue;
        }
        if section.is_about(PROPOSALS) {
            is_sorted = true;
            is_news |= !is_nothing(&Section::whole(&all, at));
        } else if section.is_about(OBJECTIONS) {
            is_sorted = true;
            is_news |= citations(&Section::whole(&all, at)).iter().any(&exists);
        }
    }
    is_news || !is_sorted
}
