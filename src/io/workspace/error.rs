//! Why there is no workspace, or why it cannot be used.

use crate::wire::layout::{TEAM_FILE, plain};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of `sun_path` less the closing NUL (unix(7)).
pub(super) const PATH_BYTES_MAX: usize = 107;

/// Why there is no workspace, or why it cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no such folder as was named.
    #[error("{named_by} names {}, which is not a folder; make a workspace there with `tasuki init --root {}`", plain(.root), plain(.root))]
    NoFolder {
        /// The folder.
        root: PathBuf,
        /// `--root` or `TASUKI_ROOT`.
        named_by: &'static str,
    },
    /// The folder that was named has no team file.
    #[error("{named_by} names {}, which has no {TEAM_FILE}; make one with `tasuki init --root {}`", plain(.root), plain(.root))]
    NoTeamFile {
        /// The folder.
        root: PathBuf,
        /// `--root` or `TASUKI_ROOT`.
        named_by: &'static str,
    },
    /// A folder, a pipe or a link that leads nowhere has its name.
    #[error("{} is not a file; move it away, and make a team file with `tasuki init`", plain(.path))]
    NoFile {
        /// What is in the way.
        path: PathBuf,
    },
    /// The folder that the command was given in is gone.
    #[error("the current folder{} was removed; `cd` to one that exists", .path.as_deref().map_or_else(String::new, |path| format!(" {}", plain(path))))]
    Removed {
        /// Where it was, if that is known.
        path: Option<PathBuf>,
    },
    /// Neither here nor above nor at home.
    #[error("no {TEAM_FILE} in {} or above it{}; make one here with `tasuki init`", plain(.from), home_note(.home.as_deref()))]
    NotFound {
        /// Where the search began.
        from: PathBuf,
        /// The user's own workspace, if there is a home.
        home: Option<PathBuf>,
    },
    /// Somebody else's file or folder.
    #[error("{} belongs to user {owner}, and tasuki would run what it says; {cure}", plain(.path))]
    Foreign {
        /// What is not ours.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
        cure: &'static str,
    },
    /// All may write it.
    #[error("anybody can write to {}; `chmod o-w` it", plain(.path))]
    OpenToAll {
        /// What is open.
        path: PathBuf,
    },
    /// A link, a file, or something else where a folder should be.
    #[error("{} is not a folder; move it away", plain(.path))]
    NotAFolder {
        /// What is in the way.
        path: PathBuf,
    },
    /// A root that cannot be named in YAML, in an environment variable, or on a terminal.
    #[error("the path {} is not plain UTF-8 text; use a folder without control characters in its name", plain(.path))]
    BadPath { path: PathBuf },
    /// No place where a socket's path is short enough.
    #[error(
        "every path for the socket is longer than {} bytes; set XDG_RUNTIME_DIR to a shorter folder",
        PATH_BYTES_MAX
    )]
    NoSocketPlace,
    /// The machine said no.
    #[error("cannot use {}", plain(.path))]
    Io {
        /// What was touched.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
}

fn home_note(home: Option<&Path>) -> String {
    home.map_or_else(String::new, |home| format!(", nor in your own workspace {}", plain(home)))
}
