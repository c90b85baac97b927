//! What a pane shows, row by row, and the marks that programs draw around a text: boxes, bullets, prompts.

pub mod answer;
pub mod doorbell;
pub mod echo;
pub(in crate::engine) mod guard;
pub mod marker;
pub mod reading;
pub mod unsent;

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Columns that a program which wraps its own text may leave free at the right edge. Measured at 120 columns: Codex
/// fills 119, Gemini 118, and Qwen draws its boxes up to column 116.
const MARGIN_COLUMNS_MAX: usize = 4;

/// Bytes that tmux keeps at most for one column (`UTF8_SIZE`, 21 in 3.3a and 32 later). A row with more of them was
/// joined, and need not be measured.
const BYTES_A_COLUMN_MAX: usize = 32;

/// Vertical borders of boxes. The ASCII bar is none of them: it is in tables and commands of an answer.
const BORDERS: [char; 9] = ['│', '┃', '║', '▌', '▐', '╎', '┆', '┊', '▏'];
/// Bullets that agents put before an answer (Claude `●` and `⏺`, Codex `•`, Gemini and Qwen `✦`) and their kin.
const BULLETS: [char; 9] = ['●', '⏺', '•', '✦', '◆', '▪', '‣', '∙', '⬤'];
/// What the prompts of shells and agents end with.
const PROMPT_ENDS: [char; 9] = ['$', '#', '%', '>', '❯', '›', '»', 'λ', '➜'];
/// What a program's question for a line may end with besides: `Name: `, `In [3]: `, `(gdb) `.
const QUESTION_ENDS: [char; 4] = [':', '?', ')', ']'];

/// The text of a pane as tmux gives it (`capture-pane -J`, history first): what tmux wrapped is one row.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    rows: &'a [&'a str],
    width: Option<usize>,
}

/// How a program broke a line of its own into rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// Between words; the space is gone.
    Word,
    /// Within a word.
    Letter,
}

impl<'a> Screen<'a> {
    /// The screen of a program that leaves wrapping to the terminal: each row is a whole line.
    #[must_use]
    pub const fn lines(rows: &'a [&'a str]) -> Self {
        Self { rows, width: None }
    }

    /// The screen of a program that may wrap its own text in a pane of `width` columns: a full row may go on in
    /// the next.
    #[must_use]
    pub const fn wrapped(rows: &'a [&'a str], width: usize) -> Self {
        Self { rows, width: Some(width) }
    }

    /// The rows, top to bottom.
    #[must_use]
    pub const fn rows(&self) -> &'a [&'a str] {
        self.rows
    }

    /// Columns of the pane, if its program may wrap its own text.
    pub(super) const fn width(&self) -> Option<usize> {
        self.width
    }

    /// Row `at`, or nothing past the end.
    pub(super) fn row(&self, at: usize) -> &'a str {
        self.rows.get(at).copied().unwrap_or_default()
    }

    /// Where the last block begins of those that a program puts a bullet before, of the same kind as the first row from `from`
    /// on has one; `from` where it has none.
    pub(super) fn last_block(&self, from: usize) -> usize {
        let bullet = |at: usize| {
            let row = self.row(at);
            let text = row.trim_start();
            let rest = after_bullet(text).filter(|rest| rest.starts_with(' '))?;
            Some((row.len() - text.len(), &text[..text.len() - rest.len()]))
        };
        let end = self.rows.len();
        let first = (from..end).find(|&at| !self.row(at).trim().is_empty());
        let Some(first) = first.and_then(bullet).filter(|_| self.width.is_some()) else { return from };
        (from..end).rev().find(|&at| bullet(at) == Some(first)).unwrap_or(from)
    }

    /// Whether row `at` is so full that its program had to break the line before the text of the next row.
    pub(super) fn breaks_after(&self, at: usize, how: Break) -> bool {
        let (Some(width), row) = (self.width, self.row(at)) else { return false };
        if row.len() > width.saturating_mul(BYTES_A_COLUMN_MAX) {
            return false;
        }
        let text = inside(row);
        let next_row = self.row(at + 1);
        let next = &next_row[inside(next_row)];
        // A line does not leave its box.
        if text.is_empty() || next.is_empty() || is_within_borders(row) != is_within_borders(next_row) {
            return false;
        }
        let box_edge = row[text.end..].find(BORDERS).map(|border| row[..text.end + border].width());
        let edge = row[..text.end].width();
        // A row wider than the pane was joined by tmux, which knows where its line ends.
        edge <= width
            && edge + room_for(next, how) > box_edge.unwrap_or(width).saturating_sub(MARGIN_COLUMNS_MAX)
    }
}

