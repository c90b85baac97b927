//! `tasuki debate hand-over`: the plan that a debate came to becomes the goal of a session.

use super::show::asked;
use crate::engine::words::AgentName;
use crate::io::debate_files::in_turn;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::session;
use crate::ui::session::words::of_session;
use crate::wire::api::{DebateProgressQuery, SessionInfo, SessionsQuery};
use crate::wire::debate::document::{DebateProgress, RoundOutput};
use crate::wire::debate::language;
use crate::wire::team_file::Language;
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
    let plan = final_plan(&progress, args.role.as_deref())?;
    let goal = goal(&progress, plan);
    if args.print {
        return context.say(&goal);
    }
    // Of several who do that at the same time, the second finds the session of the first.
    let workspace = context.workspace()?;
    let _turn = in_turn(&workspace, &progress.debate_id).map_err(|error| {
        let cure = "look at the rights of that folder and at the room on its disk";
        Failure::new(Kind::Failed, "io", error.to_string(), cure)
    })?;
    if let Some(session) = made(context, &progress)?.filter(|_| !args.again) {
        let (id, stands) = (&session.id, of_session(&session));
        let why = format!("debate {} was handed over before: session {id} is {stands}", progress.debate_id);
        let cure = format!("`tasuki session show {id}` shows it; `--again` begins another one");
        return Err(Failure::new(Kind::Rejected, "handed-over", why, cure));
    }
    session::begin(context, (progress.debate_id, goal), args.master.as_ref(), args.yes)
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

/// The newest session that was begun for a plan of this debate.
fn made(context: &Context, progress: &DebateProgress) -> Result<Option<SessionInfo>, Failure> {
    let sessions = asked(context, &SessionsQuery {})?.sessions;
    let made = sessions.into_iter().filter(|session| session.debate.as_ref() == Some(&progress.debate_id));
    Ok(made.max_by(|one, other| one.created_at.cmp(&other.created_at)))
}

fn goal(progress: &DebateProgress, plan: &RoundOutput) -> String {
    let text = |key: &str| progress.tasuki.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let task = text("name").unwrap_or_default();
    let (role, id, plan) = (&plan.role, &progress.debate_id, plan.proposal.trim());
    let what = match language::of(&task) {
        Language::English => format!("Carry out this plan, which {role} wrote at the end of debate {id}:"),
        Language::Japanese => format!("討論 {id} の最後に {role} が書いた次の計画を実行してください："),
    };
    format!("{task}\n\n{what}\n\n{plan}\n")
}
