//! The log: what happens, with how it is known.

use super::empty;
use crate::ui::tui::ages::{clock, day};
use crate::ui::tui::input::{LogDrawn, LogLine};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use ratatui_core::layout::Rect;
use std::collections::VecDeque;

/// Columns of the terminal from which on times have their ms: in a narrow one what happened has that room.
const MS_FROM: u16 = 100;

/// Columns of a time without its ms.
const TIME_COLUMNS: u16 = 8;

/// Rows from which on evidence may have one of its own.
const SPARE_FROM: usize = 4;

/// Draws the newest lines that there is room for, the newest last.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    if area.height == 0 {
        return;
    }
    let note = match (state.follows, state.log_back) {
        (true, _) => "f follow: on".to_owned(),
        (false, 0) => "f follow: off".to_owned(),
        (false, newer) => format!("{newer} newer below   f follow: off"),
    };
    canvas.rule((area.x, area.y), area.width, "Log", &note);
    let with_ms = canvas.area().width >= MS_FROM;
    let lines = lines(state, area, with_ms);
    for (y, line) in (area.y + 1..area.bottom()).zip(&lines) {
        let took = canvas.text((area.x + 1, y), area.width, &line.time, Ink::Dim);
        let x = area.x + 1 + if line.time.is_empty() { line.indent } else { took } + 1;
        let room = (area.x + area.width).saturating_sub(x + 1);
        let took =
            canvas.text((x, y), room, line.text, if line.time.is_empty() { Ink::Dim } else { Ink::Plain });
        canvas.text((x + took + 3, y), room.saturating_sub(took + 3), line.beside, Ink::Dim);
    }
}

/// A row of it.
struct Row<'a> {
    time: String,
    indent: u16,
    text: &'a str,
    /// How it is known, where there is room for that in the same row.
    beside: &'a str,
}

/// The rows that there is room for: the newest lines, each with how it is known.
fn lines(state: &TopState, area: Rect, with_ms: bool) -> Vec<Row<'_>> {
    let shown = usize::from(area.height.saturating_sub(1));
    let end = state.log.len().saturating_sub(state.log_back);
    let indent = if with_ms { 12 } else { 8 };
    let room = usize::from(area.width.saturating_sub(indent + 3));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in state.log.range(end.saturating_sub(shown)..end).rev() {
        let evidence = line.evidence.as_deref().unwrap_or_default();
        // A line says itself what it can: evidence that is in it already is not said twice.
        let evidence = if line.text.contains(evidence) { "" } else { evidence };
        let fits = columns(&line.text) + 3 + columns(evidence) <= room;
        if !fits && !evidence.is_empty() && rows.len() + 1 < shown && shown > SPARE_FROM {
            rows.push(Row { time: String::new(), indent, text: evidence, beside: "" });
        }
        let time = clock(line.at, state.look.here, with_ms);
        rows.push(Row { time, indent, text: &line.text, beside: if fits { evidence } else { "" } });
        if rows.len() >= shown {
            break;
        }
    }
    rows.reverse();
    rows
}

/// Rows that one line may take where it is read.
const LINE_ROWS: usize = 8;

/// A row of the log where that has all the room.
struct WideRow<'a> {
    time: String,
    text: String,
    ink: Ink,
    /// How it is known, where there is room for that in the same row.
    beside: &'a str,
}

/// The rows of a line, below its day where that is another than of the line before.
fn wide_rows<'a>(
    state: &TopState,
    line: &'a LogLine,
    before: Option<&LogLine>,
    width: u16,
) -> Vec<WideRow<'a>> {
    let here = state.look.here;
    let room = usize::from(width.saturating_sub(TIME_COLUMNS + 3));
    let row = |text: String, ink| WideRow { time: String::new(), text, ink, beside: "" };
    let evidence =
        line.evidence.as_deref().filter(|evidence| !line.text.contains(evidence)).unwrap_or_default();
    let mut rows: Vec<_> =
        wrap(&line.text, room, LINE_ROWS).into_iter().map(|text| row(text, Ink::Plain)).collect();
    if rows.is_empty() {
        rows.push(row(String::new(), Ink::Plain));
    }
    if let Some(first) = rows.first_mut() {
        first.time = clock(line.at, here, false);
    }
    match rows.last_mut() {
        Some(last) if columns(&last.text) + 3 + columns(evidence) <= room => last.beside = evidence,
        _ => rows.extend(wrap(evidence, room, LINE_ROWS).into_iter().map(|text| row(text, Ink::Dim))),
    }
    let of_day = day(line.at, here);
    if before.is_none_or(|before| day(before.at, here) != of_day) {
        rows.insert(0, row(of_day, Ink::Dim));
    }
    rows
}

