//! `tasuki agent headless`: an agent that asks another program once for each task, and answers with what that says.
//!
//! It reads lines from its terminal and does nothing else; each turn is done by a program of its own in front of it, which is this
//! one with `--once`. So the terminal is read only between turns, and a key that interrupts ends the turn and not the agent.

mod args;
mod provider;
mod turn;

pub(super) use args::Args;

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use crate::engine::words::Token;
use crate::io::front::{Lines, give_back, is_killed, run_in_front};
use crate::wire::turn_line::TurnLine;
use provider::one_shot;
use std::process::Command;

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
                let is_done = do_in_front(context, args, &line)?;
                done = turn.token.filter(|_| is_done).or(done);
            }
        }
    }
    Ok(())
}

/// Has a turn done; says whether it was. Whoever does it may be killed, as a system does that is short of memory. It is begun once more then,
/// and the second time that is its answer.
fn do_in_front(context: &Context, args: &Args, line: &str) -> Result<bool, Failure> {
    let run = |command: &mut Command| run_in_front(command, line);
    let first = run(&mut itself(context, args))?;
    if !is_killed(first) {
        return Ok(first.success());
    }
    context.say(format!("what asked for it was killed ({}): once more", turn::how(first)))?;
    let second = run(&mut itself(context, args))?;
    if !is_killed(second) {
        return Ok(second.success());
    }
    Ok(run(itself(context, args).arg(format!("--killed={}", turn::how(second))))?.success())
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
