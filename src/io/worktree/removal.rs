//! Removes a worktree, if nothing is lost by it: what is kept of it comes into the trash first.

use super::error::WorktreeError;
use super::git::bytes_of;
use super::half;
use super::hold::Hold;
use super::left_locks::clear_left_locks;
use super::look::{no_worktree, unsaved};
use super::make::delete_branch;
use super::obstacle::{Obstacle, SHOWN_MAX};
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use super::trash::{BUNDLE, LEFT, Trashed, entry_name};
use crate::engine::flow::branch::BranchName;
use crate::io::run::runs_in;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A worktree that is being removed.
struct Leaving<'a> {
    record: &'a Record,
    base: &'a str,
    head: &'a str,
    entry: &'a str,
    removed_ms: u64,
}

impl Repository {
    /// Removes the worktree of a branch with the branch; gives the name of its entry in the trash. Asked again after a kill, it
    /// goes on where it was.
    ///
    /// # Errors
    /// [`WorktreeError::InTheWay`] says what would be lost; [`WorktreeError::NotThere`] if tasuki has made none on the branch.
    pub async fn remove(&self, branch: &BranchName) -> Result<String, WorktreeError> {
        let hold = self.hold().await?;
        let Some(mut record) = self.records.read(&branch.folder())? else {
            return Err(self.foreign(branch));
        };
        let is_begun = match &record.at {
            Progress::Removed { entry, .. } => return Ok(entry.clone()),
            Progress::Removing { .. } => true,
            Progress::Made { base, .. } => {
                let base = base.clone();
                // As long as it is held, no setup begins; behind it, one finds the worktree gone.
                let lock = self.records.set_up_lock(branch);
                let set_up = Hold::try_take(&lock)?;
                let is_at_work = set_up.is_none() || runs_in(&self.path_of(branch));
                let mut obstacles = Vec::from_iter(is_at_work.then_some(Obstacle::AtWork));
                obstacles.extend(self.obstacles(&record).await?);
                let head = self.here().commit(&ref_of(branch)).await?;
                let Some(head) = head.filter(|_| obstacles.is_empty()) else {
                    return Err(WorktreeError::InTheWay { branch: branch.to_string(), obstacles });
                };
                let removed_ms = self.clock.wall().0;
                let entry = entry_name(branch, removed_ms);
                // Before it is on its way: where that cannot be kept, it stays.
                self.keep_left(branch, (&base, &entry), &hold).await?;
                record.at = Progress::Removing { base, head, entry, removed_ms };
                self.records.write(&record)?;
                let _ = fs::remove_file(lock);
                drop(set_up);
                false
            }
            Progress::Making | Progress::Restoring { .. } => return Err(no_worktree(branch)),
        };
        let Progress::Removing { base, head, entry, removed_ms } = &record.at else {
            return Err(no_worktree(branch));
        };
        let leaving = Leaving { record: &record, base, head, entry, removed_ms: *removed_ms };
        self.keep_commits(&leaving, &hold).await?;
        self.take_away(&leaving, is_begun, &hold).await?;
        let removed = Progress::Removed { entry: entry.clone(), head: Some(head.clone()) };
        let entry = entry.clone();
        self.records.write(&Record { at: removed, ..record })?;
        Ok(entry)
    }

    fn foreign(&self, branch: &BranchName) -> WorktreeError {
        if !half::is_taken(&self.path_of(branch)) {
            return no_worktree(branch);
        }
        WorktreeError::InTheWay { branch: branch.to_string(), obstacles: vec![Obstacle::Foreign] }
    }

    /// Puts the commits that were made there, and that the branch has not, into the trash.
    async fn keep_left(
        &self,
        branch: &BranchName,
        (base, entry): (&str, &str),
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        let path = self.path_of(branch);
        let Some(own) = half::own_folder(&self.common_dir, &path).filter(|_| path.is_dir()) else {
            return Ok(());
        };
        let folder = self.make_entry(entry)?;
        let at = self.git.at(&path).of(&own).working(hold.file());
        let kept = self.keep_left_commits(&at, (branch, base), &own, &folder.join(LEFT)).await;
        if kept.is_err() {
            half::remove(&folder)?;
        }
        kept
    }

