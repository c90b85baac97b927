//! `tasuki needs`: what waits for a person, with its cures, and who waits for whom.

use super::ages::{Exact, age, moment};
use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::inbox;
use super::look::{look, model_of_files, refused};
use super::marks::Letters;
use super::table::harmless;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::workspace::Workspace;
use crate::wire::api::{
    ChainInfo, CureInfo, Done, NeedGroup, NeedInfo, NeedKindInfo, NeedsInfo, NeedsQuery, encoded,
};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// Ids that are named behind a need; the others are counted.
const BEHIND_NAMED: usize = 3;
/// Widest label beside which the commands stand in one column.
const LABEL_COLUMNS: usize = 40;

/// Shows what waits for you, with the commands that help, and who waits for whom
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki needs
  tasuki needs --json | jq -r '.needs[] | .cures[].command'
  tasuki needs --dismiss msg-a1b2c3d4e5f6      a failed task that nobody tries again
  tasuki needs --dismiss-all                   all failed tasks and refused files

Only what tells something can be dismissed: a failed task, a refused file, and unread messages, which then count as read. \
Nothing of them is removed, and a new failure is shown again. What waits for an answer or a decision stays. First comes what stops the most work. No command is recommended over the others. Without a daemon, the command reads the \
journal.")]
pub(super) struct Args {
    /// Use only ASCII characters
    #[arg(long)]
    ascii: bool,
    /// Dismiss what has this id, or the failed task with this message id
    #[arg(long, value_name = "ID", conflicts_with = "dismiss_all")]
    dismiss: Vec<String>,
    /// Dismiss all failed tasks and refused files; unread messages stay unread
    #[arg(long)]
    dismiss_all: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    if !args.dismiss.is_empty() {
        return args.dismiss.iter().try_for_each(|id| dismiss(context, &workspace, &client, id));
    }
    let needs = look(context, &workspace, &client, &NeedsQuery {})?.answer;
    if args.dismiss_all {
        return dismiss_all(context, &workspace, &client, &needs);
    }
    let letters = Letters::of(context, args.ascii);
    context.tell(&needs, || page(&needs, letters))
}

/// Puts a need aside: by the daemon, or where none runs in the files.
fn dismiss(context: &Context, workspace: &Workspace, client: &Client, id: &str) -> Ended {
    let path = format!("/api/needs/{}/dismiss", encoded(id));
    let done = match client.post::<Done>(&path, &serde_json::json!({}), ANSWER_DEADLINE) {
        Ok(done) => done,
        Err(ClientError::NotRunning { .. } | ClientError::Gone(_)) if !inbox::is_person(context) => {
            let why = "an agent may not dismiss what waits for people";
            return Err(Failure::new(Kind::Rejected, "not-yours", why, "a person can do that"));
        }
        Err(ClientError::NotRunning { .. } | ClientError::Gone(_)) => {
            let what = model_of_files(context, workspace)?.dismiss(id).map_err(|problem| {
                let is_machine = problem.code == "unavailable";
                if is_machine { ClientError::Unavailable(problem).into() } else { refused(problem) }
            })?;
            Done { what, id: None }
        }
        Err(error) => return Err(error.into()),
    };
    context.tell(&done, || harmless(&done.what))
}

/// The same with all that only tells something. Letters are for reading.
fn dismiss_all(context: &Context, workspace: &Workspace, client: &Client, needs: &NeedsInfo) -> Ended {
    let ids = needs.needs.iter().filter(|need| need.dismiss.is_some() && need.kind != NeedKindInfo::Unread);
    let ids: Vec<&str> = ids.map(|need| need.id.as_str()).collect();
    if ids.is_empty() {
        let done = Done { what: "there is nothing to dismiss".to_owned(), id: None };
        return context.tell(&done, || done.what.clone());
    }
    ids.into_iter().try_for_each(|id| dismiss(context, workspace, client, id))
}

