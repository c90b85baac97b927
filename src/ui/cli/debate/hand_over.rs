//! `tasuki debate hand-over`: the plan that a debate came to becomes the goal of a session.

use super::show::asked;
use crate::engine::words::AgentName;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::session;
use crate::wire::api::{DebateProgressQuery, Problem};
use crate::wire::debate::hand_over::{final_plan, goal};
use clap::builder::NonEmptyStringValueParser;

/// Begins a session whose goal is the final plan of a debate
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate hand-over a1b2c3d4
  tasuki debate hand-over a1b2c3d4 --role architect --master grand_boss
  tasuki debate hand-over a1b2c3d4 --print > plan.md

An agent splits the plan into tasks, as with `tasuki session new`; nothing begins without a yes. Of a debate that was handed over \
before, the session is told, and another one begins with --again alone.

Exit codes:
  0  the session has begun or waits for its plan; or a no on the terminal has cancelled it
  1  on a terminal: there is no plan of tasks, or it waits for a yes still
  2  there is no such debate, it is under way, nobody has a final plan, or it was handed over before
  5  no daemon is running")]
pub(super) struct Args {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
    /// Role whose final plan it is. Default: the first that has one
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Agent that splits it into tasks. Default: the first that reports to `user`
    #[arg(long, value_name = "AGENT")]
    master: Option<AgentName>,
    /// Begin the tasks without a question
    #[arg(long)]
    yes: bool,
    /// Begin another session, though there is one of this debate
    #[arg(long)]
    again: bool,
    /// Only print the goal
    #[arg(long)]
    print: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let progress = asked(context, &DebateProgressQuery { id: args.debate.clone() })?;
    let plan = final_plan(&progress, args.role.as_deref()).map_err(refused)?;
    let goal = goal(&progress, plan);
    if args.print {
        return context.say(&goal);
    }
    session::begin(context, (progress.debate_id, goal), args.master.as_ref(), (args.yes, args.again))
}

fn refused(problem: Problem) -> Failure {
    Failure::new(Kind::Rejected, &problem.code, problem.why, problem.cure)
}
