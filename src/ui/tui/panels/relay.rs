//! The relay: who has had a task, and for how long.

use super::history::find;
use crate::ui::tui::ages::{clock, length, moment};
use crate::ui::tui::marks::Mark;
use crate::ui::tui::paint::{Canvas, Ink};
use crate::ui::tui::state::TopState;
use crate::wire::api::{HistoryTree, SpanInfo};
use ratatui_core::layout::Rect;

/// Columns of an age.
const FOR: u16 = 7;

/// A message of the task, with how deep it is in it.
struct Leg<'a> {
    tree: &'a HistoryTree,
    depth: u16,
}

fn legs(state: &TopState) -> Vec<Leg<'_>> {
    let Some((_, Ok(story))) = &state.story else { return Vec::new() };
    let mut stack = vec![Leg { tree: &story.tree, depth: 0 }];
    let mut legs = Vec::new();
    while let Some(Leg { tree, depth }) = stack.pop() {
        stack.extend(tree.parts.iter().rev().map(|tree| Leg { tree, depth: depth + 1 }));
        legs.push(Leg { tree, depth });
    }
    legs
}

/// Rows that it would take.
pub(in crate::ui::tui) fn rows(state: &TopState) -> usize {
    match legs(state).len() {
        _ if state.history_of_chosen().is_none() => 0,
        0 => 0,
        legs => legs + 2,
    }
}

/// Draws a bar for each message of the task.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let legs = legs(state);
    let Some(first) = legs.first().filter(|_| area.height > 1) else { return };
    let root = first.tree;
    // The story of another row's task is not told here: its own is on its way.
    let chosen = state.history_of_chosen();
    let Some(chosen) = chosen else { return };
    if find(root, &chosen).is_none() {
        return canvas.rule((area.x, area.y), area.width, &format!("Who has {chosen}, and for how long"), "");
    }
    let begun = root.accepted_at.as_deref().and_then(moment).unwrap_or(state.time());
    let ended = root.ended_at.as_deref().and_then(moment);
    let end = ended.unwrap_or(state.time()).max(begun + 1);
    let until = ended.map_or("now".to_owned(), |at| clock(at, state.look.here, false));
    let note = format!("{} to {until}", clock(begun, state.look.here, false));
    canvas.rule((area.x, area.y), area.width, &format!("Who has {}, and for how long", root.id), &note);
    let name_columns = (area.width * 2 / 5).min(34);
    let bar = Bar {
        x: area.x + 3 + name_columns,
        columns: area.width.saturating_sub(name_columns + FOR + 5),
        begun,
        end,
    };
    let has_legend = area.height > 3;
    let last = area.bottom() - u16::from(has_legend);
    for (y, leg) in (area.y + 1..last).zip(&legs) {
        let indent = (leg.depth * 2).min(name_columns / 2);
        let mark = mark(leg.tree);
        canvas.text((area.x + 1 + indent, y), 1, mark.sign(canvas.look), mark.ink());
        let who = leg.tree.agent.as_deref().or(leg.tree.to.as_deref()).unwrap_or("?");
        canvas.text((area.x + 3 + indent, y), name_columns.saturating_sub(indent + 1), who, Ink::Plain);
        bar.draw(canvas, y, &leg.tree.spans);
        let last = leg.tree.spans.last().map(|span| lasts(span, end)).unwrap_or_default();
        canvas.right((area.x, y), area.width - 1, &last, Ink::Plain);
    }
    if has_legend {
        legend(canvas, &bar, area.bottom() - 1, &legs);
    }
}

/// For how long the last stretch lasts, or lasted.
fn lasts(span: &SpanInfo, end: i64) -> String {
    let to = span.to.as_deref().and_then(moment).unwrap_or(end);
    moment(&span.from).map(|from| length(to - from)).unwrap_or_default()
}

fn mark(tree: &HistoryTree) -> Mark {
    match (tree.stage.word(), tree.spans.last().map(|span| &*span.how)) {
        ("completed", _) => Mark::Completed,
        ("failed", _) => Mark::Failed,
        ("cancelled", _) => Mark::CalledOff,
        ("held", _) => Mark::Held,
        (_, Some("person")) => Mark::Asks,
        (_, Some("limit")) => Mark::Limit,
        (_, Some("work")) => Mark::Works,
        (_, Some("parts")) => Mark::Waits,
        (_, Some("doubt")) => Mark::Unknown,
        _ => Mark::Queued,
    }
}

/// Form and colour of a stretch: they differ in both.
fn block(canvas: &Canvas, how: &str) -> (&'static str, Ink) {
    match how {
        "work" => (canvas.sign("█", "#"), Ink::Accent),
        "parts" => (canvas.sign("░", "-"), Ink::Plain),
        "person" => (canvas.sign("▒", "?"), Ink::You),
        "limit" => (canvas.sign("▚", "%"), Ink::Plain),
        "doubt" => (canvas.sign("╳", "!"), Ink::You),
        _ => (canvas.sign("∙", "."), Ink::Dim),
    }
}

/// Where bars are drawn, and from when to when.
struct Bar {
    x: u16,
    columns: u16,
    begun: i64,
    end: i64,
}

impl Bar {
    fn draw(&self, canvas: &mut Canvas, y: u16, spans: &[SpanInfo]) {
        let column = |at: i64| {
            let share = (at - self.begun).clamp(0, self.end - self.begun) * i64::from(self.columns);
            u16::try_from(share / (self.end - self.begun)).unwrap_or(0)
        };
        for span in spans {
            let Some(from) = moment(&span.from) else { continue };
            let to = span.to.as_deref().and_then(moment).unwrap_or(self.end);
            let (sign, ink) = block(canvas, &span.how);
            let from = column(from).min(self.columns.saturating_sub(1));
            // However short it was, it is seen.
            for at in from..column(to).max(from + 1).min(self.columns) {
                canvas.text((self.x + at, y), 1, sign, ink);
            }
        }
    }
}

/// What each form means, of those that are there.
fn legend(canvas: &mut Canvas, bar: &Bar, y: u16, legs: &[Leg<'_>]) {
    const WORDS: [(&str, &str); 6] = [
        ("work", "works"),
        ("parts", "for parts"),
        ("queue", "queue"),
        ("person", "for you"),
        ("limit", "limit"),
        ("doubt", "doubt"),
    ];
    let is_there = |how: &str| legs.iter().flat_map(|leg| &leg.tree.spans).any(|span| span.how == how);
    let mut x = bar.x;
    for (how, word) in WORDS.into_iter().filter(|(how, _)| is_there(how)) {
        let (sign, ink) = block(canvas, how);
        canvas.text((x, y), 1, sign, ink);
        let room = (bar.x + bar.columns + FOR).saturating_sub(x + 2);
        x += 2 + canvas.text((x + 2, y), room, word, Ink::Dim) + 2;
        if x + 12 > bar.x + bar.columns + FOR {
            break;
        }
    }
}
