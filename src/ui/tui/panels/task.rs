//! A task of a session: what came of it, what it is told, what it needs, and where it is done.

use super::empty;
use super::graph::took;
use super::history_rows::checked;
use crate::ui::session::words::{of_task_in_queue as word_of, planned};
use crate::ui::tui::ages::{by_the_clock, clock, moment};
use crate::ui::tui::marks::of_task;
use crate::ui::tui::paint::{Canvas, Ink};
use crate::ui::tui::sessions::SessionSeen;
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use crate::wire::api::SessionTaskInfo;
use ratatui_core::layout::Rect;

/// Bytes of a text that are shown: each look at it breaks it into rows.
const TEXT_BYTES: usize = 32 << 10;
/// Rows that one line of a text may take.
const LINE_ROWS: usize = 60;
/// Tasks that are named in one row.
const NAMED: usize = 12;

/// Draws the chosen task.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let (Some(task), Some(seen)) = (state.chosen_task(), state.opened_session()) else {
        canvas.rule((area.x, area.y), area.width, "Task", "");
        return empty(canvas, area, "");
    };
    let title = format!("{}  {}", task.id, task.name);
    let room = usize::from(area.width.saturating_sub(2));
    let mut rows: Vec<(String, Ink)> = Vec::new();
    for (text, ink) in texts(state, seen, task) {
        // A row without a text parts what stands above it from what stands below.
        match text.is_empty() {
            true => rows.push((text, ink)),
            false => rows.extend(wrap(&text, room, LINE_ROWS).into_iter().map(|text| (text, ink))),
        }
    }
    let shown = usize::from(area.height.saturating_sub(1));
    let from = state.beside_from.min(rows.len().saturating_sub(shown));
    let note = match rows.len().saturating_sub(from + shown) {
        0 => String::new(),
        below => format!("{below} more below   PgUp PgDn"),
    };
    canvas.rule((area.x, area.y), area.width, &title, &note);
    for (y, (text, ink)) in (area.y + 1..area.bottom()).zip(rows.iter().skip(from)) {
        canvas.text((area.x + 1, y), area.width.saturating_sub(2), text, *ink);
    }
}

/// All that is told of it, what is looked for first before the rest.
fn texts(state: &TopState, seen: &SessionSeen, task: &SessionTaskInfo) -> Vec<(String, Ink)> {
    let mark = of_task(task);
    let took = took(state, task);
    let tries = if task.tries > 1 { format!("   {} tries", task.tries) } else { String::new() };
    let agent = task.agent.as_ref().map(|agent| format!("   {agent}")).unwrap_or_default();
    let head = format!("{} {}   {took}{agent}{tries}", mark.sign(state.look), word_of(task));
    let mut rows = vec![(head, mark.ink())];
    let text = |text: &str| -> Vec<(String, Ink)> {
        let end = text.floor_char_boundary(TEXT_BYTES);
        let cut = text.get(..end).unwrap_or_default();
        let mut rows: Vec<(String, Ink)> =
            cut.trim().lines().map(|line| (line.to_owned(), Ink::Plain)).collect();
        if end < text.len() {
            rows.push(("…and more: `tasuki session show` has it".to_owned(), Ink::Dim));
        }
        rows
    };
    let note = task.note.as_deref().map(|note| by_the_clock(note, state.time(), state.look.here));
    if task.status == "Failed" {
        let why = task.result.as_deref().or(note.as_deref()).unwrap_or("it is not known why");
        rows.push(("Why it failed (r tries it again):".to_owned(), Ink::Bad));
        rows.extend(text(why));
    } else if let Some(result) = &task.result {
        let who = task.agent.as_deref().unwrap_or("its agent");
        rows.push((format!("Answer of {who}:"), Ink::Good));
        rows.extend(text(result));
    }
    rows.extend(task.waits_for.iter().map(|waits| (waits.clone(), Ink::Plain)));
    if let Some(note) = note.filter(|note| Some(note) != task.result.as_ref() && !note.is_empty()) {
        rows.push((note, Ink::Dim));
    }
    let whole =
        state.whole.as_ref().filter(|whole| Some(whole.message.id.as_str()) == task.message.as_deref());
    if let Some(whole) = whole {
        let mut found = Vec::new();
        checked(whole, &mut found);
        rows.extend(found.into_iter().map(|row| (row.text, row.ink)));
    }
    if seen.details.session.waits_for_yes {
        rows.push((planned(task), Ink::Plain));
    }
    rows.push((String::new(), Ink::Plain));
    rows.extend(facts(state, seen, task));
    if let Some(description) = &task.description {
        rows.push((String::new(), Ink::Plain));
        rows.push(("What it is told:".to_owned(), Ink::Bold));
        rows.extend(text(description));
    }
    rows
}

fn facts(state: &TopState, seen: &SessionSeen, task: &SessionTaskInfo) -> Vec<(String, Ink)> {
    let at =
        |time: &Option<String>| time.as_deref().and_then(moment).map(|at| clock(at, state.look.here, false));
    let needed_by = seen.places.get(&task.id).and_then(|at| seen.order.needed_by.get(*at));
    let needed_by = needed_by.into_iter().flatten().filter_map(|at| seen.details.tasks.get(*at));
    let needs = task
        .dependencies
        .iter()
        .map(|id| seen.task(id).map_or_else(|| id.clone(), |need| marked(state, need)));
    let join =
        if task.join == "any" && task.dependencies.len() > 1 { " (one of them is enough)" } else { "" };
    let needs = named(needs.collect());
    let facts = [
        ("needs", Some(if needs.is_empty() { "nothing".to_owned() } else { format!("{needs}{join}") })),
        (
            "needed by",
            Some(named(needed_by.map(|by| marked(state, by)).collect())).filter(|by| !by.is_empty()),
        ),
        ("for", task.to.clone().filter(|to| Some(to) != task.agent.as_ref())),
        ("agent", task.agent.clone()),
        ("message", task.message.clone()),
        ("branch", task.branch.clone()),
        ("worktree", task.worktree.clone()),
        ("began", at(&task.started_at)),
        ("ended", at(&task.completed_at)),
    ];
    let line =
        |(word, what): (&str, Option<String>)| what.map(|what| (format!("{word:<10}{what}"), Ink::Plain));
    facts.into_iter().filter_map(line).collect()
}

/// A task with the form of its state.
fn marked(state: &TopState, task: &SessionTaskInfo) -> String {
    format!("{} {}", of_task(task).sign(state.look), task.id)
}

fn named(ids: Vec<String>) -> String {
    let more = ids.len().saturating_sub(NAMED);
    let mut text = ids.into_iter().take(NAMED).collect::<Vec<_>>().join("  ");
    if more > 0 {
        text.push_str(&format!("  and {more} more"));
    }
    text
}
