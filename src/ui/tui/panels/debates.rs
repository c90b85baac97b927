//! The list of debates, and how the chosen one stands.

use super::list::{draw_row, padded};
use super::{empty, question, rounds, window, with_more};
use crate::engine::words::counted;
use crate::ui::tui::ages::age;
use crate::ui::tui::debates::word_of;
use crate::ui::tui::marks::of_debate;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::sessions::first_line;
use crate::ui::tui::state::{Place, TopState};
use crate::wire::api::DebateInfo;
use crate::wire::debate::document::DebateStatus;
use ratatui_core::layout::Rect;

/// Columns of the list from which on its roles are named, and from which on they are counted.
const NAMES_FROM: u16 = 72;
const COUNT_FROM: u16 = 56;
/// Part of the columns that the names of roles take at most: the title has the rest.
const ROLES_PART: u16 = 4;

/// The debates.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let debates = state.all_debates();
    let found = &state.shelves[Place::Debates.index()].filter;
    let open = debates.iter().filter(|debate| !debate.status.is_over()).count();
    let note = match (found.is_empty(), debates.len()) {
        (false, many) => format!("{many}   /{found}"),
        (true, 0) => String::new(),
        (true, many) => format!("{open} under way, {} over", many - open),
    };
    let note = with_more(note, debates.len(), area.height.saturating_sub(1));
    canvas.rule((area.x, area.y), area.width, Place::Debates.title(), &note);
    if debates.is_empty() {
        let problem;
        let text = match &state.debates.listed {
            None => "",
            Some(Err(why)) => {
                problem = format!("{}: {}; `tasuki debate list` reads the files", why.why, why.cure);
                &problem
            }
            Some(Ok(_)) if !found.is_empty() => &*state.nothing_fits(Place::Debates),
            Some(Ok(_)) => "no debate yet: n begins one, and so does `tasuki debate`",
        };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen().filter(|_| state.place == Place::Debates);
    let at = chosen.and_then(|id| debates.iter().position(|debate| debate.debate_id == id));
    let shown = usize::from(area.height.saturating_sub(1));
    let first = window(at.unwrap_or(0), debates.len(), shown);
    let rows = debates.iter().enumerate().skip(first).take(shown);
    let words = words(rows.clone().map(|(_, debate)| *debate), area.width, canvas.sign("…", "~"));
    for ((row, debate), word) in rows.zip(words) {
        let y = area.y + 1 + u16::try_from(row - first).unwrap_or(0);
        let mark = of_debate(&debate.status);
        let since = if debate.status.is_over() { &debate.updated_at } else { &debate.created_at };
        let why = match &debate.status {
            DebateStatus::Failed(why) => first_line(why),
            _ => String::new(),
        };
        let title = if debate.title.is_empty() { &debate.debate_id } else { &debate.title };
        let shown = [(mark.sign(canvas.look), mark.ink()), (&**title, Ink::Plain), (&*why, Ink::Dim)];
        draw_row(canvas, (area, y), at == Some(row), shown, &word, &age(Some(since), state.time()));
    }
}

/// Who speaks, and how far debates are, in columns below each other.
fn words<'a>(debates: impl Iterator<Item = &'a DebateInfo>, width: u16, dots: &str) -> Vec<String> {
    let parts = |debate: &'a DebateInfo| {
        let roles = match width {
            NAMES_FROM.. => cut(&debate.roles.join(", "), usize::from(width / ROLES_PART), dots),
            COUNT_FROM.. => counted(debate.roles.len(), "role"),
            _ => String::new(),
        };
        let (at, of) = (debate.current_round, debate.rounds);
        let word = word_of(&debate.status);
        let state = match &debate.status {
            DebateStatus::Pending | DebateStatus::Completed => word.to_owned(),
            DebateStatus::Failed(_) | DebateStatus::Cancelled if at == 0 => word.to_owned(),
            DebateStatus::Failed(_) | DebateStatus::Cancelled => format!("{word}, {at}/{of}"),
            _ => format!("round {at}/{of}"),
        };
        [roles, state]
    };
    let all: Vec<[String; 2]> = debates.map(parts).collect();
    let widest = |column: usize| all.iter().map(|parts| columns(&parts[column])).max().unwrap_or(0);
    let widths = [0, 1].map(widest);
    let line = |parts: [String; 2]| {
        let cells = parts.into_iter().zip(widths).filter(|(_, width)| *width > 0);
        cells.map(|(part, width)| padded(part, width)).collect::<Vec<_>>().join("  ")
    };
    all.into_iter().map(line).collect()
}

/// The beginning of a text that is longer than so many columns.
fn cut(text: &str, most: usize, dots: &str) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if columns(&short) + columns(c.encode_utf8(&mut [0; 4])) >= most {
            break;
        }
        short.push(c);
    }
    short + dots
}

/// The chosen debate: how it stands, and its rounds.
pub(in crate::ui::tui) fn overview(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(id) = state.chosen() else { return };
    let title = state.debate_of_list(&id).map_or("", |debate| &debate.title);
    canvas.rule((area.x, area.y), area.width, title, "Enter its rounds");
    let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    match &state.debates.seen {
        Some((of, Ok(seen))) if *of == id => {
            let inner = question::below(canvas, seen, rounds::rows(seen, area.width), inner);
            rounds::inside(canvas, state, seen, inner, None);
        }
        Some((of, Err(problem))) if *of == id => {
            empty(canvas, area, &format!("{}: {}", problem.why, problem.cure));
        }
        _ => {}
    }
}
