//! `tasuki why`: the story of a message or an agent, each step with its time and its evidence, from the journal.

use super::desk::{Desk, Ended};
use super::failure::{Failure, Kind};
use super::story::{self, About};
use crate::engine::words::{AgentName, MessageId};
use crate::io::settings::Settings;
use crate::io::workspace::Workspace;
use crate::ui::http::client::{ANSWER_DEADLINE, Client};
use crate::ui::http::types::{AgentInfo, MessageInfo, StatusInfo};

/// Tells the story of a message or an agent: what happened to it, when, and how that is known
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki why msg-a1b2c3d4e5f6
  tasuki why grand_boss
  tasuki why --json msg-a1b2c3d4e5f6 | jq -r '.story[].text'

It reads the journal, so it works without a daemon too.")]
pub(super) struct Args {
    /// A message's id, or an agent
    #[arg(value_name = "ID|AGENT")]
    subject: String,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Ended {
    let workspace = desk.workspace()?;
    let agent = AgentName::new(&args.subject).ok().and_then(|name| member(desk, &workspace, &name));
    let id = MessageId::new(&args.subject).ok();
    let story = match (&agent, &id) {
        (Some(agent), _) => story::read(&workspace, &About::Agent(agent))?,
        (None, Some(id)) => story::read(&workspace, &About::Message(id))?,
        (None, None) => return Err(unknown(&args.subject)),
    };
    if story.sentences.is_empty() {
        return Err(unknown(&args.subject));
    }
    if story.unread > 0 {
        desk.remark(format!("{} lines of the journal cannot be understood: see `tasuki fsck`", story.unread));
    }
    let now = now(desk, &workspace, agent.as_ref(), id.as_ref())?;
    let value = serde_json::json!({"subject": args.subject, "story": story.sentences, "now": now});
    desk.tell(&value, || {
        let lines = story.sentences.iter().map(|sentence| format!("{}  {}", sentence.at, sentence.text));
        let now = now.iter().map(|now| format!("now: {now}"));
        lines.chain(now).collect::<Vec<_>>().join("\n")
    })
}

/// The agent of that name or alias.
fn member(desk: &Desk, workspace: &Workspace, name: &AgentName) -> Option<AgentName> {
    let team = Settings::load(workspace, &desk.around).ok()?.settings.team;
    team.addressee(name).ok().filter(|name| team.members.contains_key(name))
}

/// What it waits for, as the daemon sees it; nothing where none runs.
fn now(
    desk: &Desk,
    workspace: &Workspace,
    agent: Option<&AgentName>,
    id: Option<&MessageId>,
) -> Result<Option<String>, Failure> {
    let client = Client::new(workspace, &desk.around)?;
    // What the daemon no longer knows has ended, and the story has said so.
    if let Some(agent) = agent {
        let status = client.get::<StatusInfo>("/v1/status", ANSWER_DEADLINE).ok();
        let agents = status.map(|status| status.agents).unwrap_or_default();
        let found = agents.into_iter().find(|info| info.agent_name == agent.as_str());
        return Ok(found.as_ref().map(agent_now));
    }
    let message = id.and_then(|id| client.get(&format!("/v1/messages/{id}"), ANSWER_DEADLINE).ok());
    Ok(message.as_ref().and_then(message_now))
}

fn agent_now(agent: &AgentInfo) -> String {
    let task = agent.current_task.as_deref().map_or(String::new(), |id| format!(" on {id}"));
    let why = agent.why.as_deref().map_or(String::new(), |why| format!(": {why}"));
    format!("{}{task}{why}; {} waiting", agent.state, agent.queued)
}

fn message_now(message: &MessageInfo) -> Option<String> {
    message.waits_for.as_ref().map(|what| format!("{}, waits for {what}", message.stage.replace('_', " ")))
}

fn unknown(subject: &str) -> Failure {
    let why = format!("the journal knows neither a message nor an agent `{}`", subject.escape_debug());
    let cure = "an id is printed by `tasuki send`; a refused drop is in queue/rejected/ with its reason";
    Failure::new(Kind::Rejected, "unknown", why, cure)
}
