//! All worktrees of a repository that stand where tasuki makes them, and the removal of those that nobody needs.

use super::error::WorktreeError;
use super::git::ASK_LIMIT;
use super::hold::Hold;
use super::make::taken;
use super::obstacle::Obstacle;
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use super::trash::LEFT;
use crate::engine::flow::branch::BranchName;
use crate::io::run::runs_in;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tokio::task::JoinSet;

/// git answers within a tenth of a second. Where a filter or a disk holds it up for so long, a list does without its answer.
const LOOK_LIMIT: Duration = Duration::from_secs(5);
/// Worktrees that are looked at at the same time: git reads the disk for each.
const AT_ONCE: usize = 8;

/// A worktree in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The name of its folder.
    pub folder: String,
    pub path: PathBuf,
    /// Its branch; none if tasuki has not made it.
    pub branch: Option<BranchName>,
    /// For whom it was made.
    pub owner: Option<String>,
    pub state: ListedState,
    pub base: Option<String>,
    /// The commit at which its branch is.
    pub head: Option<String>,
    /// What stands in the way of its removal.
    pub obstacles: Vec<Obstacle>,
}

/// How far a worktree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListedState {
    /// It is made to its end, and was not removed.
    There,
    /// It is being made or got back, or what did so was killed.
    HalfMade,
    /// It is being removed, or what did so was killed.
    HalfRemoved,
    /// tasuki has not made it.
    Foreign,
}

/// What `prune` did with a worktree, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pruned {
    pub folder: String,
    /// Whether it is gone by now; in a dry run, whether it would be.
    pub removed: bool,
    /// Its entry in the trash; none for one that was never made to its end, of which there is nothing to keep.
    pub entry: Option<String>,
    /// The commits that were made there and that its branch has not, for `git am`; none if there are none.
    pub left: Option<PathBuf>,
    /// Why it stays.
    pub obstacles: Vec<Obstacle>,
}

impl Pruned {
    /// Whether it is that of a role of a debate, of whose end nothing goes to the trash.
    #[must_use]
    pub fn is_of_role(&self) -> bool {
        BranchName::new(&self.folder).is_ok_and(|branch| branch.speech().is_some())
    }
}

impl Repository {
    /// All of them, by folder. `is_in_use` says on which branches somebody works. A person waits for it, so git is not waited for long.
    ///
    /// # Errors
    /// What the machine says of the records.
    pub async fn list(&self, is_in_use: impl Fn(&BranchName) -> bool) -> Result<Vec<Listed>, WorktreeError> {
        self.list_within(&is_in_use, LOOK_LIMIT).await
    }

    /// The same where git has so long for each answer. Several are looked at at the same time, so that one in which git hangs keeps nobody
    /// waiting for the others.
    pub(super) async fn list_within(
        &self,
        is_in_use: &impl Fn(&BranchName) -> bool,
        limit: Duration,
    ) -> Result<Vec<Listed>, WorktreeError> {
        let git = self.git.answering_within(limit);
        let (mut all, mut looks) = (Vec::new(), JoinSet::new());
        for (folder, record) in self.records.all()? {
            if matches!(record.at, Progress::Removed { .. }) {
                continue;
            }
            if looks.len() >= AT_ONCE
                && let Some(listed) = looks.join_next().await
            {
                all.extend(listed);
            }
            let (mut here, is_in_use) = (self.clone(), is_in_use(&record.branch));
            here.git = git.clone();
            looks.spawn(async move { here.listed(folder, &record, is_in_use).await });
        }
        while let Some(listed) = looks.join_next().await {
            all.extend(listed);
        }
        let known: BTreeSet<String> = all.iter().map(|listed: &Listed| listed.folder.clone()).collect();
        for folder in self.folders().difference(&known) {
            let listed = match self.records.read(folder)? {
                Some(record) if matches!(record.at, Progress::Removed { .. }) => self.foreign_one(folder),
                // It is being made since the others were looked up.
                Some(record) => self.listed(folder.clone(), &record, true).await,
                None => self.foreign_one(folder),
            };
            all.push(listed);
        }
        all.sort_unstable_by(|one, other| one.folder.cmp(&other.folder));
        Ok(all)
    }

