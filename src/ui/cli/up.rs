//! `tasuki up`: a daemon in the background if none runs, every agent started, a line each until it is ready.

use super::context::{Context, Ended, refuse_agents, unless_running};
use super::failure::{Failure, Kind};
use super::lying;
use crate::engine::words::Millis;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::io::lock;
use crate::io::workspace::Workspace;
use crate::wire::api::{AgentInfo, DaemonInfo, Done, Health, StatusInfo};
use crate::wire::team_file::{Loaded, Settings};
use crate::wire::time::read_time;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::IsTerminal;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A daemon listens once it has read one segment of the journal and found its tmux server: a second, ten on a slow disk.
const START_DEADLINE_MS: u64 = 30_000;
/// A daemon that runs says so within some milliseconds; more than this is given to none, however busy the machine is.
const HEALTH_DEADLINE: Duration = Duration::from_secs(10);
/// Between two looks at something that is about to be there.
const LOOK: Duration = Duration::from_millis(50);

/// Starts the daemon in the background, and the agents
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki up
  tasuki up --within 5m          gives slow agents more time to get ready
  tasuki up --no-wait            does not wait for them

Exit codes:
  0  every agent is ready
  1  an agent is in error
  4  an agent is not ready yet")]
pub(super) struct Args {
    /// Longest wait for the agents; the slowest known program needs 39 s
    #[arg(long, value_name = "TIME", value_parser = read_time, default_value = "90s")]
    within: u64,
    /// Do not wait for the agents
    #[arg(long)]
    no_wait: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.team()?;
    let client = Client::new(&workspace, &context.around)?;
    let clock = Clock::start();
    let began = clock.now();
    loop {
        let found = found(&workspace, &client, began, &clock)?;
        let daemon = match &found {
            Some(daemon) => {
                context.remark(format!("daemon {} is already running", daemon.pid));
                // It goes on with what it has if the file cannot be used now, and says so itself.
                if let Ok(loaded) = Settings::load(&workspace, &context.around) {
                    warn(context, &loaded);
                }
                daemon.clone()
            }
            None => {
                refuse_agents(&client, "up")?;
                match start(context, &workspace, &client)? {
                    Some(daemon) => daemon,
                    None => continue, // somebody else started one
                }
            }
        };
        match ready(context, &client, args) {
            Err(ClientError::NotRunning { .. } | ClientError::Gone(_))
                if found.is_some() && clock.now().since(began) <= START_DEADLINE_MS =>
            {
                context.remark(format!("daemon {} is ending: another one is started", daemon.pid));
            }
            watched => {
                let watched = watched?;
                // What is to be seen to by a person, before it is forgotten.
                lying::notes(&workspace).iter().for_each(|note| context.remark(format!("warning: {note}")));
                return finish(context, &daemon, &watched, args.within);
            }
        }
    }
}

/// The daemon that listens; none if there is none. One that does not listen yet or any more is waited for.
fn found(
    workspace: &Workspace,
    client: &Client,
    began: Millis,
    clock: &Clock,
) -> Result<Option<DaemonInfo>, Failure> {
    loop {
        match client.get::<Health>("/api/health", HEALTH_DEADLINE) {
            Ok(health) => return Ok(Some(health.daemon)),
            Err(ClientError::NotRunning { .. } | ClientError::Gone(_)) => {}
            Err(ClientError::TooSlow(_)) => {
                let (who, cure) = lying::silent(workspace);
                let why = format!("the daemon does not answer ({who})");
                return Err(Failure::new(Kind::TimedOut, "too-slow", why, cure));
            }
            Err(error) => return Err(error.into()),
        }
        let Some(holder) = lock::holder(&workspace.lock())? else { return Ok(None) };
        if clock.now().since(began) > START_DEADLINE_MS {
            let why = format!("{holder} neither listens nor ends after 30 s");
            return Err(Failure::new(
                Kind::Failed,
                "held",
                why,
                "see .tasuki/daemon.log, or send it SIGTERM",
            ));
        }
        client.pause(LOOK);
    }
}

