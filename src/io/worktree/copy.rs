//! Copies files that git does not keep from the repository's folder into a fresh worktree: `.env` and the like.
//!
//! Agents may have written to the one, and to the branch of the other. So a file is opened beneath the repository, whatever links there
//! are, and is put beneath the worktree through none.

use super::error::WorktreeError;
use super::exclude::{QUEUE, STATUS};
use super::repository::{Repository, WORKTREES};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, ResolveFlags, mkdirat, open, openat, openat2, statat, unlinkat,
};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

/// More than anybody means: a folder of packages is made by its own program, and faster.
const FILES_MAX: usize = 10_000;
/// What a tasuki keeps in a workspace.
const OWN: [&str; 3] = [".tasuki", QUEUE, "status"];

impl Repository {
    /// Copies what is named, and gives back the names that mean no file. What git keeps in the worktree stays as it is.
    pub(super) async fn copy_into(
        &self,
        (tree, own): (&Path, &Path),
        named: &[String],
    ) -> Result<Vec<String>, WorktreeError> {
        let (mut found, mut missing) = (BTreeSet::new(), Vec::new());
        for name in named {
            // Letters that mean nothing in a file's name and all in a pattern are git's affair.
            let pattern = format!(":(top,glob){name}");
            let doing = "look for the files that each worktree gets";
            let there = self.here().demand(doing, &["ls-files", "-z", "--others", "--", &pattern]).await?;
            let at = self.git.at(tree).of(own);
            let kept = at.demand(doing, &["ls-files", "-z", "--cached", "--", &pattern]).await?;
            if there.cut {
                return Err(not_copied(Path::new(name), &format!("means more than {FILES_MAX} files")));
            }
            let kept: BTreeSet<PathBuf> = kept.paths().into_iter().collect();
            let before = found.len();
            let there = there.paths().into_iter().filter(|path| !kept.contains(path) && !self.is_own(path));
            found.extend(there);
            if found.len() == before && kept.is_empty() {
                missing.push(name.clone());
            }
        }
        if found.len() > FILES_MAX {
            let why = format!("and the others mean {} files, and {FILES_MAX} are copied", found.len());
            return Err(not_copied(Path::new(&named.join(", ")), &why));
        }
        let (from, to) = (self.root.clone(), tree.to_owned());
        let copied = tokio::task::spawn_blocking(move || copy_all(&from, &to, &found)).await;
        copied.map_err(|error| not_copied(tree, &error.to_string()))??;
        Ok(missing)
    }

    /// Whether it is of tasuki's own, or a repository within this one.
    fn is_own(&self, path: &Path) -> bool {
        let workspace = self.git.workspace();
        path.as_os_str().as_bytes().ends_with(b"/")
            || path.starts_with(WORKTREES)
            || path.starts_with(QUEUE)
            || path.starts_with(STATUS)
            || OWN.iter().any(|name| self.root.join(path).starts_with(workspace.join(name)))
    }
}

fn not_copied(path: &Path, why: &str) -> WorktreeError {
    WorktreeError::NotCopied { path: path.to_owned(), why: why.to_owned() }
}

fn copy_all(from: &Path, to: &Path, paths: &BTreeSet<PathBuf>) -> Result<(), WorktreeError> {
    let folder = |path: &Path| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        open(path, flags, Mode::empty()).map_err(|errno| not_copied(path, &errno.to_string()))
    };
    let (from, to) = (folder(from)?, folder(to)?);
    for path in paths {
        let Some(file) = open_beneath(&from, path).map_err(|why| not_copied(path, &why))? else { continue };
        let put = put_beneath(&to, path, file);
        put.map_err(|error| not_copied(path, &format!("cannot be written into the worktree: {error}")))?;
    }
    Ok(())
}

/// Opens a file for reading; none if it is gone by now.
fn open_beneath(from: &OwnedFd, path: &Path) -> Result<Option<File>, String> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat2(from, path, flags, Mode::empty(), resolve) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if is_link(from, path) => {
            return Err("is a link that leads to no file: make the file, or remove the link".to_owned());
        }
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(Errno::XDEV) => {
            return Err("leads out of the repository: put the file itself there, or a relative link to \
                        one that lies in it"
                .to_owned());
        }
        Err(Errno::NOSYS) => return Err("this kernel has no openat2: run Linux 5.6 or newer".to_owned()),
        Err(errno) => return Err(format!("cannot be read: {errno}")),
    };
    match file.metadata() {
        Ok(meta) if meta.is_file() => Ok(Some(file)),
        Ok(_) => Err("is no file, or leads to none: name the files themselves".to_owned()),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

fn is_link(from: &OwnedFd, path: &Path) -> bool {
    let meta = statat(from, path, AtFlags::SYMLINK_NOFOLLOW);
    meta.is_ok_and(|meta| FileType::from_raw_mode(meta.st_mode) == FileType::Symlink)
}

/// Puts a file under a path, with the folders above it and through no link. What a setup that was not finished has put there goes.
fn put_beneath(to: &OwnedFd, path: &Path, mut file: File) -> io::Result<()> {
    let mode = Mode::from_raw_mode(file.metadata()?.permissions().mode() & 0o777);
    let parts: Vec<OsString> = path.components().filter_map(plain).map(OsStr::to_owned).collect();
    let (name, folders) = parts.split_last().ok_or(io::ErrorKind::InvalidInput)?;
    let mut folder: OwnedFd = to.as_fd().try_clone_to_owned()?;
    for part in folders {
        match mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        folder = openat(&folder, part, flags, Mode::empty())?;
    }
    match unlinkat(&folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut made = File::from(openat(&folder, name, flags, mode)?);
    io::copy(&mut file, &mut made).map(drop)
}

fn plain(part: Component<'_>) -> Option<&OsStr> {
    match part {
        Component::Normal(name) => Some(name),
        _ => None,
    }
}
