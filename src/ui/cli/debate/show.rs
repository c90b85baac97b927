//! `tasuki debate show`, `status`, `progress` and `outputs`: a debate as it is, and what was said.

use super::words::{in_a_line, in_words, of_status, tame};
use crate::engine::words::counted;
use crate::io::client::Client;
use crate::read::Answers;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::look::look;
use crate::ui::cli::session::plan_file;
use crate::wire::api::{DebateProgressQuery, DebateQuery, DebateRoundQuery};
use crate::wire::debate::document::{
    DebateProgress, DebateResult, DebateStatus, ROUND_FILE_BYTES_MAX, RoundOutput, read_round_file,
};
use crate::wire::debate::hand_over::by_round;
use crate::wire::time::read_moment;
use chrono::Utc;
use clap::builder::NonEmptyStringValueParser;
use serde_json::Value as Json;
use std::path::Path;

/// Shows a debate: how far it is, and what each role said in each round
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate show a1b2c3d4
  tasuki debate show context/round1-outputs.json

Exit codes:
  2  there is no such debate, or the file is damaged")]
pub(super) struct ShowArgs {
    /// Debate id, or the beginning of it; or a file with the outputs of a round
    #[arg(value_name = "ID|FILE", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
}

/// Prints how far a debate is, in a line
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki debate status a1b2c3d4\n  tasuki debate status a1b2c3d4 --json | jq .status"
)]
pub(super) struct StatusArgs {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
}

/// Prints how far a debate is, and which roles have spoken
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tasuki debate progress a1b2c3d4 --json | jq .current_round")]
pub(super) struct ProgressArgs {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
}

/// Prints what was said in a debate, or in one of its rounds
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate outputs a1b2c3d4 --round 3
  tasuki debate outputs a1b2c3d4 --round 1 --json | jq -r '.[].proposal'")]
pub(super) struct OutputsArgs {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
    /// Only this round
    #[arg(long, value_name = "N")]
    round: Option<u8>,
}

/// Asks the daemon, or the files where none answers.
pub(super) fn asked<Q: Answers + Clone>(context: &Context, question: &Q) -> Result<Q::Answer, Failure> {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    Ok(look(context, &workspace, &client, question)?.answer)
}

pub(super) fn show(context: &Context, args: &ShowArgs) -> Ended {
    if args.debate.ends_with(".json") {
        return show_file(context, Path::new(&args.debate));
    }
    let progress = asked(context, &DebateProgressQuery { id: args.debate.clone() })?;
    let result = asked(context, &DebateQuery { id: progress.debate_id.clone() })?;
    remark(context, progress.damaged());
    context.tell(&progress, || format!("{}\n\n{}", head(&result), spoken(&progress)))
}

/// What it is about, how it stands, what it has taken, and where the rest is.
fn head(result: &DebateResult) -> String {
    let besides = |key: &str| result.tasuki.as_ref().and_then(|known| known.get(key));
    let text = |key: &str| besides(key).and_then(Json::as_str);
    let mut rows = vec![format!("debate {}", result.debate_id)];
    rows.extend(text("task").or(text("name")).map(|task| format!("task: {}", tame(task.trim()))));
    rows.push(in_words(result));
    rows.extend(spent(&besides));
    rows.push(format!("files: {}", result.context_path));
    let folder = Path::new(&result.context_path).parent();
    let report = folder.map(|folder| folder.join("report.html")).filter(|report| report.is_file());
    rows.extend(report.map(|report| format!("report: {}", report.display())));
    rows.join("\n")
}

/// What it has taken, and of how much where that is bounded.
fn spent<'j>(besides: &impl Fn(&str) -> Option<&'j Json>) -> Option<String> {
    let budget = besides("budget");
    let bound = |key: &str| budget.and_then(|budget| budget.get(key)).filter(|bound| !bound.is_null());
    let of = |most: Option<String>| most.map_or_else(String::new, |most| format!(" of {most}"));
    let most = bound("tokens");
    let tokens = besides("tokens_used").and_then(Json::as_u64).filter(|tokens| *tokens > 0 || most.is_some());
    let tokens = tokens.map(|tokens| format!("{tokens}{} tokens", of(most.map(ToString::to_string))));
    let most = bound("cost_usd");
    let cost = besides("cost_usd").and_then(Json::as_f64).filter(|cost| *cost > 0.0 || most.is_some());
    let cost = cost.map(|cost| format!("${cost:.4}{}", of(most.map(|most| format!("${most}")))));
    // Its last change counts: what is under way may have taken some seconds more.
    let at = |key: &str| besides(key).and_then(Json::as_str).and_then(|text| read_moment(text, &Utc));
    let used = at("updated_at").zip(at("created_at")).map(|(until, from)| until.since(from) / 60_000);
    let minutes = bound("minutes").and_then(Json::as_u64).zip(used);
    let minutes = minutes.map(|(most, used)| {
        format!("{used} of {}", counted(usize::try_from(most).unwrap_or(usize::MAX), "minute"))
    });
    let all: Vec<String> = [tokens, cost, minutes].into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("spent: {}", all.join(", ")))
}

