//! `tasuki why`: the story of a message with all its parts, or of an agent, from the journal.

use super::context::{Context, Ended};
use super::dropping;
use super::failure::{Failure, Kind};
use super::history::draw::{Style, draw, now_words};
use super::look::{Looked, look};
use super::roster;
use super::table::harmless;
use crate::engine::words::{AgentName, MessageId};
use crate::io::client::Client;
use crate::io::workspace::Workspace;
use crate::wire::api::{AgentHistoryQuery, HistoryInfo, HistoryQuery};

/// Prints the history of a message with all its parts, or of an agent, with times and evidence
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki why msg-a1b2c3d4e5f6
  tasuki why --full msg-a1b2c3d4e5f6           each step of each part
  tasuki why grand_boss
  tasuki why --json msg-a1b2c3d4e5f6 | jq -r '.tree.parts[].id'

The command reads the journal, so it works without a daemon too. Times are UTC. If a task has many parts, each completed \
part gets one line, unless `--full` is given.")]
pub(super) struct Args {
    /// Message id or agent name
    #[arg(value_name = "ID|AGENT")]
    subject: String,
    /// Show every step of every part
    #[arg(long)]
    full: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let agent = AgentName::new(&args.subject).ok().and_then(|name| member(context, &workspace, &name));
    match (agent, MessageId::new(&args.subject)) {
        (Some(agent), _) => about_agent(context, &workspace, args, &agent),
        (None, Ok(id)) => about_message(context, &workspace, args, &id),
        (None, Err(_)) => Err(unknown(&args.subject)),
    }
}

fn about_message(context: &Context, workspace: &Workspace, args: &Args, id: &MessageId) -> Ended {
    let client = Client::new(workspace, &context.around)?;
    let HistoryInfo { tree, unread } =
        match look(context, workspace, &client, &HistoryQuery { id: id.to_string() }) {
            Ok(Looked { answer, .. }) => answer,
            Err(failure) if failure.problem.code == "no-message" => {
                let now = dropping::lies(workspace, id).ok_or_else(|| unknown(&args.subject))?;
                let value =
                    serde_json::json!({"subject": args.subject, "story": [], "now": now, "tree": null});
                return context.tell(&value, || now.clone());
            }
            Err(failure) => return Err(failure),
        };
    warn(context, unread);
    let now = tree.waits_for.as_ref();
    let now = now.map(|what| format!("{}, waits for {what}", now_words(&tree)));
    let value = serde_json::json!({"subject": args.subject, "story": tree.story, "now": now, "tree": tree});
    context.tell(&value, || draw(&tree, Style::of_the_terminal(args.full)))
}

fn about_agent(context: &Context, workspace: &Workspace, args: &Args, agent: &AgentName) -> Ended {
    let client = Client::new(workspace, &context.around)?;
    let question = AgentHistoryQuery { name: agent.to_string() };
    let history = look(context, workspace, &client, &question)?.answer;
    if history.story.is_empty() {
        return Err(unknown(&args.subject));
    }
    warn(context, history.unread);
    let (story, now) = (&history.story, &history.now);
    let value = serde_json::json!({"subject": args.subject, "story": story, "now": now});
    context.tell(&value, || {
        let lines = story.iter().map(|step| format!("{}  {}", step.at, harmless(&step.event.text)));
        let now = now.iter().map(|now| format!("now: {now}"));
        lines.chain(now).collect::<Vec<_>>().join("\n")
    })
}

/// The agent of that name or alias.
pub(super) fn member(context: &Context, workspace: &Workspace, name: &AgentName) -> Option<AgentName> {
    let team = roster::settings_for(context, workspace, name)?.team;
    team.addressee(name).ok().filter(|name| team.members.contains_key(name))
}

fn warn(context: &Context, unread: u64) {
    if unread > 0 {
        context
            .remark(format!("lines of the journal that cannot be understood: {unread}; see `tasuki fsck`"));
    }
}

fn unknown(subject: &str) -> Failure {
    let why = format!("the journal knows neither a message nor an agent `{}`", subject.escape_debug());
    let cure = "an id is printed by `tasuki send`; a refused drop is in queue/rejected/ with its reason";
    Failure::new(Kind::Rejected, "unknown", why, cure)
}
