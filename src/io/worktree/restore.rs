//! Gets a worktree back from the trash, under its own name.

use super::error::WorktreeError;
use super::git::bytes_of;
use super::half;
use super::hold::Hold;
use super::left_locks::clear_left_locks;
use super::make::{Worktree, delete_branch, taken};
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use super::trash::{BUNDLE, FILE, LEFT, Trashed};
use crate::engine::flow::branch::BranchName;
use crate::wire::layout::plain;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

impl Repository {
    /// Gets a worktree back: its branch where it was, and its folder with the files of that commit. `name` is an entry of the
    /// trash, a branch or a folder. The entry goes then.
    ///
    /// # Errors
    /// [`WorktreeError::NotThere`]; [`WorktreeError::NotRestored`] if there is such a branch or folder again; what git says.
    pub async fn restore(&self, name: &str) -> Result<Worktree, WorktreeError> {
        let hold = self.hold().await?;
        let (entry, trashed) = self.find_trashed(name)?;
        let branch = &trashed.branch;
        let record = self.records.read(&branch.folder())?;
        match record.as_ref().map(|record| &record.at) {
            None | Some(Progress::Removed { .. }) => {}
            Some(Progress::Restoring { .. }) => self.clear_restored(&trashed, &hold).await?,
            // All but the end was done.
            Some(Progress::Made { restored: Some(from), base }) if *from == entry => {
                let worktree = self.as_made(branch, base).await?;
                self.drop_entry(&entry, record)?;
                return Ok(worktree);
            }
            Some(_) => {
                let path = plain(&self.path_of(branch));
                let why = format!("it is there already, with its worktree {path}: nothing has to be done");
                return Err(WorktreeError::NotRestored { branch: branch.clone(), why });
            }
        }
        self.refuse_in_its_way(branch, &hold).await?;
        self.bring_back(&entry, &trashed, &hold).await?;
        let Trashed { base, head, owner, from, begun_s, .. } = trashed.clone();
        let at = Progress::Restoring { base, head, entry: entry.clone() };
        let (branch, trash) = (branch.clone(), Some(self.trash.clone()));
        let record = Record { branch, owner, from, names: Vec::new(), begun_s, at, is_set_up: false, trash };
        let branch = &record.branch;
        self.records.write(&record)?;
        match self.rebuild(&record, &trashed, &entry, &hold).await {
            Ok(worktree) => {
                let record = self.records.read(&branch.folder())?;
                self.drop_entry(&entry, record)?;
                Ok(worktree)
            }
            Err(error) => {
                // Where even that fails the record stays, and the next try clears it.
                if self.clear_restored(&trashed, &hold).await.is_ok() {
                    let head = Some(trashed.head.clone());
                    self.records.write(&Record { at: Progress::Removed { entry, head }, ..record })?;
                }
                Err(error)
            }
        }
    }

    /// What is called as its branch or its folder by now.
    async fn refuse_in_its_way(&self, branch: &BranchName, hold: &Hold) -> Result<(), WorktreeError> {
        if self.refuse_taken(branch, hold).await.is_ok() {
            return Ok(());
        }
        let why = match self.here().working(hold.file()).commit(&ref_of(branch)).await? {
            Some(_) => format!(
                "there is a branch of that name again: rename it, for example `git branch -m {branch} {branch}-new`, and try again"
            ),
            None => {
                let path = plain(&self.path_of(branch));
                format!("{path} is there, and tasuki has not made it: move it away, and try again")
            }
        };
        Err(WorktreeError::NotRestored { branch: branch.clone(), why })
    }

    /// Brings the commits back that git has forgotten meanwhile.
    pub(super) async fn bring_back(
        &self,
        entry: &str,
        trashed: &Trashed,
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        let at = self.here().working(hold.file());
        if at.commit(&trashed.head).await?.is_some() {
            return Ok(());
        }
        let bundle = self.trash.join(entry).join(BUNDLE);
        let unbundle = [b"bundle".as_slice(), b"unbundle", bytes_of(&bundle)].map(OsStr::from_bytes);
        at.demand("get the commits of a worktree back", &unbundle).await?;
        self.base_of(&trashed.head).await.map(drop)
    }

    async fn rebuild(
        &self,
        record: &Record,
        trashed: &Trashed,
        entry: &str,
        hold: &Hold,
    ) -> Result<Worktree, WorktreeError> {
        self.exclude(Some(&self.kept_at(&trashed.head).await?))?;
        self.check_out(record, &trashed.head, hold).await?;
        let made = Progress::Made { base: trashed.base.clone(), restored: Some(entry.to_owned()) };
        self.finish(record, &self.path_of(&record.branch), made, hold).await
    }

    /// Removes what is there of a worktree that was not got back to its end. The entry still has all of it.
    pub(super) async fn clear_restored(&self, trashed: &Trashed, hold: &Hold) -> Result<(), WorktreeError> {
        let branch = &trashed.branch;
        half::clear_ref_lock(&self.common_dir, branch)?;
        clear_left_locks(&self.root, &self.common_dir).await?;
        let at = self.here().working(hold.file());
        let tip = at.commit(&ref_of(branch)).await?;
        if tip.as_ref().is_some_and(|tip| *tip != trashed.head) {
            return Err(taken(
                branch,
                "somebody has committed to it while it was got back: rename it, and try again".to_owned(),
            ));
        }
        half::clear(&self.common_dir, &self.path_of(branch))?;
        delete_branch(&at, branch, tip.as_deref()).await
    }

    fn drop_entry(&self, entry: &str, record: Option<Record>) -> Result<(), WorktreeError> {
        let folder = self.trash.join(entry);
        match folder.join(LEFT).exists() {
            // What the branch had lost is nowhere else. Without its description it is no entry any more.
            true => {
                for name in [FILE, BUNDLE] {
                    half::remove(&folder.join(name))?;
                }
            }
            false => half::remove(&folder)?,
        }
        if let Some(mut record) = record
            && let Progress::Made { restored, .. } = &mut record.at
        {
            *restored = None;
            self.records.write(&record)?;
        }
        Ok(())
    }
}
