//! `tasuki session`: sessions begin, are looked at and are steered.

mod add_task;
mod asking;
mod confirm;
mod export;
mod follow;
mod graph;
mod import;
mod list;
mod merge;
mod new;
pub(super) mod plan_file;
mod retry;
mod show;
mod steer;
pub(super) mod trial;
mod words;
mod work;

use super::context::{Context, Ended};
use crate::engine::words::AgentName;
use clap::Subcommand;

/// Begins, shows and steers sessions: tasks of which some need others
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session new sign-in.plan.yaml           a plan; its tasks begin at once
  tasuki session new People can sign in          a goal; an agent splits it into tasks
  tasuki session list
  tasuki session show a1b2c3d4
  tasuki session follow a1b2c3d4 && git push

A session id may be cut to what no other begins with. docs/sessions.md says what a session is.")]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    New(new::Args),
    List(list::Args),
    Show(show::Args),
    Pause(steer::PauseArgs),
    Resume(steer::ResumeArgs),
    Cancel(steer::CancelArgs),
    Retry(retry::Args),
    AddTask(add_task::Args),
    Merge(merge::Args),
    Graph(graph::Args),
    Follow(follow::Args),
    Export(export::Args),
    Import(import::Args),
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    match &args.verb {
        Verb::New(args) => new::run(context, args),
        Verb::List(args) => list::run(context, args),
        Verb::Show(args) => show::run(context, args),
        Verb::Pause(args) => steer::pause(context, args),
        Verb::Resume(args) => steer::resume(context, args),
        Verb::Cancel(args) => steer::cancel(context, args),
        Verb::Retry(args) => retry::run(context, args),
        Verb::AddTask(args) => add_task::run(context, args),
        Verb::Merge(args) => merge::run(context, args),
        Verb::Graph(args) => graph::run(context, args),
        Verb::Follow(args) => follow::run(context, args),
        Verb::Export(args) => export::run(context, args),
        Verb::Import(args) => import::run(context, args),
    }
}

/// Begins a session by a goal that is the plan of a debate, as `new` does.
pub(super) fn begin(
    context: &Context,
    (debate, goal): (String, String),
    master: Option<&AgentName>,
    (yes, again): (bool, bool),
) -> Ended {
    let args = new::Args::of_debate((debate, again), goal, master.cloned(), yes);
    new::run(context, &args)
}