    /// One of them that tasuki has made. What git does not tell of it is in the way of its removal.
    async fn listed(&self, folder: String, record: &Record, is_in_use: bool) -> Listed {
        let state = match &record.at {
            Progress::Made { .. } => ListedState::There,
            Progress::Making | Progress::Restoring { .. } => ListedState::HalfMade,
            Progress::Removing { .. } | Progress::Removed { .. } => ListedState::HalfRemoved,
        };
        let mut obstacles = Vec::from_iter(is_in_use.then_some(Obstacle::InUse));
        if let Some(root) = record.other_workspace(&self.trash) {
            let (root, repository) = (root.display().to_string(), self.root.display().to_string());
            obstacles.push(Obstacle::OtherWorkspace { root, repository });
        }
        let unread = |error: WorktreeError| vec![Obstacle::Unread { why: error.to_string() }];
        if state == ListedState::There && self.is_to_end(&record.branch) {
            obstacles.extend(self.obstacles_to_its_end(record));
        } else if state == ListedState::There {
            obstacles.extend(self.is_at_work(&record.branch).then_some(Obstacle::AtWork));
            obstacles.extend(self.obstacles(record).await.unwrap_or_else(unread));
        }
        let head = match self.here().commit(&ref_of(&record.branch)).await {
            Ok(head) => head,
            Err(error) => {
                obstacles.extend(unread(error));
                None
            }
        };
        Listed {
            folder,
            path: self.path_of(&record.branch),
            branch: Some(record.branch.clone()),
            owner: Some(record.owner.clone()),
            state,
            base: record.base().map(str::to_owned),
            head,
            obstacles,
        }
    }

    /// Whether its setup is under way, or a command runs there that a check or a setup has started.
    fn is_at_work(&self, branch: &BranchName) -> bool {
        let lock = self.records.set_up_lock(branch);
        lock.exists() && matches!(Hold::try_take(&lock), Ok(None)) || runs_in(&self.path_of(branch))
    }

    fn foreign_one(&self, folder: &str) -> Listed {
        Listed {
            folder: folder.to_owned(),
            path: self.worktrees().join(folder),
            branch: None,
            owner: None,
            state: ListedState::Foreign,
            base: None,
            head: None,
            obstacles: vec![Obstacle::Foreign],
        }
    }

    /// The branches of all worktrees that are made or being made, by tasuki. Whoever asks which are in use asks that afterwards: what is
    /// not among these is made since, and in use.
    ///
    /// # Errors
    /// What the machine says of the records.
    pub fn recorded(&self) -> Result<BTreeSet<String>, WorktreeError> {
        Ok(self.records.all()?.into_values().map(|record| record.branch.to_string()).collect())
    }

    /// What stands where tasuki makes worktrees.
    pub(super) fn folders(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.worktrees()).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Removes all in whose way nothing stands; one that was never made to its end goes without a trace. `is_dry` only says which.
    ///
    /// # Errors
    /// What git and the machine say of the first that could not be removed. The others are removed then.
    pub async fn prune(
        &self,
        is_in_use: impl Fn(&BranchName) -> bool,
        is_dry: bool,
    ) -> Result<Vec<Pruned>, WorktreeError> {
        let (mut all, mut failed) = (Vec::new(), None);
        let limit = if is_dry { LOOK_LIMIT } else { ASK_LIMIT };
        for listed in self.list_within(&is_in_use, limit).await? {
            let Listed { folder, branch, owner, state, mut obstacles, .. } = listed;
            let (mut removed, mut entry) = (obstacles.is_empty(), None);
            if let Some(branch) = branch.filter(|_| removed && !is_dry) {
                let done = match state {
                    ListedState::HalfMade => self.clear(&branch).await,
                    _ if self.is_to_end(&branch) => {
                        self.end(&branch, &owner.unwrap_or_default()).await.map(|()| None)
                    }
                    _ => self.remove(&branch).await.map(Some),
                };
                match done {
                    Ok(kept) => entry = kept,
                    // Somebody has worked in it since it was looked at.
                    Err(WorktreeError::InTheWay { obstacles: new, .. }) => {
                        (removed, obstacles) = (false, new)
                    }
                    // It was made to its end.
                    Err(WorktreeError::Taken { .. }) if state == ListedState::HalfMade => {
                        (removed, obstacles) = (false, vec![Obstacle::InUse]);
                    }
                    Err(error) => {
                        removed = false;
                        failed = failed.or(Some(error));
                    }
                }
            }
            let left = entry.as_ref().map(|entry| self.trash.join(entry).join(LEFT));
            let left = left.filter(|path| path.exists());
            all.push(Pruned { folder, removed, entry, left, obstacles });
        }
        failed.map_or(Ok(all), Err)
    }

    /// Removes what a kill has left of one that was being made or got back. The entry of the second is still in the trash.
    async fn clear(&self, branch: &BranchName) -> Result<Option<String>, WorktreeError> {
        let hold = self.hold().await?;
        let Some(record) = self.records.read(&branch.folder())? else { return Ok(None) };
        match &record.at {
            Progress::Making => self.clear_made(&record, &hold).await.map(|()| None),
            Progress::Restoring { entry, .. } => {
                let entry = entry.clone();
                let (_, trashed) = self.find_trashed(&entry)?;
                self.clear_restored(&trashed, &hold).await?;
                let (removed, head) = (entry.clone(), Some(trashed.head));
                self.records.write(&Record { at: Progress::Removed { entry, head }, ..record })?;
                Ok(Some(removed))
            }
            // It was finished meanwhile.
            _ => Err(taken(branch, "it is in use by now: try again".to_owned())),
        }
    }
}
