//! The box that a program draws around what is typed to it, found from the bottom of the screen.

use super::frame::Frame;
use super::pattern::Pattern;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Rows that a box may have: nobody types more into one by hand, and a whole screen of text is no box.
const ROWS_MAX: usize = 200;

/// How a program draws its input box, in one way or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxRules {
    /// The ways; the first one that fits says what is there.
    pub forms: Vec<BoxForm>,
    /// Texts that the program shows where nothing was typed.
    pub empty: Vec<Pattern>,
    /// What the program shows in place of a text that was pasted.
    pub pasted: Vec<Pattern>,
    /// Whether what is drawn faint there is the program's own, as what it proposes to send next.
    pub faint: bool,
}

/// One way to draw an input box. The first group of `first` and of `more` is what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxForm {
    /// The row right above its text, if it has one of its own.
    pub above: Option<Pattern>,
    /// The first row of its text.
    pub first: Pattern,
    /// Each further row of its text.
    pub more: Option<Pattern>,
    /// The first row behind its text that is not blank.
    pub below: Pattern,
    /// Rows at the end of its text that are the program's own.
    pub own_rows: usize,
    /// Blank rows between its text and the row below, which are no part of the text: at least as many.
    pub gap: usize,
    /// A row that is somewhere under it; without one it is no input box.
    pub footer: Option<Pattern>,
    /// Where the cursor is: what looks like it elsewhere is none.
    pub cursor: CursorPlace,
}

/// Where the cursor is while a box can be typed to. One that is not known is anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorPlace {
    #[default]
    Anywhere,
    /// In the box.
    Inside,
    /// In the box or above.
    NotBelow,
}

impl CursorPlace {
    /// Whether a cursor in row `row` is where it has to be for a box of these rows.
    fn allows(self, row: u16, text: &Range<usize>) -> bool {
        let row = usize::from(row);
        match self {
            Self::Anywhere => true,
            Self::Inside => text.contains(&row),
            Self::NotBelow => row < text.end,
        }
    }
}

/// An input box on a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputBox {
    /// Its rows, with the one above where that is a part of it, and without the one below.
    pub rows: Range<usize>,
    /// What was typed there, its rows joined by line feeds; nothing where it is empty.
    pub text: String,
    /// What it shows: that, or the program's own words where nothing was typed.
    pub words: String,
}

impl BoxRules {
    /// The lowest input box of a screen.
    #[must_use]
    pub fn find(&self, frame: &Frame<'_>) -> Option<InputBox> {
        (0..frame.rows.len()).rev().find_map(|at| {
            let (form, place) = self.forms.iter().find_map(|form| Some((form, form.at(frame, at)?)))?;
            let (typed, behind) = form.text(frame, place.text);
            // Whoever typed just these words is behind them.
            let is_placeholder = !behind && self.empty.iter().any(|empty| empty.matches(&typed));
            let text = if is_placeholder { String::new() } else { typed.clone() };
            Some(InputBox { rows: place.rows, text, words: typed })
        })
    }
}

/// Where a box is, and its text in it.
struct Place {
    rows: Range<usize>,
    text: Range<usize>,
}

impl BoxForm {
    /// The box whose text begins in row `at`, wherever the cursor is: its rows without the one below, and what it shows.
    pub(super) fn drawn_at(&self, frame: &Frame<'_>, at: usize) -> Option<(Range<usize>, String)> {
        let place = self.at(frame, at)?;
        let (text, _) = self.text(frame, place.text);
        Some((place.rows, text))
    }

    /// The box whose text begins in row `at`.
    fn at(&self, frame: &Frame<'_>, at: usize) -> Option<Place> {
        self.first.group(frame.row(at))?;
        let top = match &self.above {
            None => at,
            Some(above) => at.checked_sub(1).filter(|row| above.matches(frame.row(*row)))?,
        };
        let below = self.below(frame, at)?;
        let footed = |footer: &Pattern| (below..frame.rows.len()).any(|row| footer.matches(frame.row(row)));
        let end = below.saturating_sub(self.gap);
        let gap_is_blank = (end..below).all(|row| frame.row(row).is_empty());
        let entered = frame.cursor.is_none_or(|(_, row)| self.cursor.allows(row, &(at..below)));
        (end > at && gap_is_blank && entered && self.footer.as_ref().is_none_or(footed))
            .then_some(Place { rows: top..below, text: at..end })
    }

    /// The row below the box whose text begins in row `at`, if it is there.
    fn below(&self, frame: &Frame<'_>, at: usize) -> Option<usize> {
        for row in at + 1..frame.rows.len().min(at + ROWS_MAX) {
            let text = frame.row(row);
            if self.below.matches(text) {
                return Some(row);
            }
            let goes_on = text.is_empty() || self.more.as_ref().is_some_and(|more| more.matches(text));
            if !goes_on {
                return None;
            }
        }
        None
    }

