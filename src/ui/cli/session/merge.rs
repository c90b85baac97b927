//! `tasuki session merge`: the branches of a session become one.

use super::asking::Asking;
use crate::ui::cli::context::{Context, Ended};
use crate::wire::api::SessionMergeBody;
use clap::builder::NonEmptyStringValueParser;

/// Merges the branches of completed tasks onto one branch, and checks each
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session merge a1b2c3d4                       onto agent/session- and the end of its id
  tasuki session merge a1b2c3d4 --into integration
  tasuki session show a1b2c3d4                        how far it is

It goes on by itself. A task whose branch conflicts, or whose command fails then, is done again: its agent is told what to put right.

Exit codes:
  2  there is no such session, it has open tasks, or nothing to merge
  5  no daemon is running")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Branch that is checked out nowhere; one that is not there begins where the session began
    #[arg(long, value_name = "BRANCH", value_parser = NonEmptyStringValueParser::new())]
    into: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let body = SessionMergeBody { into: args.into.clone() };
    Asking::new(context)?.order(&args.session, "merge", &body)
}
