//! The command line: one file a verb. A verb takes its arguments and its [`context::Context`], prints what was asked for, and
//! ends well or with a [`failure::Failure`].

mod agent;
mod ages;
mod answer;
mod attach;
mod away;
mod cancel;
mod columns;
mod complete;
mod completions;
mod context;
mod daemon;
mod debate;
mod detect;
mod doctor;
mod down;
mod dropping;
mod editor;
mod failure;
mod files;
mod fsck;
mod headless;
mod hire;
mod history;
mod inbox;
mod init;
mod lab;
mod lint;
mod list;
mod log;
mod look;
mod lying;
mod man;
mod marks;
mod needs;
mod pane;
mod reply;
mod retry;
mod roster;
mod send;
mod service;
mod session;
mod show;
mod shown;
mod status;
mod stop;
mod table;
mod team;
mod top;
mod up;
mod wait;
mod watch;
mod web;
mod why;
mod worktree;

use clap::{CommandFactory, Parser, Subcommand};
use context::{Context, Ended, Globals};
use failure::Failure;
use std::process::ExitCode;

/// Passes tasks between coding agents in tmux windows and never loses one.
#[derive(Debug, Parser)]
#[command(name = "tasuki", version, max_term_width = 100, subcommand_required = true, after_help = AFTER)]
struct Line {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    verb: Verb,
}

const AFTER: &str = "\
Examples:
  tasuki init && tasuki up                     a new team, started
  tasuki send grand_boss \"Analyse the project\"
  tasuki status                                the state of each agent
  tasuki why msg-a1b2c3d4e5f6                  the history of a message

Exit codes:
  0  done
  1  the work failed, or another daemon holds the lock
  2  wrong usage, or rejected
  3  not delivered, or not proven to be
  4  timed out
  5  no daemon is running, and the command needs one";

#[derive(Debug, Subcommand)]
enum Verb {
    Init(init::Args),
    Up(up::Args),
    Down(down::Args),
    Daemon(daemon::Args),
    Send(send::Args),
    Reply(reply::Args),
    Status(status::Args),
    Needs(needs::Args),
    #[command(visible_alias = "ls")]
    List(list::Args),
    Show(show::Args),
    Inbox(inbox::Args),
    Top(top::Args),
    Log(log::Args),
    Why(why::Args),
    Answer(answer::Args),
    Attach(attach::Args),
    Web(web::Args),
    Session(session::Args),
    Debate(Box<debate::Args>),
    Cancel(cancel::Args),
    Retry(retry::Args),
    Stop(stop::Args),
    Pane(pane::Args),
    Agent(agent::Args),
    Worktree(worktree::Args),
    Detect(detect::Args),
    Service(service::Args),
    Doctor(doctor::Args),
    Fsck(fsck::Args),
    #[cfg(feature = "lab")]
    Torture(crate::lab::torture::Args),
    Lint(lint::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the program and gives its exit code.
#[must_use]
pub fn main() -> ExitCode {
    if complete::is_done(command) {
        return ExitCode::SUCCESS;
    }
    crate::io::umask::keep_our_own();
    let line = match Line::try_parse() {
        Ok(line) => line,
        Err(error) => {
            // Help and usage that nobody reads any more are no failure.
            if error.use_stderr() && context::asks_for_json(std::env::args_os().skip(1)) {
                eprintln!("{}", Failure::usage(&error).json());
            } else {
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let is_json = line.globals.json;
    #[cfg(feature = "lab")]
    if let Verb::Agent(agent::Args { verb: agent::Verb::Scripted(args) }) = &line.verb {
        return lab::play(args, is_json);
    }
    let context = match Context::new(line.globals) {
        Ok(context) => context,
        Err(failure) => return failure.end(is_json),
    };
    match run(&context, line.verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            context.complain(&failure);
            failure.exit_code()
        }
    }
}

/// The whole command line, for the reference page and for completions.
#[must_use]
pub fn command() -> clap::Command {
    Line::command()
}

fn run(context: &Context, verb: Verb) -> Ended {
    match verb {
        Verb::Init(args) => init::run(context, &args),
        Verb::Up(args) => up::run(context, &args),
        Verb::Down(args) => down::run(context, &args),
        Verb::Daemon(args) => daemon::run(context, &args),
        Verb::Send(args) => send::run(context, &args),
        Verb::Reply(args) => reply::run(context, &args),
        Verb::Status(args) => status::run(context, &args),
        Verb::Needs(args) => needs::run(context, &args),
        Verb::List(args) => list::run(context, &args),
        Verb::Show(args) => show::run(context, &args),
        Verb::Inbox(args) => inbox::run(context, &args),
        Verb::Top(args) => top::run(context, &args),
        Verb::Log(args) => log::run(context, &args),
        Verb::Why(args) => why::run(context, &args),
        Verb::Answer(args) => answer::run(context, &args),
        Verb::Attach(args) => attach::run(context, &args),
        Verb::Web(args) => web::run(context, &args),
        Verb::Session(args) => session::run(context, &args),
        Verb::Debate(args) => debate::run(context, &args),
        Verb::Cancel(args) => cancel::run(context, &args),
        Verb::Retry(args) => retry::run(context, &args),
        Verb::Stop(args) => stop::run(context, &args),
        Verb::Pane(args) => pane::run(context, &args),
        Verb::Agent(args) => agent::run(context, &args),
        Verb::Worktree(args) => worktree::run(context, &args),
        Verb::Detect(args) => detect::run(context, &args),
        Verb::Service(args) => service::run(context, &args),
        Verb::Doctor(args) => doctor::run(context, &args),
        Verb::Fsck(args) => fsck::run(context, &args),
        #[cfg(feature = "lab")]
        Verb::Torture(args) => lab::torture(context, &args),
        Verb::Lint(args) => lint::run(context, &args),
        Verb::Completions(args) => completions::run(context, &args),
        Verb::Man(args) => man::run(context, &args, command()),
    }
}
