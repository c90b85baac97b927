//! Which workspace is meant: found as git finds a repository, and as careful as git about whose it is.

use super::Workspace;
use super::error::WorkspaceError;
use super::names::{MEMORY, TEAM_FILE};
use super::surroundings::Surroundings;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

impl Workspace {
    /// The workspace that is meant: `--root`, else `$TASUKI_ROOT`, else the nearest folder with a team file from the
    /// current one upwards, else the user's own.
    ///
    /// # Errors
    /// [`WorkspaceError`] names what was looked for and what to do. A team file that was only *found* must belong to
    /// the user: it says what is run, and a folder above may be everybody's.
    pub fn find(root: Option<&Path>, around: &Surroundings) -> Result<Self, WorkspaceError> {
        if let Some(root) = root {
            return named(&around.cwd.join(root), "--root");
        }
        if let Some(root) = around.var("TASUKI_ROOT") {
            return named(&around.cwd.join(root), "TASUKI_ROOT");
        }
        if let Some(folder) = around.cwd.ancestors().find(|folder| is_taken(folder)) {
            refuse_no_file(folder)?;
            refuse_foreign(&folder.join(TEAM_FILE), around.uid)?;
            return Self::at(folder);
        }
        match &around.home {
            Some(home) if is_taken(home) => refuse_no_file(home).and_then(|()| Self::at(home)),
            home => Err(WorkspaceError::NotFound { from: around.cwd.clone(), home: home.clone() }),
        }
    }

    /// The workspace that would be meant if it still had its team file, where `runs` says that a daemon runs in it: that one
    /// can still be asked to end.
    #[must_use]
    pub fn find_bereft(
        root: Option<&Path>,
        around: &Surroundings,
        runs: impl Fn(&Self) -> bool,
    ) -> Option<Self> {
        let bereft = |folder: &Path| {
            let memory = folder.join(MEMORY).symlink_metadata().ok()?;
            let is_ours = memory.is_dir() && memory.uid() == around.uid && !has_team_file(folder);
            Self::at(folder).ok().filter(|workspace| is_ours && runs(workspace))
        };
        if let Some(root) = root.or_else(|| around.var("TASUKI_ROOT").map(Path::new)) {
            return bereft(&around.cwd.join(root));
        }
        let below = around.cwd.ancestors().take_while(|folder| !has_team_file(folder));
        let home = around.home.as_deref().into_iter();
        match around.cwd.ancestors().any(has_team_file) {
            true => below.into_iter().find_map(bereft),
            false => below.chain(home).find_map(bereft),
        }
    }
}

fn named(root: &Path, named_by: &'static str) -> Result<Workspace, WorkspaceError> {
    if root.metadata().is_err_and(|error| is_not_there(&error)) {
        return Err(WorkspaceError::NoFolder { root: root.to_path_buf(), named_by });
    }
    let workspace = Workspace::at(root)?;
    if is_taken(workspace.root()) {
        return refuse_no_file(workspace.root()).map(|()| workspace);
    }
    Err(WorkspaceError::NoTeamFile { root: workspace.root, named_by })
}

fn is_not_there(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn has_team_file(folder: &Path) -> bool {
    folder.join(TEAM_FILE).is_file()
}

/// Whether anything has the team file's name, were it a link that leads nowhere.
fn is_taken(folder: &Path) -> bool {
    folder.join(TEAM_FILE).symlink_metadata().is_ok()
}

fn refuse_no_file(folder: &Path) -> Result<(), WorkspaceError> {
    if has_team_file(folder) {
        return Ok(());
    }
    Err(WorkspaceError::NoFile { path: folder.join(TEAM_FILE) })
}

fn refuse_foreign(path: &Path, uid: u32) -> Result<(), WorkspaceError> {
    let meta = path.metadata().map_err(|source| WorkspaceError::Io { path: path.to_path_buf(), source })?;
    if meta.uid() == uid {
        return Ok(());
    }
    let cure = "if you trust it, copy it into a folder of your own, or let root `chown` it to you";
    Err(WorkspaceError::Foreign { path: path.to_path_buf(), owner: meta.uid(), cure })
}
