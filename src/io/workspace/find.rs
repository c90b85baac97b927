//! Which workspace is meant: found as git finds a repository, and as careful as git about whose it is.

use super::error::WorkspaceError;
use crate::wire::layout::{MEMORY, Surroundings, TEAM_FILE, Workspace};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl Surroundings {
    /// Those of this process.
    ///
    /// # Errors
    /// When the current folder was removed, or `/proc` is not mounted.
    pub fn of_this_process() -> Result<Self, WorkspaceError> {
        let exe = std::env::current_exe();
        let path = PathBuf::from("/proc/self/exe");
        let own = directories::ProjectDirs::from("", "", "tasuki");
        Ok(Self {
            vars: std::env::vars_os().collect(),
            cwd: std::env::current_dir().map_err(no_current_folder)?,
            exe: installed(exe.map_err(|source| WorkspaceError::Io { path, source })?),
            home: own.as_ref().map(|dirs| dirs.data_dir().to_path_buf()),
            config: own.as_ref().map(|dirs| dirs.config_dir().to_path_buf()),
            temp: std::env::temp_dir(),
            uid: rustix::process::geteuid().as_raw(),
        })
    }
}

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

/// The system says only that there is no such thing.
fn no_current_folder(source: io::Error) -> WorkspaceError {
    if source.kind() != io::ErrorKind::NotFound {
        return WorkspaceError::Io { path: PathBuf::from("."), source };
    }
    let said = std::fs::read_link("/proc/self/cwd").ok();
    let was = |path: PathBuf| path.to_str()?.strip_suffix(" (deleted)").map(PathBuf::from);
    WorkspaceError::Removed { path: said.and_then(was) }
}

fn named(root: &Path, named_by: &'static str) -> Result<Workspace, WorkspaceError> {
    if root.metadata().is_err_and(|error| is_not_there(&error)) {
        return Err(WorkspaceError::NoFolder { root: root.to_path_buf(), named_by });
    }
    let workspace = Workspace::at(root)?;
    if is_taken(workspace.root()) {
        return refuse_no_file(workspace.root()).map(|()| workspace);
    }
    Err(WorkspaceError::NoTeamFile { root: workspace.root().to_path_buf(), named_by })
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

/// The path at which the binary is found again. Linux adds a word when the file was replaced, by an upgrade for example.
fn installed(exe: PathBuf) -> PathBuf {
    match exe.to_str().and_then(|text| text.strip_suffix(" (deleted)")) {
        Some(path) if !exe.exists() => PathBuf::from(path),
        _ => exe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_binary_is_started_from_where_it_was_installed() {
        assert_eq!(installed("/no/such/tasuki (deleted)".into()), PathBuf::from("/no/such/tasuki"));
        assert_eq!(installed("/no/such/tasuki".into()), PathBuf::from("/no/such/tasuki"));
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("tasuki (deleted)");
        std::fs::write(&odd, "").unwrap();
        assert_eq!(installed(odd.clone()), odd, "a name that somebody chose is left alone");
    }
}
