//! `tasuki debate TASK`: a debate begins, by words and options or by a file with its request.

use super::follow::follow_id;
use crate::io::client::ANSWER_DEADLINE;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::session::plan_file;
use crate::wire::api::{AlsoWrong, Problem};
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
    /// Task, in words; or the name of a file with a request
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
    #[arg(long, value_name = "N")]
    parallel: Option<u16>,
    /// How many rounds there are, 2 to 5. Default: 3
    #[arg(long, value_name = "N")]
    rounds: Option<u8>,
    /// How long each role may take in each round. Default: 5m
    #[arg(long, value_name = "DURATION")]
    timeout: Option<String>,
    /// Ask the first role alone as well, to compare the debate with
    #[arg(long)]
    baseline: bool,
    /// Most tokens of the whole debate; looked at before each role speaks
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// Most US dollars of the whole debate
    #[arg(long, value_name = "DOLLARS")]
    budget_cost: Option<String>,
    /// Most minutes of the whole debate
    #[arg(long, value_name = "N")]
    budget_minutes: Option<u64>,
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
    let options = of_options(args, written.is_none())?;
    let place = written.as_ref().map(|written| written.place.clone());
    let body = match written {
        Some(written) if options.is_empty() => written.text,
        written => request::with_options(written.map(|of| of.text).as_deref(), &Json::Object(options)),
    };
    // Read here first: what is wrong in a file is shown with its line, with a daemon or without.
    request::read(body.as_bytes()).map_err(|refusal| all_of(problem_of_plan(refusal), place.as_deref()))?;
    let begun = context.client()?.post_text::<DebateResult>("/api/debates", &body, ANSWER_DEADLINE);
    let begun = begun.map_err(|error| {
        let failure = Failure::from(error);
        match failure.kind {
            Kind::Rejected => all_of(failure.problem, place.as_deref()),
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
    let path = Path::new(word);
    let ending = path.extension().and_then(|ending| ending.to_str())?.to_ascii_lowercase();
    ENDINGS.contains(&&*ending).then(|| path.to_path_buf())
}

/// Each mistake of a request with its place in the file, or with its option.
pub(in crate::ui::cli) fn all_of(mut problem: Problem, place: Option<&str>) -> Failure {
    let others = std::mem::take(&mut problem.others);
    let code = problem.code.clone();
    let one = |problem: Problem| {
        let is_option = problem.field.as_deref().is_some_and(|field| field.starts_with("--"));
        let place = place.filter(|_| problem.line.is_some() || !is_option).map(str::to_owned);
        Failure { kind: Kind::Rejected, problem, place, report: None }
    };
    let other = |AlsoWrong { why, cure, field, line, column }: AlsoWrong| {
        one(Problem { code: code.clone(), why, cure, field, line, column, ..Problem::default() })
    };
    let others: Vec<Failure> = others.into_iter().map(other).collect();
    one(problem).and(&others)
}

/// The keys of a request for which there are options. Without a file they are the whole request.
fn of_options(args: &Args, is_all: bool) -> Result<Map<String, Json>, Failure> {
    if is_all && args.roles.is_empty() {
        let cure = "name who speaks, such as `--roles architect,security,qa`";
        return Err(Failure::new(Kind::Rejected, "content-empty", "no roles are named", cure));
    }
    let roles: Vec<&str> = args.roles.iter().map(|role| role.trim()).collect();
    let mut all = Map::new();
    let mut say = |key: &str, value: Option<Json>| {
        all.extend(value.map(|value| (key.to_owned(), value)));
    };
    say("task", is_all.then(|| json!(args.task.join(" "))));
    say("roles", (!roles.is_empty()).then(|| json!(roles)));
    say("initial_context", (!args.context.is_empty()).then(|| json!(args.context)));
    say("model", args.model.as_ref().map(|model| json!(model)));
    say("provider", args.provider.as_ref().map(|provider| json!(provider)));
    say("providers", (!args.providers.is_empty()).then(|| json!(args.providers)));
    say("parallel", args.parallel.map(|parallel| json!(parallel)));
    say("rounds", args.rounds.map(|rounds| json!(rounds)));
    say("preserve_worktrees", args.keep.then(|| json!(true)));
    say("baseline", args.baseline.then(|| json!(true)));
    say("budget", budget(args));
    say("base_dir", args.base_dir.as_ref().map(|folder| json!(folder)));
    if let Some(text) = &args.timeout {
        let ms = read_duration(text).ok_or_else(|| {
            let cure = "use a duration with its unit, such as 90s, 5m or 1h";
            Failure::new(Kind::Rejected, "bad-duration", format!("--timeout {text:?} is no duration"), cure)
        })?;
        say("timeout_seconds", Some(json!(ms.div_ceil(1_000))));
    }
    Ok(all)
}

/// What the whole debate may take, if anything is said of that.
fn budget(args: &Args) -> Option<Json> {
    let mut budget = Map::new();
    budget.extend(args.budget_tokens.map(|tokens| ("tokens".to_owned(), json!(tokens))));
    budget.extend(args.budget_cost.as_ref().map(|cost| ("cost_usd".to_owned(), json!(cost))));
    budget.extend(args.budget_minutes.map(|minutes| ("minutes".to_owned(), json!(minutes))));
    (!budget.is_empty()).then_some(Json::Object(budget))
}
