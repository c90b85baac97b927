//! Choices that are too long for one row: what is of them in the next ones.

use super::choice::{Row, bare, is_within, number};
use crate::engine::screen::reading::frame::{Frame, is_border, words};
use unicode_width::UnicodeWidthStr as _;

/// Rows that one choice may go on in.
const ROWS_MAX: usize = 4;
/// Columns of a row that may tell how wide its program is.
const WIDE: usize = 24;

/// Joins each choice with the rows in which it goes on; `end` is the row below the dialog, and `marked` the place of the marked
/// choice.
pub(super) fn join(choices: &mut Vec<Row>, marked: &mut usize, frame: &Frame<'_>, end: usize) {
    let mut at = 0;
    while at < choices.len() {
        let mut last = choices[at].at;
        for _ in 0..ROWS_MAX {
            let row = last + 1;
            let next = choices.get(at + 1).map(|next| next.at);
            if row >= end || !goes_on(&choices[at], frame, last) {
                break;
            }
            if next == Some(row) {
                // Without numbers a second row looks like a choice of its own, but none in which the mark may stand.
                let is_numbered = number(&choices[at].choice).is_some();
                let has_columns = [last, row].iter().any(|at| words(frame.row(*at)).contains("  "));
                if is_numbered || has_columns || *marked == at + 1 {
                    break;
                }
                choices.remove(at + 1);
                *marked -= usize::from(*marked > at);
            }
            let more = words(frame.row(row));
            // A path is parted behind a slash.
            let between = if choices[at].choice.ends_with('/') { "" } else { " " };
            choices[at].choice = format!("{}{between}{more}", choices[at].choice);
            last = row;
        }
        at += 1;
    }
}

/// Whether a choice goes on in the row below this one: that begins where its words begin, and its first word had no room here.
fn goes_on(choice: &Row, frame: &Frame<'_>, at: usize) -> bool {
    let (row, below) = (frame.row(at), frame.row(at + 1));
    let first = words(below).split_whitespace().next().unwrap_or_default();
    let inner = row.trim_end_matches(|c: char| c.is_whitespace() || is_border(c)).width();
    let column = below.chars().take_while(|c| *c == ' ' || is_border(*c)).count();
    let is_below = is_within(below, choice.start) || column == choice.column;
    let Some(edge) = edge(frame, row).filter(|edge| inner * 3 >= edge * 2) else { return false };
    let room = edge.saturating_sub(inner);
    !first.is_empty() && column >= choice.column && is_below && bare(first).width() + 1 > room
}

/// The column at which words of this row end at most: before its right border and the blank beside it, or where the widest row
/// ends. None where no row is wide enough to tell.
fn edge(frame: &Frame<'_>, row: &str) -> Option<usize> {
    if row.ends_with(is_border) {
        return Some(row.width().saturating_sub(2));
    }
    (0..frame.rows.len()).map(|at| frame.row(at).width()).max().filter(|widest| *widest >= WIDE)
}
