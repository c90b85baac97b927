//! `tasuki agent headless`: an agent that asks another program once for each task, and answers with what that says.
//!
//! It reads lines from its terminal and does nothing else; each turn is done by a program of its own in front of it, which is this
//! one with `--once`. So the terminal is read only between turns, and a key that interrupts ends the turn and not the agent.

mod turn;

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use crate::engine::words::Token;
use crate::io::front::{Lines, give_back, run_in_front};
use crate::wire::headless::Headless;
use crate::wire::team_file::{Profile, Settings};
use crate::wire::turn_line::TurnLine;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

/// Asks another program once for each task, as an agent in a window does
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki agent hire critic --provider headless --env TASUKI_HEADLESS_PROVIDER=claude --model opus
  tasuki agent headless --provider codex        what such an agent runs in its window

It takes the lines that tasuki types, gives the task to the one-shot command of that profile (`headless:`), shows what comes, and \
answers. The command works in the agent's folder, and gets none of tasuki's variables. It is ended when the time of the task is over, \
by Ctrl-C, and with the agent. With TASUKI_HEADLESS_LOG=FILE all that it prints is added to a file.")]
pub(super) struct Args {
    /// Profile whose one-shot command is run
    #[arg(long, value_name = "PROFILE", env = "TASUKI_HEADLESS_PROVIDER", hide_env_values = true)]
    provider: Option<String>,
    /// Model, as that program calls it
    #[arg(long, value_name = "MODEL", env = "TASUKI_HEADLESS_MODEL", hide_env_values = true)]
    model: Option<String>,
    /// Do one turn and end; the standard input has its line
    #[arg(long)]
    once: bool,
}

impl Args {
    fn provider(&self) -> Option<&str> {
        self.provider.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }

    fn model(&self) -> Option<&str> {
        self.model.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    if !args.once {
        return serve(context, args);
    }
    let done = match Lines::default().read()?.as_deref().and_then(TurnLine::read) {
        Some(line) => turn::play(context, args, &line),
        None => {
            let cure = "give a line as tasuki types it, `[tasuki] task ID from NAME (token T): read PATH and do it.`";
            Err(Failure::new(Kind::Rejected, "usage", "the standard input has no line of a turn", cure))
        }
    };
    give_back();
    done
}

fn serve(context: &Context, args: &Args) -> Ended {
    context.say(match one_shot(context, args) {
        Ok(headless) => format!("tasks are given to `{}`", headless.program()),
        Err(why) => why,
    })?;
    let (mut lines, mut done) = (Lines::default(), None::<Token>);
    while let Some(line) = lines.read()? {
        match TurnLine::read(&line) {
            _ if line.trim() == "/exit" => break,
            _ if line.trim().is_empty() => {}
            None => context.say("(only tasks are done here: `tasuki send` gives one)")?,
            Some(turn) if turn.is_info() => context.say("(noted)")?,
            Some(turn) if turn.token.is_none() => {
                context.say("(this agent answers by its token: set `token: true` in the team file)")?;
            }
            // It was typed again, since nobody knew that it was read.
            Some(turn) if turn.token == done => context.say("(that turn was answered)")?,
            Some(turn) => {
                let status = run_in_front(&mut itself(context, args), &line)?;
                done = turn.token.filter(|_| status.success()).or(done);
            }
        }
    }
    Ok(())
}

/// This program, for one turn.
fn itself(context: &Context, args: &Args) -> Command {
    let mut command = Command::new(&context.around.exe);
    if let Some(root) = &context.globals.root {
        command.arg("--root").arg(root);
    }
    command.args(["agent", "headless", "--once"]);
    for (option, value) in [("--provider", args.provider()), ("--model", args.model())] {
        if let Some(value) = value {
            command.arg(format!("{option}={value}"));
        }
    }
    command
}

/// How the program is asked that is meant, by the team file as it is now.
///
/// # Errors
/// Why none is, with the cure, on one line.
fn one_shot(context: &Context, args: &Args) -> Result<Arc<Headless>, String> {
    let workspace = context.workspace().map_err(|failure| failure.problem.why)?;
    let profiles = match Settings::load(&workspace, &context.around) {
        Ok(loaded) => loaded.settings.profiles,
        Err(error) => return Err(error.shown()),
    };
    let known = with_headless(&profiles);
    let Some(name) = args.provider() else {
        return Err(format!(
            "no provider is named: set TASUKI_HEADLESS_PROVIDER, or give --provider; {known}"
        ));
    };
    let profile = profiles
        .get(name)
        .ok_or_else(|| format!("there is no profile `{}`; {known}", name.escape_debug()))?;
    profile.headless.clone().ok_or_else(|| {
        format!("the profile `{name}` says of no command that asks its program once: add `headless:` to it; {known}")
    })
}

fn with_headless(profiles: &BTreeMap<String, Profile>) -> String {
    let names =
        profiles.iter().filter(|(_, profile)| profile.headless.is_some()).map(|(name, _)| name.as_str());
    format!("these can be asked: {}", names.collect::<Vec<_>>().join(", "))
}
