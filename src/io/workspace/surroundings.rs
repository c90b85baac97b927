//! What tasuki takes from the process that it is.

use super::error::WorkspaceError;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

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
    /// Where the user's own profiles are: the XDG configuration folder of tasuki, if the user has a home.
    pub config: Option<PathBuf>,
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

    /// A variable that is set and not empty.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
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
