//! The files that people and agents look at, written so that a reader never sees a part of one: a new file beside the
//! old, then a rename. Nothing is flushed: a view that is lost is written again.

use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::clock;
use crate::io::workspace::Workspace;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A log of this size is rotated (durability limits).
const LOG_BYTES_MAX: u64 = 10 << 20;
/// Rotated logs that are kept beside the one being written.
const LOGS_KEPT: u32 = 2;

/// Writes views.
#[derive(Debug)]
pub struct Views {
    workspace: Workspace,
}

impl Views {
    /// Makes the folders (0700).
    ///
    /// # Errors
    /// What the system says, with the folder.
    pub fn open(workspace: &Workspace) -> io::Result<Self> {
        let views = Self { workspace: workspace.clone() };
        for folder in [workspace.active(), workspace.results(), workspace.done(), workspace.agents_status()] {
            make_folder(&folder)?;
        }
        Ok(views)
    }

    /// `status/agents/NAME.yaml`.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_agent(&self, agent: &AgentName, text: &str) -> io::Result<()> {
        write(&self.workspace.agent_status(agent), text)
    }

    /// `status/daemon.yaml`.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_daemon(&self, text: &str) -> io::Result<()> {
        write(&self.workspace.daemon_status(), text)
    }

    /// `queue/active/ID.yaml`.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_active(&self, id: &MessageId, text: &str) -> io::Result<()> {
        write(&self.workspace.active_file(id), text)
    }

    /// `queue/results/ID.yaml`.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_result(&self, task: &MessageId, text: &str) -> io::Result<()> {
        write(&self.workspace.result_file(task), text)
    }

    /// `queue/done/DAY/ID.yaml`; then `queue/active/ID.yaml` goes. A crash between the two leaves both: the start
    /// sweeps the active one.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(&self, id: &MessageId, at: Millis, text: &str) -> io::Result<()> {
        let path = self.done_file(id, at);
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        write(&path, text)?;
        gone(fs::remove_file(self.workspace.active_file(id)))
    }

    /// Whether a finished message's views are there.
    #[must_use]
    pub fn is_finished(&self, id: &MessageId, at: Millis, has_answer: bool) -> bool {
        let answered = !has_answer || self.workspace.result_file(id).exists();
        answered && self.done_file(id, at).exists() && !self.workspace.active_file(id).exists()
    }

    /// Removes active views of messages that are not open, and what an interrupted write left.
    ///
    /// # Errors
    /// What the system says.
    pub fn sweep_active(&self, open: &BTreeSet<MessageId>) -> io::Result<()> {
        for entry in fs::read_dir(self.workspace.active())? {
            let entry = entry?;
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".yaml")).map(MessageId::new);
            let ours = matches!(&id, Some(Ok(id)) if open.contains(id));
            let litter = name.to_str().is_some_and(|name| name.ends_with(".tmp"));
            if (matches!(id, Some(Ok(_))) && !ours) || litter {
                gone(fs::remove_file(entry.path()))?;
            }
        }
        Ok(())
    }

    /// A line in the activity log, and in an agent's own.
    ///
    /// # Errors
    /// What the system says.
    pub fn log(&self, at: Millis, agent: Option<&AgentName>, text: &str) -> io::Result<()> {
        let line = format!("{} {text}\n", clock::rfc3339_ms(at));
        append(&self.workspace.activity_log(), &line)?;
        match agent {
            Some(agent) => append(&self.workspace.agent_log(agent), &line),
            None => Ok(()),
        }
    }

    /// Makes everything written so far durable.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        rustix::fs::syncfs(File::open(self.workspace.queue())?)?;
        Ok(())
    }

    fn done_file(&self, id: &MessageId, at: Millis) -> PathBuf {
        self.workspace.done_day(at).join(format!("{id}.yaml"))
    }
}

/// A file that is not there need not be removed.
fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Replaces a file as a whole. The folder is made again if somebody took it away.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let part = folder.join(format!(".{}.tmp", name.to_string_lossy()));
    let options = || OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part);
    let mut file = match options() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(folder)?;
            options()?
        }
        file => file?,
    };
    file.write_all(text.as_bytes())?;
    drop(file);
    fs::rename(&part, path)
}

/// Appends a line; a log that has grown large is set aside first.
fn append(path: &Path, line: &str) -> io::Result<()> {
    let options = || OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let mut file = match options() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(path.parent().unwrap_or(Path::new(".")))?;
            options()?
        }
        file => file?,
    };
    if file.metadata()?.len() > LOG_BYTES_MAX {
        rotate(path)?;
        file = options()?;
    }
    file.write_all(line.as_bytes())
}

fn rotate(path: &Path) -> io::Result<()> {
    let aside = |number: u32| path.with_extension(format!("log.{number}"));
    for number in (1..LOGS_KEPT).rev() {
        gone(fs::rename(aside(number), aside(number + 1)))?;
    }
    fs::rename(path, aside(1))
}