/// Columns that the first piece of `next` would have taken on the row before it.
fn room_for(next: &str, how: Break) -> usize {
    match how {
        // A wide letter does not fit where one column is left.
        Break::Letter => 2,
        // In Japanese, too: the agents move a run of letters without spaces to the next row as one word.
        Break::Word => 1 + next.split_whitespace().next().map_or(0, UnicodeWidthStr::width),
    }
}

/// Where the text of a row is: without the white space around it, and without the sides of boxes around that.
/// A bar on the left alone is a quotation and stays.
pub(super) fn inside(row: &str) -> Range<usize> {
    let mut text = trimmed(row, 0..row.len());
    while let Some(inner) =
        row[text.clone()].strip_prefix(BORDERS).and_then(|rest| rest.strip_suffix(BORDERS))
    {
        let start = text.start + row[text.clone()].chars().next().map_or(0, char::len_utf8);
        text = trimmed(row, start..start + inner.len());
    }
    text
}

/// Whether `c` draws the side of a box.
pub(super) fn is_border(c: char) -> bool {
    BORDERS.contains(&c)
}

/// Whether both sides of a box stand around the row's text.
pub(super) fn is_within_borders(row: &str) -> bool {
    row.trim().strip_prefix(BORDERS).is_some_and(|rest| rest.ends_with(BORDERS))
}

/// Whether the row has both sides of a box and nothing between.
pub(super) fn is_box_gap(row: &str) -> bool {
    is_within_borders(row) && inside(row).is_empty()
}

/// The row without the sides of a box around it and the space that boxes leave beside them; the top or the bottom
/// of a box is nothing.
pub(super) fn unboxed(row: &str) -> &str {
    if is_rule(row) {
        return "";
    }
    let text = row.trim();
    match text.strip_prefix(BORDERS).and_then(|rest| rest.strip_suffix(BORDERS)) {
        Some(inner) => inner.strip_prefix(' ').unwrap_or(inner).trim_end(),
        None => row,
    }
}

/// The column of a text that is beside a bar; `None` if there is no bar.
pub(super) fn bar_column(row: &str) -> Option<usize> {
    let text = row.trim_start().trim_start_matches(BORDERS).trim_start();
    is_barred(row).then(|| row[..row.len() - text.len()].width())
}

/// Whether a bar is at the left of the row's text and none at its right.
pub(super) fn is_barred(row: &str) -> bool {
    row.trim_start().starts_with(BORDERS) && !is_within_borders(row)
}

/// Whether the row is a horizontal line of drawn characters: the top of a box, or a rule.
pub(super) fn is_rule(row: &str) -> bool {
    let row = row.trim();
    !row.is_empty() && row.chars().all(|c| matches!(c, '─'..='╿' | '▀' | '▄')) && !row.starts_with(BORDERS)
}

/// `text` without a leading bullet, or `None` if it has none. An emoji selector after it belongs to it.
pub(super) fn after_bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(BULLETS)?;
    Some(rest.trim_start_matches(['\u{FE0E}', '\u{FE0F}']))
}

/// What is on a row before a text that may have been typed there, most likely first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Before {
    /// Nothing or a prompt.
    Prompt,
    /// The end of a question for a line.
    Question,
    /// Other words.
    Words,
}

impl Before {
    /// Judges the text before.
    pub(super) fn of(text: &str) -> Self {
        match text.chars().next_back() {
            None => Self::Prompt,
            Some(last) if PROMPT_ENDS.contains(&last) => Self::Prompt,
            Some(last) if QUESTION_ENDS.contains(&last) => Self::Question,
            Some(_) => Self::Words,
        }
    }
}

/// Whether the row is a prompt that waits for a line and nothing else: `$`, `>>>`, `me@host:~/src$`.
pub(super) fn is_prompt(row: &str) -> bool {
    let row = row.trim();
    if matches!(row, "$" | "#" | "%" | ">" | ">>>" | "❯" | "›" | "»" | "➜") {
        return true;
    }
    let ends = row.ends_with(['$', '#', '%', '>', '❯']);
    ends && row.split_whitespace().next().is_some_and(|word| {
        word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.chars().count() > 1)
    })
}

/// The part of `row` within `span` without the white space around it.
fn trimmed(row: &str, span: Range<usize>) -> Range<usize> {
    let text = &row[span.clone()];
    let start = span.start + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}