    /// What was typed in these rows, and whether the cursor is behind the start of it.
    fn text(&self, frame: &Frame<'_>, rows: Range<usize>) -> (String, bool) {
        let end = rows.end.saturating_sub(self.own_rows).max(rows.start + 1);
        let (mut typed, mut behind) = (String::new(), false);
        for at in rows.start..end {
            let row = frame.row(at);
            let rule = if at == rows.start { Some(&self.first) } else { self.more.as_ref() };
            let span = rule.and_then(|rule| rule.group(row)).unwrap_or(row.len()..row.len());
            behind |= frame.cursor.is_some_and(|(column, line)| {
                usize::from(line) == at && usize::from(column) > row[..span.start].width()
            });
            typed.push_str(trim(&row[span]));
            typed.push('\n');
        }
        (trim(&typed).to_owned(), behind)
    }
}

/// Without white space, and without what takes no room, as programs put behind a text for their cursor.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text).unwrap()
    }

    /// Rows between rules, each behind `> ` or two blanks.
    fn ruled() -> BoxForm {
        BoxForm {
            above: Some(pattern("^-{4}")),
            first: pattern("^>(?: (.*))?$"),
            more: Some(pattern("^  (.*)$")),
            below: pattern("^-{4}"),
            own_rows: 0,
            gap: 0,
            footer: None,
            cursor: CursorPlace::Anywhere,
        }
    }

    /// Rows of which the last but one above the footer is blank.
    fn bare() -> BoxForm {
        let (first, below) = (pattern("^(.*)$"), pattern("^ MODE"));
        BoxForm { above: Some(pattern("^$")), first, more: Some(pattern("^(.+)$")), below, gap: 1, ..ruled() }
    }

    fn found(
        forms: &[BoxForm],
        rows: &[&str],
        cursor: Option<(u16, u16)>,
    ) -> Option<(Range<usize>, String, String)> {
        let empty = vec![pattern("^Say something$")];
        let rules = BoxRules { forms: forms.to_vec(), empty, pasted: Vec::new(), faint: false };
        rules.find(&Frame { rows, title: None, cursor }).map(|found| (found.rows, found.text, found.words))
    }

    fn text(forms: &[BoxForm], rows: &[&str], cursor: Option<(u16, u16)>) -> Option<String> {
        found(forms, rows, cursor).map(|(_, text, _)| text)
    }

    #[test]
    fn the_lowest_box_counts_in_whichever_form_it_is() {
        let forms = [bare(), ruled()];
        assert_eq!(text(&forms, &["----", "> a", "  b", "----"], None).as_deref(), Some("a\nb"));
        assert_eq!(text(&forms, &["----", "> a", "----", "", "b", "", " MODE"], None).as_deref(), Some("b"));
        assert_eq!(text(&forms, &["", "b", "", " MODE", "----", "> a", "----"], None).as_deref(), Some("a"));
        assert_eq!(text(&forms, &["> a", "----"], None), None);
    }

    #[test]
    fn the_programs_own_words_are_no_draft_unless_the_cursor_stands_behind_them() {
        let rows = ["----", "> Say something", "----"];
        let own = Some((0..2, String::new(), "Say something".to_owned()));
        assert_eq!(found(&[ruled()], &rows, None), own);
        assert_eq!(found(&[ruled()], &rows, Some((2, 1))), own);
        assert_eq!(text(&[ruled()], &rows, Some((15, 1))).as_deref(), Some("Say something"));
    }

    #[test]
    fn blank_rows_of_the_gap_are_no_text() {
        assert_eq!(text(&[bare()], &["done", "", "", "", " MODE"], None).as_deref(), Some(""));
        assert_eq!(
            text(&[bare()], &["done", "", "one", "two", "", " MODE"], None).as_deref(),
            Some("one\ntwo")
        );
        // The second row of a draft is still empty.
        assert_eq!(text(&[bare()], &["done", "", "one", "", "", " MODE"], None).as_deref(), Some("one"));
        assert_eq!(text(&[bare()], &["done", " MODE"], None), None);
    }

    #[test]
    fn what_looks_like_a_box_is_none_without_its_footer() {
        let footed = [BoxForm { footer: Some(pattern("^ model")), ..ruled() }];
        let rows = ["----", "> a", "----", "answer", " model"];
        assert_eq!(text(&footed, &rows, None).as_deref(), Some("a"));
        assert_eq!(text(&footed, &rows[..4], None), None);
    }

    #[test]
    fn what_looks_like_a_box_is_none_where_the_cursor_cannot_be() {
        let rows = ["above", "----", "> a", "----", "below"];
        for (place, above, inside, below) in [
            (CursorPlace::Anywhere, true, true, true),
            (CursorPlace::Inside, false, true, false),
            (CursorPlace::NotBelow, true, true, false),
        ] {
            let forms = [BoxForm { cursor: place, ..ruled() }];
            let shown = |row| text(&forms, &rows, Some((0, row))).is_some();
            assert_eq!((shown(0), shown(2), shown(4)), (above, inside, below), "{place:?}");
            assert!(text(&forms, &rows, None).is_some(), "{place:?}");
        }
    }
}
