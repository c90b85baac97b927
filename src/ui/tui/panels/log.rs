//! The log: what happens, with how it is known.

use crate::ui::tui::ages::clock;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::State;
use ratatui_core::layout::Rect;

/// Columns from which on times have their ms.
const MS_FROM: u16 = 70;

/// Draws the newest lines that there is room for, the newest last.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &State, area: Rect) {
    if area.height == 0 {
        return;
    }
    let note = if state.follows { "f follow: on" } else { "f follow: off" };
    canvas.rule((area.x, area.y), area.width, "Log", note);
    let with_ms = area.width >= MS_FROM;
    let shown = usize::from(area.height.saturating_sub(1));
    let end = state.log.len().saturating_sub(state.log_back);
    let from = end.saturating_sub(shown);
    for (row, line) in state.log.range(from..end).enumerate() {
        let y = area.y + 1 + u16::try_from(row).unwrap_or(0);
        let took =
            canvas.text((area.x + 1, y), area.width, &clock(line.at, state.look.here, with_ms), Ink::Dim);
        let x = area.x + 1 + took + 1;
        let room = area.width.saturating_sub(took + 3);
        let took = canvas.text((x, y), room, &line.text, Ink::Plain);
        let evidence = line.evidence.as_deref().unwrap_or_default();
        // A line says itself what it can: evidence that is in it already is not said twice.
        let is_new = !evidence.is_empty() && !line.text.contains(evidence);
        let left = room.saturating_sub(took + 3);
        if is_new && columns(evidence) <= usize::from(left) {
            canvas.text((x + took + 3, y), left, evidence, Ink::Dim);
        }
    }
}
