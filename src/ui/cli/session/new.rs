//! `tasuki session new`: a session begins, by a plan or by a goal that an agent splits.

use super::asking::Asking;
use super::confirm::confirm;
use super::follow::follow;
use super::plan_file;
use crate::engine::words::AgentName;
use crate::io::client::{ANSWER_DEADLINE, ClientError};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::api::{SessionBegun, SessionBody};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Endings of files that are taken for plans.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Begins a session: by a plan, or by a goal that an agent splits into tasks
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session new sign-in.plan.yaml                a plan; its tasks begin at once
  tasuki session new People can sign in with a token  a goal; an agent answers with the plan
  tasuki session new --master boss --yes 家計簿を作る  the plan begins without a question
  jq .plan issue.json | tasuki session new --plan - --wait

A single word that ends in .yaml, .yml or .json is the name of a file with the plan. \
protocol/plan.schema.json has the form of plans. The id is printed.

On a terminal, a goal waits for its plan, shows it and asks whether to begin; a no cancels the session, and Ctrl-C leaves its plan \
waiting. Elsewhere `tasuki session resume ID` says yes.

Exit codes:
  0  it has begun, or was cancelled by a no; with --wait: completed
  1  there is no plan, or it waits for a yes still; with --wait: failed or cancelled
  2  rejected
  5  no daemon is running")]
pub(super) struct Args {
    /// Goal, in words; or the name of a plan's file
    #[arg(value_name = "GOAL", conflicts_with = "plan", required_unless_present = "plan")]
    goal: Vec<String>,
    /// File with a plan, in YAML or JSON; `-` reads the standard input
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Agent that splits the goal, and the model of those hired for what the plan gives to nobody. Default: the first that reports to `user`
    #[arg(long, value_name = "AGENT")]
    master: Option<AgentName>,
    /// Begin the tasks of the agent's plan without a question
    #[arg(long)]
    yes: bool,
    /// Open a pull request for each task that is completed in a worktree, by the program `gh`
    #[arg(long)]
    pr: bool,
    /// Wait for the end, and print each change
    #[arg(long)]
    wait: bool,
    /// Debate whose final plan the goal is.
    #[arg(skip)]
    debate: Option<String>,
    /// Whether there may be a session of that debate.
    #[arg(skip)]
    again: bool,
}

impl Args {
    /// What a person would have written for this goal, which is the plan of that debate.
    pub(super) fn of_debate(
        (debate, again): (String, bool),
        goal: String,
        master: Option<AgentName>,
        yes: bool,
    ) -> Self {
        let debate = Some(debate);
        Self { goal: vec![goal], plan: None, master, yes, pr: false, wait: false, debate, again }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let master = args.master.as_ref().map(ToString::to_string);
    let (body, place, wrong) = match plan_of(args) {
        Some(path) => {
            let written = plan_file::written(&path)?;
            let wrong = plan_file::wrong_by_itself(&written);
            let body =
                SessionBody { plan: Some(written.text), master, pr: args.pr, ..SessionBody::default() };
            (body, Some(written.place), wrong)
        }
        None => {
            let goal = Some(args.goal.join(" "));
            let (debate, again) = (args.debate.clone(), args.again);
            let body = SessionBody { goal, master, yes: args.yes, pr: args.pr, debate, again, plan: None };
            (body, None, None)
        }
    };
    let asking = match (Asking::new(context), &wrong) {
        (Err(_), Some(_)) => return wrong.map_or(Ok(()), Err),
        (asking, _) => asking?,
    };
    let begun: Result<SessionBegun, _> = asking.client.post("/api/sessions", &body, ANSWER_DEADLINE);
    let begun = begun.map_err(|error| match (wrong, error) {
        // The daemon has the same to say, and what the team has not.
        (None, error) | (Some(_), error @ ClientError::Refused(_)) => not_begun(error, place),
        (Some(wrong), _) => wrong,
    })?;
    // What follows on the standard output are the changes, as JSON lines if JSON was asked for.
    if !args.wait || !context.globals.json {
        context.tell(&begun, || begun.id.clone())?;
    }
    let waits_for_yes = body.goal.is_some() && !body.yes;
    if waits_for_yes && is_terminal() && !context.globals.json {
        if !confirm(&asking, &begun.id)? {
            return Ok(());
        }
    } else if waits_for_yes {
        let id = &begun.id;
        context.remark(format!(
            "{}; then see it with `tasuki session show {id}`, and say yes with `tasuki session resume {id}`",
            begun.what
        ));
    } else {
        context.remark(&begun.what);
    }
    if args.wait { follow(&asking, &begun.id) } else { Ok(()) }
}

/// The file with the plan, if there is one.
fn plan_of(args: &Args) -> Option<PathBuf> {
    if let Some(path) = &args.plan {
        return Some(path.clone());
    }
    let [word] = args.goal.as_slice() else { return None };
    let path = Path::new(word);
    // One that is not there is a slip, and no goal.
    let ending = path.extension().and_then(|ending| ending.to_str())?.to_ascii_lowercase();
    ENDINGS.contains(&&*ending).then(|| path.to_path_buf())
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Each mistake of a plan with its place in the file.
fn all_within(failure: Failure, place: &str) -> Failure {
    Failure::each(failure.problem, |problem| {
        Failure { kind: Kind::Rejected, problem, place: None, report: None }.within(place)
    })
}

/// Why it has not begun; whoever does not know whether it has is told where to look.
fn not_begun(error: ClientError, place: Option<String>) -> Failure {
    let is_unknown =
        matches!(error, ClientError::Gone(_) | ClientError::TooSlow(_) | ClientError::Unavailable(_));
    let failure = Failure::from(error);
    if is_unknown {
        let why = format!("{}; it is not known whether the session has begun", failure.problem.why);
        let cure = "see `tasuki session list` before you begin it again";
        return Failure::new(Kind::Failed, &failure.problem.code, why, cure);
    }
    match place {
        Some(place) if failure.kind == Kind::Rejected => all_within(failure, &place),
        _ => failure,
    }
}
