//! The history of a message, step by step, and its receipts.

use super::empty;
use crate::engine::message::{Kind, Status};
use crate::engine::words::counted;
use crate::ui::tui::ages::{clock, length, moment};
use crate::ui::tui::marks::Mark;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use crate::wire::api::{HistoryStepInfo, HistoryTree};
use ratatui_core::layout::Rect;

/// A pause that is told, in ms: a person would ask what was in between.
const PAUSE_MS: i64 = 60_000;
/// What a message gets on its way, in the words of its history.
const LADDER: [(&str, &str); 6] = [
    ("accepted", "accepted"),
    ("delivered", "typed"),
    ("read", "read"),
    ("working", "at work"),
    ("claimed", "claimed"),
    ("verified", "verified"),
];

/// Lines that one sentence of a history may take.
const LINES_MAX: usize = 8;

/// The message or part of this id.
fn find<'a>(tree: &'a HistoryTree, id: &str) -> Option<&'a HistoryTree> {
    let mut stack = vec![tree];
    while let Some(tree) = stack.pop() {
        if tree.id == id {
            return Some(tree);
        }
        stack.extend(&tree.parts);
    }
    None
}

/// A row: when, how deep, what, and how it is known.
struct Row {
    at: Option<i64>,
    depth: u16,
    text: String,
    evidence: String,
    ink: Ink,
}

fn rows(tree: &HistoryTree, depth: u16, rows: &mut Vec<Row>) {
    let whom = tree.agent.as_deref().or(tree.to.as_deref()).unwrap_or("?");
    let title = tree.title.as_deref().unwrap_or_default();
    let text = format!("{}  {whom}  {title}", tree.id);
    rows.push(Row { at: None, depth, text, evidence: String::new(), ink: Ink::Bold });
    let mut before: Option<i64> = None;
    for step in &tree.story {
        let at = moment(&step.at);
        if let (Some(before), Some(at)) = (before, at)
            && at - before >= PAUSE_MS
        {
            let text = format!("{} later", length(at - before));
            rows.push(Row { at: None, depth: depth + 1, text, evidence: String::new(), ink: Ink::Dim });
        }
        before = at.or(before);
        // Whose step it is stands above them all, and what the sentence has already is not said twice.
        let text =
            step.event.text.strip_prefix(&*tree.id).map_or(&*step.event.text, str::trim_start).to_owned();
        let evidence = step.event.evidence.clone().filter(|evidence| !text.contains(&**evidence));
        rows.push(Row { at, depth, text, evidence: evidence.unwrap_or_default(), ink: Ink::Plain });
    }
    if let Some(waits_for) = &tree.waits_for {
        let text = format!("now it waits for {waits_for}");
        rows.push(Row { at: None, depth, text, evidence: String::new(), ink: Ink::You });
    }
    for part in &tree.parts {
        self::rows(part, depth + 1, rows);
    }
}

/// Bytes of an answer that are shown: each look at it breaks it into rows.
const ANSWER_BYTES: usize = 32 << 10;

/// The answer of a message, or why it failed: what is looked for first in the story of what has ended.
fn answer_rows(state: &TopState, id: &str, rows: &mut Vec<Row>) {
    let Some(whole) = state.whole.as_ref().filter(|whole| whole.message.id.as_str() == id) else { return };
    let row = |text: String, ink| Row { at: None, depth: 0, text, evidence: String::new(), ink };
    let Some(answer) = &whole.answer else {
        let why = whole.message.reason.as_ref().filter(|_| whole.message.status == Status::Failed);
        rows.extend(why.map(|why| row(format!("It failed: {why}"), Ink::Bad)));
        return;
    };
    let has_failed = answer.kind == Kind::Error;
    let (what, ink) = if has_failed { ("It failed, says", Ink::Bad) } else { ("Answer of", Ink::Good) };
    let source = answer.source.as_ref().map(|source| format!(", by {source}")).unwrap_or_default();
    rows.push(row(format!("{what} {}{source}, proof {}:", answer.from, answer.proof), ink));
    let (text, is_cut) = cut(&answer.text);
    rows.extend(text.lines().map(|line| row(line.to_owned(), Ink::Plain)));
    if is_cut || answer.truncated {
        rows.push(row(format!("…and more: `tasuki show {id}` and queue/results/ have it"), Ink::Dim));
    }
    rows.push(row("How it came to be:".to_owned(), Ink::Dim));
}

/// The beginning of a text, and whether anything was left out.
fn cut(text: &str) -> (&str, bool) {
    let end = text.floor_char_boundary(ANSWER_BYTES);
    (text.get(..end).unwrap_or_default(), end < text.len())
}

/// Draws the history of a message.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, id: &str, area: Rect) {
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
    let mut all = Vec::new();
    answer_rows(state, id, &mut all);
    rows(tree, 0, &mut all);
    let lines: Vec<Line> = all.iter().flat_map(|row| lines(row, area.width)).collect();
    let shown = usize::from(area.height.saturating_sub(1));
    let from = state.beside_from.min(lines.len().saturating_sub(shown));
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
    let id = state.message_looked_at()?;
    Some(find(&story.tree, &id).unwrap_or(&story.tree))
}

/// Rows that the receipts take.
pub(in crate::ui::tui) fn receipt_rows(state: &TopState) -> usize {
    receipt_tree(state).map_or(0, |_| LADDER.len() + 1)
}

/// Draws the receipts: what is proven, and how; what is not, in grey.
pub(in crate::ui::tui) fn receipts(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(tree) = receipt_tree(state).filter(|_| area.height > 1) else { return };
    canvas.rule((area.x, area.y), area.width, &format!("Receipts of {}", tree.id), "w whole story");
    let now_at = LADDER.iter().position(|(what, _)| *what == tree.stage.word());
    for (y, (rung, (what, word))) in (area.y + 1..area.bottom()).zip(LADDER.iter().enumerate()) {
        let step = tree.story.iter().rev().find(|step| step.event.what == *what);
        let is_now = now_at == Some(rung) || (*what == "working" && tree.stage.word() == "waiting");
        let (mark, ink) = match (step, is_now) {
            (_, true) => (Mark::Works, Ink::Accent),
            (Some(_), _) => (Mark::Completed, Ink::Good),
            (None, _) => (Mark::Free, Ink::Dim),
        };
        canvas.text((area.x + 1, y), 1, mark.sign(canvas.look), ink);
        canvas.text((area.x + 3, y), 10, word, if step.is_some() || is_now { Ink::Plain } else { Ink::Dim });
        let room = area.width.saturating_sub(15);
        canvas.text((area.x + 14, y), room, &told(state, tree, step, is_now), Ink::Dim);
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
    format!("{at}   {}", step.event.evidence.as_deref().unwrap_or_default())
}
