//! `tasuki session merge`: the branches of a session become one.

use super::asking::Asking;
use super::follow::follow_merge;
use crate::ui::cli::context::{Context, Ended};
use crate::wire::api::SessionMergeBody;
use clap::builder::NonEmptyStringValueParser;

/// Merges the branches of completed tasks onto one branch, and checks each
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session merge a1b2c3d4                       onto agent/session- and the end of its id
  tasuki session merge a1b2c3d4 --into integration
  tasuki session merge a1b2c3d4 --wait                until all are on it, or one cannot be
  tasuki session show a1b2c3d4                        how far it is

It goes on by itself. A task whose branch conflicts, or whose command fails then, is done again: its agent is told what to put right.

Exit codes:
  0  it has begun; with --wait: all are merged
  1  with --wait: it has failed
  2  there is no such session, it has open tasks, nothing to merge, or the branch is checked out
  5  no daemon is running")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Branch that is checked out nowhere; one that is not there begins where the session began
    #[arg(long, value_name = "BRANCH", value_parser = NonEmptyStringValueParser::new())]
    into: Option<String>,
    /// Wait for the end, and print each change
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let body = SessionMergeBody { into: args.into.clone() };
    let asking = Asking::new(context)?;
    if !args.wait {
        return asking.order(&args.session, "merge", &body);
    }
    context.remark(asking.ordered(&args.session, "merge", &body)?.what);
    follow_merge(&asking, &args.session)
}
