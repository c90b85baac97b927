//! The team: who does what, for how long.

use super::{empty, window, with_more};
use crate::engine::words::counted;
use crate::ui::tui::ages::{age, by_the_clock};
use crate::ui::tui::marks::{Mark, of_agent};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::rows::Member;
use crate::ui::tui::state::{Place, TopState};
use crate::wire::api::AgentInfo;
use ratatui_core::layout::Rect;

/// Columns of an age.
const FOR: u16 = 7;
/// Columns of the length of a queue.
const QUEUE: u16 = 4;
/// Columns below which it is not told what an agent does.
const DOING_LEAST: u16 = 12;

/// Columns of the list from which on it is told what an agent does, whatever it is called.
const DOING_FROM: u16 = 60;

/// Rows from which on the columns are named.
const HEADING_FROM: u16 = 10;

/// Rows above those of the agents.
fn titles_of(area: Rect) -> u16 {
    if area.height < HEADING_FROM && area.width < DOING_FROM { 1 } else { 2 }
}

/// Columns of each column.
struct Widths {
    name: u16,
    state: u16,
    age: bool,
    queue: bool,
    doing: u16,
}

/// Draws the team.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let team = state.team();
    let kind = if state.is_table() { "t tree" } else { "t table" };
    let found = &state.shelves[Place::Team.index()].filter;
    let note = match found.is_empty() {
        true => format!("{}   {kind}", counted(state.agents.len(), "agent")),
        false => format!("{} of {}   /{found}", team.len(), counted(state.agents.len(), "agent")),
    };
    let note = with_more(note, team.len(), area.height.saturating_sub(titles_of(area)));
    canvas.rule((area.x, area.y), area.width, Place::Team.title(), &note);
    if team.is_empty() {
        let text = match (state.workspace.is_some(), state.agents.is_empty()) {
            (false, _) => "",
            (true, true) => "the team has no agents yet: `tasuki init` writes a team file",
            (true, false) => &*state.nothing_fits(Place::Team),
        };
        return empty(canvas, area, text);
    }
    let words: Vec<_> = team.iter().map(|member| word(state, member.agent, area.width)).collect();
    let more = |member: &Member<'_>| match member.folded {
        0 => String::new(),
        many => format!(" +{many}"),
    };
    let name_of =
        |member: &Member<'_>| columns(&member.agent.agent_name) + columns(&more(member)) + 2 * member.depth;
    let names = team.iter().map(name_of).max().unwrap_or(0);
    let states = words.iter().map(|(_, word)| columns(word)).max().unwrap_or(0);
    let widths = widths(area.width, names, states);
    // Where there is little room, states are told rather than what the columns are called.
    let titles = titles_of(area);
    if titles > 1 {
        heading(canvas, area, &widths);
    }
    let chosen = state.chosen().filter(|_| state.place == Place::Team);
    let at = chosen.as_ref().and_then(|name| team.iter().position(|member| member.agent.agent_name == *name));
    let shown = usize::from(area.height.saturating_sub(titles));
    let first = window(at.unwrap_or(0), team.len(), shown);
    for (row, (member, (mark, word))) in team.iter().zip(&words).enumerate().skip(first).take(shown) {
        let y = area.y + titles + u16::try_from(row - first).unwrap_or(0);
        if at == Some(row) {
            canvas.text((area.x, y), 1, canvas.sign("▸", ">"), Ink::Accent);
        }
        let indent = u16::try_from(2 * member.depth).unwrap_or(u16::MAX).min(widths.name / 2);
        let x = area.x + 1 + indent;
        canvas.text((x, y), 1, mark.sign(canvas.look), mark.ink());
        let ink = if at == Some(row) { Ink::Bold } else { Ink::Plain };
        let (room, more) = (widths.name.saturating_sub(indent + 2), more(member));
        let name_room = room.saturating_sub(u16::try_from(columns(&more)).unwrap_or(u16::MAX));
        let took = canvas.text((x + 2, y), name_room, &member.agent.agent_name, ink);
        canvas.text((x + 2 + took, y), room.saturating_sub(took), &more, Ink::Dim);
        cells(canvas, state, (area, y), &widths, (member.agent, word, mark.ink()));
    }
}

