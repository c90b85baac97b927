//! Commits of a worktree that what is checked out there at its end does not have. With its folder the only log that names them goes.

use super::error::WorktreeError;
use super::git::{Place, bytes_of};
use super::half;
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use crate::io::git::is_object_name;
use crate::io::regular;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Moves of what is checked out that are gone through for commits, the newest.
const MOVES_MAX: usize = 500;
/// Commits that are kept, the newest: of what somebody has fetched, the whole past is no work of his.
const COMMITS_MAX: &str = "--max-count=1000";
/// What is read of git's log of those moves.
const LOG_BYTES_MAX: u64 = 16 << 20;

impl Repository {
    /// Writes the commits that were made there and that what is checked out at the end has not, one message each, for
    /// `git am`: amended ones, and those of a head that was detached or reset.
    pub(super) async fn keep_left_commits(
        &self,
        at: &Place<'_>,
        (branch, base): (&BranchName, &str),
        own: &Path,
        path: &Path,
    ) -> Result<(), WorktreeError> {
        let doing = "keep what was committed and left";
        let failed = |source| WorktreeError::Io { path: path.to_owned(), source };
        let except = format!("--exclude={branch}");
        let mut range = vec!["--not", "HEAD", base, &except, "--branches", "--tags", "--remotes", "--not"];
        // Whoever worked there may have made anything of it.
        let mut log = Vec::new();
        if let Ok(file) = regular::open(fs::OpenOptions::new().read(true), &own.join("logs/HEAD")) {
            file.take(LOG_BYTES_MAX).read_to_end(&mut log).map_err(failed)?;
        }
        let log = String::from_utf8_lossy(&log);
        let names = log.lines().rev().filter_map(|line| line.split(' ').nth(1));
        range.extend(names.filter(|name| is_object_name(name)).take(MOVES_MAX));
        let tip = at.commit(&ref_of(branch)).await?;
        range.extend(tip.as_deref());
        let count =
            [&["rev-list", "--count", "--no-merges", "--ignore-missing"][..], &range, &["--"]].concat();
        if at.text(doing, &count).await?.trim() == "0" {
            return Ok(());
        }
        // One without a change is a message, too, and what a person has configured for letters of theirs does not count.
        let how =
            ["--always", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-missing"];
        let plain = ["--no-attach", "--no-base", "--no-cover-letter", "--no-signature", COMMITS_MAX];
        let mut output = OsString::from("--output=");
        output.push(OsStr::from_bytes(bytes_of(path)));
        let mut words: Vec<OsString> =
            ["format-patch"].iter().chain(&how).chain(&plain).chain(&range).map(OsString::from).collect();
        words.insert(1, output);
        at.demand(doing, &words).await?;
        // Commits without a change are no messages.
        if fs::metadata(path).map_or(0, |meta| meta.len()) == 0 {
            return half::remove(path);
        }
        fs::set_permissions(path, Permissions::from_mode(0o600))
            .and_then(|()| fs::File::open(path)?.sync_all())
            .and_then(|()| fs::File::open(path.parent().unwrap_or(path))?.sync_all())
            .map_err(failed)
    }
}
