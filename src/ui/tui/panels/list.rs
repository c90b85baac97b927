//! Lists of needs and of messages.

use super::{empty, window, with_more};
use crate::engine::message::Status;
use crate::engine::words::counted;
use crate::ui::tui::ages::{age, back_at, by_the_clock};
use crate::ui::tui::marks::of_need;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::{Place, TopState};
use crate::ui::tui::words::StateWords;
use crate::wire::message::view::MessageView;
use ratatui_core::layout::Rect;

/// Columns of an age.
const FOR: u16 = 8;
/// Columns that are left for an id and what it is about beside the words of a state.
const ABOUT: u16 = 32;
/// Columns of the list from which on it is told whose a message is, and the most that a name takes.
const NAMES_FROM: u16 = 100;
const NAME_MAX: usize = 28;

/// What waits for a person.
pub(in crate::ui::tui) fn needs(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let needs = state.needs();
    let behind: std::collections::BTreeSet<&String> =
        state.needs.needs.iter().flat_map(|need| &need.behind).collect();
    // Not all of them are named where they are many.
    let most = state.needs.needs.iter().map(|need| need.behind_count).max().unwrap_or(0);
    let note = match (needs.len(), behind.len().max(most)) {
        (0, _) => String::new(),
        (many, 0) => many.to_string(),
        (many, 1) => format!("{many}   1 message waits behind"),
        (many, behind) => format!("{many}   {behind} messages wait behind"),
    };
    let found = &state.shelves[Place::Needs.index()].filter;
    let note = if found.is_empty() { note } else { format!("{}   /{found}", needs.len()) };
    let note = with_more(note, needs.len(), area.height.saturating_sub(1));
    canvas.rule((area.x, area.y), area.width, Place::Needs.title(), &note);
    if needs.is_empty() {
        let text = match state.workspace {
            None => "",
            Some(_) if !found.is_empty() => &*state.nothing_fits(Place::Needs),
            Some(_) => "nothing needs you; `n` hands over a task",
        };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen().filter(|_| state.place == Place::Needs);
    let at = chosen.and_then(|id| needs.iter().position(|need| need.id == id));
    let shown = usize::from(area.height.saturating_sub(1));
    let first = window(at.unwrap_or(0), needs.len(), shown);
    for (row, need) in needs.iter().enumerate().skip(first).take(shown) {
        let y = area.y + 1 + u16::try_from(row - first).unwrap_or(0);
        let (mark, ink) = of_need(need);
        let behind = (need.behind_count > 0).then(|| format!("{} behind", need.behind_count));
        let back = need.until.as_deref().and_then(|until| back_at(until, state.time(), state.look.here));
        let behind: Vec<String> = back.into_iter().chain(behind).collect();
        let behind = behind.join(", ");
        let detail = need.detail.as_deref().and_then(|detail| detail.lines().next()).unwrap_or_default();
        let detail = &*by_the_clock(detail, state.time(), state.look.here);
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
        (true, Place::Tasks) => {
            let has_ended =
                |message: &&&MessageView| !matches!(message.status, Status::Pending | Status::InProgress);
            let ended = messages.iter().filter(has_ended).count();
            format!("{} open, {open} with their parts", messages.len() - ended)
        }
        (true, _) => match state.workspace.as_ref().map_or(0, |workspace| workspace.unread_answers) {
            0 => messages.len().to_string(),
            unread => format!("{}   {} unread", messages.len(), counted(unread, "answer")),
        },
    };
    let note = with_more(note, messages.len(), area.height.saturating_sub(1));
    canvas.rule((area.x, area.y), area.width, place.title(), &note);
    if messages.is_empty() {
        let text = match (state.workspace.is_some(), found.is_empty()) {
            (false, _) => "",
            (true, true) => "no open task; `n` hands one over, as does `tasuki send AGENT \"…\"`",
            (true, false) => &*state.nothing_fits(place),
        };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen().filter(|_| state.place == place);
    let at = chosen.and_then(|id| messages.iter().position(|message| message.id.as_str() == id));
    let shown = usize::from(area.height.saturating_sub(1));
    let first = window(at.unwrap_or(0), messages.len(), shown);
    let rows = messages.iter().enumerate().skip(first).take(shown);
    let whom = |message: &MessageView| message.agent.as_ref().unwrap_or(&message.to).to_string();
    let widest = |text: &dyn Fn(&MessageView) -> String| {
        rows.clone().map(|(_, message)| columns(&text(message))).max().unwrap_or(0)
    };
    let ids = widest(&|message| message.id.to_string()).min(usize::from(area.width / 3));
    // What a message is about is more than whose it is.
    let names = if area.width < NAMES_FROM { 0 } else { widest(&whom).min(NAME_MAX) };
    let asking = state.asking();
    for (row, message) in rows.clone() {
        let y = area.y + 1 + u16::try_from(row - first).unwrap_or(0);
        let state_words = state.words_of(message, &asking);
        let mark = state_words.mark;
        let word = fitting(&state_words, area.width);
        let title = message.title.as_deref().unwrap_or_default();
        let mut label = padded(tail(message.id.as_str(), ids, canvas.sign("…", "~")), ids);
        if names > 0 {
            label = format!("{label}  {}", padded(whom(message), names));
        }
        let shown = [(mark.sign(canvas.look), mark.ink()), (&*label, Ink::Plain), (title, Ink::Dim)];
        draw_row(canvas, (area, y), at == Some(row), shown, word, &age(Some(&message.since), state.time()));
    }
}

/// The words that leave room for what a message is about; the fewest where none do.
fn fitting(state: &StateWords, width: u16) -> &str {
    let fits = |word: &&String| columns(word) + usize::from(FOR + ABOUT) <= usize::from(width);
    state.words.iter().find(fits).or(state.words.last()).map_or("", String::as_str)
}

/// A text of at least so many columns.
pub(super) fn padded(text: String, width: usize) -> String {
    let pad = " ".repeat(width.saturating_sub(columns(&text)));
    text + &pad
}

/// An id, or its end where it is too long: parts differ there.
fn tail(id: &str, width: usize, dots: &str) -> String {
    let mut rest = id;
    while !rest.is_empty() && columns(rest) + usize::from(rest.len() < id.len()) > width {
        rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    if rest.len() < id.len() { format!("{dots}{rest}") } else { id.to_owned() }
}

/// A row: a form, a text and more of it, a word, and an age.
pub(super) fn draw_row(
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
