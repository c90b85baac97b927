//! Which workspace is meant: found as git finds a repository, and as careful as git about whose it is.

use super::{TEAM_FILE, Workspace, WorkspaceError};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What tasuki takes from the process that it is: read once and passed by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The environment.
    pub vars: BTreeMap<OsString, OsString>,
    /// The folder the command was given in.
    pub cwd: PathBuf,
    /// The `tasuki` binary that runs.
    pub exe: PathBuf,
    /// The user's own workspace: the XDG data folder of tasuki, if the user has a home.
    pub home: Option<PathBuf>,
    /// The folder for temporary files.
    pub temp: PathBuf,
    /// The number of the user.
    pub uid: u32,
}

impl Surroundings {
    /// Those of this process.
    ///
    /// # Errors
    /// When the current folder was removed, or `/proc` is not mounted.
    pub fn of_this_process() -> io::Result<Self> {
        Ok(Self {
            vars: std::env::vars_os().collect(),
            cwd: std::env::current_dir()?,
            exe: installed(std::env::current_exe()?),
            home: directories::ProjectDirs::from("", "", "tasuki").map(|dirs| dirs.data_dir().to_path_buf()),
            temp: std::env::temp_dir(),
            uid: rustix::process::geteuid().as_raw(),
        })
    }

    /// A variable that is set and not empty.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
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
        if let Some(folder) = around.cwd.ancestors().find(|folder| has_team_file(folder)) {
            refuse_foreign(&folder.join(TEAM_FILE), around.uid)?;
            return Self::at(folder);
        }
        match &around.home {
            Some(home) if has_team_file(home) => Self::at(home),
            home => Err(WorkspaceError::NotFound { from: around.cwd.clone(), home: home.clone() }),
        }
    }
}

fn named(root: &Path, named_by: &'static str) -> Result<Workspace, WorkspaceError> {
    let workspace = Workspace::at(root)?;
    if has_team_file(workspace.root()) {
        return Ok(workspace);
    }
    Err(WorkspaceError::NoTeamFile { root: workspace.root, named_by })
}

fn has_team_file(folder: &Path) -> bool {
    folder.join(TEAM_FILE).is_file()
}

fn refuse_foreign(path: &Path, uid: u32) -> Result<(), WorkspaceError> {
    let meta = path.metadata().map_err(|source| WorkspaceError::Io { path: path.to_path_buf(), source })?;
    if meta.uid() == uid {
        return Ok(());
    }
    let cure = "if you trust it, name its folder with --root";
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
