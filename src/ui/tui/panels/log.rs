//! The log: what happens, with how it is known.

use crate::ui::tui::ages::clock;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use ratatui_core::layout::Rect;

/// Columns of the terminal from which on times have their ms: in a narrow one what happened has that room.
const MS_FROM: u16 = 100;

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
