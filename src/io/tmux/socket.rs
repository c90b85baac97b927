//! The sockets of tmux servers: where they are, and which one a program inside was started by.

use super::server::Server;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The program.
pub const PROGRAM: &str = "tmux";
/// The variable by which a program knows that it runs inside.
pub const INSIDE: &str = "TMUX";
/// The folder of the folder of all sockets.
const FOLDER: &str = "TMUX_TMPDIR";

/// The socket in a value of [`INSIDE`].
#[must_use]
pub fn socket_of(inside: &OsStr) -> Option<PathBuf> {
    inside.to_str()?.split(',').next().map(PathBuf::from)
}

impl Server {
    /// Whether this value of [`INSIDE`] names our server.
    #[must_use]
    pub fn is_that_of(&self, inside: &OsStr) -> bool {
        let Some(socket) = socket_of(inside) else { return false };
        let folder = std::env::var_os(FOLDER).map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let ours = folder.join(format!("tmux-{}", rustix::process::getuid().as_raw())).join(&self.socket);
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        real(&socket).is_some_and(|socket| real(&ours) == Some(socket))
    }

    /// The same, of the server with this socket; none if ours is called so or the path is no socket's.
    #[must_use]
    pub fn at(&self, socket: &Path) -> Option<Self> {
        let (name, folder) = (socket.file_name()?.to_str()?, socket.parent()?);
        if name == self.socket {
            return None;
        }
        // tmux makes its sockets in `tmux-UID` of this folder.
        let folder = folder.parent().map(|folder| (FOLDER.into(), folder.as_os_str().to_owned()));
        let env = self.env.iter().filter(|(name, _)| name != FOLDER).cloned().chain(folder).collect();
        Some(Self { socket: name.to_owned(), env, ..self.clone() })
    }
}
