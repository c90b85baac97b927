//! Rules in their order, and the parts of a screen that they look at.

use super::dialog::{ChoiceRules, Dialog};
use super::frame::Frame;
use super::input_box::{BoxRules, InputBox};
use super::pattern::Pattern;
use super::rule::{BoxState, Reading, Rule, Sights};
use super::state::ScreenState;
use std::ops::Range;

/// Rows above the input box, blank ones not counted, where a program tells what it is doing.
const STATUS_ROWS: usize = 6;
/// Rows at the bottom, blank ones not counted, where a dialog is.
const BOTTOM_ROWS: usize = 40;

/// How the screens of one kind of program are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Of which version of the program these are, in its own words.
    pub version: String,
    pub input_box: Option<BoxRules>,
    /// A row that shows what was typed before: a turn begins behind the last one.
    pub echo: Option<Pattern>,
    /// The first row of each thing that was said, done or told in a turn.
    pub entry: Option<Pattern>,
    /// The first row of a dialog: one begins with the last such row.
    pub dialog: Option<Pattern>,
    /// How it draws what may be chosen.
    pub choices: Option<ChoiceRules>,
    /// The first one that matches says the state.
    pub rules: Vec<Rule>,
}

impl Rules {
    /// Reads a screen.
    #[must_use]
    pub fn read(&self, frame: &Frame<'_>) -> Reading<'_> {
        let shown = Shown::of(self, frame);
        for rule in &self.rules {
            if let Some(rows) = shown.matches(rule) {
                let dialog = shown.asks(rule.state).then(|| shown.dialog(self, &rule.name));
                let input_box = shown.input_box;
                return Reading { state: rule.state, rule: Some(rule), rows, input_box, dialog };
            }
        }
        let (rule, rows, dialog) = (None, Vec::new(), None);
        Reading { state: ScreenState::Unknown, rule, rows, input_box: shown.input_box, dialog }
    }
}

/// A screen and its parts.
struct Shown<'a> {
    frame: &'a Frame<'a>,
    input_box: Option<InputBox>,
    footer: Vec<usize>,
    status: Vec<usize>,
    turn: Vec<usize>,
    entry: Vec<usize>,
    dialog: Vec<usize>,
    /// Whether a dialog may begin above the screen.
    begins_above: bool,
    bottom: Vec<usize>,
}

impl<'a> Shown<'a> {
    fn of(rules: &Rules, frame: &'a Frame<'a>) -> Self {
        let input_box = rules.input_box.as_ref().and_then(|rules| rules.find(frame));
        let rows = frame.rows.len();
        let (above, below) =
            input_box.as_ref().map_or((rows, rows), |found| (found.rows.start, found.rows.end));
        let under = input_box.as_ref().map_or(0, |found| found.rows.end);
        let lowest = |pattern: &Option<Pattern>, mut range: Range<usize>| {
            pattern.as_ref().and_then(|pattern| range.rfind(|at| pattern.matches(frame.row(*at))))
        };
        let top = lowest(&rules.echo, 0..above).map_or(0, |at| at + 1);
        let entry = lowest(&rules.entry, top..above).unwrap_or(top);
        let begins = lowest(&rules.dialog, under..rows);
        let begins_above = rules.dialog.is_some() && begins.is_none() && !frame.row(0).trim().is_empty();
        let dialog = begins.unwrap_or(under);
        let inked = |range: Range<usize>| range.filter(|at| !frame.row(*at).trim().is_empty());
        let last = |range: Range<usize>, count: usize| {
            let mut rows: Vec<usize> = inked(range).rev().take(count).collect();
            rows.reverse();
            rows
        };
        Self {
            frame,
            footer: inked(below..rows).collect(),
            status: last(top..above, STATUS_ROWS),
            turn: inked(top..above).collect(),
            entry: inked(entry..above).collect(),
            dialog: inked(dialog..rows).collect(),
            begins_above,
            bottom: last(0..rows, BOTTOM_ROWS),
            input_box,
        }
    }

