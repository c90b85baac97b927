//! A worktree that somebody has removed while its session goes on: it is made again on its branch, or got back from the trash. Where
//! neither is there, it is made anew.

use super::error::WorktreeError;
use super::exclude::QUEUE;
use super::git::bytes_of;
use super::half;
use super::hold::Hold;
use super::look::undelivered;
use super::make::{Worktree, make_folder, taken};
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// What git writes into `locked` while it makes a worktree: one that has it still was killed.
const HALF_MADE: &str = "initializing";

impl Repository {
    /// Whether all of a worktree that was made is still there.
    pub(super) fn is_whole(&self, branch: &BranchName) -> bool {
        let path = self.path_of(branch);
        let own = half::own_folder(&self.common_dir, &path);
        own.is_some_and(|own| !is_half_made(&own)) && path.join(".git").is_file()
    }

    /// The commit at which a worktree is: that of its branch, or else what is checked out there.
    ///
    /// # Errors
    /// What git says.
    pub async fn head_of(&self, worktree: &Worktree) -> Result<String, WorktreeError> {
        if let Some(head) = self.here().commit(&ref_of(&worktree.branch)).await? {
            return Ok(head);
        }
        let head = self.git.at(&worktree.path).commit("HEAD").await?;
        Ok(head.unwrap_or_else(|| worktree.base.clone()))
    }

    /// Gets a worktree back that `tasuki worktree prune` has put into the trash; or why it cannot be got back and is made anew.
    pub(super) async fn back_from_trash(
        &self,
        branch: &BranchName,
        owner: &str,
    ) -> Result<Option<Result<Worktree, String>>, WorktreeError> {
        let record = self.records.read(&branch.folder())?.filter(|record| record.owner == owner);
        let (Some(Progress::Removed { entry, .. }) | Some(Progress::Restoring { entry, .. })) =
            record.map(|record| record.at)
        else {
            return Ok(None);
        };
        match self.restore(&entry).await {
            Ok(worktree) => {
                let note = format!("its worktree had been removed and is back from the trash, at {branch}");
                Ok(Some(Ok(Worktree { note: Some(note), ..worktree })))
            }
            Err(WorktreeError::NotThere { .. }) => Ok(Some(Err(format!(
                "its worktree had been removed and is no longer in the trash: {branch} begins anew"
            )))),
            Err(error) => Err(error),
        }
    }

    /// Makes a worktree again on its branch; or why that is gone, too, and what is left of it is cleared.
    pub(super) async fn make_again(
        &self,
        record: &Record,
        hold: &Hold,
    ) -> Result<Result<Worktree, String>, WorktreeError> {
        let (branch, path) = (&record.branch, self.path_of(&record.branch));
        let own = half::own_folder(&self.common_dir, &path);
        let is_half = own.as_deref().is_some_and(is_half_made);
        if own.as_ref().is_some_and(|own| own.join("locked").exists()) && !is_half {
            let why = format!(
                "its worktree {} is gone and locked: `git worktree unlock` it, or bring it back",
                path.display()
            );
            return Err(taken(branch, why));
        }
        if half::is_taken(&path) && !is_half && !is_left_over(&path) {
            let why = format!(
                "{} is no worktree any more, and has other files: move them away, and try again",
                path.display()
            );
            return Err(taken(branch, why));
        }
        if let Some(to) = half::elsewhere(&self.common_dir, branch, &path) {
            return Err(WorktreeError::Moved { branch: branch.clone(), from: path, to });
        }
        half::clear(&self.common_dir, &path)?;
        let at = self.here().working(hold.file());
        if at.commit(&ref_of(branch)).await?.is_none() {
            return Ok(Err(format!("its worktree and its branch were gone: {branch} begins anew")));
        }
        // What a setup had put there is gone, too.
        let record = &Record { is_set_up: false, ..record.clone() };
        self.records.write(record)?;
        make_folder(&self.worktrees())?;
        let add = [b"worktree".as_slice(), b"add", b"--", bytes_of(&path), branch.as_str().as_bytes()];
        at.demand("make a worktree again", &add.map(OsStr::from_bytes)).await?;
        let worktree = match self.finish(record, &path, record.at.clone(), hold).await {
            Ok(worktree) => worktree,
            Err(error) => {
                // Nobody has worked there, and whoever asks again is to meet the same.
                half::clear(&self.common_dir, &path)?;
                return Err(error);
            }
        };
        let note = format!("its worktree was gone and was made again on its branch {branch}");
        Ok(Ok(Worktree { note: Some(note), ..worktree }))
    }
}

fn is_half_made(own: &Path) -> bool {
    fs::read_to_string(own.join("locked")).is_ok_and(|why| why.trim() == HALF_MADE)
}

/// Whether nothing is in a folder but what tasuki puts there by itself.
fn is_left_over(path: &Path) -> bool {
    let names = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_ours = |name: std::ffi::OsString| name == QUEUE || name == "status";
    path.is_dir() && names.into_iter().all(is_ours) && undelivered(path).is_empty()
}
