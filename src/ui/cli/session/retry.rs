//! `tasuki session retry`: a task that has failed is tried again, and one that has ended is done again with another text.

use super::asking::{Asking, task_of};
use super::plan_file::written;
use crate::ui::cli::context::{Context, Ended, text_or_input};
use crate::ui::cli::editor::{Edited, edit};
use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::api::{SessionRetryBody, SessionsQuery};
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

/// Sessions that a refusal names.
const NAMED: usize = 5;

/// Tries a failed task again, or does one again that has ended, with another text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session retry a1b2c3d4 task-2
  tasuki session retry task-2              if it has failed in one session alone
  tasuki session retry a1b2c3d4 task-1 --edit
  tasuki session retry a1b2c3d4 task-1 --text 'Write src/keys.rs, with tests'
  tasuki session retry a1b2c3d4 task-1 --text-file task-1.md

With another text a completed task is done again, too. It has its worktree with all commits. Tasks that need it wait and are done
again after it; all others keep their results.

Exit codes:
  2  there is no such session or task, it has not ended, or somebody works on what depends on it
  5  no daemon is running")]
pub(super) struct Args {
    /// Session id, or the beginning of it; it may be left out
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Task id, such as task-2
    #[arg(value_name = "TASK")]
    session_task: Option<String>,
    /// Change its text in $VISUAL or $EDITOR
    #[arg(long, conflicts_with_all = ["text", "text_file"])]
    edit: bool,
    /// Its text from now on; `-` reads the standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "text_file")]
    text: Option<String>,
    /// File with its text from now on
    #[arg(long, value_name = "FILE")]
    text_file: Option<PathBuf>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let asking = Asking::new(context)?;
    let (session, task) = match &args.session_task {
        Some(task) => (args.session.clone(), task.clone()),
        None => (only_one(&asking, &args.session)?, args.session.clone()),
    };
    let text = match (&args.text, &args.text_file) {
        (Some(text), _) => Some(text_or_input(Some(text))?),
        (None, Some(path)) => Some(written(path)?.text),
        (None, None) if args.edit => {
            let Some(edited) = edited(&asking, &session, &task)? else {
                return context.say(format!("the text of {task} is unchanged, and nothing was done"));
            };
            let body = SessionRetryBody { task, text: Some(edited.text.clone()) };
            return asking.order(&session, "retry", &body).inspect_err(|_| {
                if let Some(path) = edited.keep() {
                    context.remark(format!(
                        "note: your text is in {}: `--text-file` hands it over",
                        path.display()
                    ));
                }
            });
        }
        (None, None) => None,
    };
    asking.order(&session, "retry", &SessionRetryBody { task, text })
}

/// The text of a task as somebody has changed it; none if it is as before.
fn edited(asking: &Asking<'_>, session: &str, task: &str) -> Result<Option<Edited>, Failure> {
    let details = asking.session(session)?;
    let task = task_of(&details, task)?;
    let Some(before) = &task.description else {
        let why = format!("the text of {} cannot be read any more", task.id);
        return Err(Failure::new(Kind::Rejected, "no-text", why, "give its new text with `--text`"));
    };
    let after = edit(asking.context, &task.id, before)?;
    Ok((after.text != *before).then_some(after))
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
