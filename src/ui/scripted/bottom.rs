//! The rows at the bottom of `tui` mode: what is being said, what waits, the box or a dialog, the footer. Pure.

use super::dialog::Dialog;
use super::text::{columns, wrap_cells, wrap_words};

/// What stands in the footer while nothing is done.
const IDLE_SIGN: &str = "? for shortcuts";

/// What is to be seen at the bottom.
#[derive(Debug)]
pub(super) struct Bottom<'a> {
    /// Text that is being streamed.
    pub(super) live: &'a str,
    /// Messages that wait for the end of the turn.
    pub(super) queued: Vec<&'a str>,
    /// A moving row above the box.
    pub(super) spinner: &'a str,
    /// A dialog in place of the box.
    pub(super) dialog: Option<&'a Dialog>,
    /// Whether there is a box yet.
    pub(super) ready: bool,
    /// What stands before the input.
    pub(super) prompt: &'a str,
    /// What an empty box shows.
    pub(super) placeholder: &'a str,
    /// What was typed, as far as it is shown.
    pub(super) shown: String,
    /// What says that a turn is played; none while there is no turn.
    pub(super) busy: Option<&'a str>,
    /// A notice beside it.
    pub(super) notice: Option<&'a str>,
}

impl Bottom<'_> {
    /// The rows, none wider than `width`, and the row and the column of the cursor. On a screen of `height` rows a
    /// long text shows its end only.
    pub(super) fn rows(&self, width: usize, height: usize) -> (Vec<String>, usize, usize) {
        // Three texts may be long: what is live, what is queued, what is typed. The rest takes five rows at most.
        let part = (height.saturating_sub(5) / 3).max(1);
        let mut rows = Vec::new();
        if !self.live.is_empty() {
            rows = last(set_in(&printable(self.live), "● ", width), part);
        }
        rows.extend(last(
            self.queued.iter().map(|text| cut(&format!("  queued: {text}"), width)).collect(),
            part,
        ));
        if !self.spinner.is_empty() {
            rows.push(cut(self.spinner, width));
        }
        if let Some(dialog) = self.dialog {
            rows.push("─".repeat(width));
            rows.extend(last(dialog.rows(width), part.max(4)));
        } else if self.ready {
            return self.with_box(rows, width, part);
        } else {
            rows.push(String::new());
        }
        let end = rows.len().saturating_sub(1);
        (rows, end, 0)
    }

    fn with_box(&self, mut rows: Vec<String>, width: usize, part: usize) -> (Vec<String>, usize, usize) {
        let rule = "─".repeat(width);
        rows.push(rule.clone());
        let text = last(self.box_rows(width), part);
        let column = text.last().map_or(0, |row| columns(row)).min(width);
        let row = rows.len() + text.len().saturating_sub(1);
        if self.shown.is_empty() && !self.placeholder.is_empty() {
            rows.push(cut(&format!("{}{}", self.prompt, self.placeholder), width));
        } else {
            rows.extend(text);
        }
        rows.extend([rule, cut(&self.footer(), width)]);
        (rows, row, column)
    }

    fn box_rows(&self, width: usize) -> Vec<String> {
        let shown = printable(&self.shown);
        let indent = columns(self.prompt);
        let inner = width.saturating_sub(indent).max(2);
        let lines = shown.split('\n').flat_map(|line| wrap_cells(line, inner));
        behind(self.prompt, indent, lines)
    }

    fn footer(&self) -> String {
        let sign = self.busy.unwrap_or(IDLE_SIGN);
        match self.notice {
            Some(notice) => format!("  {} · {sign}", notice.lines().next().unwrap_or_default()),
            None => format!("  {sign}"),
        }
    }
}

/// The lines of `text` broken to `width` and set in, the first after `mark`.
pub(super) fn set_in(text: &str, mark: &str, width: usize) -> Vec<String> {
    let indent = columns(mark).max(2);
    let inner = width.saturating_sub(indent).max(2);
    behind(mark, indent, text.lines().flat_map(|line| wrap_words(&line.replace('\t', "    "), inner)))
}

fn behind(mark: &str, indent: usize, rows: impl Iterator<Item = String>) -> Vec<String> {
    rows.enumerate()
        .map(|(at, row)| if at == 0 { format!("{mark}{row}") } else { " ".repeat(indent) + &row })
        .collect()
}

/// `text` without control characters, which would draw elsewhere.
fn printable(text: &str) -> String {
    text.replace('\t', "    ").chars().filter(|&c| c == '\n' || !c.is_control()).collect()
}

/// As much of `text` as stands in one row.
fn cut(text: &str, width: usize) -> String {
    wrap_cells(&printable(text).replace('\n', " "), width).into_iter().next().unwrap_or_default()
}

fn last(mut rows: Vec<String>, count: usize) -> Vec<String> {
    let first = rows.len().saturating_sub(count);
    rows.drain(..first);
    rows
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn bottom() -> Bottom<'static> {
        Bottom {
            live: "",
            queued: Vec::new(),
            spinner: "",
            dialog: None,
            ready: true,
            prompt: "> ",
            placeholder: "",
            shown: "日本語 and more".to_owned(),
            busy: None,
            notice: None,
        }
    }

    #[test]
    fn the_box_breaks_its_text_and_holds_the_cursor() {
        let (rows, row, column) = bottom().rows(10, 24);
        expect![[r"
            ──────────
            > 日本語 a
              nd more
            ──────────
              ? for sh"]]
        .assert_eq(&rows.join("\n"));
        assert_eq!((row, column), (2, 9));
    }

    #[test]
    fn an_empty_box_shows_its_placeholder_with_the_cursor_before_it() {
        let empty = Bottom { placeholder: "Ask 何でも", shown: String::new(), ..bottom() };
        let (rows, row, column) = empty.rows(20, 24);
        assert_eq!((rows[row].as_str(), column), ("> Ask 何でも", 2));
    }

    #[test]
    fn everything_at_once_stays_within_the_screen() {
        let dialog = Dialog::permission("touch 日本\n".repeat(30));
        for height in 8..40 {
            let full = Bottom {
                live: &"streamed text 🙂 ".repeat(200),
                queued: vec!["[tasuki] task"; 60],
                spinner: "⠋ Working…",
                notice: Some("limit\nreached"),
                busy: Some("esc to interrupt"),
                shown: "x".repeat(5_000),
                ..bottom()
            };
            let (rows, row, column) = full.rows(30, height);
            assert!(
                rows.len() <= height && row < rows.len() && column <= 30,
                "{height}: {} rows",
                rows.len()
            );
            assert!(rows.iter().all(|row| columns(row) <= 30), "{rows:?}");
            let (asked, ..) = Bottom { dialog: Some(&dialog), ..full }.rows(30, height);
            assert!(
                asked.len() <= height && asked.iter().any(|row| row == "❯ 1. Yes"),
                "{height}: {asked:?}"
            );
        }
    }
}
