//! The history of a message, step by step, and its receipts.

use super::empty;
use super::history_rows::{self, Row};
use crate::engine::message::Status;
use crate::engine::words::counted;
use crate::ui::tui::ages::{clock, moment};
use crate::ui::tui::evidence;
use crate::ui::tui::marks::Mark;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use crate::wire::api::{HistoryStepInfo, HistoryTree};
use ratatui_core::layout::Rect;

/// What a message gets on its way, in the words of its history.
const LADDER: [(&str, &str); 6] = [
    ("accepted", "accepted"),
    ("delivered", "typed"),
    ("read", "read"),
    ("working", "at work"),
    ("claimed", "claimed"),
    ("verified", "checked"),
];

/// Lines that one sentence of a history may take.
const LINES_MAX: usize = 8;

/// The message or part of this id.
pub(super) fn find<'a>(tree: &'a HistoryTree, id: &str) -> Option<&'a HistoryTree> {
    let mut stack = vec![tree];
    while let Some(tree) = stack.pop() {
        if tree.id == id {
            return Some(tree);
        }
        stack.extend(&tree.parts);
    }
    None
}

/// What is said of a row that has no task.
pub(in crate::ui::tui) const NO_STORY: &str = "it has had no task whose story could be told";

/// Draws the history of a message.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, id: Option<&str>, area: Rect) {
    let Some(id) = id else {
        canvas.rule((area.x, area.y), area.width, "Story", "Esc back");
        let is_unknown = state.is_last_unknown() || state.chosen().is_none();
        let text = if is_unknown { "" } else { NO_STORY };
        return empty(canvas, area, text);
    };
    let title = format!("Story of {id}");
    canvas.rule((area.x, area.y), area.width, &title, "PgUp PgDn   Esc back");
    let tree = match &state.story {
        Some((of, Ok(story))) if of == id => find(&story.tree, id),
        Some((of, Err(problem))) if of == id => {
            return empty(canvas, area, &format!("{}: {}", problem.why, problem.cure));
        }
        _ => return,
    };
    let Some(tree) = tree else { return };
    let all = history_rows::rows(state, tree);
    let rows_of_answer = all.iter().filter(|row| row.is_answer).count();
    let lines: Vec<Line> = all.iter().flat_map(|row| lines(row, area.width)).collect();
    let shown = usize::from(area.height.saturating_sub(1));
    let from = state.beside_from.min(lines.len().saturating_sub(shown));
    // The heading and a row of its text are enough: who has them before the eyes can go on.
    if rows_of_answer > 0 && from < rows_of_answer && shown > 1 {
        canvas.drawn.answer = Some(id.to_owned());
    }
    let below = lines.len().saturating_sub(from + shown);
    if below > 0 {
        let note = format!("{below} more below   PgUp PgDn   Esc back");
        canvas.rule((area.x, area.y), area.width, &title, &note);
    }
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(from)) {
        let time = line.at.map(|at| clock(at, state.look.here, false)).unwrap_or_default();
        canvas.text((area.x + 1, y), 8, &time, Ink::Dim);
        let x = area.x + 10 + line.indent;
        let room = area.width.saturating_sub(11 + line.indent);
        let took = canvas.text((x, y), room, &line.text, line.ink);
        canvas.text((x + took + 3, y), room.saturating_sub(took + 3), line.beside, Ink::Dim);
    }
}

/// A line of the screen.
struct Line<'a> {
    at: Option<i64>,
    indent: u16,
    text: String,
    ink: Ink,
    /// How it is known, where that has room in the same line.
    beside: &'a str,
}

/// A row in as many lines as it needs: it can be read to its end here or nowhere.
fn lines(row: &Row, width: u16) -> Vec<Line<'_>> {
    let indent = (row.depth * 2).min(width / 4);
    let room = usize::from(width.saturating_sub(11 + indent));
    let line = |(text, ink)| Line { at: None, indent, text, ink, beside: "" };
    let text = wrap(&row.text, room, LINES_MAX);
    let last = text.last().map_or(0, |last| columns(last));
    let mut lines: Vec<Line<'_>> = text.into_iter().map(|text| line((text, row.ink))).collect();
    let fits = last + 3 + columns(&row.evidence) <= room;
    match lines.last_mut() {
        Some(last) if fits => last.beside = &row.evidence,
        _ => {
            lines.extend(wrap(&row.evidence, room, LINES_MAX).into_iter().map(|text| line((text, Ink::Dim))))
        }
    }
    if let Some(first) = lines.first_mut() {
        first.at = row.at;
    }
    lines
}

/// The message whose receipts are shown: the chosen one, else the whole task.
fn receipt_tree(state: &TopState) -> Option<&HistoryTree> {
    let Some((_, Ok(story))) = &state.story else { return None };
    // Of another row's task nothing is told here.
    find(&story.tree, &state.message_looked_at()?)
}

