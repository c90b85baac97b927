//! When a screen means a state, and what one was read as.

use super::dialog::Dialog;
use super::input_box::InputBox;
use super::pattern::Pattern;
use super::state::ScreenState;

/// When a screen means a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name, of its profile alone.
    pub name: String,
    /// What it says.
    pub state: ScreenState,
    /// For an error: whether the program can be given a turn all the same.
    pub free: bool,
    /// Whether that is so only where the last row above the input box is bold: a draft's is not. Recorded screens have no colours.
    pub bold: bool,
    pub input_box: BoxState,
    /// What has to be seen.
    pub see: Sights,
    /// What must not be seen.
    pub not: Sights,
    /// What a person can do about it.
    pub cure: Option<String>,
}

/// What a rule wants of the input box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoxState {
    /// Nothing.
    #[default]
    Any,
    /// None is shown.
    Hidden,
    Shown,
    /// One is shown, and nothing is there.
    Empty,
    /// One is shown, and somebody's words stand there.
    Filled,
}

/// Patterns by the part of a screen that they are matched against, row by row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sights {
    /// The pane's title.
    pub title: Vec<Pattern>,
    /// What the input box shows: what was typed, or the program's own words where it is empty.
    pub input: Vec<Pattern>,
    /// The rows below the input box, with the one that ends it.
    pub footer: Vec<Pattern>,
    /// The last six rows above the input box that are not blank.
    pub status: Vec<Pattern>,
    /// The last row above the input box that is not blank.
    pub last: Vec<Pattern>,
    /// The rows from the last thing that was typed to the input box, or to the end.
    pub turn: Vec<Pattern>,
    /// The rows of the turn's last entry, or all of the turn where none begins.
    pub entry: Vec<Pattern>,
    /// The rows from the first one of a dialog to the end, or all that stand below the input box where none begins.
    pub dialog: Vec<Pattern>,
    /// The last forty rows that are not blank.
    pub bottom: Vec<Pattern>,
}

/// What a screen was read as, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<'a> {
    pub state: ScreenState,
    /// The rule that says so; none if no rule knows the screen.
    pub rule: Option<&'a Rule>,
    /// The rows that matched it, top to bottom, counted from 0. The title is no row.
    pub rows: Vec<usize>,
    /// The input box, if one is shown.
    pub input_box: Option<InputBox>,
    /// What it asks, where it waits for somebody and no input box is shown.
    pub dialog: Option<Dialog>,
}

impl Reading<'_> {
    /// Whether a turn may be typed: the program waits, its input box is shown, and nothing is there.
    #[must_use]
    pub fn is_free(&self) -> bool {
        match self.state {
            ScreenState::Ready => true,
            ScreenState::Error => self.rule.is_some_and(|rule| rule.free),
            _ => false,
        }
    }

    /// Name of the rule, or a dash.
    #[must_use]
    pub fn rule_name(&self) -> &str {
        self.rule.map_or("-", |rule| rule.name.as_str())
    }
}
