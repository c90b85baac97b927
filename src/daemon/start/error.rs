//! Why the daemon does not start.

use crate::io::folder::FolderError;
use crate::io::journal::JournalError;
use crate::io::lock::LockError;
use crate::io::log::LogError;
use crate::io::mux::MuxError;
use crate::io::team_file::SettingsError;
use crate::io::workspace::WorkspaceError;

/// Why the daemon does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Another daemon has it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The team file is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The drop zone cannot be used.
    #[error(transparent)]
    Mailbox(#[from] FolderError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// tmux cannot be used.
    #[error(transparent)]
    Tmux(#[from] MuxError),
    /// The lock or the journal was removed under it, and it has ended.
    #[error("{why}")]
    Displaced {
        /// What was removed, and the cure.
        why: String,
    },
    /// Another daemon of this workspace lost its lock, and listens still.
    #[error(
        "another daemon (process {pid}) still responds for this workspace, though it no longer holds {}; it ends by itself: try again, or end it with `kill {pid}`",
        .lock.display()
    )]
    Listens {
        /// Its process.
        pid: i32,
        /// The lock file.
        lock: std::path::PathBuf,
    },
    /// Too few files may be open.
    #[error(
        "this process may open {files} files and needs {needed}: raise the limit (`ulimit -n {needed}`, LimitNOFILE=)"
    )]
    Files {
        /// The limit.
        files: u64,
        /// What this team needs.
        needed: u64,
    },
    /// The machine said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the machine said.
        source: std::io::Error,
    },
}

pub(in crate::daemon) fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> StartError {
    move |source| StartError::Io { what, source }
}