/// Rows that the receipts take.
pub(in crate::ui::tui) fn receipt_rows(state: &TopState) -> usize {
    // They keep their room while they are fetched.
    let is_of_message = state.story.is_some() && state.message_looked_at().is_some();
    let ended = receipt_tree(state).and_then(end_row).map_or(0, |_| 1);
    if is_of_message { LADDER.len() + 1 + ended } else { 0 }
}

/// Draws the receipts: what is proven, and how; what is not, in grey.
pub(in crate::ui::tui) fn receipts(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(id) = state.message_looked_at().filter(|_| area.height > 1) else { return };
    canvas.rule((area.x, area.y), area.width, &format!("Receipts of {id}"), "w whole story");
    let Some(tree) = receipt_tree(state) else { return };
    let mut top = area.y + 1;
    if let Some((mark, text)) = end_row(tree) {
        canvas.text((area.x + 1, top), 1, mark.sign(canvas.look), mark.ink());
        canvas.text((area.x + 3, top), area.width.saturating_sub(4), &text, mark.ink());
        top += 1;
    }
    let now_at = LADDER.iter().position(|(what, _)| *what == tree.stage.word());
    for (y, (rung, (what, word))) in (top..area.bottom()).zip(LADDER.iter().enumerate()) {
        let step = tree.story.iter().rev().find(|step| step.event.what == *what);
        let is_now = now_at == Some(rung) || (*what == "working" && tree.stage.word() == "waiting");
        let held_up = if is_now { held_up(state, tree) } else { None };
        let (mark, ink) = match (step, is_now) {
            _ if held_up.is_some() => {
                held_up.as_ref().map_or((Mark::Free, Ink::Dim), |(mark, _)| (*mark, mark.ink()))
            }
            (_, true) => (Mark::Works, Ink::Accent),
            (Some(_), _) => (Mark::Completed, Ink::Good),
            (None, _) => (Mark::Free, Ink::Dim),
        };
        canvas.text((area.x + 1, y), 1, mark.sign(canvas.look), ink);
        let word = if held_up.is_some() { "waits" } else { word };
        canvas.text((area.x + 3, y), 10, word, if step.is_some() || is_now { Ink::Plain } else { Ink::Dim });
        let room = area.width.saturating_sub(15);
        let said = held_up.map_or_else(|| told(state, tree, step, is_now), |(_, said)| said);
        canvas.text((area.x + 14, y), room, &said, Ink::Dim);
    }
}

/// What keeps the agent of a message from working on it: nobody is at work then.
fn held_up(state: &TopState, tree: &HistoryTree) -> Option<(Mark, String)> {
    let agent = state.agent(tree.agent.as_deref()?)?;
    let since = crate::ui::tui::ages::age(Some(&tree.since), state.time());
    match &*agent.state {
        _ if agent.current_task.as_ref() != Some(&tree.id) => None,
        "rate_limited" => {
            let back = state.back_of(agent).map(|back| format!(", {back}")).unwrap_or_default();
            Some((Mark::Limit, format!("{since}   waiting for a limit{back}")))
        }
        "waiting_input" | "error" => Some((Mark::Asks, format!("{since}   waits for you"))),
        _ => None,
    }
}

/// When a rung was reached, and how that is known.
fn told(state: &TopState, tree: &HistoryTree, step: Option<&HistoryStepInfo>, is_now: bool) -> String {
    if is_now && !tree.parts.is_empty() {
        let open = tree.parts.iter().filter(|part| part.ended_at.is_none()).count();
        let since = crate::ui::tui::ages::age(Some(&tree.since), state.time());
        let parts = counted(tree.parts.len(), "part");
        return format!(
            "{since}   {}",
            if open == tree.parts.len() {
                format!("{parts} open")
            } else {
                format!("{open} of {parts} open")
            }
        );
    }
    let Some(step) = step else {
        let since =
            if is_now { crate::ui::tui::ages::age(Some(&tree.since), state.time()) } else { String::new() };
        return since;
    };
    let at = moment(&step.at).map(|at| clock(at, state.look.here, true)).unwrap_or_default();
    format!("{at}   {}", step.event.evidence.as_deref().map(evidence::plain).unwrap_or_default())
}

/// How it ended where it was not completed: that stands before whatever was proven on its way.
fn end_row(tree: &HistoryTree) -> Option<(Mark, String)> {
    match tree.status {
        Status::Failed => Some((Mark::Failed, history_rows::failed(tree))),
        Status::Cancelled => Some((Mark::CalledOff, history_rows::called_off(tree))),
        Status::Pending | Status::InProgress | Status::Completed => None,
    }
}
