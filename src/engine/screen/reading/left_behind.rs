//! What a program drew at the bottom of its screen and did not take away. When the pane's size changes, the rows move under the
//! program: some draw anew below what was there, and an input box then stands amid what they say.

use super::frame::Frame;
use super::input_box::{BoxForm, BoxRules};
use super::pattern::Pattern;
use super::rules::Rules;
use super::state::ScreenState;
use super::steady::is_like;
use crate::engine::screen::echo::squeezed;
use crate::engine::screen::{after_bullet, is_rule};
use std::ops::Range;

/// Rows below a box, or above it, that may be the program's own. With its hints Gemini's screen has nine around the box.
const AROUND_ROWS_MAX: usize = 12;
/// Rows above a box that may come again below it: what is still being said is no longer than a screen.
const AGAIN_ROWS_MAX: usize = 200;
/// Bytes, white space not counted, that two texts must share for one to be the other's beginning: a bracket or a word may stand
/// twice in an answer.
const AGAIN_BYTES_MIN: usize = 16;
/// What a program may say in any row. A pattern that it matches tells no row from another.
const ANY_WORDS: [&str; 4] = ["It is said", " It is said", "  It is said", "    It is said"];

impl Rules {
    /// The rows within `within` that were left behind: each input box with what is drawn around it, each sign of work, and what was
    /// being said above one and is said again below. What stands behind `within` shows how this screen looks.
    ///
    /// Only to be asked where the pane's size has changed: an answer may quote a screen.
    #[must_use]
    pub fn left_behind(&self, rows: &[&str], within: Range<usize>) -> Vec<Range<usize>> {
        let frame = Frame { rows, title: None, cursor: None };
        let look = Drawn::of(self, &frame, &within);
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = within.end;
        while at > within.start {
            at -= 1;
            if let Some(drawn) = look.at(at) {
                at = drawn.start;
                found.push(drawn);
            }
        }
        found.reverse();
        // What is drawn around an upper box may reach into a lower one.
        for index in 1..found.len() {
            found[index - 1].end = found[index - 1].end.min(found[index].start);
        }
        for index in 0..found.len() {
            let above = index.checked_sub(1).map_or(within.start, |before| found[before].end);
            let below = found.get(index + 1).map_or(within.end, |next| next.start);
            let Range { start, end } = found[index].clone();
            let again = rows_said_again(&rows[above..start], &rows[end..below]);
            found[index].start -= again;
        }
        found
    }
}

/// How many of the last rows `above` are the beginning of what is `below`, however either is wrapped, and whether or not it has its
/// bullets still: they were being said, and are said again.
fn rows_said_again(above: &[&str], below: &[&str]) -> usize {
    rows_said(above, below, |below, text| below.starts_with(text))
}

/// How many of the last rows `above` stand anywhere in what is `below`: a screen that has grown shows more before them.
#[must_use]
pub fn rows_said_within(above: &[&str], below: &[&str]) -> usize {
    rows_said(above, below, |below, text| below.contains(text))
}

fn rows_said(above: &[&str], below: &[&str], has: impl Fn(&str, &str) -> bool) -> usize {
    let squeezed = |rows: &[&str]| rows.iter().map(|row| bare(row)).collect::<String>();
    let below = squeezed(below);
    let first = above.len().saturating_sub(AGAIN_ROWS_MAX);
    let is_again = |from: &usize| {
        let text = squeezed(&above[*from..]);
        text.len() >= AGAIN_BYTES_MIN && has(&below, &text)
    };
    let begins = |from: &usize| !above[*from].trim().is_empty();
    (first..above.len()).filter(begins).find(is_again).map_or(0, |from| above.len() - from)
}

/// A row without its bullet and white space: the same however it is wrapped and set in.
#[must_use]
pub fn bare(row: &str) -> String {
    after_bullet(row.trim_start()).map_or_else(|| squeezed(row), squeezed)
}

/// A row as far as its left half goes: what stands at the right edge comes and goes.
fn first_words(row: &str) -> &str {
    row.trim().split("   ").next().unwrap_or_default()
}

