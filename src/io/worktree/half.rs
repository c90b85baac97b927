//! Where git keeps what it knows of a worktree, and how what a kill has left of one goes: by hand, since git refuses what is half
//! made or half removed.
//!
//! `git worktree add` makes its own folder, marks it `locked`, writes the path into `gitdir`, then makes the worktree itself
//! (gitrepository-layout(5)). A kill may come between any two of these.

use super::error::WorktreeError;
use super::repository::ref_of;
use crate::engine::flow::branch::BranchName;
use crate::io::regular;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Largest of git's files that name a place or a commit, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// The folder of git's own for the worktree at `path`; none if git knows of none there.
pub(super) fn own_folder(common_dir: &Path, path: &Path) -> Option<PathBuf> {
    let (all, leads_there) =
        (common_dir.join("worktrees"), |own: &PathBuf| leads_to(own).as_deref() == Some(path));
    // git calls it so, unless another one has that name.
    let usual = path.file_name().map(|name| all.join(name)).filter(leads_there);
    usual.or_else(|| fs::read_dir(all).ok()?.flatten().map(|entry| entry.path()).find(leads_there))
}

/// Where a branch is checked out, if that is another worktree than the one at `path`.
pub(super) fn elsewhere(common_dir: &Path, branch: &BranchName, path: &Path) -> Option<PathBuf> {
    let is_it = |own: &Path| {
        let head = regular::read(&own.join("HEAD"), FILE_BYTES_MAX).unwrap_or_default();
        head.trim_end().strip_prefix("ref: ") == Some(&ref_of(branch))
    };
    let folders = fs::read_dir(common_dir.join("worktrees")).ok()?.flatten().map(|entry| entry.path());
    folders.filter(|own| is_it(own)).filter_map(|own| leads_to(&own)).find(|place| place != path)
}

/// The worktree that one of those folders is for.
pub(super) fn leads_to(own: &Path) -> Option<PathBuf> {
    let text = fs::read(own.join("gitdir")).ok()?;
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    // Newer gits may write it relative to the folder itself.
    let file = own.join(OsStr::from_bytes(text));
    let path = file.parent()?;
    if text.starts_with(b"/") { Some(path.to_owned()) } else { path.canonicalize().ok() }
}

/// Whether anything stands under this name, were it a link that leads nowhere.
pub(super) fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Removes the folder of a worktree, and what git knows of it.
pub(super) fn clear(common_dir: &Path, path: &Path) -> Result<(), WorktreeError> {
    let found = own_folder(common_dir, path);
    // git was killed before it wrote where the worktree is. Nobody else is making one of this name now: ours is locked.
    let begun = path.file_name().map(|name| common_dir.join("worktrees").join(name));
    let begun = begun.filter(|own| own.is_dir() && !own.join("gitdir").exists());
    remove(path)?;
    for own in found.into_iter().chain(begun) {
        remove(&own)?;
    }
    // Only the last one takes the folder with it, as with git itself.
    let _ = fs::remove_dir(common_dir.join("worktrees"));
    let _ = path.parent().map(fs::remove_dir);
    Ok(())
}

/// Removes the lock that a killed git has left on the ref of a branch. Nobody but tasuki changes it while it is being made or removed.
pub(super) fn clear_ref_lock(common_dir: &Path, branch: &BranchName) -> Result<(), WorktreeError> {
    remove(&common_dir.join(format!("{}.lock", ref_of(branch))))
}

/// Removes a file, a link or a folder with all that is in it, if it is there. No link is followed.
pub(super) fn remove(path: &Path) -> Result<(), WorktreeError> {
    let removed = match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WorktreeError::Io { path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

/// What git has begun there and not ended, by the files that it keeps meanwhile.
pub(super) fn under_way(own: &Path) -> Option<&'static str> {
    let signs = [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
        ("index.lock", "command of git (index.lock)"),
    ];
    signs.into_iter().find(|(name, _)| own.join(name).exists()).map(|(_, what)| what)
}
