//! The screen of one agent, as it is, and how it is read.

use super::empty;
use crate::ui::tui::ages::age;
use crate::ui::tui::marks::of_agent;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::{Look, TopState};
use crate::wire::api::RunInfo;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};

/// Draws the screen of the agent that is looked at: its last rows, if there are more than there is room for.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    if area.height == 0 {
        return;
    }
    let Some(agent) = state.looked_at() else {
        let task = state.chosen_task().map(|task| format!("{}  {}", task.id, task.name)).unwrap_or_default();
        canvas.rule((area.x, area.y), area.width, &task, "");
        return empty(canvas, area, &state.why_no_screen().unwrap_or_default());
    };
    let pane = state.pane.as_ref().filter(|pane| pane.agent == agent.agent_name);
    let (mark, word) = of_agent(agent);
    let since = age(agent.since.as_deref(), state.time());
    let name = &agent.agent_name;
    let back = state.back_of(agent).map(|back| format!(", {back}")).unwrap_or_default();
    let full = format!("{name}   {} {word} {since}{back}", mark.sign(state.look));
    let title = if columns(&full) + 26 <= usize::from(area.width) { full } else { name.clone() };
    let live = if state.is_away() { "as it was" } else { "live, read only" };
    let note = match pane.and_then(|pane| pane.size) {
        Some((columns, rows)) => format!("{live}, {columns}x{rows}"),
        None if pane.is_some() => live.to_owned(),
        None => String::new(),
    };
    canvas.rule((area.x, area.y), area.width, title.trim_end(), &note);
    let Some(pane) = pane else { return };
    if let Some(fault) = &pane.fault {
        return empty(canvas, area, fault);
    }
    let is_blank = |row: &Vec<RunInfo>| row.iter().all(|run| run.text.trim().is_empty());
    let end = pane.rows.iter().rposition(|row| !is_blank(row)).map_or(0, |last| last + 1);
    let shown = usize::from(area.height - 1);
    let rows = &pane.rows[end.saturating_sub(shown)..end];
    for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
        draw_row(canvas, (area.x + 1, y), area.width.saturating_sub(1), row);
    }
}

fn draw_row(canvas: &mut Canvas, (mut x, y): (u16, u16), width: u16, row: &[RunInfo]) {
    let end = x.saturating_add(width);
    for (at, run) in row.iter().enumerate() {
        if x >= end {
            return;
        }
        let room = end - x;
        // A run that ends at the edge is cut only if something follows.
        let has_more = row[at + 1..].iter().any(|run| !run.text.trim().is_empty());
        let text = if has_more || columns(&run.text) <= usize::from(room) {
            &*run.text
        } else {
            run.text.trim_end()
        };
        let took = canvas.styled((x, y), room, text, style(run, canvas.look));
        x += took.max(run.columns.min(room));
    }
}

/// The style of a run, in the terminal's own colours.
fn style(run: &RunInfo, look: Look) -> Style {
    let mut style = Style::new();
    if look.color {
        if let Some(color) = run.fg.as_deref().and_then(color) {
            style = style.fg(color);
        }
        if let Some(color) = run.bg.as_deref().and_then(color) {
            style = style.bg(color);
        }
    }
    for word in &run.style {
        style = style.add_modifier(match &**word {
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underline" => Modifier::UNDERLINED,
            "inverse" => Modifier::REVERSED,
            "strike" => Modifier::CROSSED_OUT,
            _ => Modifier::empty(),
        });
    }
    style
}

/// One of the terminal's 16 colours: the one that is named, or the one that is like it.
fn color(text: &str) -> Option<Color> {
    const ALL: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    let Some(digits) = text.strip_prefix('#') else {
        return text.parse::<usize>().ok().and_then(|number| ALL.get(number).copied());
    };
    let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let (red, green, blue) = (part(0)?, part(2)?, part(4)?);
    let most = red.max(green).max(blue);
    if most - red.min(green).min(blue) < 32 {
        return Some(match most {
            0..48 => Color::Black,
            48..144 => Color::DarkGray,
            144..224 => Color::Gray,
            _ => Color::White,
        });
    }
    let is_on = |part: u8| usize::from(u16::from(part) * 3 >= u16::from(most) * 2);
    let index = is_on(red) + 2 * is_on(green) + 4 * is_on(blue) + if most >= 200 { 8 } else { 0 };
    ALL.get(index).copied()
}

/// What stands for a rule where none fits.
const NO_RULE: &str = "-";

/// Draws how the screen of an agent is read.
pub(in crate::ui::tui) fn explain(canvas: &mut Canvas, state: &TopState, name: &str, area: Rect) {
    canvas.rule((area.x, area.y), area.width, &format!("How the screen of {name} is read"), "Esc back");
    let look = match &state.explained {
        Some((of, Ok(look))) if of == name => look,
        Some((of, Err(problem))) if of == name => {
            return empty(canvas, area, &format!("{}: {}", problem.why, problem.cure));
        }
        _ => return,
    };
    let version = look.version.as_ref().map(|version| format!(", rules for {version}")).unwrap_or_default();
    let read = match &*look.rule {
        NO_RULE => format!("No rule knows this screen{version}: it is read as {}.", look.state),
        rule => format!("It is read as {} by the rule {rule}{version}.", look.state),
    };
    let mut said = vec![read];
    said.extend(look.why.iter().map(|why| format!("Nothing is typed now: {why}.")));
    said.extend(look.input.iter().map(|input| format!("Its input has: {input}")));
    let takes = |takes: &String| format!("Its dialog takes {takes}.");
    said.extend(look.takes.iter().map(takes));
    let mut y = area.y + 1;
    for text in said.iter().take(usize::from(area.height.saturating_sub(1))) {
        canvas.text((area.x + 1, y), area.width.saturating_sub(2), text, Ink::Plain);
        y += 1;
    }
    let end = look.rows.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
    let shown = usize::from(area.bottom().saturating_sub(y));
    let from = end.saturating_sub(shown + state.beside_from.min(end.saturating_sub(shown)));
    for (y, (at, row)) in (y..area.bottom()).zip(look.rows.iter().enumerate().take(end).skip(from)) {
        let has_matched = look.matched.contains(&at);
        if has_matched {
            canvas.text((area.x + 1, y), 1, canvas.sign("▸", ">"), Ink::Accent);
        }
        let ink = if has_matched { Ink::Bold } else { Ink::Dim };
        canvas.text((area.x + 3, y), area.width.saturating_sub(4), row.trim_end(), ink);
    }
}
