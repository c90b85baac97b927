//! `tasuki debate TASK`: a debate begins, by words and options or by a file with its request.

use super::follow::follow_id;
use super::mistakes::all_of;
use super::trial;
use crate::io::client::ANSWER_DEADLINE;
use crate::ui::cli::context::{Context, Ended, text_or_input};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::session::plan_file;
use crate::wire::api::Problem;
use crate::wire::debate::document::DebateResult;
use crate::wire::debate::request;
use crate::wire::session::wanted::problem_of_plan;
use crate::wire::time::read_duration;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

/// Endings of files that are taken for requests.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Task, in words; the name of a file with a request; or `-`, which reads the words from the standard input
    #[arg(value_name = "TASK", required_unless_present = "request")]
    task: Vec<String>,
    /// File with a request, in YAML or JSON; `-` reads the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    request: Option<PathBuf>,
    /// Roles, in the order in which they speak
    #[arg(long, value_name = "ROLE,…", value_delimiter = ',')]
    roles: Vec<String>,
    /// Profile of the program that speaks for the roles that name none. Default: that of the first agent that reports to `user`, else claude
    #[arg(long, value_name = "PROFILE", conflicts_with = "providers")]
    provider: Option<String>,
    /// Profiles that the roles get in turn
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',')]
    providers: Vec<String>,
    /// Model of the roles that have none of their own, in the words of their program
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How many roles speak at a time; 0 is all. Default: 1
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    parallel: Option<String>,
    /// How many rounds there are, 2 to 5. Default: 3
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    rounds: Option<String>,
    /// How long each role may take in each round. Default: 5m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    timeout: Option<String>,
    /// Ask the first role alone as well, to compare the debate with
    #[arg(long)]
    baseline: bool,
    /// Most tokens of the whole debate; looked at before each role speaks
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    budget_tokens: Option<String>,
    /// Most US dollars of the whole debate
    #[arg(long, value_name = "DOLLARS", allow_hyphen_values = true)]
    budget_cost: Option<String>,
    /// Most minutes of the whole debate
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    budget_minutes: Option<String>,
    /// Keep the worktrees and their branches
    #[arg(long)]
    keep: bool,
    /// File that each role is shown in the first round
    #[arg(long, value_name = "FILE")]
    context: Vec<String>,
    /// Folder of the repository. Default: that of the workspace
    #[arg(long, value_name = "FOLDER")]
    base_dir: Option<String>,
    /// Wait for the end, and print each change
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let written = file_of(args).map(|path| plan_file::written(&path)).transpose()?;
    let task = match &*args.task {
        [word] if word == "-" => text_or_input(Some(word)).map_err(of_task)?,
        [word, ..] if args.task.len() > 1 && is_request(word) && Path::new(word).is_file() => {
            let why = format!("`{word}` is a file, and more words stand beside it");
            let cure = "name the file with the request alone, or put the whole task between quotes";
            return Err(Failure::new(Kind::Rejected, "usage", why, cure));
        }
        words => words.join(" "),
    };
    let options = of_options(args, written.is_none().then_some(task));
    let place = written.as_ref().map(|written| written.place.clone());
    let body = match written {
        Some(written) if options.is_empty() => written.text,
        written => request::with_options(written.map(|of| of.text).as_deref(), &Json::Object(options)),
    };
    // Read here first: what is wrong in a file is shown with its line, with a daemon or without.
    if request::read(body.as_bytes()).is_err()
        && let Some(refusal) = trial::mistakes(context, body.as_bytes())?
    {
        return Err(all_of(problem_of_plan(refusal), place.as_deref()));
    }
    let begun = context.client()?.post_text::<DebateResult>("/api/debates", &body, ANSWER_DEADLINE);
    let begun = begun.map_err(|error| {
        let failure = Failure::from(error);
        match failure.kind {
            Kind::Rejected => all_of(not_given(failure.problem, args), place.as_deref()),
            _ => failure,
        }
    })?;
    if !args.wait || !context.globals.json {
        context.tell(&begun, || begun.debate_id.clone())?;
    }
    context.remark(&begun.message);
    if args.wait { follow_id(context, &begun.debate_id) } else { Ok(()) }
}

/// The file with the request, if there is one.
fn file_of(args: &Args) -> Option<PathBuf> {
    if let Some(path) = &args.request {
        return Some(path.clone());
    }
    let [word] = args.task.as_slice() else { return None };
    is_request(word).then(|| PathBuf::from(word))
}

/// Whether a word is called as files with requests are.
fn is_request(word: &str) -> bool {
    let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending.to_ascii_lowercase()))
}

/// What is wrong with a task from the standard input.
fn of_task(mut failure: Failure) -> Failure {
    failure.problem.field = Some("TASK".to_owned());
    failure.problem.cure = "say it shorter; `--context FILE` shows long texts to the roles".to_owned();
    failure
}

/// The same without the name of an option that nobody gave: the folder is that of the workspace then.
fn not_given(mut problem: Problem, args: &Args) -> Problem {
    let others = problem.others.iter_mut().map(|other| &mut other.field);
    for field in std::iter::once(&mut problem.field).chain(others) {
        let is_given = args.base_dir.is_some() || args.request.is_some();
        field.take_if(|field| field == "--base-dir" && !is_given);
    }
    problem
}

/// The keys of a request for which there are options, as they were written: what is wrong with them is told with all else. With a task
/// they are the whole request; a file has its own.
fn of_options(args: &Args, task: Option<String>) -> Map<String, Json> {
    let is_all = task.is_some();
    let roles: Vec<&str> = args.roles.iter().map(|role| role.trim()).collect();
    let mut all = Map::new();
    let mut say = |key: &str, value: Option<Json>| {
        all.extend(value.map(|value| (key.to_owned(), value)));
    };
    say("task", task.map(|task| json!(task)));
    say("roles", (is_all || !roles.is_empty()).then(|| json!(roles)));
    say("initial_context", (!args.context.is_empty()).then(|| json!(args.context)));
    say("model", args.model.as_ref().map(|model| json!(model)));
    say("provider", args.provider.as_ref().map(|provider| json!(provider)));
    say("providers", (!args.providers.is_empty()).then(|| json!(args.providers)));
    say("parallel", args.parallel.as_ref().map(|parallel| json!(parallel)));
    say("rounds", args.rounds.as_ref().map(|rounds| json!(rounds)));
    say("preserve_worktrees", args.keep.then(|| json!(true)));
    say("baseline", args.baseline.then(|| json!(true)));
    say("budget", budget(args));
    say("base_dir", args.base_dir.as_ref().map(|folder| json!(folder)));
    say(
        "timeout_seconds",
        args.timeout.as_ref().map(|text| match read_duration(text) {
            Some(ms) => json!(ms.div_ceil(1_000)),
            None => json!(text),
        }),
    );
    all
}

/// What the whole debate may take, if anything is said of that.
fn budget(args: &Args) -> Option<Json> {
    let mut budget = Map::new();
    budget.extend(args.budget_tokens.as_ref().map(|tokens| ("tokens".to_owned(), json!(tokens))));
    budget.extend(args.budget_cost.as_ref().map(|cost| ("cost_usd".to_owned(), json!(cost))));
    budget.extend(args.budget_minutes.as_ref().map(|minutes| ("minutes".to_owned(), json!(minutes))));
    (!budget.is_empty()).then_some(Json::Object(budget))
}
