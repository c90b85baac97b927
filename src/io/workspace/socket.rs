//! Where the daemon's socket lies: a path short enough for the kernel, in a folder that is the user's alone.

use super::Workspace;
use super::error::{PATH_BYTES_MAX, WorkspaceError};
use super::folders::{is_open_to_all, private_folder};
use crate::wire::layout::Surroundings;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl Workspace {
    /// The path to listen on: `$XDG_RUNTIME_DIR/tasuki/HASH.sock`, else `.tasuki/socket`, else a checked folder under
    /// the temporary directory. Its folder exists after this and is 0700.
    ///
    /// # Errors
    /// [`WorkspaceError`] if every path is too long, or the only folder left is a link, is not the user's, or may be
    /// written by everybody.
    pub fn socket_path(&self, around: &Surroundings) -> Result<PathBuf, WorkspaceError> {
        let mut refused = WorkspaceError::NoSocketPlace;
        for path in self.socket_candidates(around) {
            match path.parent().map(private_folder) {
                Some(Ok(())) => return Ok(path),
                Some(Err(error)) => refused = error,
                None => {}
            }
        }
        Err(refused)
    }

    /// Every path where a daemon of this workspace may listen, best first; makes nothing. What a running daemon says in
    /// `status/daemon.yaml` comes before all of them: its environment need not be the client's.
    #[must_use]
    pub fn socket_candidates(&self, around: &Surroundings) -> Vec<PathBuf> {
        let name = format!("{}.sock", self.hash());
        let runtime = around.var("XDG_RUNTIME_DIR").map(Path::new).filter(|dir| is_ours(dir, around.uid));
        let shared = format!("tasuki-{}", around.uid);
        runtime
            .map(|dir| dir.join("tasuki").join(&name))
            .into_iter()
            .chain([self.memory().join("socket")])
            .chain([around.temp.join(&shared).join(&name), Path::new("/tmp").join(&shared).join(&name)])
            .filter(|path| path.as_os_str().as_bytes().len() <= PATH_BYTES_MAX)
            .collect()
    }
}

/// After `su` the variable may still name another user's folder; and in one that everybody may write, anybody may put
/// another folder in the place of ours.
fn is_ours(dir: &Path, uid: u32) -> bool {
    let ours = |meta: std::fs::Metadata| meta.is_dir() && meta.uid() == uid && !is_open_to_all(&meta);
    dir.is_absolute() && dir.symlink_metadata().is_ok_and(ours)
}
