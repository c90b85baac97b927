//! What the workspace's files say besides the journal: the status files where no daemon runs, and what lies in `queue/`.

use super::live::{Live, LiveInfo};
use crate::engine::engine::Engine;
use crate::engine::live::LiveAgent;
use crate::engine::state::Phase;
use crate::engine::words::{AgentName, Millis};
use crate::io::workspace::Workspace;
use crate::io::{process, regular};
use crate::wire::team_file::Settings;
use crate::wire::time::read_moment;
use chrono::Utc;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// More than any status file has: a dialog of a whole screen and a line.
const STATUS_BYTES_MAX: u64 = 4 << 20;

/// `status/agents/NAME.yaml`, as far as the journal does not say it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AgentFile {
    agent_name: String,
    state: String,
    since: Option<String>,
    doing: Option<String>,
}

/// `status/daemon.yaml`, likewise.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DaemonFile {
    notes: Vec<String>,
}

/// What a daemon that runs no more has left in its status files.
pub(super) fn live(workspace: &Workspace, engine: &Engine, settings: Option<Arc<Settings>>) -> Live {
    let files = agents(workspace).into_iter();
    let files = files.filter_map(|file| Some((AgentName::new(&file.agent_name).ok()?, file)));
    let members = settings.iter().flat_map(|settings| settings.order.iter().cloned());
    let hired = engine.state().hired.keys().cloned();
    let unseen = members.chain(hired).map(|name| (name, AgentFile::default()));
    let files: BTreeMap<AgentName, AgentFile> = unseen.chain(files).collect();
    let agents = files
        .into_iter()
        .map(|(name, file)| {
            let has_ended = has_ended(engine, &name);
            let known = LiveAgent {
                greeted: file.state != "starting",
                busy: file.state == "busy",
                ..LiveAgent::default()
            };
            let since = file.since.as_deref().and_then(|text| read_moment(text, &Utc));
            let doing = file.doing.filter(|_| !has_ended).map(Into::into);
            (name, Arc::new(LiveInfo { known, state: None, doing, since, has_ended }))
        })
        .collect();
    let page: DaemonFile = read(&workspace.daemon_status()).unwrap_or_default();
    Live { daemon: None, settings, agents, notes: page.notes, tmux_lost: false, version: 0 }
}

/// Since when `queue/STOP` is there, whatever the journal says of it: it may have come or gone since.
pub(super) fn halted(workspace: &Workspace, journal: Option<Millis>) -> Option<Millis> {
    let there = modified(&workspace.stop_file())?;
    journal.or(Some(there))
}

/// Whether it runs no more: whoever was killed with the daemon is in the journal as it was, and nobody starts anybody.
fn has_ended(engine: &Engine, name: &AgentName) -> bool {
    match engine.state().agents.get(name).map(|agent| &agent.phase) {
        Some(Phase::Up { process, .. }) => process::key_of(process.pid) != Some(*process),
        Some(Phase::Stopped | Phase::Asleep | Phase::Failed { .. }) => false,
        Some(Phase::Absent | Phase::Launching | Phase::Restarting { .. }) | None => true,
    }
}

/// Every agent that has a status file. One that cannot be read is passed over: a daemon writes it again.
fn agents(workspace: &Workspace) -> Vec<AgentFile> {
    let entries = fs::read_dir(workspace.agents_status()).into_iter().flatten().flatten();
    let yaml =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    yaml.filter_map(|path| read(&path)).collect()
}

/// A view, or a part of one.
pub(super) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_saphyr::from_str(&regular::read(path, STATUS_BYTES_MAX).ok()?).ok()
}

/// When a file was changed last.
pub(super) fn modified(path: &Path) -> Option<Millis> {
    let since = fs::metadata(path).ok()?.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Millis)
}