/// Draws it over all the room: from the line that a person has gone to, or with the newest last.
pub(in crate::ui::tui) fn whole(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let lines: Vec<(i64, &LogLine)> = state.log_lines().collect();
    let shown = usize::from(area.height.saturating_sub(1));
    let rows_of = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| lines.get(before)).map(|(_, line)| *line);
        lines.get(at).map(|(_, line)| wide_rows(state, line, before, area.width)).unwrap_or_default()
    };
    let last = state.log_view.last.unwrap_or(i64::MAX);
    let mut end = lines.partition_point(|(number, _)| *number <= last).max(1).min(lines.len());
    let mut from = end;
    let mut rows: VecDeque<WideRow<'_>> = VecDeque::new();
    let mut cut = 0;
    while from > 0 && rows.len() < shown {
        from -= 1;
        let its = rows_of(from);
        cut = (rows.len() + its.len()).saturating_sub(shown);
        its.into_iter().rev().for_each(|row| rows.push_front(row));
    }
    while end < lines.len() && rows.len() < shown {
        rows.extend(rows_of(end));
        end += 1;
    }
    // A line that is cut is the last one of the page before, unless it has this one to itself.
    let whole_from = if cut > 0 && from + 1 < end { from + 1 } else { from };
    let (mut behind, mut room) = (end, shown);
    while behind < lines.len() {
        let its = rows_of(behind).len();
        if its > room && behind > end {
            break;
        }
        room = room.saturating_sub(its);
        behind += 1;
    }
    let number = |at: usize| lines.get(at).map(|(number, _)| *number);
    canvas.drawn.log = Some(LogDrawn {
        above: whole_from.checked_sub(1).and_then(number),
        below: number(behind).and_then(|_| number(behind - 1)),
    });
    heading(canvas, state, area, lines.len() - end);
    if lines.is_empty() {
        return nothing(canvas, state, area);
    }
    for (y, row) in (area.y + 1..area.bottom()).zip(rows.iter().skip(cut)) {
        canvas.text((area.x + 1, y), TIME_COLUMNS, &row.time, Ink::Dim);
        let x = area.x + TIME_COLUMNS + 2;
        let room = area.right().saturating_sub(x + 1);
        let took = canvas.text((x, y), room, &row.text, row.ink);
        canvas.text((x + took + 3, y), room.saturating_sub(took + 3), row.beside, Ink::Dim);
    }
}

/// The title, with what is looked for and how many lines are newer than those that are shown.
fn heading(canvas: &mut Canvas, state: &TopState, area: Rect, newer: usize) {
    let filter = &state.log_view.filter;
    let found = if filter.is_empty() { String::new() } else { format!("/{filter}   ") };
    let place = match (state.log_view.last, newer) {
        (None, _) => "follows".to_owned(),
        (Some(_), newer) => format!("{newer} newer below, End follows"),
    };
    canvas.rule((area.x, area.y), area.width, "Log", &format!("{found}{place}"));
}

/// What is said where there is nothing to show.
fn nothing(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let text = match (state.log_view.filter.is_empty(), state.log.has_older()) {
        (true, _) => "nothing has happened yet",
        (false, true) => "nothing fits so far: older lines are being read; Esc shows all",
        (false, false) => "nothing fits; Esc shows all, and `tasuki log` has what is older",
    };
    empty(canvas, area, text);
}