/// What is drawn around what a program says.
struct Drawn<'a> {
    frame: &'a Frame<'a>,
    within: &'a Range<usize>,
    boxes: Option<&'a BoxRules>,
    /// Rows below a box.
    footers: Vec<&'a Pattern>,
    /// Rows above a box that tell of work.
    work: Vec<&'a Pattern>,
    /// The rows around the box that is there now.
    now: Vec<&'a str>,
}

impl<'a> Drawn<'a> {
    fn of(rules: &'a Rules, frame: &'a Frame<'a>, within: &'a Range<usize>) -> Self {
        let boxes = rules.input_box.as_ref();
        let tells = |pattern: &&Pattern| !ANY_WORDS.iter().any(|words| pattern.matches(words));
        let own =
            boxes.into_iter().flat_map(|boxes| boxes.forms.iter().filter_map(|form| form.footer.as_ref()));
        let footers = rules.rules.iter().flat_map(|rule| &rule.see.footer).chain(own).filter(tells).collect();
        let working = rules.rules.iter().filter(|rule| rule.state == ScreenState::Busy);
        let work =
            working.flat_map(|rule| rule.see.status.iter().chain(&rule.see.last)).filter(tells).collect();
        let behind = frame.rows.get(within.end + 1..).unwrap_or_default();
        let now = behind.iter().copied().filter(|row| !row.trim().is_empty()).collect();
        Self { frame, within, boxes, footers, work, now }
    }

    /// What was left behind with this row in it, as a box's first one or as a sign of work.
    fn at(&self, at: usize) -> Option<Range<usize>> {
        let row = self.frame.row(at);
        if let Some(drawn) = self.boxes.and_then(|boxes| self.box_at(boxes, at)) {
            return Some(self.with_around(drawn));
        }
        let spins = row.trim_start().starts_with(|c| matches!(c, '\u{2801}'..='\u{28FF}'));
        (spins && self.works(row)).then_some(at..at + 1)
    }

    fn box_at(&self, boxes: &BoxRules, at: usize) -> Option<Range<usize>> {
        let rows = |form: &BoxForm| {
            let (rows, text) = form.drawn_at(self.frame, at)?;
            let is_inside = rows.start >= self.within.start && rows.end < self.within.end;
            let tells = || !ANY_WORDS.iter().any(|words| form.first.matches(words));
            let is_empty = || text.is_empty() || boxes.empty.iter().any(|empty| empty.matches(&text));
            (is_inside && (tells() || is_empty())).then_some(rows.start..rows.end + 1)
        };
        boxes.forms.iter().find_map(rows)
    }

    /// The same with what is drawn above and below: the rest of its rules, how the program is doing, hints.
    fn with_around(&self, mut drawn: Range<usize>) -> Range<usize> {
        let is_blank = |at: usize| self.frame.row(at).is_empty();
        let is_now = |row: &str| self.now.iter().any(|now| is_like(first_words(now), first_words(row)));
        let is_own = |row: &str| is_rule(row) || !row.is_empty() && is_now(row);
        let below = drawn.end..self.within.end.min(drawn.end + AROUND_ROWS_MAX);
        for at in below {
            let row = self.frame.row(at);
            if is_own(row) || self.footers.iter().any(|footer| footer.matches(row)) {
                drawn.end = at + 1;
            } else if !is_blank(at) {
                break;
            }
        }
        let above = drawn.start.saturating_sub(AROUND_ROWS_MAX).max(self.within.start)..drawn.start;
        for at in above.rev() {
            let row = self.frame.row(at);
            if is_own(row) || self.works(row) {
                drawn.start = at;
            } else if !is_blank(at) {
                break;
            }
        }
        // Of the blank rows on both sides those below stay.
        let blank_below = drawn.end < self.within.end && is_blank(drawn.end);
        while blank_below && drawn.start > self.within.start && is_blank(drawn.start - 1) {
            drawn.start -= 1;
        }
        drawn
    }

