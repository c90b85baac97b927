//! `tasuki answer`: what an agent asks, and a person's answer to it.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::table::harmless_lines;
use crate::engine::words::AgentName;
use crate::io::client::ANSWER_DEADLINE;
use crate::wire::api::{
    AsksInfo, NeedInfo, NeedKindInfo, NeedsInfo, PaneAnswerBody, PaneAnswered, PaneLookInfo,
};
use std::fmt::Write as _;

/// Shows the dialog of an agent, and answers it
///
/// tasuki moves the mark of the dialog to the choice, and presses Enter once it sees the mark there. No key is pressed if the agent
/// shows no dialog or another one by then, or if a person types in its pane.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki answer coder                      shows the question and its choices
  tasuki answer coder yes
  tasuki answer coder 2
  tasuki answer coder \"allow for this session\"
  tasuki answer coder \"use jiff instead\"   types a text, if a choice takes one (\"Type something\")
  tasuki answer coder yes --of 4f2a99c1    answers only that dialog
  tasuki answer coder done                 accepts what it said, if it forgot its phrase

Exit codes:
  0  answered, or shown
  1  no dialog to show or to answer
  2  no key was pressed
  3  Enter was pressed, and the dialog is still there")]
pub(super) struct Args {
    /// Agent name
    agent: AgentName,
    /// `yes`, `no`, the number of a choice, or its first words. Other words are typed, if one of the choices takes a text. `done`
    /// accepts what the agent said as its answer, if its turn ended without its phrase. Without a choice, the dialog is shown
    choice: Vec<String>,
    /// Dialog id, as shown with the dialog; another dialog is not answered. With `done`: the task id
    #[arg(long, value_name = "ID", requires = "choice")]
    of: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let agent = &args.agent;
    if args.choice.is_empty() {
        return show(context, agent);
    }
    let body = PaneAnswerBody { choose: args.choice.join(" "), of: args.of.clone() };
    let path = format!("/api/panes/{agent}/answer");
    let answered: PaneAnswered = context.client()?.post(&path, &body, ANSWER_DEADLINE)?;
    context.tell(&answered, || format!("answered: {}", harmless_lines(&answered.choice)))?;
    if answered.proven {
        return Ok(());
    }
    let why = format!("Enter was pressed, but {agent} still shows the same dialog");
    let cure = format!("look at it with `tasuki answer {agent}`, or in its pane: `tasuki attach {agent}`");
    Err(Failure::new(Kind::NotDelivered, "not-proven", why, cure))
}

fn show(context: &Context, agent: &AgentName) -> Ended {
    let look: PaneLookInfo = context.client()?.get(&format!("/api/panes/{agent}/look"), ANSWER_DEADLINE)?;
    let Some(asks) = look.asks else {
        if let Some(why) = unclaimed(context, agent)? {
            return context
                .tell(&why, || format!("{agent} shows no dialog with choices; {}", harmless_lines(&why)));
        }
        let why = format!("{agent} is not asking anything: its screen is read as {}", look.state);
        let cure = format!("see `tasuki detect explain {agent}`");
        return Err(Failure::new(Kind::Failed, "asks-nothing", why, cure));
    };
    let how = match look.takes.as_deref() {
        Some("text") => format!("type an answer: tasuki answer {agent} WORDS"),
        Some("nothing") => format!("answer it in its pane: tasuki attach {agent}"),
        _ => format!("answer it: tasuki answer {agent} yes|no|NUMBER|WORDS"),
    };
    context.tell(&asks, || format!("{}\n{how}", drawn(agent, &asks)))
}

/// What to do about a turn that ended without a claim, if the agent's has, and what it seems to ask.
fn unclaimed(context: &Context, agent: &AgentName) -> Result<Option<String>, Failure> {
    let found: NeedsInfo = context.client()?.get("/api/needs", ANSWER_DEADLINE)?;
    let is_its =
        |need: &NeedInfo| need.kind == NeedKindInfo::Silent && need.agent.as_deref() == Some(agent.as_str());
    let its = found.needs.into_iter().find(is_its);
    Ok(its.map(|need| format!("{}; {}", need.title, need.detail.unwrap_or_default())))
}

/// A dialog, for people.
pub(super) fn drawn(agent: &AgentName, asks: &AsksInfo) -> String {
    let mut text = format!("{agent} asks ({}):", asks.id);
    for row in harmless_lines(&asks.text).lines() {
        let _ = write!(text, "\n  {row}");
    }
    for choice in &asks.choices {
        let _ = write!(text, "\n    {}", harmless_lines(choice));
    }
    text
}