    /// Whether a screen of this state may be a dialog.
    fn asks(&self, state: ScreenState) -> bool {
        self.input_box.is_none()
            && matches!(state, ScreenState::WaitingInput | ScreenState::RateLimited | ScreenState::Error)
    }

    /// What it asks, where this rule knows it.
    fn dialog(&self, rules: &Rules, known_by: &str) -> Dialog {
        let (Some(first), Some(last)) = (self.dialog.first(), self.dialog.last()) else {
            return Dialog::default();
        };
        // What is typed is somewhere among the rest.
        let choices =
            rules.choices.as_ref().filter(|choices| !choices.typed.iter().any(|typed| typed == known_by));
        let read = |first: usize| Dialog::read(choices, self.frame, first..last + 1);
        let dialog = read(*first);
        // Some have a border in the middle, and what is chosen from above it.
        let begins =
            |at: &usize| rules.dialog.as_ref().is_some_and(|border| border.matches(self.frame.row(*at)));
        let above = (0..*first).rfind(begins).filter(|_| dialog.marked.is_none());
        let dialog = above.map(read).filter(|whole| whole.marked.is_some()).unwrap_or(dialog);
        // A model may write what looks like the first row of one, which would hide what is above it.
        let topmost = self.turn.iter().copied().find(begins).filter(|at| at < first);
        match topmost.filter(|_| dialog.in_row.is_some()) {
            Some(topmost) => Dialog { cut: true, ..read(topmost) },
            None => Dialog { cut: dialog.cut || self.begins_above, ..dialog },
        }
    }

    /// The rows that match a rule, if the screen does.
    fn matches(&self, rule: &Rule) -> Option<Vec<usize>> {
        if !self.has(rule.input_box) || self.shows_any(&rule.not) {
            return None;
        }
        self.shows_all(&rule.see)
    }

