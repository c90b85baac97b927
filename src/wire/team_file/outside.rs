//! What the meaning of a team file depends on besides its bytes: what lies in the machine's folders.

use std::path::{Path, PathBuf};

/// What is at a path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or nothing that can be looked at.
    Nothing,
    Folder,
    /// A file that we may not run.
    File,
    /// A file that we may run.
    Program,
    /// A pipe, a device, or a socket.
    Other,
}

/// The machine, as the team file asks about it. What is said of a fault is for a person, in words that follow a name.
pub trait Outside {
    /// What is at `path`.
    fn look(&self, path: &Path) -> Found;

    /// The folder at `path`, without links; none if there is no folder.
    fn folder(&self, path: &Path) -> Option<PathBuf>;

    /// The path without links of a folder that is there, or that can be made; those above it need not be there either.
    ///
    /// # Errors
    /// Why it cannot be a folder of the user's alone that the user may write to: "is not a folder".
    fn own_folder(&self, path: &Path) -> Result<PathBuf, String>;

    /// The text of a system prompt.
    ///
    /// # Errors
    /// Why it cannot be had: "does not exist".
    fn prompt(&self, path: &Path) -> Result<String, String>;

    /// The files in a folder of profiles, in the order of their names; none where there is no folder.
    ///
    /// # Errors
    /// Why they cannot be listed, or are not to be believed.
    fn profiles(&self, folder: &Path) -> Result<Vec<PathBuf>, String>;

    /// The bytes of a profile.
    ///
    /// # Errors
    /// Why they cannot be read, or are not to be believed.
    fn profile(&self, path: &Path) -> Result<Vec<u8>, String>;
}