pub(super) fn status(context: &Context, args: &StatusArgs) -> Ended {
    let result = asked(context, &DebateQuery { id: args.debate.clone() })?;
    context.tell(&result, || in_a_line(&result))
}

pub(super) fn progress(context: &Context, args: &ProgressArgs) -> Ended {
    let progress = asked(context, &DebateProgressQuery { id: args.debate.clone() })?;
    remark(context, progress.damaged());
    context.tell(&progress, || {
        let (round, role) = (progress.current_round, &progress.current_role);
        let at = match progress.status {
            DebateStatus::Pending | DebateStatus::Completed => String::new(),
            ref status if status.is_over() => format!(", in round {round}"),
            _ => format!(": {role} began last"),
        };
        let rows = by_round(&progress).into_iter().map(|(round, output)| line(round, output));
        let rows: String = rows.map(|row| format!("\n{row}")).collect();
        format!("{}{at}{rows}", of_status(&progress.status))
    })
}

pub(super) fn outputs(context: &Context, args: &OutputsArgs) -> Ended {
    match args.round {
        Some(n) => {
            let outputs = asked(context, &DebateRoundQuery { id: args.debate.clone(), n });
            let outputs = outputs.map_err(|mut failure| {
                if failure.problem.code == "no-round" {
                    failure.problem.field = Some("--round".to_owned());
                }
                failure
            })?;
            remark(context, outputs.iter().flat_map(|output| output.tasuki.notes.iter().map(String::as_str)));
            context.tell(&outputs, || texts(outputs.iter().map(|output| (Some(n), output))))
        }
        None => {
            let progress = asked(context, &DebateProgressQuery { id: args.debate.clone() })?;
            remark(context, progress.damaged());
            context.tell(&progress.outputs, || spoken(&progress))
        }
    }
}

/// Says what is odd beside an answer: what was found damaged.
fn remark<'a>(context: &Context, notes: impl IntoIterator<Item = &'a str>) {
    notes.into_iter().for_each(|note| context.remark(format!("note: {}", tame(note))));
}

/// A file of another debate, or of one of which nothing else is known.
fn show_file(context: &Context, path: &Path) -> Ended {
    let cure = "ask for the outputs by the id of the debate";
    let written = plan_file::written_within(path, ROUND_FILE_BYTES_MAX, cure)?;
    let outputs = read_round_file(&written.text).map_err(|error| {
        let cure = "it is a list of {role, proposal, timestamp, duration_secs, tokens_used, error}";
        Failure::new(Kind::Rejected, "context-file-corrupted", error.to_string(), cure).within(&written.place)
    })?;
    context.tell(&outputs, || texts(outputs.iter().map(|output| (None, output))))
}

/// All that was said, by round.
fn spoken(progress: &DebateProgress) -> String {
    texts(by_round(progress).into_iter().map(|(round, output)| (Some(round), output)))
}

/// A role that has spoken, or not, in one line.
fn line(round: u8, output: &RoundOutput) -> String {
    let (role, seconds) = (&output.role, output.duration_secs);
    match &output.error {
        None => format!("  round {round}  {role}  spoke in {seconds} s"),
        Some(error) => {
            let first = tame(error.lines().next().unwrap_or_default());
            let after = output.failure().map(|_| format!(" after {seconds} s")).unwrap_or_default();
            format!("  round {round}  {role}  {}{after}: {first}", output.why_not())
        }
    }
}

fn texts<'a>(outputs: impl Iterator<Item = (Option<u8>, &'a RoundOutput)>) -> String {
    let text = |(round, output): (Option<u8>, &RoundOutput)| {
        let round = round.map(|round| format!("round {round}, ")).unwrap_or_default();
        let tokens =
            if output.tokens_used == 0 { String::new() } else { format!(", {} tokens", output.tokens_used) };
        let said = match &output.error {
            None => tame(output.proposal.trim_end()),
            Some(error) => {
                let word = output.why_not();
                let cure = output.tasuki.cure.as_deref().map(|cure| format!("\ncure: {cure}"));
                format!("{word}: {}{}", tame(error.trim_end()), cure.unwrap_or_default())
            }
        };
        format!("── {round}{} ({} s{tokens})\n\n{said}", output.role, output.duration_secs)
    };
    let all: Vec<String> = outputs.map(text).collect();
    if all.is_empty() { "nobody has spoken yet".to_owned() } else { all.join("\n\n") }
}
