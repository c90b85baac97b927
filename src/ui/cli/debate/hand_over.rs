//! `tasuki debate hand-over`: the plan that a debate came to becomes the goal of a session.

use super::show::asked;
use crate::engine::words::AgentName;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::session;
use crate::wire::api::DebateProgressQuery;
use crate::wire::debate::document::{DebateProgress, RoundOutput};
use clap::builder::NonEmptyStringValueParser;

/// Begins a session whose goal is the final plan of a debate
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate hand-over a1b2c3d4
  tasuki debate hand-over a1b2c3d4 --role architect --master grand_boss
  tasuki debate hand-over a1b2c3d4 --print > plan.md

An agent splits the plan into tasks, as with `tasuki session new`; nothing begins without a yes.

Exit codes:
  0  the session is there
  1  there is no plan of tasks, or it waits for a yes still
  2  there is no such debate, or nobody has a final plan
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
    /// Only print the goal
    #[arg(long)]
    print: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let progress = asked(context, &DebateProgressQuery { id: args.debate.clone() })?;
    let plan = final_plan(&progress, args.role.as_deref())?;
    let goal = goal(&progress, plan);
    if args.print {
        return context.say(&goal);
    }
    session::begin(context, goal, args.master.as_ref(), args.yes)
}

/// What a role said in the last round that was held.
fn final_plan<'p>(progress: &'p DebateProgress, role: Option<&str>) -> Result<&'p RoundOutput, Failure> {
    let id = &progress.debate_id;
    if !progress.status.is_over() {
        let cure = format!("wait for its end: `tasuki debate follow {id}`");
        return Err(Failure::new(Kind::Rejected, "wrong-stage", format!("debate {id} is under way"), cure));
    }
    let rounds = super::show::by_round(progress);
    let last = rounds.iter().map(|(round, _)| *round).max().unwrap_or_default();
    let plans = rounds.iter().filter(|(round, output)| *round == last && output.error.is_none());
    let mut plans = plans.map(|(_, output)| *output).filter(|output| last > 1 && !output.proposal.is_empty());
    let found = plans.find(|output| role.is_none_or(|role| output.role == role));
    found.ok_or_else(|| {
        let whose = role.map_or_else(String::new, |role| format!(" by {role}"));
        let cure = format!("`tasuki debate show {id}` says who has said what");
        Failure::new(Kind::Rejected, "no-plan", format!("debate {id} has no final plan{whose}"), cure)
    })
}

fn goal(progress: &DebateProgress, plan: &RoundOutput) -> String {
    let text = |key: &str| progress.tasuki.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let task = text("name").unwrap_or_default();
    format!(
        "{task}\n\nCarry out this plan, which {} wrote at the end of debate {}:\n\n{}\n",
        plan.role,
        progress.debate_id,
        plan.proposal.trim()
    )
}