fn page(needs: &NeedsInfo, letters: Letters) -> String {
    let mut lines = Vec::new();
    if needs.needs.is_empty() {
        lines.push("nothing waits for you".to_owned());
    }
    for need in &needs.needs {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(need_lines(need, &needs.now, letters));
    }
    if !needs.chains.is_empty() {
        let bold = anstyle::Style::new().bold();
        lines.push(String::new());
        lines.push(format!("{bold}WHO WAITS FOR WHOM{bold:#}"));
        let cause = |chain: &ChainInfo| chain.need.clone().unwrap_or_else(|| chain.cause.text.clone());
        let mut told = BTreeSet::new();
        for chain in &needs.chains {
            if !told.insert(cause(chain)) {
                continue;
            }
            let same = needs.chains.iter().filter(|other| cause(other) == cause(chain));
            let others: Vec<&str> = same.skip(1).map(|other| &*other.message).collect();
            let need = needs.needs.iter().find(|need| chain.need.as_ref() == Some(&need.id));
            let back = need.map_or(String::new(), |need| until(need, &needs.now));
            lines.push(harmless(&(chain_line(chain, &others, &needs.now, letters) + &back)));
        }
    }
    lines.join("\n")
}

fn need_lines(need: &NeedInfo, now: &str, letters: Letters) -> Vec<String> {
    let bold = match need.group {
        NeedGroup::Info => anstyle::Style::new(),
        _ => anstyle::Style::new().bold(),
    };
    let (mark, title) = (letters.need(need.kind), harmless(&need.title));
    let since = age(Some(&need.since), now, Exact::Seconds);
    let mut lines =
        vec![format!("{mark} {bold}{title}{bold:#}  {since}{}{}", until(need, now), behind(need))];
    let detail = need.detail.iter().flat_map(|detail| detail.lines());
    lines.extend(detail.map(|line| format!("    {}", harmless(line))));
    let labels = need.cures.iter().chain(&need.dismiss).map(|cure| harmless(&cure.label).width());
    let room = labels.filter(|width| *width <= LABEL_COLUMNS).max().unwrap_or(0);
    let cure = |cure: &CureInfo| {
        let label = harmless(&cure.label);
        let pad = room.saturating_sub(label.width());
        format!("    {label}{:pad$}  {}", "", harmless(&cure.command))
    };
    lines.extend(need.cures.iter().chain(&need.dismiss).map(cure));
    lines
}

/// When it is over by itself.
fn until(need: &NeedInfo, now: &str) -> String {
    need.until.as_ref().map_or(String::new(), |until| format!("  back at {}", moment(until, now)))
}

/// What goes on when it is settled.
fn behind(need: &NeedInfo) -> String {
    let count = need.behind_count;
    if count == 0 {
        return String::new();
    }
    let named = need.behind.iter().take(BEHIND_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more =
        if count > BEHIND_NAMED { format!(" and {} more", count - BEHIND_NAMED) } else { String::new() };
    format!("  {count} behind: {named}{more}")
}

/// Who waits for whom, and which tasks wait for the same.
fn chain_line(chain: &ChainInfo, others: &[&str], now: &str, letters: Letters) -> String {
    let who = if chain.cause.who == "you" { "you" } else { "" };
    let agents =
        chain.agents.iter().map(String::as_str).chain([who].into_iter().filter(|who| !who.is_empty()));
    let agents: Vec<&str> = agents.collect();
    // An agent that is alone stands in the cause.
    let agents = match agents.len() {
        0 | 1 => String::new(),
        _ => format!("{}, ", agents.join(&format!(" {} ", letters.then()))),
    };
    let title = chain.title.as_deref().filter(|title| !title.is_empty());
    let title = title.map_or(String::new(), |title| format!(" ({title})"));
    let since = age(Some(&chain.since), now, Exact::Seconds);
    let named: String = others.iter().take(BEHIND_NAMED).map(|id| format!(", {id}")).collect();
    let more = chain.behind.saturating_sub(1 + others.len().min(BEHIND_NAMED));
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{title}{named}{more}: {agents}for {since}: {}", chain.message, chain.cause.text)
}
