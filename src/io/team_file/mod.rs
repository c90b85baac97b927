//! The team file on the disk, and what its meaning depends on there: system prompts, profiles, programs.

mod init;
mod machine;
mod profiles;

pub use init::{Choice, InitError, WrittenFile, choose_provider, write_team};
pub use machine::Machine;

use crate::io::workspace::WorkspaceError;
use crate::wire::layout::{Surroundings, TEAM_FILE, Workspace, plain};
use crate::wire::os_error::unnumbered;
use crate::wire::team_file::{Finding, Loaded, Settings, render};
use std::io::{self, Read as _};
use std::path::PathBuf;

/// Largest team file (durability, limits).
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file says something that cannot be.
    #[error("{} is not valid:\n\n{}", plain(.path), render(.findings, false).trim_end())]
    Refused {
        /// The team file.
        path: PathBuf,
        /// Everything that was found, warnings included, in the order of the file.
        findings: Vec<Finding>,
    },
    /// The machine said no.
    #[error("cannot read {}", plain(.path))]
    Io {
        /// The team file.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
    /// A folder, a pipe, or more than a team file can be.
    #[error("{} is not a file of at most 1 MiB", plain(.path))]
    NotAFile {
        /// The team file.
        path: PathBuf,
    },
    /// Everybody may write it.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl SettingsError {
    /// Where the daemon that goes on without the file points to, on one line: `tasuki lint` looks at what is in the file, and
    /// not whose it is, or whether it is one.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Refused { .. } => "`tasuki lint tasuki.yaml` shows it".to_owned(),
            Self::Io { source, .. } => {
                format!(
                    "{self}: {}; put a team file there that you may read",
                    unnumbered(&source.to_string())
                )
            }
            Self::NotAFile { .. } => format!("{self}; put a team file in its place"),
            Self::Workspace(error) => error.to_string(),
        }
    }
}

impl Settings {
    /// Reads and checks the team file of a workspace.
    ///
    /// # Errors
    /// [`SettingsError::Refused`] has every fault with its place and cure; the others say why nothing was read.
    pub fn load(workspace: &Workspace, around: &Surroundings) -> Result<Loaded, SettingsError> {
        let path = workspace.team_file();
        let io = |source| SettingsError::Io { path: path.clone(), source };
        let file = match workspace.open_team() {
            Err(WorkspaceError::Io { source, .. }) => return Err(io(source)),
            Err(WorkspaceError::NoFile { .. }) => return Err(SettingsError::NotAFile { path }),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(io)?;
        if read as u64 > FILE_BYTES_MAX {
            return Err(SettingsError::NotAFile { path });
        }
        Self::parse(&bytes, workspace, around).map_err(|findings| SettingsError::Refused { path, findings })
    }

    /// Checks the bytes of a team file that may not be in its place yet.
    ///
    /// # Errors
    /// As [`Settings::read`].
    pub fn parse(bytes: &[u8], workspace: &Workspace, around: &Surroundings) -> Result<Loaded, Vec<Finding>> {
        Self::read(TEAM_FILE, bytes, workspace, around, &Machine)
    }
}
