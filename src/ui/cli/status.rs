//! `tasuki status`: who does what, from the daemon, or from the files where none runs.

use super::ages::Exact;
use super::context::{Context, Ended};
use super::failure::Failure;
use super::look::{Looked, Source, look};
use super::lying::{self, Gone};
use super::marks::Letters;
use super::table::terminal_width;
use super::team::{self, Style, pulse, short_pulse};
use super::watch;
use crate::engine::words::counted;
use crate::io::client::{Client, ClientError};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::{AgentInfo, Question, StatusInfo, StatusQuery};
use crate::wire::time::rfc3339_ms;
use serde::Serialize;
use std::time::Duration;

/// Said where the team file was removed under a daemon.
const NO_TEAM_FILE: &str = "tasuki.yaml is gone: the daemon goes on with the team that it knows; put the file back, or end it with `tasuki down`";
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
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    if args.line {
        return line(context, args.ascii);
    }
    // A daemon goes on without its team file.
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let letters = Letters::of(context, args.ascii);
    if args.watch {
        return watch::run(context, &workspace, &client, letters);
    }
    let shown = Shown::look(context, &workspace, &client)?.0;
    context.tell(&shown, || shown.page(Style { letters, exact: Exact::Seconds, width: terminal_width() }))
}

/// One line for a status line: whatever is wrong is said in it.
fn line(context: &Context, is_ascii: bool) -> Ended {
    let letters = Letters::of(context, is_ascii);
    let asked = context.client().and_then(|client| {
        client.get::<StatusInfo>(&StatusQuery {}.address(), LINE_PATIENCE).map_err(|error| match error {
            ClientError::TooSlow(_) => Failure::from(error),
            // One that starts or ends is none yet, or no more.
            error => Failure { kind: super::failure::Kind::NoDaemon, ..Failure::from(error) },
        })
    });
    let line = match asked {
        Ok(status) => {
            let stop = if status.halted_since.is_some() { " STOP" } else { "" };
            format!("{}{stop}", short_pulse(&status.pulse, letters))
        }
        Err(failure) if failure.kind == super::failure::Kind::TimedOut => "tasuki: no answer".to_owned(),
        Err(failure) if failure.kind == super::failure::Kind::NoDaemon => "tasuki: no daemon".to_owned(),
        Err(_) => "tasuki: no workspace".to_owned(),
    };
    context.tell(&serde_json::json!({"line": line}), || line.clone())
}

/// What the daemon says, or the files, and what is seen besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    pub(super) status: StatusInfo,
    /// Files in `queue/` that are still to be taken.
    files_in_queue: usize,
    /// The daemon that ran last, where none runs.
    daemon_gone: Option<Gone>,
    /// Drops that were refused and are kept in `queue/rejected/`.
    files_refused: usize,
    /// The daemon that has the workspace and does not answer.
    daemon_silent: Option<(String, String)>,
}

impl Shown {
    /// What is to be seen now, and who said it.
    pub(super) fn look(
        context: &Context,
        workspace: &Workspace,
        client: &Client,
    ) -> Result<(Self, Source), Failure> {
        let Looked { answer, source } = look(context, workspace, client, &StatusQuery {})?;
        Ok((Self::of(workspace, answer, source), source))
    }

    /// With what the files say besides.
    pub(super) fn of(workspace: &Workspace, mut status: StatusInfo, source: Source) -> Self {
        let gone = if source == Source::Files { lying::gone(workspace) } else { None };
        status.notes.extend(gone.iter().flat_map(|gone| gone.notes.clone()));
        status.notes.extend(lying::notes(workspace));
        if !workspace.team_file().exists() {
            status.notes.push(NO_TEAM_FILE.to_owned());
        }
        let silent = (source == Source::SilentDaemon).then(|| lying::silent(workspace));
        Self {
            status,
            files_in_queue: lying::in_queue(workspace),
            files_refused: lying::refused(workspace),
            daemon_gone: gone,
            daemon_silent: silent,
        }
    }

    /// For a person.
    pub(super) fn page(&self, style: Style) -> String {
        let status = &self.status;
        let team = team::agents(&status.agents, &status.now, style);
        format!("{}\n{}\n\n{team}", heading(self), pulse(&status.pulse, style.letters))
    }
}

/// Where no daemon runs: since when, as far as that is known.
fn without_daemon(gone: Option<&Gone>) -> String {
    let said = "this is what the status files say (`tasuki up` starts one)";
    match gone {
        None => format!("no daemon is running: {said}"),
        Some(Gone { since, killed: None, .. }) => {
            format!("no daemon is running (the last one ended at {since}): {said}")
        }
        Some(Gone { since, killed: Some(pid), .. }) => format!(
            "no daemon is running: process {pid} ended without saying why and was last seen at {since}; {said}"
        ),
    }
}

fn heading(shown: &Shown) -> String {
    let status = &shown.status;
    let alarm = anstyle::AnsiColor::Yellow.on_default().bold();
    let mut lines = vec![match &status.daemon {
        Some(daemon) => {
            format!("daemon {} running since {} (version {})", daemon.pid, daemon.started_at, daemon.version)
        }
        None if let Some((who, cure)) = &shown.daemon_silent => {
            format!(
                "{alarm}the daemon does not answer{alarm:#} ({who}; {cure}): this is what the status files say"
            )
        }
        None => {
            let words = without_daemon(shown.daemon_gone.as_ref());
            let (first, rest) = words.split_at("no daemon is running".len());
            format!("{alarm}{first}{alarm:#}{rest}")
        }
    }];
    lines.push(format!("messages: {} open, {} of them queued", status.open, status.pending));
    if shown.files_in_queue > 0 {
        let (files, are) = if shown.files_in_queue == 1 { ("file", "is") } else { ("files", "are") };
        lines.push(format!("queue/: {} {files} that {are} not taken yet", shown.files_in_queue));
    }
    if shown.files_refused > 0 {
        let drops = if shown.files_refused == 1 { "drop was" } else { "drops were" };
        lines.push(format!(
            "queue/rejected/: {} {drops} refused, each with its reason beside it (NAME.reason.yaml)",
            shown.files_refused
        ));
    }
    if let Some(since) = &status.halted_since {
        lines.push(format!(
            "{alarm}STOP{alarm:#} since {since}: nothing is typed (`tasuki stop --off` lets the work go on)"
        ));
    }
    if status.unread > 0 {
        let count = status.unread;
        lines.push(format!(
            "{alarm}{count} unread{alarm:#} for you: `tasuki inbox` shows what was sent to you"
        ));
    }
    if status.pulse.needs_you > 0 {
        let things = counted(status.pulse.needs_you, "thing");
        let wait = if status.pulse.needs_you == 1 { "waits" } else { "wait" };
        lines.push(format!("{alarm}{things}{alarm:#} {wait} for you: see `tasuki needs`"));
    }
    if status.held > 0 {
        lines.push(format!(
            "{alarm}{} held{alarm:#}, waiting for a person (`tasuki retry|cancel ID`)",
            status.held
        ));
    }
    if status.tmux_lost {
        lines.push(format!("{alarm}the tmux server is gone{alarm:#} and is being restarted"));
    }
    lines.extend(status.notes.iter().map(|note| format!("{alarm}note{alarm:#}: {note}")));
    lines.join("\n")
}

/// The agents, for a verb that shows them alone.
pub(super) fn agents(context: &Context, agents: &[AgentInfo]) -> String {
    let letters = Letters::of(context, false);
    let style = Style { letters, exact: Exact::Seconds, width: terminal_width() };
    team::agents(agents, &rfc3339_ms(Clock::start().wall()), style)
}
