//! What is wrong or odd in a team file: what, where, the line itself, and the cure.

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode,
};
use std::fmt;
use std::sync::Arc;

/// Width at which findings are wrapped: what a terminal has at least.
const WIDTH: usize = 100;

/// Findings that are told at a time; who puts these right is told of the others.
const TOLD_MAX: usize = 20;
/// Longest line, in bytes, that is shown with a finding: nobody reads a longer one, and its columns are too many for a terminal.
const SHOWN_BYTES_MAX: usize = 1_000;

/// How a finding begins that says that a program is missing.
pub(super) const NO_PROGRAM: &str = "there is no program `";
/// How one begins that says that there is no script for it.
pub(super) const NO_SCRIPT: &str = "there is no file `";
/// How one ends that says that a folder is in the place of a program.
pub(super) const IS_FOLDER: &str = "is a folder, not a program";

/// A stretch of bytes in a team file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Its first byte, from 0.
    pub start: usize,
    /// How many bytes it has.
    pub len: usize,
}

/// One thing that somebody should put right.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{why}")]
pub struct Finding {
    /// Whether the file is refused for it.
    pub fatal: bool,
    /// What is wrong, in a sentence with the value that is at fault.
    pub why: String,
    pub cure: String,
    pub place: Place,
    text: Arc<NamedSource<String>>,
}

impl Finding {
    /// Line of the file, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }

    /// Column in the line, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        let before = self.before();
        before.rsplit('\n').next().unwrap_or(before).chars().count() + 1
    }

    /// Name of the file, as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        self.text.name()
    }

    /// Whether it says that an agent's program is missing, which whoever lists the programs says for each of them.
    #[must_use]
    pub fn is_of_a_program(&self) -> bool {
        let begins = [NO_PROGRAM, NO_SCRIPT].iter().any(|begin| self.why.starts_with(begin));
        !self.fatal && (begins || self.why.ends_with(IS_FOLDER))
    }

    /// Whether its line, and those beside it that are shown with it, are short enough to be shown.
    fn is_showable(&self) -> bool {
        let (before, text) = (self.before(), self.text.inner());
        let after = text.get(before.len()..).unwrap_or_default();
        let to = after.match_indices('\n').nth(1).map_or(after.len(), |(at, _)| at);
        let from = before.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
        let shown = text.get(from..before.len() + to).unwrap_or_default();
        shown.split('\n').all(|line| line.len() <= SHOWN_BYTES_MAX)
    }

    fn before(&self) -> &str {
        self.text.inner().get(..self.place.start).unwrap_or_default()
    }
}

impl Diagnostic for Finding {
    fn severity(&self) -> Option<Severity> {
        Some(if self.fatal { Severity::Error } else { Severity::Warning })
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(&self.cure))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&*self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new(None, self.place.start, self.place.len);
        Some(Box::new(std::iter::once(label)))
    }
}

/// All findings as a person reads them: file, line, column, the line with a mark, the cure.
#[must_use]
pub fn render(findings: &[Finding], colours: bool) -> String {
    let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_context_lines(1);
    let mut text = String::new();
    for finding in findings.iter().take(TOLD_MAX) {
        if !finding.is_showable() || handler.render_report(&mut text, finding).is_err() {
            let place = format!("{}:{}:{}", finding.file(), finding.line(), finding.column());
            text.push_str(&format!("{place}: {finding}\n  help: {}\n", finding.cure));
        }
        text.push('\n');
    }
    if let Some(more @ 1..) = findings.len().checked_sub(TOLD_MAX) {
        text.push_str(&format!("and {more} more\n"));
    }
    text
}

/// Collects findings while a file is checked, so that a person hears of all of them at once.
#[derive(Debug)]
pub(super) struct Book {
    source: Arc<NamedSource<String>>,
    findings: Vec<Finding>,
    /// What the patterns take that were read so far, here and in what was read before.
    pub(super) spent: Spent,
    /// Whether it is one of ours, whose patterns a test has checked.
    pub(super) is_built_in: bool,
}

/// What patterns take.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) patterns: usize,
    pub(super) bytes: usize,
}

impl Book {
    /// Of the file `name` with this text.
    pub(super) fn new(name: &str, text: &str) -> Self {
        let source = Arc::new(NamedSource::new(name, harmless(text)));
        Self { source, findings: Vec::new(), spent: Spent::default(), is_built_in: false }
    }

    /// Of a file that is built in: its patterns are compiled when they are used, and not before.
    pub(super) fn built_in(name: &str, text: &str) -> Self {
        Self { is_built_in: true, ..Self::new(name, text) }
    }

