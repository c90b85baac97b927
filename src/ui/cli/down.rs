//! `tasuki down`: ends the daemon, and the agents with it unless they are to stay.

use super::context::{Context, Ended, refuse_agents, unless_running};
use super::failure::{Failure, Kind};
use crate::daemon::tmux::survivors;
use crate::daemon::tmux::survivors::{Survivors, show_stopped, strangers};
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::io::evidence;
use crate::io::lock::{self, Lock, LockError};
use crate::io::workspace::Workspace;
use crate::wire::api::{Done, DownBody};
use crate::wire::team_file::Settings;
use std::time::Duration;

/// The daemon gives its workers 5 s, then writes and closes its journal.
const END_DEADLINE_MS: u64 = 30_000;
/// Between two looks at the lock.
const LOOK: Duration = Duration::from_millis(20);

/// Ends the daemon and the agents
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki down
  tasuki down --keep-agents      the agents keep running; the next `tasuki up` adopts them

Agents that a killed daemon has left are ended too. Open messages stay open, and the next daemon continues them.")]
pub(super) struct Args {
    /// Leave the agents running for the next daemon
    #[arg(long)]
    keep_agents: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    // Whoever removed the team file of a daemon that runs can end that all the same.
    let runs = |workspace: &Workspace| {
        matches!(lock::holder(&workspace.lock()), Ok(Some(_))) || survivors::are_left(workspace)
    };
    let workspace = context.workspace_where(runs)?;
    let client = Client::new(&workspace, &context.around)?;
    let body = DownBody { keep_agents: args.keep_agents };
    let clock = Clock::start();
    let began = clock.now();
    let mut asked = None;
    loop {
        let holder = lock::holder(&workspace.lock())?;
        if asked.is_none() && ask(&client, &body)? {
            asked = Some(holder.clone());
        }
        // One that is being started is asked as soon as it listens; another one may be started when this one has ended.
        let Some(holder) =
            holder.filter(|now| asked.as_ref().is_none_or(|asked| asked.as_ref() == Some(now)))
        else {
            break;
        };
        if clock.now().since(began) > END_DEADLINE_MS {
            let why = format!("{holder} has not ended after 30 s");
            return Err(Failure::new(
                Kind::TimedOut,
                "too-slow",
                why,
                "see .tasuki/daemon.log, or send it SIGTERM",
            ));
        }
        client.pause(LOOK);
    }
    let what = match (asked, args.keep_agents) {
        (None, _) => without(context, &workspace, &client, args, "no daemon was running")?,
        // It was killed when it had been asked.
        (Some(_), false) if is_orphaned(&workspace) => {
            without(context, &workspace, &client, args, "the daemon died before it had ended its agents")?
        }
        (Some(_), true) => "the daemon has ended; the agents go on".to_owned(),
        (Some(_), false) => "the daemon and the agents have ended".to_owned(),
    };
    context.tell(&Done { what: what.clone(), id: None }, || what)
}

/// Whether agents live of which no daemon takes care.
fn is_orphaned(workspace: &Workspace) -> bool {
    matches!(lock::holder(&workspace.lock()), Ok(None)) && survivors::are_left(workspace)
}

/// No daemon runs. One that was killed has left its agents: they are ended in its place.
fn without(
    context: &Context,
    workspace: &Workspace,
    client: &Client,
    args: &Args,
    nobody: &str,
) -> Result<String, Failure> {
    let settings = Settings::load(workspace, &context.around).ok().map(|loaded| loaded.settings);
    // Whoever is started meanwhile takes the agents up, and is to be left alone.
    let memory = workspace.memory();
    let take = || Lock::take(&workspace.lock(), Clock::start().wall());
    let _lock = memory.is_dir().then(take).transpose().map_err(|error| match &error {
        LockError::Held { .. } => {
            Failure::new(Kind::Failed, "held", error.to_string(), "run the command again")
        }
        LockError::Io { .. } => Failure::of("io", &error),
    })?;
    if !client.run(evidence::end_left(workspace.root())) {
        context.remark(
            "what its checks have started could not be ended: look for TASUKI_CHECK in /proc/*/environ",
        );
    }
    let found = client.run(Survivors::find(workspace, &context.around, settings.as_ref()))?;
    for (agent, pids) in found.unproven() {
        let pids = pids.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        context.remark(format!(
            "the agent {agent} still seems to run; it was left alone, since its environment was emptied: `kill {pids}` ends it"
        ));
    }
    if found.is_empty() {
        tell_strangers(context, workspace);
        return Ok(nobody.to_owned());
    }
    let names = match found.names()[..] {
        [] => "their tmux session".to_owned(),
        ref names => names.join(", "),
    };
    if args.keep_agents {
        return Ok(format!("{nobody}; the agents left by an earlier one go on: {names}"));
    }
    refuse_agents(client, "down")?;
    let left = client.run(found.end())?;
    if !left.is_empty() {
        let left = left.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let why = format!("{nobody}, and not all agents left by an earlier one could be ended: {left}");
        return Err(Failure::new(Kind::Failed, "left", why, format!("end them with `kill -9 {left}`")));
    }
    let what = format!("{nobody}; the agents left by an earlier one have ended: {names}");
    if let Some(settings) = &settings
        && memory.is_dir()
        && let Err(error) = show_stopped(workspace, &settings.team, &what)
    {
        context.remark(format!("status/ does not say so: {error}"));
    }
    tell_strangers(context, workspace);
    Ok(what)
}

/// Those that nobody can prove to be agents are a person's to end.
fn tell_strangers(context: &Context, workspace: &Workspace) {
    for (pid, agent) in strangers(workspace) {
        context.remark(format!(
            "process {pid} was started by the agent {agent} of this workspace, or is that agent; `kill {pid}` ends it"
        ));
    }
}

/// Whether a daemon was there to be asked.
fn ask(client: &Client, body: &DownBody) -> Result<bool, Failure> {
    match client.post::<Done>("/api/down", body, ANSWER_DEADLINE) {
        // It may end before its answer is out.
        Err(ClientError::Gone(_)) => Ok(true),
        asked => Ok(unless_running(asked)?.is_some()),
    }
}
