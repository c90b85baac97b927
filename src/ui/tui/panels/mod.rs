//! The parts of the screen, a file each.

pub(super) mod answer;
pub(super) mod compose;
pub(super) mod debates;
pub(super) mod footer;
pub(super) mod graph;
pub(super) mod header;
pub(super) mod help;
pub(super) mod history;
pub(super) mod history_rows;
pub(super) mod letters;
pub(super) mod list;
pub(super) mod log;
pub(super) mod pane;
pub(super) mod question;
pub(super) mod queue;
pub(super) mod relay;
pub(super) mod rounds;
pub(super) mod sessions;
pub(super) mod speech;
pub(super) mod standing;
pub(super) mod task;
pub(super) mod team;

use super::paint::{Canvas, Ink};
use super::wrap::wrap;
use ratatui_core::layout::Rect;

/// Where rows begin to be shown so that the chosen one is among them.
pub(super) fn window(chosen: usize, rows: usize, shown: usize) -> usize {
    if rows <= shown || shown == 0 {
        return 0;
    }
    chosen.saturating_sub(shown / 2).min(rows - shown)
}

/// The note of a list, with how many of its rows there is no room for.
pub(super) fn with_more(note: String, rows: usize, shown: u16) -> String {
    match rows.saturating_sub(usize::from(shown)) {
        0 => note,
        more if note.is_empty() => format!("{more} more"),
        more => format!("{more} more   {note}"),
    }
}

/// What a panel says that has nothing to show.
pub(super) fn empty(canvas: &mut Canvas, area: Rect, text: &str) {
    let width = area.width.saturating_sub(2);
    let rows = wrap(text, usize::from(width), usize::from(area.height.saturating_sub(1)));
    for (y, row) in (area.y + 1..area.bottom()).zip(&rows) {
        canvas.text((area.x + 1, y), width, row, Ink::Dim);
    }
}