    /// Something for which the file is refused.
    pub(super) fn wrong(&mut self, place: Place, why: impl Into<String>, cure: impl Into<String>) {
        self.add(true, place, why.into(), cure.into());
    }

    /// Something that works, and hardly as meant.
    pub(super) fn odd(&mut self, place: Place, why: impl Into<String>, cure: impl Into<String>) {
        self.add(false, place, why.into(), cure.into());
    }

    /// In the order of the file, those of others behind; the warnings, or everything if something is wrong.
    pub(super) fn close(mut self) -> Result<Vec<Finding>, Vec<Finding>> {
        let own = self.source.name().to_owned();
        let key = |finding: &Finding| (finding.file() != own, finding.file().to_owned(), finding.place.start);
        self.findings.sort_by_cached_key(key);
        if self.findings.iter().any(|finding| finding.fatal) { Err(self.findings) } else { Ok(self.findings) }
    }

    /// Takes what was found in another file.
    pub(super) fn absorb(&mut self, other: Self) {
        self.findings.extend(other.findings);
    }

    fn add(&mut self, fatal: bool, place: Place, why: String, cure: String) {
        let place = within(self.source.inner(), place);
        let (why, cure) = (on_one_line(&why), on_one_line(&cure));
        self.findings.push(Finding { fatal, why, cure, place, text: Arc::clone(&self.source) });
    }
}

/// Only the first line of a long value is marked, and never beyond the end.
fn within(text: &str, place: Place) -> Place {
    let start = text.floor_char_boundary(place.start.min(text.len()));
    let end = text.floor_char_boundary(place.start.saturating_add(place.len).min(text.len())).max(start);
    let marked = text.get(start..end).unwrap_or_default();
    let first_line = marked.split('\n').next().unwrap_or_default().trim_end();
    Place { start, len: first_line.len() }
}

/// The same text with as many bytes and without anything that a terminal obeys.
fn harmless(text: &str) -> String {
    let stand_in = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_ascii_control() => '?',
        '\u{80}'..='\u{9f}' => '\u{bf}',
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    };
    text.chars().map(stand_in).collect()
}

fn on_one_line(text: &str) -> String {
    harmless(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_editors_count_them() {
        let mut book = Book::new("tasuki.yaml", "襷: 1\nあい: \u{1b}x\n");
        book.wrong(Place { start: 14, len: 2 }, "a", "b");
        let findings = book.close().unwrap_err();
        assert_eq!((findings[0].line(), findings[0].column()), (2, 4));
        assert!(!render(&findings, false).contains('\u{1b}'));
        assert!(render(&findings, true).contains("\u{1b}["));
    }

    #[test]
    fn a_place_outside_the_text_or_inside_a_character_is_moved() {
        for place in [(0, 999), (999, 1), (1, 1), (2, 0), (usize::MAX, usize::MAX)] {
            let mut book = Book::new("x", "襷\n襷");
            book.odd(Place { start: place.0, len: place.1 }, "a", "b");
            let findings = book.close().unwrap();
            assert!(render(&findings, false).contains("x:"), "{place:?}");
        }
    }

    #[test]
    fn a_mistake_far_out_in_a_long_line_is_told_without_it() {
        for long in [1_001, 66_000, 1 << 20] {
            let text = format!("# before\nagents: [{}{{nam: boss}}]\n# after\n", " ".repeat(long));
            let mut book = Book::new("tasuki.yaml", &text);
            let at = text.find("nam").unwrap();
            (0..1_000)
                .for_each(|_| book.wrong(Place { start: at, len: 3 }, "there is no key `nam`", "use `name`"));
            let told = render(&book.close().unwrap_err(), false);
            let place = format!("tasuki.yaml:2:{}: there is no key `nam`\n  help: use `name`", at - 8);
            assert!(told.starts_with(&place), "{told}");
            assert!(told.ends_with("and 980 more\n") && told.len() < 4_000, "{} bytes", told.len());
        }
        let text = format!("{}\nagents: 1\n{}\n", "x".repeat(2_000), "y".repeat(2_000));
        let mut book = Book::new("tasuki.yaml", &text);
        book.wrong(Place { start: 2_009, len: 1 }, "a number", "make it a list");
        assert!(render(&book.close().unwrap_err(), false).len() < 200, "nor are the lines beside it shown");
    }

    #[test]
    fn what_is_shown_has_as_many_bytes_as_what_was_read() {
        let text = "a\u{1b}\u{9b}\u{202e}\u{7f}襷\r\n\t";
        assert_eq!(harmless(text).len(), text.len());
    }
}
