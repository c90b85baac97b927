//! `tasuki status`: who does what, from the daemon, or from the files where none runs.

use super::desk::{Desk, Ended, unless_running};
use super::files;
use super::table::table;
use crate::ui::http::client::{ANSWER_DEADLINE, Client};
use crate::ui::http::types::{AgentInfo, StatusInfo};
use std::collections::BTreeMap;

/// Shows the team: each agent's state, its task, what waits for it and what it does
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki status
  tasuki status --json | jq -r .daemon.socket
  watch cat status/agents/grand_boss.yaml          the same without a command

It works from the files alone when no daemon runs, and says so.")]
pub(super) struct Args {}

pub(super) fn run(desk: &Desk, _: &Args) -> Ended {
    let workspace = desk.workspace()?;
    let client = Client::new(&workspace, &desk.around)?;
    let asked = unless_running(client.get::<StatusInfo>("/v1/status", ANSWER_DEADLINE))?;
    let status = asked.unwrap_or_else(|| files::status(&workspace));
    let files = files::agents(&workspace).into_iter();
    let doing: BTreeMap<String, String> =
        files.filter_map(|agent| Some((agent.agent_name, agent.doing?))).collect();
    desk.tell(&status, || format!("{}\n\n{}", heading(&status), agents(&status.agents, &doing)))
}

fn heading(status: &StatusInfo) -> String {
    let alarm = anstyle::AnsiColor::Yellow.on_default().bold();
    let mut lines = vec![match &status.daemon {
        Some(daemon) => {
            format!("daemon {} runs since {} (version {})", daemon.pid, daemon.started_at, daemon.version)
        }
        None => {
            format!("{alarm}no daemon runs{alarm:#}: this is what the files say (`tasuki up` starts one)")
        }
    }];
    lines.push(format!("messages: {} open, {} of them waiting in a queue", status.open, status.pending));
    if let Some(since) = &status.halted_since {
        lines.push(format!(
            "{alarm}STOP{alarm:#} since {since}: nothing is typed (`tasuki stop --off` goes on)"
        ));
    }
    if status.unread > 0 {
        let count = status.unread;
        lines.push(format!(
            "{alarm}{count} unread{alarm:#} for you: `tasuki log user` shows what was sent to you"
        ));
    }
    if status.held > 0 {
        lines.push(format!(
            "{alarm}{} held{alarm:#}: they wait for a person (`tasuki retry|cancel ID`)",
            status.held
        ));
    }
    if status.tmux_lost {
        lines.push(format!("{alarm}the tmux server is gone{alarm:#}: it is being started again"));
    }
    lines.extend(status.notes.iter().map(|note| format!("{alarm}note{alarm:#}: {note}")));
    lines.join("\n")
}

/// The table of agents.
pub(super) fn agents(agents: &[AgentInfo], doing: &BTreeMap<String, String>) -> String {
    let row = |agent: &AgentInfo| {
        let doing = agent.why.as_ref().or_else(|| doing.get(&agent.agent_name));
        vec![
            agent.agent_name.clone(),
            agent.state.clone(),
            agent.current_task.clone().unwrap_or_else(|| "-".to_owned()),
            agent.queued.to_string(),
            doing.cloned().unwrap_or_default(),
        ]
    };
    table(&["agent", "state", "task", "queued", "doing"], agents.iter().map(row).collect())
}
