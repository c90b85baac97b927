//! Locks of git's own that a killed git has left in the part of a repository that all its worktrees share. git waits for nobody to
//! remove them.

use super::error::WorktreeError;
use super::half;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What tasuki's own calls lock there: for the removal of a branch, and of what is set for it.
const SHARED: [&str; 2] = ["packed-refs.lock", "config.lock"];
/// A lock that is somebody's is given back within this time, or its git is seen at work.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(2);

/// Removes them, after a kill: where no git is at work in the repository, and the lock is the same after a while.
///
/// Ours is not at work either, since the lock of all writers would be its own.
pub(super) async fn clear_left_locks(root: &Path, common_dir: &Path) -> Result<(), WorktreeError> {
    let found = |path: PathBuf| {
        let meta = path.symlink_metadata().ok()?;
        Some((path, meta.ino(), meta.mtime(), meta.mtime_nsec()))
    };
    let before: Vec<_> = SHARED.iter().filter_map(|name| found(common_dir.join(name))).collect();
    if before.is_empty() || is_git_at_work(root, common_dir) {
        return Ok(());
    }
    tokio::time::sleep(GIVEN_BACK_WITHIN).await;
    for lock in before {
        if found(lock.0.clone()).as_ref() == Some(&lock) && !is_git_at_work(root, common_dir) {
            tracing::info!("a killed git has left {}: it is removed", lock.0.display());
            half::remove(&lock.0)?;
        }
    }
    Ok(())
}

/// Whether a git works in the repository, or one of which nobody may know where it works.
fn is_git_at_work(root: &Path, common_dir: &Path) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let gits =
        processes.filter(|process| fs::read(process.join("comm")).is_ok_and(|name| name.starts_with(b"git")));
    gits.into_iter().any(|git| match fs::read_link(git.join("cwd")) {
        Ok(place) => place.starts_with(root) || place.starts_with(common_dir),
        // It is another user's, unless it has ended.
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    })
}