    fn works(&self, row: &str) -> bool {
        self.work.iter().any(|sign| sign.matches(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::screen::reading::input_box::CursorPlace;
    use crate::engine::screen::reading::{BoxState, Rule, Sights};

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text).unwrap()
    }

    /// A box between rules with a footer, under a spinner; `first` is its first row.
    fn rules(first: &str) -> Rules {
        let form = BoxForm {
            above: Some(pattern("^─{4}")),
            first: pattern(first),
            more: Some(pattern("^  (.*)$")),
            below: pattern("^─{4}"),
            own_rows: 0,
            gap: 0,
            footer: None,
            cursor: CursorPlace::Anywhere,
        };
        let see = Sights { status: vec![pattern("^ [⠁-⣿] "), pattern("^\\S")], ..Sights::default() };
        let busy = Rule {
            name: "busy".to_owned(),
            state: ScreenState::Busy,
            free: false,
            bold: false,
            input_box: BoxState::Any,
            see: Sights { footer: vec![pattern("^  esc to ")], ..see },
            not: Sights::default(),
            cure: None,
        };
        let boxes =
            BoxRules { forms: vec![form], empty: vec![pattern("^Ask$")], pasted: Vec::new(), faint: false };
        Rules { input_box: Some(boxes), rules: vec![busy], ..Rules::default() }
    }

    /// What stays of these rows, of which the last one is the claim unless something stands behind `===`.
    fn kept(rules: &Rules, rows: &[&str]) -> String {
        let end = rows.iter().position(|row| *row == "===").unwrap_or(rows.len());
        let gone = rules.left_behind(rows, 0..end);
        let stays = |at: &usize| !gone.iter().any(|range| range.contains(at));
        (0..end).filter(stays).map(|at| rows[at]).collect::<Vec<_>>().join("/")
    }

    const RULE: &str = "────────";

    #[test]
    fn a_box_amid_what_is_said_goes_with_all_that_is_drawn_around_it() {
        let rules = rules("^❯(?: (.*))?$");
        let tall = [
            "一つ目",
            "",
            " ⠙ Working 2s",
            "",
            RULE,
            RULE,
            "❯ a draft",
            "  of two rows",
            RULE,
            "  esc to stop",
            "  hint 12s",
            "",
            "二つ目",
            "===",
            "  hint 3s",
        ];
        assert_eq!(kept(&rules, &tall), "一つ目//二つ目");
        assert_eq!(
            kept(&rules, &["● one", RULE, "❯", RULE, "● two", RULE, "❯", RULE, "  esc to stop"]),
            "● one/● two"
        );
        // Two boxes that share what is drawn between them.
        let shared = ["● one", RULE, "❯", RULE, "  esc to stop", RULE, "❯", RULE, "  esc to stop", "two"];
        assert_eq!(kept(&rules, &shared), "● one/two");
        // Half of a box is none, nor is a rule; and a sign of work is one without a box.
        for whole in [&[RULE, "❯ quoted", "and more"][..], &["a", RULE, "b"], &["* Working…", "b"]] {
            assert_eq!(kept(&rules, whole), whole.join("/"));
        }
        assert_eq!(kept(&rules, &["a", " ⠙ Working (2s)", "b"]), "a/b");
    }

    #[test]
    fn a_form_that_fits_any_words_takes_none_away() {
        let rules = rules("^(.*)$");
        let said = ["one", RULE, "words of an answer", RULE, "two"];
        assert_eq!(kept(&rules, &said), said.join("/"));
        assert_eq!(kept(&rules, &["one", RULE, "Ask", RULE, "two"]), "one/two");
    }

    #[test]
    fn what_was_being_said_and_is_said_again_stands_once() {
        let rules = rules("^❯(?: (.*))?$");
        let streamed = [
            "● whole",
            "● Line 12 of the first part, and",
            "  some words",
            RULE,
            "❯",
            RULE,
            "● Line 12 of the first part,",
            "  and some words behind it",
            "done",
        ];
        assert_eq!(
            kept(&rules, &streamed),
            "● whole/● Line 12 of the first part,/  and some words behind it/done"
        );
        assert_eq!(kept(&rules, &["  }", RULE, "❯", RULE, "  }"]), "  }/  }", "too short to be known again");
        assert_eq!(
            rows_said_again(&["a", "a text that was said"], &["● a text that", "  was said", "● b"]),
            1
        );
        assert_eq!(rows_said_again(&["other words that are said"], &["some words that are said"]), 0);
        assert_eq!(rows_said_again(&[], &["a"]), 0);
    }
}
