//! `tasuki session graph`: what needs what, as a drawing.

mod dot;
mod mermaid;
mod rails;
#[cfg(test)]
mod tests;

use super::asking::Asking;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::marks::Letters;
use crate::ui::cli::table::{harmless_lines, terminal_width};
use crate::wire::api::SessionDetails;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Value, json};

/// Draws the tasks of a session: what needs a task stands below it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session graph a1b2c3d4
  tasuki session graph a1b2c3d4 --mermaid >> docs/plan.md
  tasuki session graph a1b2c3d4 --dot | dot -Tsvg > plan.svg

Without a daemon, the command reads the journal. A graph that is too wide for rails is listed instead.

Exit codes:
  2  there is no such session")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Print a flowchart in the language of Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
    /// Print a graph in the language of Graphviz
    #[arg(long)]
    dot: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let details = Asking::new(context)?.session(&args.session)?;
    if context.globals.json {
        return context.say_json(&as_json(&details));
    }
    // Marks of a file are for readers elsewhere, whose letters are not those of this terminal.
    context.say(match (args.mermaid, args.dot) {
        (true, _) => harmless_lines(&mermaid::flowchart(&details)),
        (_, true) => harmless_lines(&dot::digraph(&details)),
        _ => rails::drawn(&details, Letters::of(context, false), terminal_width()),
    })
}

fn as_json(details: &SessionDetails) -> Value {
    let nodes = details.tasks.iter().map(
        |task| json!({"id": task.id, "name": task.name, "status": task.status, "agent": task.agent, "to": task.to}),
    );
    let edges = details
        .tasks
        .iter()
        .flat_map(|task| task.dependencies.iter().map(|need| json!({"from": need, "to": task.id})));
    json!({"id": details.session.id, "nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>()})
}
