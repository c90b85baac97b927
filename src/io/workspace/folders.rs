//! Makes the folders of a workspace, and refuses those that are not the user's alone.

use super::Workspace;
use super::error::WorkspaceError;
use crate::io::regular;
use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Folders are the user's alone: messages may hold what nobody else should read.
const FOLDER_MODE: u32 = 0o700;
/// Others may write.
const OTHERS_WRITE: u32 = 0o002;
/// Only the owner of a file may rename or remove it, as in `/tmp`.
const STICKY: u32 = 0o1000;

impl Workspace {
    /// Makes what is missing of `queue/`, `status/` and `.tasuki/`, each 0700 and durable in its parent, and narrows
    /// what is there. Safe to run again at any time.
    ///
    /// # Errors
    /// [`WorkspaceError`] if a folder is a link, is not the user's, or may be written by everybody: whoever can put a
    /// file there speaks in the user's name.
    pub fn prepare(&self) -> Result<(), WorkspaceError> {
        self.refuse_open_team()?;
        for folder in self.folders() {
            if make(&folder).map_err(|source| WorkspaceError::Io { path: folder.clone(), source })? {
                sync_parent(&folder).map_err(|source| WorkspaceError::Io { path: folder.clone(), source })?;
            }
            own_and_narrow(&folder)?;
        }
        Ok(())
    }

    /// Refuses a team file, or a folder that holds it, which everybody may write or which is another user's.
    ///
    /// # Errors
    /// [`WorkspaceError::OpenToAll`] or [`WorkspaceError::Foreign`] names which of the two.
    pub fn refuse_open_team(&self) -> Result<(), WorkspaceError> {
        let root = look(self.root())?;
        refuse_foreign(self.root(), &root)?;
        if is_open_to_all(&root) {
            return Err(WorkspaceError::OpenToAll { path: self.root().to_path_buf() });
        }
        let file = self.team_file();
        file.metadata().map_or(Ok(()), |meta| refuse_open(&file, &meta))
    }

    /// Opens the team file, through a link too, and refuses what everybody may write or what is another user's. The file
    /// that was opened is looked at: a link may lead elsewhere a moment later.
    ///
    /// # Errors
    /// As [`Workspace::refuse_open_team`]; [`WorkspaceError::NoFile`]; [`WorkspaceError::Io`].
    pub fn open_team(&self) -> Result<File, WorkspaceError> {
        self.refuse_open_team()?;
        let path = self.team_file();
        let io = |source| WorkspaceError::Io { path: path.clone(), source };
        let opened = regular::open_linked(&path).map_err(io)?;
        let file = opened.ok_or_else(|| WorkspaceError::NoFile { path: path.clone() })?;
        refuse_open(&path, &file.metadata().map_err(io)?)?;
        self.refuse_open_place(&path).map(|()| file)
    }

    /// Whoever owns the folder that a link leads to may put another file there.
    fn refuse_open_place(&self, path: &Path) -> Result<(), WorkspaceError> {
        let real =
            path.canonicalize().map_err(|source| WorkspaceError::Io { path: path.to_path_buf(), source })?;
        let Some(folder) = real.parent().filter(|folder| *folder != self.root()) else { return Ok(()) };
        let meta = look(folder)?;
        refuse_foreign(folder, &meta)?;
        if is_open_to_all(&meta) {
            return Err(WorkspaceError::OpenToAll { path: folder.to_path_buf() });
        }
        Ok(())
    }

    /// Parents before children.
    fn folders(&self) -> [PathBuf; 10] {
        [
            self.queue(),
            self.active(),
            self.results(),
            self.done(),
            self.rejected(),
            self.status(),
            self.agents_status(),
            self.memory(),
            self.journal(),
            self.claim(),
        ]
    }
}

/// Whether `folder` is a folder of this user that nobody else can use, after having made it if it was missing.
///
/// # Errors
/// As [`Workspace::prepare`].
pub(in crate::io) fn private_folder(folder: &Path) -> Result<(), WorkspaceError> {
    make(folder).map_err(|source| WorkspaceError::Io { path: folder.to_path_buf(), source })?;
    own_and_narrow(folder)
}

/// Refuses what says what is run, and is not the user's alone.
fn refuse_open(path: &Path, meta: &Metadata) -> Result<(), WorkspaceError> {
    refuse_foreign(path, meta)?;
    if meta.mode() & OTHERS_WRITE != 0 {
        return Err(WorkspaceError::OpenToAll { path: path.to_path_buf() });
    }
    Ok(())
}

fn refuse_foreign(path: &Path, meta: &Metadata) -> Result<(), WorkspaceError> {
    let cure = "if you trust it, copy it into a folder of your own, or let root `chown` it to you";
    let foreign = |owner| WorkspaceError::Foreign { path: path.to_path_buf(), owner, cure };
    regular::foreign_owner(meta).map_or(Ok(()), |owner| Err(foreign(owner)))
}

/// Whether everybody may put another thing in the place of what is in this folder.
pub(super) fn is_open_to_all(folder: &Metadata) -> bool {
    folder.mode() & OTHERS_WRITE != 0 && folder.mode() & STICKY == 0
}

/// Whether it had to be made.
fn make(folder: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// A crash after this leaves the folder under its name: what is made durable inside it later can be found.
fn sync_parent(folder: &Path) -> io::Result<()> {
    folder.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

fn own_and_narrow(folder: &Path) -> Result<(), WorkspaceError> {
    let meta = look(folder)?;
    if !meta.is_dir() {
        return Err(WorkspaceError::NotAFolder { path: folder.to_path_buf() });
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        let cure = "run tasuki as that user, or move the folder away";
        return Err(WorkspaceError::Foreign { path: folder.to_path_buf(), owner: meta.uid(), cure });
    }
    if meta.mode() & OTHERS_WRITE != 0 {
        return Err(WorkspaceError::OpenToAll { path: folder.to_path_buf() });
    }
    if meta.mode() & 0o7777 == FOLDER_MODE {
        return Ok(());
    }
    std::fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
        .map_err(|source| WorkspaceError::Io { path: folder.to_path_buf(), source })
}

/// Does not follow a link: a link is not a folder.
fn look(path: &Path) -> Result<Metadata, WorkspaceError> {
    path.symlink_metadata().map_err(|source| WorkspaceError::Io { path: path.to_path_buf(), source })
}