/// Has every agent started, and waits for them.
fn ready(context: &Context, client: &Client, args: &Args) -> Result<Watched, ClientError> {
    client.post::<Done>("/api/agents/start", &serde_json::json!({}), ANSWER_DEADLINE)?;
    if args.no_wait { Ok(Watched::default()) } else { watch(context, client, args.within) }
}

/// What is odd about the team file.
fn warn(context: &Context, loaded: &Loaded) {
    for warning in &loaded.warnings {
        context.remark(format!("{}:{}: {warning}; {}", warning.file(), warning.line(), warning.cure));
    }
}

/// Starts a daemon; none if another one was first.
fn start(context: &Context, workspace: &Workspace, client: &Client) -> Result<Option<DaemonInfo>, Failure> {
    // What is wrong with the team file is best said here, with its line.
    warn(context, &Settings::load(workspace, &context.around)?);
    workspace.prepare()?;
    let words = workspace.memory().join("start.err");
    let mut child = Command::new(&context.around.exe)
        .args(["daemon", "--detach", "--root"])
        .arg(workspace.root())
        .current_dir(workspace.root())
        // The service that this command runs in, if it does, is not the daemon's to speak for.
        .env_remove("NOTIFY_SOCKET")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(anew(&words).map_err(Failure::at(&words))?)
        .spawn()?;
    let clock = Clock::start();
    let began = clock.now();
    loop {
        let asked = match client.get::<Health>("/api/health", ANSWER_DEADLINE) {
            // It listened already and could not start after all: why, it says below.
            Err(ClientError::Gone(_)) => None,
            asked => unless_running(asked)?,
        };
        if let Some(health) = asked {
            context.remark(format!("daemon {} started", health.daemon.pid));
            return Ok(Some(health.daemon));
        }
        if let Some(failure) = ended(&mut child, &words)? {
            let is_first = lock::holder(&workspace.lock())?.is_none();
            return if is_first { Err(failure) } else { Ok(None) };
        }
        if clock.now().since(began) > START_DEADLINE_MS {
            let why = format!("the daemon (process {}) is not listening after 30 s", child.id());
            return Err(Failure::new(Kind::TimedOut, "too-slow", why, "see .tasuki/daemon.log"));
        }
        client.pause(LOOK);
    }
}

/// A new file in the place of whatever lies there, for our eyes alone.
fn anew(path: &std::path::Path) -> std::io::Result<File> {
    if let Err(error) = std::fs::remove_file(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error);
    }
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// What the daemon said, if it has ended already.
fn ended(child: &mut Child, words: &std::path::Path) -> Result<Option<Failure>, Failure> {
    let Some(status) = child.try_wait()? else { return Ok(None) };
    let said = std::fs::read_to_string(words).unwrap_or_default();
    let said = said.trim();
    let why = match said.strip_prefix("error: ").unwrap_or(said) {
        "" => format!("the daemon ended at once ({status})"),
        said => format!("the daemon did not start: {said}"),
    };
    let kind = if status.code() == Some(2) { Kind::Rejected } else { Kind::Failed };
    Ok(Some(Failure::new(kind, "start", why, "see .tasuki/daemon.log, and `tasuki doctor`")))
}

/// The agents as they were seen last.
#[derive(Default)]
struct Watched {
    agents: Vec<AgentInfo>,
    /// Whether `queue/STOP` exists.
    is_halted: bool,
}

/// Looks until no agent is being started any more, or none can get ready.
fn watch(context: &Context, client: &Client, within_ms: u64) -> Result<Watched, ClientError> {
    let clock = Clock::start();
    let began = clock.now();
    let mut lines = Lines::new(context.globals.json);
    loop {
        let status: StatusInfo = client.get("/api/status", ANSWER_DEADLINE)?;
        let passed = clock.now().since(began);
        for agent in &status.agents {
            lines.show(context, agent, Millis(passed));
        }
        // Under queue/STOP none gets ready, however long it is waited for.
        let is_halted = status.halted_since.is_some();
        if status.agents.iter().all(is_settled) || passed >= within_ms || is_halted {
            lines.finish();
            return Ok(Watched { agents: status.agents, is_halted });
        }
        client.pause(LOOK);
    }
}

