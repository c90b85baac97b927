//! A graph in the language of Graphviz.

use crate::ui::cli::marks::Letters;
use crate::ui::cli::session::words;
use crate::ui::cli::table::harmless;
use crate::wire::api::SessionDetails;

/// The graph.
pub(super) fn digraph(details: &SessionDetails) -> String {
    let mut out = format!("digraph \"{}\" {{\n  node [shape=box];\n", escaped(&details.session.id));
    for task in &details.tasks {
        let mark = words::task_mark(Letters::Unicode, task);
        let (id, name, state) = (escaped(&task.id), escaped(&task.name), escaped(&words::of_task(task)));
        out.push_str(&format!("  \"{id}\" [label=\"{mark} {id}: {name}\\n{state}\"];\n"));
    }
    for task in &details.tasks {
        let style = if task.join == "any" { " [style=dashed]" } else { "" };
        for need in &task.dependencies {
            out.push_str(&format!("  \"{}\" -> \"{}\"{style};\n", escaped(need), escaped(&task.id)));
        }
    }
    out.push_str("}\n");
    out
}

/// A text within quotes. Graphviz reads entities there too.
fn escaped(text: &str) -> String {
    harmless(text).replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}
