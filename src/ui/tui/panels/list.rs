//! Lists of needs and of messages.

use super::{empty, window};
use crate::ui::tui::ages::age;
use crate::ui::tui::marks::{of_message, of_need};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::{Place, TopState};
use ratatui_core::layout::Rect;

/// Columns of an age.
const FOR: u16 = 8;

/// What waits for a person.
pub(in crate::ui::tui) fn needs(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let needs = state.needs();
    let behind: std::collections::BTreeSet<&String> =
        state.needs.needs.iter().flat_map(|need| &need.behind).collect();
    let note = match (needs.len(), behind.len()) {
        (0, _) => String::new(),
        (many, 0) => many.to_string(),
        (many, 1) => format!("{many}   1 message waits behind"),
        (many, behind) => format!("{many}   {behind} messages wait behind"),
    };
    canvas.rule((area.x, area.y), area.width, Place::Needs.title(), &note);
    if needs.is_empty() {
        let text = if state.workspace.is_some() { "nothing needs you; `n` hands over a task" } else { "" };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen().filter(|_| state.place == Place::Needs);
    let at = chosen.and_then(|id| needs.iter().position(|need| need.id == id));
    let shown = usize::from(area.height.saturating_sub(1));
    let first = window(at.unwrap_or(0), needs.len(), shown);
    for (row, need) in needs.iter().enumerate().skip(first).take(shown) {
        let y = area.y + 1 + u16::try_from(row - first).unwrap_or(0);
        let (mark, ink) = of_need(need);
        let behind = match need.behind.len() {
            0 => String::new(),
            many => format!("{many} behind"),
        };
        let detail = need.detail.as_deref().unwrap_or_default();
        let shown = [(mark.sign(canvas.look), ink), (&*need.title, Ink::Plain), (detail, Ink::Dim)];
        draw_row(canvas, (area, y), at == Some(row), shown, &behind, &age(Some(&need.since), state.time()));
    }
}

/// Open tasks, or all messages.
pub(in crate::ui::tui) fn messages(canvas: &mut Canvas, state: &TopState, place: Place, area: Rect) {
    let messages = if place == Place::Messages { state.all_messages() } else { state.tasks() };
    let found = &state.shelves[place.index()].filter;
    let open = state.workspace.as_ref().map_or(0, |workspace| workspace.open);
    let note = match (found.is_empty(), place) {
        (false, _) => format!("{}   /{found}", messages.len()),
        (true, Place::Tasks) => format!("{} open, {open} with their parts", messages.len()),
        (true, _) => messages.len().to_string(),
    };
    canvas.rule((area.x, area.y), area.width, place.title(), &note);
    if messages.is_empty() {
        let text = match (state.workspace.is_some(), found.is_empty()) {
            (false, _) => "",
            (true, true) => "no open task; `n` hands one over, as does `tasuki send AGENT \"…\"`",
            (true, false) => "nothing fits; Esc shows all",
        };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen().filter(|_| state.place == place);
    let at = chosen.and_then(|id| messages.iter().position(|message| message.id.as_str() == id));
    let shown = usize::from(area.height.saturating_sub(1));
    let first = window(at.unwrap_or(0), messages.len(), shown);
    let rows = messages.iter().enumerate().skip(first).take(shown);
    let ids = rows.clone().map(|(_, message)| columns(message.id.as_str())).max().unwrap_or(0);
    for (row, message) in rows {
        let y = area.y + 1 + u16::try_from(row - first).unwrap_or(0);
        let (mark, word) = of_message(message);
        let title = message.title.as_deref().unwrap_or_default();
        let id = message.id.as_str();
        let pad = " ".repeat(ids.saturating_sub(columns(id)));
        let label = format!("{id}{pad}  {}", message.agent.as_ref().unwrap_or(&message.to));
        let shown = [(mark.sign(canvas.look), mark.ink()), (&*label, Ink::Plain), (title, Ink::Dim)];
        draw_row(canvas, (area, y), at == Some(row), shown, &word, &age(Some(&message.since), state.time()));
    }
}

/// A row: a form, a text and more of it, a word, and an age.
fn draw_row(
    canvas: &mut Canvas,
    (area, y): (Rect, u16),
    is_chosen: bool,
    [(mark, ink), (text, text_ink), (more, more_ink)]: [(&str, Ink); 3],
    word: &str,
    since: &str,
) {
    if is_chosen {
        canvas.text((area.x, y), 1, canvas.sign("▸", ">"), Ink::Accent);
    }
    canvas.text((area.x + 1, y), 1, mark, ink);
    let words = u16::try_from(columns(word)).unwrap_or(0);
    let has_age = area.width >= words + FOR + 8;
    let right = if has_age { FOR } else { 1 };
    let has_word = area.width > words + right + 4;
    let room = area.width.saturating_sub(4 + right + if has_word && words > 0 { words + 2 } else { 0 });
    let ink = if is_chosen { Ink::Bold } else { text_ink };
    let took = canvas.text((area.x + 3, y), room, text, ink);
    if took + 4 < room {
        canvas.text((area.x + 3 + took + 2, y), room - took - 2, more, more_ink);
    }
    if has_word {
        canvas.right((area.x, y), area.width - right, word, Ink::Plain);
    }
    if has_age {
        canvas.right((area.x, y), area.width - 1, since, Ink::Plain);
    }
}
