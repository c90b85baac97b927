//! What `status` shows: what the daemon says, or the files, and what is seen besides.

use super::ages::Exact;
use super::context::Context;
use super::failure::Failure;
use super::look::{Looked, Source, look};
use super::lying::{self, Gone, Lies};
use super::marks::Letters;
use super::table::terminal_width;
use super::team::{self, Style, pulse};
use crate::engine::words::counted;
use crate::io::client::Client;
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::{AgentInfo, StatusInfo, StatusQuery};
use crate::wire::time::rfc3339_ms;
use serde::Serialize;
use std::time::Duration;

/// Said where the team file was removed under a daemon.
const NO_TEAM_FILE: &str = "tasuki.yaml is gone: the daemon goes on with the team that it knows; put the file back, or end it with `tasuki down`";

/// What the daemon says, or the files, and what is seen besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    pub(super) status: StatusInfo,
    /// Files in all drop zones that are still to be taken.
    files_in_queue: usize,
    /// The daemon that ran last, where none runs.
    daemon_gone: Option<Gone>,
    /// Drops that were refused and are kept in `rejected/` of their zones.
    files_refused: usize,
    /// The same of each drop zone, `queue/` first.
    drop_zones: Vec<Lies>,
    /// The daemon that has the workspace and does not answer.
    daemon_silent: Option<(String, String)>,
    /// The process of a daemon that has the workspace and does not listen yet, or not any more.
    daemon_starting: Option<String>,
}

/// For how long a daemon is waited for that starts or ends: most do within some 100 ms.
const STARTED_WITHIN: Duration = Duration::from_secs(1);
/// Between two looks at one.
const AGAIN: Duration = Duration::from_millis(50);

impl Shown {
    /// What is to be seen now, and who said it.
    pub(super) fn look(
        context: &Context,
        workspace: &Workspace,
        client: &Client,
    ) -> Result<(Self, Source), Failure> {
        let clock = Clock::start();
        let began = clock.now();
        loop {
            let Looked { answer, source } = look(context, workspace, client, &StatusQuery {})?;
            let starting = if source == Source::Files { lying::starting(workspace) } else { None };
            let is_waited_for = Duration::from_millis(clock.now().since(began)) < STARTED_WITHIN;
            if starting.is_none() || !is_waited_for {
                return Ok((
                    Self { daemon_starting: starting, ..Self::of(workspace, answer, source) },
                    source,
                ));
            }
            client.pause(AGAIN);
        }
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
        let drop_zones = lying::in_zones(workspace);
        Self {
            status,
            files_in_queue: drop_zones.iter().map(|zone| zone.files).sum(),
            files_refused: drop_zones.iter().map(|zone| zone.refused).sum(),
            drop_zones,
            daemon_gone: gone,
            daemon_silent: silent,
            daemon_starting: None,
        }
    }

    /// For a person.
    pub(super) fn page(&self, style: Style) -> String {
        let status = &self.status;
        let team = team::agents(&status.agents, &status.now, style);
        format!("{}\n{}\n\n{team}", heading(self), pulse(&status.pulse, style.letters))
    }
}

/// What waits in a drop zone, if anything does.
fn waiting(Lies { zone, files, .. }: &Lies) -> Option<String> {
    let (noun, are) = if *files == 1 { ("file", "is") } else { ("files", "are") };
    (*files > 0).then(|| format!("{zone}: {files} {noun} that {are} not taken yet"))
}

/// What was refused there, if anything was.
fn refused(Lies { zone, refused, .. }: &Lies) -> Option<String> {
    let drops = if *refused == 1 { "drop was" } else { "drops were" };
    let beside = "each with its reason beside it (NAME.reason.yaml)";
    (*refused > 0).then(|| format!("{zone}rejected/: {refused} {drops} refused, {beside}"))
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
        None if let Some(who) = &shown.daemon_starting => {
            format!(
                "{alarm}the daemon is starting or ending{alarm:#} ({who}): this is what the status files say"
            )
        }
        None => {
            let words = without_daemon(shown.daemon_gone.as_ref());
            let (first, rest) = words.split_at("no daemon is running".len());
            format!("{alarm}{first}{alarm:#}{rest}")
        }
    }];
    lines.push(format!("messages: {} open, {} of them queued", status.open, status.pending));
    lines.extend(shown.drop_zones.iter().filter_map(waiting));
    lines.extend(shown.drop_zones.iter().filter_map(refused));
    if let Some(since) = &status.halted_since {
        lines.push(format!(
            "{alarm}STOP{alarm:#} since {since}: nothing is typed (`tasuki stop --off` lets the work go on)"
        ));
    }
    let unread = [(status.unread_answers, "answer"), (status.unread, "message")];
    let unread = unread.into_iter().filter(|(count, _)| *count > 0);
    let unread: Vec<String> = unread.map(|(count, what)| counted(count, what)).collect();
    if !unread.is_empty() {
        let unread = unread.join(" and ");
        lines.push(format!("{alarm}{unread} unread{alarm:#}: `tasuki inbox` shows what is for you"));
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
