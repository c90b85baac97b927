//! A graph for a terminal: a task a row, and rails that lead down to what needs it.

use super::order::{Drawing, order};
use crate::ui::cli::marks::Letters;
use crate::ui::cli::session::words;
use crate::ui::cli::table::{cut, harmless};
use crate::wire::api::{SessionDetails, SessionTaskInfo};
use renderdag::{Ancestor, GraphRowRenderer, Renderer};

/// Most rails side by side: each takes two columns, and half of a terminal is left for the tasks.
const RAILS_MAX: usize = 20;

/// The drawing.
pub(super) fn drawn(details: &SessionDetails, letters: Letters, width: Option<usize>) -> String {
    if details.tasks.is_empty() {
        return "it has no tasks yet".to_owned();
    }
    let order = order(&details.tasks);
    if order.rails > RAILS_MAX {
        return listed(details, &order, letters, width);
    }
    let renderer = GraphRowRenderer::new().output();
    match letters {
        Letters::Unicode => rows(renderer.build_box_drawing(), details, &order, letters, width),
        Letters::Ascii => rows(renderer.build_ascii(), details, &order, letters, width),
    }
}

fn rows(
    mut renderer: impl Renderer<usize, Output = String>,
    details: &SessionDetails,
    order: &Drawing,
    letters: Letters,
    width: Option<usize>,
) -> String {
    let mut out = String::new();
    for &at in &order.tasks {
        let Some(task) = details.tasks.get(at) else { continue };
        let below = order.needed_by.get(at).into_iter().flatten().map(|by| Ancestor::Parent(*by));
        let mark = words::task_mark(letters, task);
        let (node, label) = match letters {
            Letters::Unicode => (mark, label(task)),
            // Some of these marks are what the rails are made of.
            Letters::Ascii => ("o", format!("{mark} {}", label(task))),
        };
        out.push_str(&renderer.next_row(at, below.collect(), node.to_owned(), label));
    }
    let lines: Vec<String> = out.trim_end().lines().map(|line| cut(line, width)).collect();
    lines.join("\n")
}

/// Where rails would fill the terminal: the same order, and each task with what it needs.
fn listed(details: &SessionDetails, order: &Drawing, letters: Letters, width: Option<usize>) -> String {
    let mut lines = vec![format!(
        "{} rails are too many to draw: each task stands below what it needs; --mermaid and --dot draw it elsewhere",
        order.rails
    )];
    for task in order.tasks.iter().filter_map(|at| details.tasks.get(*at)) {
        let needs = match task.dependencies.as_slice() {
            [] => String::new(),
            needs => format!(", needs {}", needs.join(", ")),
        };
        let line = format!("{} {}{needs}", words::task_mark(letters, task), label(task));
        lines.push(cut(&line, width));
    }
    lines.join("\n")
}

fn label(task: &SessionTaskInfo) -> String {
    let who = words::who(task);
    let who = if who.is_empty() { who } else { format!(", {who}") };
    harmless(&format!("{} {} ({}{who})", task.id, task.name, words::of_task(task)))
}
