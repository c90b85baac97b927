//! `tasuki debate follow`: each change of a debate until it is over. A daemon that is started anew does not end it.

use super::show::asked;
use super::words::of_status;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::table::harmless_lines;
use crate::wire::api::{DebateQuery, Question};
use crate::wire::debate::document::{DebateResult, DebateStatus};
use clap::builder::NonEmptyStringValueParser;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::time::Duration;

/// Between two looks: a role speaks for a minute and more.
const LOOK: Duration = Duration::from_millis(250);
/// A daemon that is started anew is back within seconds.
const ANEW_MS: u64 = 15_000;

/// Prints each change of a debate until it is over
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate follow a1b2c3d4
  tasuki debate follow a1b2c3d4 --json | jq -r .what

With --json, each change is a line.

Exit codes:
  0  the debate is completed
  1  it has failed or was cancelled
  2  there is no such debate
  5  no daemon is running, and the debate is not over")]
pub(super) struct Args {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
}

/// A change.
#[derive(Debug, Serialize)]
struct Change<'a> {
    debate_id: &'a str,
    /// The round and the role of a speech; none of the debate as a whole.
    round: Option<u64>,
    role: Option<String>,
    what: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let first = asked(context, &DebateQuery { id: args.debate.clone() })?;
    follow_id(context, &first.debate_id)
}

/// Tells each change of a debate until it is over.
pub(super) fn follow_id(context: &Context, id: &str) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let question = DebateQuery { id: id.to_owned() };
    let mut seen = asked(context, &question)?;
    let mut told = BTreeMap::new();
    tell(context, &mut told, &seen)?;
    let (clock, mut lost) = (Clock::start(), None);
    while !seen.status.is_over() {
        client.pause(LOOK);
        match client.get::<DebateResult>(&question.address(), ANSWER_DEADLINE) {
            Ok(now) => {
                lost = None;
                tell(context, &mut told, &now)?;
                seen = now;
            }
            Err(error @ (ClientError::NotRunning { .. } | ClientError::Gone(_))) => {
                let since = *lost.get_or_insert_with(|| clock.now());
                if clock.now().since(since) >= ANEW_MS {
                    return Err(error.into());
                }
            }
            Err(ClientError::Unavailable(_) | ClientError::TooSlow(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let why = format!("debate {id}: {}", harmless_lines(&seen.message));
    match seen.status {
        DebateStatus::Completed => Ok(()),
        _ => {
            Err(Failure::new(Kind::Failed, "failed", why, format!("`tasuki debate show {id}` has all of it")))
        }
    }
}

/// Tells of each speech and of the whole what is new.
fn tell(context: &Context, told: &mut BTreeMap<String, String>, now: &DebateResult) -> Ended {
    let steps = now.tasuki.as_ref().and_then(|tasuki| tasuki.get("steps")).and_then(Json::as_array);
    for step in steps.into_iter().flatten() {
        let text = |key: &str| step.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        let (round, role, stage) = (step.get("round").and_then(Json::as_u64), text("role"), text("stage"));
        let what = match stage.as_str() {
            "preparing" => "gets a worktree".to_owned(),
            "sent" => "speaks".to_owned(),
            "completed" => "has spoken".to_owned(),
            "failed" => format!("failed: {}", harmless_lines(&text("note"))),
            "cancelled" => "does not speak".to_owned(),
            _ => continue,
        };
        // Whoever is asked alone speaks in no round.
        let key = match round.unwrap_or_default() {
            0 => role.clone(),
            round => format!("round {round} {role}"),
        };
        let line = format!("{key} {what}");
        if told.insert(key, stage.clone()).as_deref() != Some(&*stage) {
            say(context, &Change { debate_id: &now.debate_id, round, role: Some(role), what }, &line)?;
        }
    }
    let word = of_status(&now.status);
    if told.insert(String::new(), word.clone()).as_deref() == Some(&*word) {
        return Ok(());
    }
    let message = harmless_lines(&now.message);
    let what = if message.starts_with(&word) { message } else { format!("{word}: {message}") };
    say(context, &Change { debate_id: &now.debate_id, round: None, role: None, what: what.clone() }, &what)
}

fn say(context: &Context, change: &Change<'_>, line: &str) -> Ended {
    let line = match context.globals.json {
        true => serde_json::to_string(change).unwrap_or_default(),
        false => line.to_owned(),
    };
    Ok(context.say(line)?)
}
