//! The team file: read once, whole, strictly, and made into a checked [`Settings`] that is passed by hand.
//!
//! `file` has the keys as they are written, `read` brings them in, the others make a meaning of them, and every fault
//! becomes a [`Finding`] with file, line, column, the line itself and the cure.

mod check;
mod default_team;
mod doorbells;
mod env;
mod file;
mod fill;
mod finding;
mod general;
mod launch;
mod launched;
mod members;
mod near;
mod phrase;
mod profile;
mod prompt;
mod read;
mod roster;
mod values;

pub use default_team::{
    Choice, InitError, Language, PROGRAMS, Written, choose_provider, default_team, write_team,
};
pub use env::{Env, inherited, is_own};
pub use finding::{Finding, Place, render};
pub use general::General;
pub use launch::Launch;
pub use members::own_server;
pub use profile::files::folders as profile_folders;
pub use profile::transcript::{Records, Transcript, part};
pub use profile::{Profile, Receipt, SideChannel, StandingAnswer, Typing, built_in_names, built_in_profiles};
pub use prompt::{PromptWay, Template};

use crate::engine::team::Team;
use crate::engine::words::AgentName;
use crate::io::workspace::WorkspaceError;
use crate::wire::layout::{Surroundings, TEAM_FILE, Workspace, plain};
use crate::wire::os_error::unnumbered;
use file::TeamFile;
use finding::Book;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;

/// Largest team file (durability, limits).
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A whole, checked team file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The team as the engine knows it.
    pub team: Team,
    /// Name of the tmux session.
    pub session: String,
    /// Which tmux server.
    pub tmux_socket: TmuxSocket,
    /// How each member is started. Shared: a launch has a whole environment, and a large team has a hundred.
    pub launches: BTreeMap<AgentName, Arc<Launch>>,
    /// Every profile by name, those that no agent has included.
    pub profiles: BTreeMap<String, Profile>,
    /// What holds for the whole team; its `limits` are those of `team`.
    pub general: General,
}

/// Which tmux server the team lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TmuxSocket {
    /// A server of its own under this name (`tmux -L NAME`).
    Private(String),
    /// The user's own.
    Users,
}

/// Settings, and what is odd about them.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// What works and is hardly meant so.
    pub warnings: Vec<Finding>,
}

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
    /// Every fault, and every warning, in the order of the file.
    pub fn parse(bytes: &[u8], workspace: &Workspace, around: &Surroundings) -> Result<Loaded, Vec<Finding>> {
        Self::parse_named(TEAM_FILE, bytes, workspace, around)
    }

    /// The same of a file that is called `name` where its findings are shown.
    ///
    /// # Errors
    /// As [`Settings::parse`].
    pub fn parse_named(
        name: &str,
        bytes: &[u8],
        workspace: &Workspace,
        around: &Surroundings,
    ) -> Result<Loaded, Vec<Finding>> {
        let text = match read::decode(bytes) {
            Ok(text) => text,
            Err((lossy, place)) => {
                let mut book = Book::new(name, &lossy);
                book.wrong(place, "this is not UTF-8", "save the file as UTF-8");
                return Err(book.close().err().unwrap_or_default());
            }
        };
        let mut book = Book::new(name, text);
        let settings = match read::read(text, &mut book) {
            Some(file) => Some(members::settings(&file, workspace, around, &mut book)?),
            None => None,
        };
        let warnings = book.close()?;
        settings.map(|settings| Loaded { settings, warnings }).ok_or_else(Vec::new)
    }
}

/// The JSON Schema of the team file, for editors and for the reference page.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(TeamFile).to_value()
}
