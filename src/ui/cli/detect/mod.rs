//! `tasuki detect`: what the rules of a profile make of a screen.

mod explain;
mod keep;
mod rules;

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use crate::engine::words::counted;
use crate::io::frame::KeptFrame;
use crate::wire::clean::escape;
use clap::Subcommand;
use rules::rules_of;
use serde::Serialize;
use std::path::PathBuf;

/// Shows how screens are read, and why
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki detect explain coder                       shows how its screen is read now
  tasuki detect keep coder --state waiting_input    records its screen with its correct state
  tasuki detect check                               tries the rules on all recorded screens
  tasuki detect replay --provider claude frames/*.txt

States: ready, busy, draft, waiting_input, rate_limited, error, unknown.")]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Explain(explain::ExplainArgs),
    Replay(ReplayArgs),
    Keep(keep::KeepArgs),
    Check(keep::CheckArgs),
}

/// Reads screens from files, and prints a line `FILE STATE RULE` for each
///
/// A file has the rows of a screen (`tmux capture-pane -p`). A file of the same name that ends in .meta may have lines
/// `cursor=COLUMN,ROW` and `title=TEXT`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki detect replay --provider claude frames/*.txt
  tmux capture-pane -p -t %5 > now.txt && tasuki detect replay --provider codex now.txt")]
struct ReplayArgs {
    /// Profile name
    #[arg(long, value_name = "NAME")]
    provider: String,
    /// File with the rows of a screen
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    match &args.verb {
        Verb::Explain(args) => explain::explain(context, args),
        Verb::Replay(args) => replay(context, args),
        Verb::Keep(args) => keep::keep(context, args),
        Verb::Check(args) => keep::check(context, args),
    }
}

/// One line of `replay`. A name that is not UTF-8 is shown as far as it is.
#[derive(Debug, Serialize)]
struct Line<'a> {
    file: &'a str,
    state: &'static str,
    rule: &'a str,
    rows: &'a [usize],
}

fn replay(context: &Context, args: &ReplayArgs) -> Ended {
    let rules = rules_of(context, &args.provider)?;
    let mut bad = 0;
    for path in &args.files {
        let file = path.to_string_lossy();
        let frame = match KeptFrame::read(path) {
            Ok(frame) => frame,
            Err(error) => {
                bad += 1;
                let why = format!("{}: {error}", escape(&file));
                context.complain(&Failure::new(
                    Kind::Rejected,
                    "frame",
                    why,
                    "name files with the text of a screen",
                ));
                continue;
            }
        };
        frame.with(|frame| {
            let reading = rules.read(frame);
            let (state, rule) = (reading.state.name(), reading.rule_name());
            if context.globals.json {
                let line = Line { file: &file, state, rule, rows: &reading.rows };
                context.say(serde_json::to_string(&line).map_err(std::io::Error::other)?)
            } else {
                context.say(format!("{} {state} {rule}", escape(&file)))
            }
        })?;
    }
    match bad {
        0 => Ok(()),
        _ => {
            let why = format!("{bad} of {} could not be read", counted(args.files.len(), "file"));
            Err(Failure::new(Kind::Rejected, "detect", why, "correct what is reported above"))
        }
    }
}