    /// Each part that has rows, and what is looked for there.
    fn parts<'s>(&'s self, sights: &'s Sights) -> [(&'s [Pattern], &'s [usize]); 7] {
        let Sights { title: _, input: _, footer, status, last, turn, entry, dialog, bottom } = sights;
        [
            (footer, &self.footer),
            (status, &self.status),
            (last, self.last()),
            (turn, &self.turn),
            (entry, &self.entry),
            (dialog, &self.dialog),
            (bottom, &self.bottom),
        ]
    }

    fn shows_any(&self, sights: &Sights) -> bool {
        let shown = |(patterns, part): (&[Pattern], &[usize])| {
            patterns.iter().any(|pattern| self.row(pattern, part).is_some())
        };
        sights.title.iter().any(|pattern| self.titled(pattern))
            || sights.input.iter().any(|pattern| self.typed(pattern))
            || self.parts(sights).into_iter().any(shown)
    }

    /// The rows that match, if all do.
    fn shows_all(&self, sights: &Sights) -> Option<Vec<usize>> {
        let stands = sights.title.iter().all(|pattern| self.titled(pattern))
            && sights.input.iter().all(|pattern| self.typed(pattern));
        if !stands {
            return None;
        }
        let mut rows = Vec::new();
        for (patterns, part) in self.parts(sights) {
            for pattern in patterns {
                rows.push(self.row(pattern, part)?);
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    fn has(&self, wanted: BoxState) -> bool {
        match (wanted, &self.input_box) {
            (BoxState::Any, _) | (BoxState::Hidden, None) | (BoxState::Shown, Some(_)) => true,
            (BoxState::Empty, Some(found)) => found.text.is_empty(),
            (BoxState::Filled, Some(found)) => !found.text.is_empty(),
            _ => false,
        }
    }

    fn titled(&self, pattern: &Pattern) -> bool {
        self.frame.title.is_some_and(|title| pattern.matches(title))
    }

    fn typed(&self, pattern: &Pattern) -> bool {
        self.input_box.as_ref().is_some_and(|found| pattern.matches(&found.words))
    }

    fn last(&self) -> &[usize] {
        &self.status[self.status.len().saturating_sub(1)..]
    }

    /// The lowest of these rows that matches.
    fn row(&self, pattern: &Pattern, rows: &[usize]) -> Option<usize> {
        rows.iter().rev().copied().find(|at| pattern.matches(self.frame.row(*at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::screen::reading::BoxForm;
    use crate::engine::screen::reading::input_box::CursorPlace;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text).unwrap()
    }

    /// A turn begins behind `? `, an entry with `* `, a dialog with `=`; the box is a row `> ` over a rule.
    fn rules(see: Sights, not: Sights) -> Rules {
        let form = BoxForm {
            above: None,
            first: pattern("^> ?(.*)$"),
            more: None,
            below: pattern("^-{4}"),
            own_rows: 0,
            gap: 0,
            footer: None,
            cursor: CursorPlace::Anywhere,
        };
        let rule = Rule {
            name: "it".to_owned(),
            state: ScreenState::Error,
            free: false,
            bold: false,
            input_box: BoxState::Any,
            see,
            not,
            cure: None,
        };
        Rules {
            version: String::new(),
            input_box: Some(BoxRules {
                forms: vec![form],
                empty: vec![pattern("^Again[?]$")],
                pasted: Vec::new(),
                faint: false,
            }),
            echo: Some(pattern("^[?] ")),
            entry: Some(pattern("^[*] ")),
            dialog: Some(pattern("^={4}")),
            choices: None,
            rules: vec![rule],
        }
    }

    fn rows(rules: &Rules, rows: &[&str]) -> Option<Vec<usize>> {
        let frame = Frame { rows, title: None, cursor: None };
        let reading = rules.read(&frame);
        reading.rule.map(|_| reading.rows)
    }

    #[test]
    fn an_error_counts_in_the_last_entry_of_a_turn_alone() {
        let last = rules(
            Sights { entry: vec![pattern("error"), pattern("at 3")], ..Sights::default() },
            Sights::default(),
        );
        assert_eq!(rows(&last, &["? do", "* error", "  at 3", "> ", "----"]), Some(vec![1, 2]));
        assert_eq!(rows(&last, &["? do", "* error", "  at 3", "* done", "> ", "----"]), None);
        assert_eq!(rows(&last, &["* error", "  at 3", "? do", "> ", "----"]), None);
        // Without any entry the turn is one.
        assert_eq!(rows(&last, &["error", "at 3"]), Some(vec![0, 1]));
    }

    #[test]
    fn what_stands_above_a_dialog_is_no_part_of_it() {
        let asks = rules(Sights { dialog: vec![pattern("proceed")], ..Sights::default() }, Sights::default());
        assert_eq!(rows(&asks, &["proceed", "====", "proceed"]), Some(vec![2]));
        assert_eq!(rows(&asks, &["====", "proceed", "====", "other"]), None);
        assert_eq!(rows(&asks, &["proceed"]), Some(vec![0]));
        // Nor what is above an input box.
        assert_eq!(rows(&asks, &["proceed", "> ", "----"]), None);
    }

    #[test]
    fn the_programs_own_words_in_an_empty_box_are_seen() {
        let again = rules(Sights { input: vec![pattern("^Again")], ..Sights::default() }, Sights::default());
        assert_eq!(rows(&again, &["> Again?", "----"]), Some(vec![]));
        assert_eq!(rows(&again, &["> ", "----"]), None);
    }

    #[test]
    fn what_must_not_be_seen_counts_in_its_part_alone() {
        let not = Sights { footer: vec![pattern("^[$]")], ..Sights::default() };
        let see = Sights { last: vec![pattern("done")], ..Sights::default() };
        let free = rules(see, not);
        assert_eq!(rows(&free, &["$ x", "done", "> ", "----"]), Some(vec![1]));
        assert_eq!(rows(&free, &["done", "> ", "----", "$ x"]), None);
    }
}
