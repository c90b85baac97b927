//! Finds a workspace and makes its folders. Where everything of one lies is in `wire/layout.rs`.

mod error;
mod find;
pub(in crate::io) mod folders;
mod socket;
mod stop;

pub use crate::wire::layout::{Surroundings, TEAM_FILE, Workspace, hash_of};
pub use error::WorkspaceError;

use std::path::Path;

impl Workspace {
    /// The workspace in this folder, whether it has a team file yet or not. Links in the path are resolved, so that
    /// one folder has one name.
    ///
    /// # Errors
    /// [`WorkspaceError::Io`] if there is no such folder, [`WorkspaceError::BadPath`] if its path is not plain text.
    pub fn at(folder: &Path) -> Result<Self, WorkspaceError> {
        let root = folder
            .canonicalize()
            .map_err(|source| WorkspaceError::Io { path: folder.to_path_buf(), source })?;
        if !root.is_dir() {
            return Err(WorkspaceError::NotAFolder { path: root });
        }
        Self::rooted(root).map_err(|path| WorkspaceError::BadPath { path })
    }

    /// How many messages to the user nobody has read yet.
    #[must_use]
    pub fn unread(&self) -> usize {
        let names = std::fs::read_dir(self.inbox()).into_iter().flatten().flatten();
        names.filter(|entry| entry.path().extension().is_some_and(|end| end == "yaml")).count()
    }
}
