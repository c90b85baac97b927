//! A graph in the language of Mermaid, which many pages draw.

use crate::ui::cli::marks::Letters;
use crate::ui::cli::session::words;
use crate::ui::cli::table::harmless;
use crate::wire::api::SessionDetails;
use std::collections::HashMap;

/// The flowchart.
pub(super) fn flowchart(details: &SessionDetails) -> String {
    let mut out = "flowchart TD\n".to_owned();
    // Numbers as names: no word of a task is one of the language's.
    let places: HashMap<&str, usize> =
        details.tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at + 1)).collect();
    for (task, number) in details.tasks.iter().zip(1..) {
        let mark = words::task_mark(Letters::Unicode, task);
        let (id, name, state) = (escaped(&task.id), escaped(&task.name), escaped(&words::of_task(task)));
        out.push_str(&format!("  t{number}[\"{mark} {id}: {name}<br/>{state}\"]\n"));
    }
    for (task, number) in details.tasks.iter().zip(1..) {
        for need in task.dependencies.iter().filter_map(|need| places.get(need.as_str())) {
            let arrow = if task.join == "any" { "-.->" } else { "-->" };
            out.push_str(&format!("  t{need} {arrow} t{number}\n"));
        }
    }
    out
}

/// A text within the quotes of a label.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in harmless(text).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            // These begin a code, Markdown, or a list.
            '#' | '`' | '*' | '_' | '\\' | ';' => out.push_str(&format!("#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
