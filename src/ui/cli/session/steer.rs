//! `tasuki session pause`, `resume` and `cancel`.

use super::asking::Asking;
use crate::ui::cli::context::{Context, Ended};
use clap::builder::NonEmptyStringValueParser;
use serde_json::json;

/// Pauses a session: nothing new begins, and turns under way end
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session pause a1b2c3d4

Exit codes:
  2  there is no such session, or it is not active
  5  no daemon is running")]
pub(super) struct PauseArgs {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
}

/// Lets a paused session go on, says yes to a plan, or tries what has failed again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session resume a1b2c3d4

What a failed session resumes with are its failed tasks, and those that were cancelled with it. One that failed without a plan asks for its plan again.

Exit codes:
  2  there is no such session, or it is neither paused nor failed
  5  no daemon is running")]
pub(super) struct ResumeArgs {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
}

/// Cancels a session: its open tasks are called off, and it has failed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session cancel a1b2c3d4

Exit codes:
  2  there is no such session, or it is over
  5  no daemon is running")]
pub(super) struct CancelArgs {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
}

pub(super) fn pause(context: &Context, args: &PauseArgs) -> Ended {
    Asking::new(context)?.order(&args.session, "pause", &json!({}))
}

pub(super) fn resume(context: &Context, args: &ResumeArgs) -> Ended {
    Asking::new(context)?.order(&args.session, "resume", &json!({}))
}

pub(super) fn cancel(context: &Context, args: &CancelArgs) -> Ended {
    Asking::new(context)?.order(&args.session, "cancel", &json!({}))
}
