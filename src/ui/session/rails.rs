//! A graph in rows: a task a row, and rails that lead down to what needs it.

use super::order::Drawing;
use renderdag::{Ancestor, GraphRowRenderer, Renderer};

/// Most rails side by side: each takes two columns, and half of a terminal is left for the tasks.
pub(in crate::ui) const RAILS_MAX: usize = 20;
/// What stands in the place of a task's mark while rails are drawn, and where its text begins: no rail is made of them.
const MARK: char = '\u{1}';
const TEXT: char = '\u{2}';

/// A row of the drawing. Each of its characters takes one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) struct Rail {
    /// The place of its task; a row without one only leads on.
    pub(in crate::ui) task: Option<usize>,
    /// The rails left of the mark; of a row without a task, all of them.
    pub(in crate::ui) before: String,
    /// The rails right of the mark, with the blanks up to the text.
    pub(in crate::ui) behind: String,
}

/// Draws the rails of all tasks in this order.
pub(in crate::ui) fn rails(order: &Drawing, is_ascii: bool) -> Vec<Rail> {
    let renderer = GraphRowRenderer::new().output();
    match is_ascii {
        false => rows(renderer.build_box_drawing(), order),
        true => rows(renderer.build_ascii(), order),
    }
}

fn rows(mut renderer: impl Renderer<usize, Output = String>, order: &Drawing) -> Vec<Rail> {
    let mut rails = Vec::new();
    for &at in &order.tasks {
        let below = order.needed_by.get(at).into_iter().flatten().map(|by| Ancestor::Parent(*by));
        let drawn = renderer.next_row(at, below.collect(), MARK.into(), TEXT.into());
        rails.extend(drawn.lines().map(|line| rail(line, at)));
    }
    while rails.last().is_some_and(|rail| rail.task.is_none() && rail.before.trim().is_empty()) {
        rails.pop();
    }
    rails
}

fn rail(line: &str, at: usize) -> Rail {
    let Some((before, behind)) = line.split_once(MARK) else {
        return Rail { task: None, before: line.to_owned(), behind: String::new() };
    };
    let behind = behind.split(TEXT).next().unwrap_or_default();
    Rail { task: Some(at), before: before.to_owned(), behind: behind.to_owned() }
}