/// An agent's state. Where there is no room for what it does, the time when it is back is all that is told of a limit.
fn word(state: &TopState, agent: &AgentInfo, width: u16) -> (Mark, String) {
    let (mark, word) = of_agent(agent);
    match state.back_of(agent) {
        Some(back) if width < DOING_FROM => (mark, back),
        _ => (mark, word),
    }
}

/// Which columns there is room for: a state's word always, then ages, queues, and what they do.
fn widths(width: u16, names: usize, states: usize) -> Widths {
    let states = u16::try_from(states).unwrap_or(u16::MAX).saturating_add(1).min(width.saturating_sub(4));
    let left = width.saturating_sub(states + 3);
    let names = u16::try_from(names).unwrap_or(u16::MAX).saturating_add(3);
    let name =
        names.min(left.max(1)).min((width * 2 / 5).max(left.saturating_sub(FOR + QUEUE + DOING_LEAST * 2)));
    let left = left.saturating_sub(name);
    let age = left >= FOR;
    let left = left.saturating_sub(if age { FOR } else { 0 });
    let queue = age && left >= QUEUE;
    let left = left.saturating_sub(if queue { QUEUE } else { 0 });
    let doing = if queue && left >= DOING_LEAST { left - 2 } else { 0 };
    Widths { name, state: states, age, queue, doing }
}

fn heading(canvas: &mut Canvas, area: Rect, widths: &Widths) {
    let y = area.y + 1;
    canvas.text((area.x + 2, y), widths.name, "AGENT", Ink::Dim);
    let mut x = area.x + 2 + widths.name;
    canvas.text((x, y), widths.state, "STATE", Ink::Dim);
    x += widths.state;
    if widths.age {
        canvas.right((x, y), FOR - 1, "FOR", Ink::Dim);
        x += FOR;
    }
    if widths.queue {
        canvas.right((x, y), QUEUE - 1, "QUE", Ink::Dim);
        x += QUEUE;
    }
    if widths.doing > 0 {
        canvas.text((x + 1, y), widths.doing, "DOING", Ink::Dim);
    }
}

/// The columns behind the name.
fn cells(
    canvas: &mut Canvas,
    state: &TopState,
    (area, y): (Rect, u16),
    widths: &Widths,
    (agent, word, ink): (&AgentInfo, &str, Ink),
) {
    let mut x = area.x + 2 + widths.name;
    canvas.text((x, y), widths.state, word, ink);
    x += widths.state;
    if widths.age {
        canvas.right((x, y), FOR - 1, &age(agent.since.as_deref(), state.time()), Ink::Plain);
        x += FOR;
    }
    if widths.queue {
        let queued = if agent.queued == 0 { String::new() } else { agent.queued.to_string() };
        canvas.right((x, y), QUEUE - 1, &queued, Ink::Plain);
        x += QUEUE;
    }
    if widths.doing > 0 {
        canvas.text((x + 1, y), widths.doing, &doing(state, agent), Ink::Plain);
    }
}

/// What an agent does: what it asks, why it does nothing, what its pane says, or its task.
fn doing(state: &TopState, agent: &AgentInfo) -> String {
    let first =
        |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned();
    if let Some(asks) = &agent.asks {
        let rows = asks.text.lines().map(str::trim).filter(|row| !row.is_empty());
        return rows.take(2).collect::<Vec<_>>().join(" ");
    }
    let task = agent.current_task.as_deref();
    let title = |id: &str| {
        let of_message = state.message(id).and_then(|message| message.title.clone());
        of_message.or_else(|| state.titles.get(id).cloned())
    };
    let named = || task.and_then(title).or_else(|| task.map(str::to_owned));
    let doing = agent.doing.as_deref().map(first).filter(|text| !text.is_empty());
    let why = agent.why.as_deref().map(first).filter(|text| !text.is_empty());
    let said = match &*agent.state {
        "waiting" => why.or_else(named).or(doing),
        "working" | "busy" => doing.or_else(named).or(why),
        _ => why.or(doing).or_else(named),
    }
    .unwrap_or_default();
    match state.back_of(agent) {
        Some(back) if said.is_empty() => back,
        Some(back) => format!("{back}: {}", by_the_clock(&said, state.time(), state.look.here)),
        None => said,
    }
}
