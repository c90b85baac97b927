//! `tasuki session retry`: a task that has failed is tried again.

use super::asking::Asking;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::api::{SessionRetryBody, SessionsQuery};
use clap::builder::NonEmptyStringValueParser;

/// Sessions that a refusal names.
const NAMED: usize = 5;

/// Tries a failed task again, and with it what was cancelled because of it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session retry a1b2c3d4 task-2
  tasuki session retry task-2              if it has failed in one session alone

Exit codes:
  2  there is no such session or task, or the task has not failed
  5  no daemon is running")]
pub(super) struct Args {
    /// Session id, or the beginning of it; it may be left out
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Task id, such as task-2
    #[arg(value_name = "TASK")]
    session_task: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let asking = Asking::new(context)?;
    let (session, task) = match &args.session_task {
        Some(task) => (args.session.clone(), task.clone()),
        None => (only_one(&asking, &args.session)?, args.session.clone()),
    };
    asking.order(&session, "retry", &SessionRetryBody { task })
}

/// The only session in which this task has failed.
fn only_one(asking: &Asking<'_>, task: &str) -> Result<String, Failure> {
    if !task.starts_with("task-") {
        let cure = format!("write `tasuki session retry {} task-1`", task.escape_debug());
        return Err(Failure::new(Kind::Rejected, "usage", "it is not said which task", cure));
    }
    let mut found = Vec::new();
    for session in asking.look(&SessionsQuery {})?.sessions {
        if session.status == "Completed" || session.counts.failed == 0 {
            continue;
        }
        let details = asking.session(&session.id)?;
        if details.tasks.iter().any(|of| of.id == task && of.status == "Failed") {
            found.push(session.id);
        }
    }
    match found.as_slice() {
        [id] => Ok(id.clone()),
        [] => {
            let why = format!("{} has failed in no session", task.escape_debug());
            let cure = "`tasuki session list` lists the sessions";
            Err(Failure::new(Kind::Rejected, "no-session", why, cure))
        }
        several => {
            let named: Vec<&str> = several.iter().take(NAMED).map(String::as_str).collect();
            let more = if several.len() > NAMED { " and others" } else { "" };
            let why = format!("{task} has failed in several sessions: {}{more}", named.join(", "));
            let cure = format!("say in which: `tasuki session retry ID {task}`");
            Err(Failure::new(Kind::Rejected, "bad-id", why, cure))
        }
    }
}
