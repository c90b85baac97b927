//! `tasuki status`: who does what, from the daemon, or from the files where none runs.

use super::ages::Exact;
use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::marks::Letters;
use super::shown::Shown;
use super::table::terminal_width;
use super::team::{Style, short_pulse};
use super::watch;
use super::why;
use crate::engine::words::AgentName;
use crate::io::client::{Client, ClientError};
use crate::io::workspace::Workspace;
use crate::wire::api::{Question, StatusInfo, StatusQuery};
use std::time::Duration;

/// How long a status line may be held up: it is drawn every few seconds.
const LINE_PATIENCE: Duration = Duration::from_secs(1);

/// Shows the team: each agent's state, task, queue and last line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki status
  tasuki status --watch                            drawn again when something changes
  tasuki status --json | jq -r .daemon.socket
  watch cat status/agents/grand_boss.yaml          the same without a command

  set -g status-right '#(tasuki --root ~/work status --line)'     for ~/.tmux.conf

If no daemon answers, the command reads the status files, and says so. `--line` counts: working, waiting, needs you, failed, \
stuck.")]
pub(super) struct Args {
    /// Draw it again when something changes, until Ctrl-C
    #[arg(short, long, conflicts_with = "line")]
    watch: bool,
    /// Print one short line, for the status line of a shell or of tmux; never fails
    #[arg(long)]
    line: bool,
    /// Use only ASCII characters
    #[arg(long)]
    ascii: bool,
    /// Whoever names an agent is told which verbs show one
    #[arg(hide = true)]
    agent: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    if args.line {
        return line(context, args.ascii);
    }
    // A daemon goes on without its team file.
    let workspace = context.workspace()?;
    if let Some(name) = &args.agent {
        return Err(one_agent(context, &workspace, name));
    }
    let client = Client::new(&workspace, &context.around)?;
    let letters = Letters::of(context, args.ascii);
    if args.watch {
        return watch::run(context, &workspace, &client, letters);
    }
    let shown = Shown::look(context, &workspace, &client)?.0;
    context.tell(&shown, || shown.page(Style { letters, exact: Exact::Seconds, width: terminal_width() }))
}

/// Which verbs show one agent: this one shows the team.
fn one_agent(context: &Context, workspace: &Workspace, name: &str) -> Failure {
    let known = AgentName::new(name).ok().and_then(|name| why::member(context, workspace, &name));
    let Some(agent) = known else {
        let why =
            format!("`tasuki status` shows the whole team, and there is no agent `{}`", name.escape_debug());
        return Failure::new(Kind::Rejected, "unknown", why, "`tasuki status` lists the agents");
    };
    let cure = format!(
        "`tasuki why {agent}` tells what it does and did, `tasuki list --agent {agent}` its tasks, `tasuki attach {agent}` shows \
         its screen"
    );
    Failure::new(Kind::Rejected, "one-agent", "`tasuki status` shows the whole team", cure)
}

/// One line for a status line: whatever is wrong is said in it.
fn line(context: &Context, is_ascii: bool) -> Ended {
    let letters = Letters::of(context, is_ascii);
    let asked = context.client().and_then(|client| {
        client.get::<StatusInfo>(&StatusQuery {}.address(), LINE_PATIENCE).map_err(|error| match error {
            ClientError::TooSlow(_) => Failure::from(error),
            // One that starts or ends is none yet, or no more.
            error => Failure { kind: Kind::NoDaemon, ..Failure::from(error) },
        })
    });
    let line = match asked {
        Ok(status) => {
            let stop = if status.halted_since.is_some() { " STOP" } else { "" };
            format!("{}{stop}", short_pulse(&status.pulse, letters))
        }
        Err(failure) if failure.kind == Kind::TimedOut => "tasuki: no answer".to_owned(),
        Err(failure) if failure.kind == Kind::NoDaemon => "tasuki: no daemon".to_owned(),
        Err(_) => "tasuki: no workspace".to_owned(),
    };
    context.tell(&serde_json::json!({"line": line}), || line.clone())
}
