//! `tasuki session add-task`: a task more.

use super::asking::Asking;
use super::plan_file::{refused, written};
use crate::engine::words::AgentName;
use crate::ui::cli::context::{Context, Ended, text_or_input};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::table::harmless;
use crate::wire::api::SessionTaskBody;
use crate::wire::session::plan::{place_in_one, read_task_beside};
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Map, Value, json};
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// Adds a task to a session that is not completed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session add-task a1b2c3d4 --name Review --description 'Read what task-1 changed' --depends-on task-1 --to reviewer
  tasuki session add-task a1b2c3d4 --name 試験 --description - --expect-commit < task.md
  tasuki session add-task a1b2c3d4 task.yaml        one task, in the form that a plan has

Without an id, its number is the one behind the largest. It may depend on tasks that are there.

Exit codes:
  2  rejected
  5  no daemon is running")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// File with one task, in YAML or JSON; `-` reads the standard input
    #[arg(value_name = "FILE", required_unless_present = "name",
        conflicts_with_all = ["name", "description", "task_id", "to", "depends_on", "any", "timeout", "expect_commit",
            "expect_file", "expect_command", "expect_report"])]
    file: Option<PathBuf>,
    /// Title, in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    name: Option<String>,
    /// What its agent is told; `-` reads the standard input, and so does its absence where that is no terminal
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Task id, such as task-7
    #[arg(long = "id", value_name = "TASK")]
    task_id: Option<String>,
    /// Agent or pool that does it. Default: an agent that is hired for it, made like the master of the session
    #[arg(long, value_name = "NAME")]
    to: Option<AgentName>,
    /// Tasks that must be completed first; may be repeated
    #[arg(long, value_name = "TASK", value_delimiter = ',')]
    depends_on: Vec<String>,
    /// Whether one of these is enough, once all have ended
    #[arg(long, requires = "depends_on")]
    any: bool,
    /// Working time of each turn, such as 30m
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// Whether there must be a new commit
    #[arg(long)]
    expect_commit: bool,
    /// File that must be there; may be repeated
    #[arg(long, value_name = "PATH")]
    expect_file: Vec<String>,
    /// Command of the team file that must succeed
    #[arg(long, value_name = "NAME")]
    expect_command: Option<String>,
    /// Report that must be there and not be empty
    #[arg(long, value_name = "PATH")]
    expect_report: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let (task, place) = match &args.file {
        Some(path) => {
            let written = written(path)?;
            (written.text, Some(written.place))
        }
        None => (of_options(args)?, None),
    };
    let asking = Asking::new(context)?;
    let details = asking.session(&args.session)?;
    let names = details.tasks.iter().map(|task| task.id.as_str());
    read_task_beside(task.as_bytes(), names).map_err(|refusal| refused(refusal, place.clone()))?;
    let body = SessionTaskBody { task };
    let added = asking.order(&details.session.id, "tasks", &body);
    added.map_err(|failure| within(failure, place, &body.task))
}

/// What the team or the session refuses of a task that stands in a file, with its place there.
fn within(mut failure: Failure, place: Option<String>, task: &str) -> Failure {
    let is_in_file = failure.kind == Kind::Rejected && failure.problem.line.is_none();
    let Some((place, field)) = place.zip(failure.problem.field.clone()).filter(|_| is_in_file) else {
        return failure;
    };
    let Some((line, column)) = place_in_one(task.as_bytes(), &field) else { return failure.within(place) };
    (failure.problem.line, failure.problem.column) = (Some(line), Some(column));
    let text = usize::try_from(line).ok().and_then(|line| task.lines().nth(line.checked_sub(1)?));
    if let Some(text) = text {
        failure.problem.why = format!("{}\n  {line} | {}", failure.problem.why, harmless(text));
    }
    failure.within(place)
}

/// What its agent is told. The title alone tells nobody what to do.
fn description(args: &Args) -> Result<String, Failure> {
    if args.description.is_none() && std::io::stdin().is_terminal() {
        let why = "nothing says what the agent of the task is told";
        let cure = "give it with `--description`, or `--description -` to type it in";
        return Err(Failure::new(Kind::Rejected, "content-empty", why, cure));
    }
    text_or_input(args.description.as_deref())
}

/// The task as JSON, which is YAML as well and has its own way to write any text.
fn of_options(args: &Args) -> Result<String, Failure> {
    let mut task = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| drop(value.map(|value| task.insert(key.to_owned(), value)));
    put("id", args.task_id.clone().map(Value::from));
    put("name", args.name.clone().map(Value::from));
    put("description", Some(description(args)?.into()));
    put("dependencies", (!args.depends_on.is_empty()).then(|| json!(args.depends_on)));
    put("join", args.any.then(|| json!("any")));
    put("to", args.to.as_ref().map(|to| json!(to.as_str())));
    put("timeout", args.timeout.clone().map(Value::from));
    let mut expect = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| drop(value.map(|value| expect.insert(key.to_owned(), value)));
    put("commit", args.expect_commit.then(|| json!(true)));
    put("files", (!args.expect_file.is_empty()).then(|| json!(args.expect_file)));
    put("command", args.expect_command.clone().map(Value::from));
    put("report", args.expect_report.clone().map(Value::from));
    if !expect.is_empty() {
        task.insert("expect".to_owned(), Value::Object(expect));
    }
    Ok(Value::Object(task).to_string())
}
