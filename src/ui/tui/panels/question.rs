//! What is debated, in all its lines: its first line alone is the title of the debate.

use super::empty;
use crate::ui::tui::debates::DebateSeen;
use crate::ui::tui::paint::{Canvas, Ink};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use ratatui_core::layout::Rect;

/// Bytes of a task that are shown: each look at it breaks it into rows.
const TEXT_BYTES: usize = 64 << 10;
/// Rows from which on it stands below something else: its line, and two of the text.
const BELOW_FROM: u16 = 3;

/// Draws the task of the debate that is looked at.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(seen) = state.debate() else {
        canvas.rule((area.x, area.y), area.width, "Its task", "");
        return empty(canvas, area, "");
    };
    let rows = rows(seen, area.width);
    let shown = usize::from(area.height.saturating_sub(1));
    let from = state.beside_from.min(rows.len().saturating_sub(shown));
    let note = match rows.len().saturating_sub(from + shown) {
        0 => String::new(),
        below => format!("{below} more below   PgUp PgDn"),
    };
    text(canvas, &rows, from, &note, area);
}

/// The same below so many rows of something else, from its beginning, where it does not crowd that out. Gives the area that is left for
/// that.
pub(super) fn below(canvas: &mut Canvas, seen: &DebateSeen, rows: usize, area: Rect) -> Rect {
    let taken = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(1);
    let height = area.height.saturating_sub(taken);
    if height < BELOW_FROM {
        return area;
    }
    let lines = self::rows(seen, area.width);
    let note = if lines.len() > usize::from(height - 1) { "t all of it" } else { "" };
    text(canvas, &lines, 0, note, Rect { y: area.bottom() - height, height, ..area });
    Rect { height: area.height - height, ..area }
}

fn text(canvas: &mut Canvas, rows: &[String], from: usize, note: &str, area: Rect) {
    canvas.rule((area.x, area.y), area.width, "Its task", note);
    for (y, row) in (area.y + 1..area.bottom()).zip(rows.iter().skip(from)) {
        canvas.text((area.x + 1, y), area.width.saturating_sub(2), row, Ink::Plain);
    }
}

fn rows(seen: &DebateSeen, width: u16) -> Vec<String> {
    let task = seen.besides.task.as_deref().or(seen.besides.name.as_deref()).unwrap_or_default();
    let end = task.floor_char_boundary(TEXT_BYTES);
    let room = usize::from(width.saturating_sub(2));
    let mut rows = Vec::new();
    for line in task.get(..end).unwrap_or_default().trim_end().lines() {
        match line.trim().is_empty() {
            true => rows.push(String::new()),
            false => rows.extend(wrap(line, room, TEXT_BYTES)),
        }
    }
    if end < task.len() {
        rows.push(format!("…and more: `tasuki debate status {} --json`", seen.result.debate_id));
    }
    rows
}