    /// Puts the commits of the branch that what it was made from does not have into the trash, and what is known of it.
    async fn keep_commits(&self, leaving: &Leaving<'_>, hold: &Hold) -> Result<(), WorktreeError> {
        let folder = self.make_entry(leaving.entry)?;
        let (bundle, branch) = (folder.join(BUNDLE), &leaving.record.branch);
        let at = self.here().working(hold.file());
        let name = ref_of(branch);
        // Where the branch is gone, a removal that was killed has done all this.
        let is_there = at.commit(&name).await?.is_some();
        let mut range = vec![name.as_str(), "--not"];
        range.extend(leaving.record.from.iter().map(String::as_str));
        if is_there && !bundle.exists() && !self.is_empty(&at, &range).await? {
            // git writes it under another name first, and a kill leaves that.
            half::remove(&folder.join(format!("{BUNDLE}.lock")))?;
            let mut arguments: Vec<&OsStr> = ["bundle", "create", "--quiet"].map(OsStr::new).to_vec();
            arguments.push(OsStr::from_bytes(bytes_of(&bundle)));
            arguments.extend(range.iter().map(OsStr::new));
            at.demand("keep the commits of a worktree", &arguments).await?;
            let synced = File::open(&bundle).and_then(|file| file.sync_all());
            synced.map_err(|source| WorktreeError::Io { path: bundle, source })?;
        }
        let path = self.path_of(branch);
        let Leaving { record, base, head, removed_ms, .. } = leaving;
        self.describe(&folder, &Trashed::of(record, base, head, *removed_ms, &path))
    }

    async fn is_empty(&self, at: &super::git::Place<'_>, range: &[&str]) -> Result<bool, WorktreeError> {
        let arguments = [&["rev-list", "--max-count=1"][..], range].concat();
        Ok(at.demand("look for commits of a worktree", &arguments).await?.out.is_empty())
    }

    async fn take_away(
        &self,
        leaving: &Leaving<'_>,
        is_begun: bool,
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        let branch = &leaving.record.branch;
        let path = self.path_of(branch);
        let at = self.here().working(hold.file());
        if is_begun {
            self.refuse_new(branch, &path).await?;
            half::clear(&self.common_dir, &path)?;
            half::clear_ref_lock(&self.common_dir, branch)?;
            clear_left_locks(&self.root, &self.common_dir).await?;
        } else if half::own_folder(&self.common_dir, &path).is_some() {
            // It was looked at just now. git itself refuses submodules, even such as have nothing new.
            let remove = [b"worktree".as_slice(), b"remove", b"--force", b"--", bytes_of(&path)];
            at.demand("remove a worktree", &remove.map(OsStr::from_bytes)).await?;
        }
        let is_there = at.commit(&ref_of(branch)).await?.is_some();
        delete_branch(&at, branch, is_there.then_some(leaving.head)).await?;
        // Only the last one takes the folder with it.
        let _ = fs::remove_dir(self.worktrees());
        Ok(())
    }

    /// Refuses what somebody has written into a worktree while its removal was interrupted. Files that are missing are those that
    /// are removed already.
    async fn refuse_new(&self, branch: &BranchName, path: &Path) -> Result<(), WorktreeError> {
        let own = half::own_folder(&self.common_dir, path);
        let Some(own) = own.filter(|own| path.is_dir() && own.join("HEAD").is_file()) else { return Ok(()) };
        let mut new = unsaved(&self.git.at(path).of(&own)).await?;
        new.retain(|file| !file.letters.contains(&b'D'));
        if new.is_empty() {
            return Ok(());
        }
        let files = new.iter().take(SHOWN_MAX).map(|file| file.path.to_string_lossy().into_owned());
        let obstacles = vec![Obstacle::Dirty { files: files.collect(), in_all: new.len() }];
        Err(WorktreeError::InTheWay { branch: branch.to_string(), obstacles })
    }
}
