//! `tasuki why`: the story of a message with all its parts, or of an agent, from the journal.

use super::context::{Context, Ended};
use super::dropping;
use super::failure::{Failure, Kind};
use super::history;
use super::history::draw::{Style, draw};
use crate::engine::words::{AgentName, MessageId};
use crate::io::client::{ANSWER_DEADLINE, Client};
use crate::io::workspace::Workspace;
use crate::read::history::of_agent;
use crate::wire::api::{AgentInfo, StatusInfo};
use crate::wire::team_file::Settings;

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
    let (found, unread) = history::read(workspace, &client, id)?;
    warn(context, unread);
    let Some(found) = found else {
        let now = dropping::lies(workspace, id).ok_or_else(|| unknown(&args.subject))?;
        let value = serde_json::json!({"subject": args.subject, "story": [], "now": now, "tree": null});
        return context.tell(&value, || now.clone());
    };
    let now = found.waits_for.as_ref();
    let now = now.map(|what| format!("{}, waits for {what}", found.stage.said()));
    let value = serde_json::json!({"subject": args.subject, "story": found.story, "now": now, "tree": found});
    context.tell(&value, || draw(&found, Style::of_the_terminal(args.full)))
}

fn about_agent(context: &Context, workspace: &Workspace, args: &Args, agent: &AgentName) -> Ended {
    let history = of_agent(workspace, agent)?;
    if history.sentences.is_empty() {
        return Err(unknown(&args.subject));
    }
    warn(context, history.unread);
    let client = Client::new(workspace, &context.around)?;
    let status = client.get::<StatusInfo>("/api/status", ANSWER_DEADLINE).ok();
    let agents = status.map(|status| status.agents).unwrap_or_default();
    let now = agents.iter().find(|info| info.agent_name == agent.as_str()).map(agent_now);
    let value = serde_json::json!({"subject": args.subject, "story": history.sentences, "now": now});
    context.tell(&value, || {
        let lines = history.sentences.iter().map(|sentence| format!("{}  {}", sentence.at, sentence.text));
        let now = now.iter().map(|now| format!("now: {now}"));
        lines.chain(now).collect::<Vec<_>>().join("\n")
    })
}

/// The agent of that name or alias.
pub(super) fn member(context: &Context, workspace: &Workspace, name: &AgentName) -> Option<AgentName> {
    let team = Settings::load(workspace, &context.around).ok()?.settings.team;
    team.addressee(name).ok().filter(|name| team.members.contains_key(name))
}

fn agent_now(agent: &AgentInfo) -> String {
    let task = agent.current_task.as_deref().map_or(String::new(), |id| format!(" on {id}"));
    let why = agent.why.as_deref().map_or(String::new(), |why| format!(": {why}"));
    format!("{}{task}{why}; {} waiting", agent.state, agent.queued)
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
