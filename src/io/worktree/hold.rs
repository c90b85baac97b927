//! One writer a repository, over all daemons and all commands: an `flock` on a file in the repository's folder of git's own.
//!
//! git has the file open, too, as long as it lives. So a git that outlives the daemon which has started it keeps the lock, and
//! nobody begins to put right what that git has not finished yet. A setup has such a lock on its worktree alone.

use super::error::WorktreeError;
use crate::io::regular;
use fs2::FileExt as _;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Fifty checkouts of a large repository, one after the other.
pub(super) const HOLD_WITHIN: Duration = Duration::from_secs(1_800);
/// Between two tries. A small worktree is made within 20 ms, and twenty may wait for each other.
const REST: Duration = Duration::from_millis(5);

/// The right to change the repository. It ends when this is dropped and no git has the file any more.
#[derive(Debug)]
pub(super) struct Hold {
    file: File,
}

impl Hold {
    /// Waits for whoever has the file at this path, at most so long.
    pub(super) async fn take(path: &Path, within: Duration) -> Result<Self, WorktreeError> {
        let until = Instant::now() + within;
        loop {
            if let Some(hold) = Self::try_take(path)? {
                return Ok(hold);
            }
            if Instant::now() >= until {
                return Err(WorktreeError::Busy { lock: path.to_owned() });
            }
            sleep(REST).await;
        }
    }

    /// Takes it, unless somebody has it.
    pub(super) fn try_take(path: &Path) -> Result<Option<Self>, WorktreeError> {
        let failed = |source| WorktreeError::Io { path: path.to_owned(), source };
        loop {
            let file = open(path).map_err(failed)?;
            match file.try_lock_exclusive() {
                Ok(()) if is_there(&file, path) => return Ok(Some(Self { file })),
                // Somebody has removed it, and others would take another one.
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// What git is given, so that the lock stays while it lives.
    pub(super) fn file(&self) -> &File {
        &self.file
    }
}

fn open(path: &Path) -> io::Result<File> {
    regular::open(OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600), path)
}

fn is_there(file: &File, path: &Path) -> bool {
    let same = file.metadata().ok().zip(path.metadata().ok());
    same.is_some_and(|(ours, there)| (ours.dev(), ours.ino()) == (there.dev(), there.ino()))
}
