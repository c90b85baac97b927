//! Waits for the end of a process.

use super::key::{find, raw};
use crate::engine::words::ProcessKey;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{PidfdFlags, pidfd_open, test_kill_process};
use std::io;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How soon it is looked again whether a process lives that cannot be watched.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Waits until the process has ended; at once if it has.
///
/// # Errors
/// What the kernel says if the process cannot be watched, as with too many open files.
pub async fn wait_exit(key: ProcessKey) -> io::Result<()> {
    let Some(pid) = raw(key.pid) else { return Ok(()) };
    let fd = match pidfd_open(pid, PidfdFlags::NONBLOCK) {
        Ok(fd) => fd,
        Err(Errno::SRCH) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    // Only now that the number is held can nobody else come to have it.
    if find(key.pid)? != Some(key) {
        return Ok(());
    }
    readable(fd).await
}

/// Waits until the process has ended. Where it cannot be watched it is looked at now and then instead: one that may live
/// is never taken for dead.
pub async fn wait_gone(key: ProcessKey) {
    while let Err(error) = wait_exit(key).await {
        tracing::warn!(%error, pid = key.pid, "a process cannot be watched; it is looked at now and then");
        tokio::time::sleep(LOOK_AGAIN).await;
        if !may_live(key) {
            return;
        }
    }
}

/// Whether the process may still run, asked without opening a file where that does not work.
fn may_live(key: ProcessKey) -> bool {
    match find(key.pid) {
        Ok(found) => found == Some(key),
        Err(_) => raw(key.pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH)),
    }
}

/// Waits until a file can be read: for a pidfd, until its process has ended.
#[expect(
    deprecated,
    reason = "what replaces it is `unsafe`; that the file stays open is plain where it is owned"
)]
async fn readable(fd: OwnedFd) -> io::Result<()> {
    AsyncFd::with_interest(fd, Interest::READABLE)?.readable().await.map(drop)
}

/// Waits until a file that stays open elsewhere can be read.
///
/// # Errors
/// What the kernel says if it cannot be watched.
pub(crate) async fn readable_now(fd: &OwnedFd) -> io::Result<()> {
    readable(fd.try_clone()?).await
}
