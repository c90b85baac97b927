//! A graph for a terminal: a task a row, and rails that lead down to what needs it.

use crate::ui::cli::marks::Letters;
use crate::ui::cli::session::words;
use crate::ui::cli::table::{cut, harmless};
use crate::ui::session::order::{Drawing, order};
use crate::ui::session::rails::{RAILS_MAX, Rail, rails};
use crate::wire::api::{SessionDetails, SessionTaskInfo};

/// The drawing.
pub(super) fn drawn(details: &SessionDetails, letters: Letters, width: Option<usize>) -> String {
    if details.tasks.is_empty() {
        return "it has no tasks yet".to_owned();
    }
    let order = order(&details.tasks);
    if order.rails > RAILS_MAX {
        return listed(details, &order, letters, width);
    }
    let rows = rails(&order, letters == Letters::Ascii);
    let lines: Vec<String> = rows.iter().map(|rail| cut(&row(details, rail, letters), width)).collect();
    lines.join("\n")
}

/// A row: its rails, and its task with its mark.
fn row(details: &SessionDetails, rail: &Rail, letters: Letters) -> String {
    let Some(task) = rail.task.and_then(|at| details.tasks.get(at)) else { return rail.before.clone() };
    let (mark, Rail { before, behind, .. }) = (words::task_mark(letters, task), rail);
    match letters {
        Letters::Unicode => format!("{before}{mark}{behind}{}", label(task)),
        // Some of these marks are what the rails are made of.
        Letters::Ascii => format!("{before}o{behind}{mark} {}", label(task)),
    }
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
