//! What the workspace's files say, for verbs that work without a daemon: views are for people, and this reads them as one.

use crate::engine::life::StageName;
use crate::engine::message::Status;
use crate::engine::words::MessageId;
use crate::io::workspace::Workspace;
use crate::io::{process, regular};
use crate::wire::api::{AgentInfo, AsksInfo, StatusInfo};
use crate::wire::message::view::MessageView;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// `status/agents/NAME.yaml`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct AgentFile {
    pub(super) agent_name: String,
    pub(super) state: String,
    pub(super) current_task: Option<String>,
    pub(super) doing: Option<String>,
    asks: Option<AsksInfo>,
    pane_id: Option<String>,
    pid: Option<u32>,
    provider: String,
    queued: usize,
    started_at: Option<String>,
    statistics: Statistics,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Statistics {
    tasks_completed: u64,
    tasks_failed: u64,
    restarts: u64,
}

/// Every agent that has a status file, by name. A file that cannot be read is passed over: the daemon writes it again.
pub(super) fn agents(workspace: &Workspace) -> Vec<AgentFile> {
    let entries = fs::read_dir(workspace.agents_status()).into_iter().flatten().flatten();
    let yaml = entries.map(|entry| entry.path()).filter(|path| is_yaml(path));
    let mut agents: Vec<AgentFile> = yaml.filter_map(|path| read(&path)).collect();
    agents.sort_by(|a, b| a.agent_name.cmp(&b.agent_name));
    agents
}

/// What the files say of the workspace as a whole.
pub(super) fn status(workspace: &Workspace) -> StatusInfo {
    let open = views(&workspace.active()).into_iter().map(|(view, _)| view);
    // What an agent was only told stays in `queue/active/` while it reads it.
    let open: Vec<_> = open.filter(|view| done_file(workspace, &view.id).is_none()).collect();
    let held = open.iter().filter(|view| view.stage.is_some_and(StageName::is_held)).count();
    StatusInfo {
        daemon: None,
        agents: agents(workspace).into_iter().map(AgentFile::info).collect(),
        pending: open.iter().filter(|view| view.status == Status::Pending).count(),
        open: open.len(),
        held,
        unread: workspace.unread(),
        halted_since: stopped_since(workspace),
        tmux_lost: false,
        notes: Vec::new(),
    }
}

/// Messages to the user that nobody has read yet, oldest first, and where each lies.
pub(super) fn unread(workspace: &Workspace) -> Vec<(MessageView, PathBuf)> {
    let mut unread = views(&workspace.inbox());
    unread.sort_by(|(a, _), (b, _)| (&a.accepted_at, &a.id).cmp(&(&b.accepted_at, &b.id)));
    unread
}

/// The answer to a message, if it is written.
pub(super) fn result(workspace: &Workspace, id: &MessageId) -> Option<MessageView> {
    view(&workspace.result_file(id))
}

/// What the daemon says of a message that has ended, of one that it need not know any more.
pub(super) fn finished(workspace: &Workspace, id: &MessageId) -> Option<MessageView> {
    let view = view(&done_file(workspace, id)?)?;
    Some(MessageView {
        // One that was given to nobody says there to whom it went.
        agent: (view.attempt > 0).then(|| view.to.clone()),
        answered: result(workspace, id).is_some(),
        redelivered: false,
        verified: Some(view.verified.unwrap_or_default()),
        ..view
    })
}

/// Where a finished message is kept.
pub(super) fn done_file(workspace: &Workspace, id: &MessageId) -> Option<PathBuf> {
    let name = format!("{id}.yaml");
    let mut days: Vec<PathBuf> =
        fs::read_dir(workspace.done()).ok()?.flatten().map(|entry| entry.path()).collect();
    days.sort();
    days.into_iter().rev().map(|day| day.join(&name)).find(|path| path.is_file())
}

/// More than any view has: a message of a MiB with a hundred answers of that length.
const VIEW_BYTES_MAX: u64 = 256 << 20;

fn view(path: &Path) -> Option<MessageView> {
    MessageView::read(&regular::read(path, VIEW_BYTES_MAX).ok()?)
}

/// Any other view, or as a map.
pub(super) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_saphyr::from_str(&regular::read(path, VIEW_BYTES_MAX).ok()?).ok()
}

/// Every view in a folder. One that cannot be read is passed over: the daemon writes it again.
fn views(folder: &Path) -> Vec<(MessageView, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let yaml = entries.map(|entry| entry.path()).filter(|path| is_yaml(path));
    yaml.filter_map(|path| Some((view(&path)?, path))).collect()
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml")
}

/// Since when `queue/STOP` is there.
fn stopped_since(workspace: &Workspace) -> Option<String> {
    use crate::engine::words::Millis;
    use crate::wire::time::rfc3339;
    let made = fs::metadata(workspace.stop_file()).ok()?.modified().ok()?;
    let since = made.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Some(rfc3339(Millis(u64::try_from(since.as_millis()).unwrap_or_default())))
}

impl AgentFile {
    fn info(self) -> AgentInfo {
        let has_ended = has_ended(self.pid);
        AgentInfo {
            agent_name: self.agent_name,
            state: if has_ended { "stopped".to_owned() } else { self.state },
            why: None,
            asks: self.asks,
            current_task: self.current_task,
            pane_id: self.pane_id,
            pid: self.pid,
            provider: self.provider,
            queued: self.queued,
            up_since: self.started_at.filter(|_| !has_ended),
            tasks_completed: self.statistics.tasks_completed,
            tasks_failed: self.statistics.tasks_failed,
            restarts: self.statistics.restarts,
        }
    }
}

/// Whether nobody has this number any more: whoever was killed with the daemon is in the files as it was.
fn has_ended(pid: Option<u32>) -> bool {
    pid.is_some_and(|pid| process::key_of(pid).is_none())
}