fn finish(context: &Context, daemon: &DaemonInfo, watched: &Watched, within_ms: u64) -> Ended {
    let agents = &watched.agents;
    let value = serde_json::json!({"daemon": daemon, "agents": agents});
    context.tell(&value, || {
        "tasuki attach    shows the agents; C-b d leaves them\ntasuki status    shows what each agent does"
            .to_owned()
    })?;
    let names = |bad: &dyn Fn(&&AgentInfo) -> bool| {
        let bad: Vec<String> = agents.iter().filter(bad).map(named).collect();
        (!bad.is_empty()).then(|| bad.join("\n  "))
    };
    // Whoever is still being started is named with them: it may have ended, too, and be tried again.
    let is_down = |agent: &AgentInfo| matches!(agent.state.as_str(), "error" | "stopped");
    let any_down = agents.iter().any(is_down);
    if let Some(bad) = names(&|agent| any_down && (is_down(agent) || !is_settled(agent))) {
        let cure = "see `tasuki status`, and `tasuki attach AGENT`";
        return Err(Failure::new(
            Kind::Failed,
            "agent-down",
            format!("not all agents are ready:\n  {bad}"),
            cure,
        ));
    }
    if let Some(slow) = names(&|agent| !is_settled(agent)) {
        let seconds = within_ms / 1_000;
        let (why, cure) = if watched.is_halted {
            let why = format!("queue/STOP exists, and until it is gone no agent gets ready:\n  {slow}");
            (why, "`tasuki stop --off` removes it, and the agents go on by themselves")
        } else {
            let cure = "they are still starting; see `tasuki status`, and `tasuki attach AGENT`";
            (format!("not ready after {seconds} s:\n  {slow}"), cure)
        };
        return Err(Failure::new(Kind::TimedOut, "not-ready", why, cure));
    }
    Ok(())
}

/// An agent with what is wrong with it.
pub(super) fn named(agent: &AgentInfo) -> String {
    let why = agent.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
    format!("{} ({}){why}", agent.agent_name, agent.state)
}

fn is_settled(agent: &AgentInfo) -> bool {
    agent.state != "starting"
}

/// A line each agent: one that moves on a terminal, one when it is ready elsewhere.
struct Lines {
    moving: Option<MultiProgress>,
    bars: BTreeMap<String, ProgressBar>,
    said: BTreeMap<String, bool>,
}

impl Lines {
    fn new(silent: bool) -> Self {
        let moving = (!silent && std::io::stderr().is_terminal()).then(MultiProgress::new);
        Self { moving, bars: BTreeMap::new(), said: BTreeMap::new() }
    }

    fn show(&mut self, context: &Context, agent: &AgentInfo, passed: Millis) {
        let name = &agent.agent_name;
        let why = agent.why.as_deref().map_or(String::new(), |why| format!(": {why}"));
        let words = format!("{name}: {}{why}", agent.state);
        if let Some(moving) = &self.moving {
            let bar = self.bars.entry(name.clone()).or_insert_with(|| moving.add(spinner()));
            bar.set_message(words);
            bar.tick();
            if is_settled(agent) && !bar.is_finished() {
                bar.finish();
            }
        } else if is_settled(agent) && self.said.insert(name.clone(), true).is_none() && !context.globals.json
        {
            context.remark(format!("{words} (after {}.{} s)", passed.0 / 1_000, passed.0 % 1_000 / 100));
        }
    }

    fn finish(&self) {
        for bar in self.bars.values().filter(|bar| !bar.is_finished()) {
            bar.abandon();
        }
    }
}

fn spinner() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}
