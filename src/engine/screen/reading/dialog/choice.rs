//! A choice of a dialog as its program draws it.

use crate::engine::screen::reading::frame::{is_border, words};
use crate::engine::screen::reading::pattern::Pattern;

/// How a program draws what may be chosen. The first group of a list's patterns is the choice, with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceRules {
    /// A list, one below the other.
    pub list: Option<ChoiceList>,
    /// Rows with all choices side by side, each a group; the marked one is on another background.
    pub in_row: Vec<Pattern>,
    /// A choice that says yes, once and to nothing more than is asked.
    pub yes: Vec<Pattern>,
    /// A choice that says no.
    pub no: Vec<Pattern>,
    /// Rules that know dialogs which take a line of text.
    pub typed: Vec<String>,
    /// Those of them that come after a choice that says no, and take Enter alone for it.
    pub enter_after_no: Vec<String>,
    /// A choice in whose place a text may be typed once it is marked, in the words that stand there before.
    pub field: Vec<Pattern>,
    /// A choice that opens a line for a text in the row below it.
    pub opens: Vec<Pattern>,
}

/// How a program draws a list of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceList {
    /// The choice that is taken by Enter; where none is said, it is on another background.
    pub marked: Option<Pattern>,
    /// Another one: it is in the same column.
    pub other: Pattern,
    /// Whether choices without numbers stand apart, each above a row that says what it is.
    pub described: bool,
}

/// A row that may be a choice.
pub(super) struct Row {
    pub(super) at: usize,
    /// Where it begins, and where its words begin behind the number.
    pub(super) start: usize,
    pub(super) column: usize,
    pub(super) choice: String,
}

/// Whether a row is blank, or its words stand further right than choices begin; the side of a box may be before them.
pub(super) fn is_within(row: &str, start: usize) -> bool {
    words(row).is_empty() || row.chars().take_while(|c| *c == ' ' || is_border(*c)).count() > start
}

/// The number of a choice.
pub(super) fn number(choice: &str) -> Option<usize> {
    choice.split_once(". ").and_then(|(number, _)| number.parse().ok())
}

/// A choice without its number, and without what is said of it further right.
pub(super) fn label(choice: &str) -> &str {
    bare(choice).split("  ").next().unwrap_or_default()
}

/// A choice without its number.
pub(super) fn bare(choice: &str) -> &str {
    let bare = number(choice).and_then(|_| choice.split_once(". "));
    bare.map_or(choice, |(_, bare)| bare.trim_start())
}
