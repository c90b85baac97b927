//! The unread messages to the person, oldest first.

use super::empty;
use crate::ui::tui::ages::{clock, moment};
use crate::ui::tui::paint::{Canvas, Ink};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use ratatui_core::layout::Rect;

/// Rows that one line of a message may take.
const LINE_ROWS: usize = 20;
/// Rows of all of them that can be scrolled through here: `tasuki inbox` has all.
const ROWS_MAX: usize = 2_000;

/// Draws them.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let rule = |canvas: &mut Canvas, note: &str| {
        canvas.rule((area.x, area.y), area.width, "Unread messages", note);
    };
    rule(canvas, "PgUp PgDn   Esc back");
    let letters = match &state.letters {
        None => return,
        Some(Err(problem)) => return empty(canvas, area, &format!("{}: {}", problem.why, problem.cure)),
        Some(Ok(letters)) if letters.is_empty() => return empty(canvas, area, "nothing is unread"),
        Some(Ok(letters)) => letters,
    };
    let room = area.width.saturating_sub(2);
    let mut rows: Vec<(String, Ink)> = Vec::new();
    for letter in letters {
        let at = moment(&letter.accepted_at).map(|at| clock(at, state.look.here, false)).unwrap_or_default();
        let about = letter.in_reply_to.as_ref().or(letter.parent.as_ref());
        let about = about.map(|id| format!(", about {id}")).unwrap_or_default();
        rows.push((format!("{at}  {} from {}{about}", letter.id, letter.from), Ink::Bold));
        for line in letter.content.lines() {
            rows.extend(wrap(line, usize::from(room), LINE_ROWS).into_iter().map(|row| (row, Ink::Plain)));
            if rows.len() > ROWS_MAX {
                break;
            }
        }
        if rows.len() > ROWS_MAX {
            rows.push(("`tasuki inbox` has the rest".to_owned(), Ink::Dim));
            break;
        }
    }
    rows.push(("They stay unread here; `tasuki inbox` marks what it shows as read.".to_owned(), Ink::Dim));
    let shown = usize::from(area.height.saturating_sub(1));
    let from = state.beside_from.min(rows.len().saturating_sub(shown));
    let below = rows.len().saturating_sub(from + shown);
    if below > 0 {
        rule(canvas, &format!("{below} more below   PgUp PgDn   Esc back"));
    }
    for (y, (text, ink)) in (area.y + 1..area.bottom()).zip(rows.iter().skip(from)) {
        canvas.text((area.x + 1, y), room, text, *ink);
    }
}
