//! `tasuki debate list`: debates, the newest first.

use super::words::of_status;
use crate::io::client::Client;
use crate::io::clock::Clock;
use crate::ui::cli::ages::{Exact, age};
use crate::ui::cli::columns::{Column, rows};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::look::look;
use crate::ui::cli::table::{harmless, terminal_width};
use crate::wire::api::{DebateInfo, DebatesQuery};
use crate::wire::time::rfc3339_ms;

/// Debates that are listed where not all are asked for.
const LISTED: usize = 20;
/// Letters of an id that a person recognises.
const ID_LETTERS: usize = 8;

/// Lists debates, the newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate list                       20 at most
  tasuki debate list --all --json | jq -r '.debates[].debate_id'

Without a daemon, the command reads the files.")]
pub(super) struct Args {
    /// List every debate that is known
    #[arg(long)]
    all: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let mut list = look(context, &workspace, &client, &DebatesQuery {})?.answer;
    let more = list.debates.len().saturating_sub(if args.all { usize::MAX } else { LISTED });
    list.debates.truncate(list.debates.len() - more);
    context.tell(&list, || shown(&list.debates, more))
}

fn shown(debates: &[DebateInfo], more: usize) -> String {
    if debates.is_empty() {
        return "no debate yet: `tasuki debate TASK --roles architect,qa` begins one".to_owned();
    }
    let now = rfc3339_ms(Clock::start().wall());
    let columns = [
        Column::whole("id"),
        Column::whole("state"),
        Column::cut_to("roles", 12),
        Column::whole("age"),
        Column::cut_to("task", 12),
    ];
    let row = |debate: &DebateInfo| {
        vec![
            debate.debate_id.get(..ID_LETTERS).unwrap_or(&debate.debate_id).to_owned(),
            of_status(&debate.status),
            debate.roles.join(", "),
            age(Some(&debate.created_at), &now, Exact::Seconds),
            harmless(&debate.title),
        ]
    };
    let table = rows(&columns, debates.iter().map(row).collect(), terminal_width());
    if more == 0 { table } else { format!("{table}\n{more} more: `--all` lists them too") }
}
