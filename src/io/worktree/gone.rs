//! A branch that is gone, since it was removed with its worktree or somebody has deleted it. Its last commit is known still, and
//! what git has forgotten of it is in the trash.

use super::error::WorktreeError;
use super::record::Progress;
use super::repository::Repository;
use super::trash::Trashed;
use crate::engine::flow::branch::BranchName;
use crate::engine::job::TreeStart;
use crate::io::git::is_object_name;

/// Letters of a commit by which a person knows it again.
const SHOWN: usize = 12;

/// What is known of a branch that is gone.
pub(super) struct Gone {
    /// Its newest entry of the trash, and what that is.
    pub(super) trashed: Option<(String, Trashed)>,
    /// The commit at which it was when its worktree was removed.
    pub(super) head: Option<String>,
}

impl Repository {
    /// What the trash and the records of worktrees know of a branch.
    pub(super) fn gone(&self, branch: &BranchName) -> Result<Gone, WorktreeError> {
        let trashed = self.find_trashed(branch.as_str()).ok();
        let known = trashed.as_ref().map(|(_, trashed)| trashed.head.clone());
        let record = self.records.read(&branch.folder())?.map(|record| record.at);
        let head = known.or(match record {
            Some(Progress::Removed { head, .. }) => head,
            Some(Progress::Removing { head, .. } | Progress::Restoring { head, .. }) => Some(head),
            Some(Progress::Making | Progress::Made { .. }) | None => None,
        });
        Ok(Gone { trashed, head })
    }

    /// Those of these branches that are gone with their commits, each by its place and with what is told of it. Nothing is brought back.
    ///
    /// # Errors
    /// What git and the machine say.
    pub async fn missing(
        &self,
        branches: &[TreeStart],
    ) -> Result<Vec<(usize, WorktreeError)>, WorktreeError> {
        let names: Vec<String> = branches.iter().map(|start| format!("refs/heads/{}", start.name)).collect();
        let mut missing = Vec::new();
        for (at, known) in self.here().commits(&names).await?.into_iter().enumerate() {
            let Some(start) = branches.get(at).filter(|_| known.is_none()) else { continue };
            match self.find_gone(start).await {
                Ok(_) => {}
                Err(error @ WorktreeError::Gone { .. }) => missing.push((at, error)),
                Err(error) => return Err(error),
            }
        }
        Ok(missing)
    }

    /// The commit at which a branch was that is gone, and the entry of the trash from which it has to be brought back first, if it has.
    async fn find_gone(
        &self,
        start: &TreeStart,
    ) -> Result<(String, Option<(String, Trashed)>), WorktreeError> {
        let Ok(branch) = BranchName::new(&start.name) else {
            return Err(self.no_commit(&start.name));
        };
        let Gone { trashed, head } = self.gone(&branch)?;
        // A damaged journal may have anything there, and a name would be another commit.
        let ended_at = start.ended_at.as_deref().filter(|commit| is_object_name(commit));
        let place = self.root.clone();
        let Some(commit) = head.or(ended_at.map(str::to_owned)) else {
            return Err(WorktreeError::Gone { branch, commit: None, place });
        };
        if self.here().commit(&commit).await?.is_some() {
            return Ok((commit, None));
        }
        match trashed.filter(|(_, trashed)| trashed.head == commit) {
            Some(entry) => Ok((commit, Some(entry))),
            None => Err(WorktreeError::Gone { branch, commit: Some(commit), place }),
        }
    }

    /// The commit that a worktree is made from whose branch is gone, and what is told of that.
    ///
    /// # Errors
    /// [`WorktreeError::Gone`] if its commits are, too; [`WorktreeError::NoCommit`] if the name is none of a branch of tasuki's.
    pub(super) async fn start_of_gone(&self, start: &TreeStart) -> Result<(String, String), WorktreeError> {
        let branch = &start.name;
        let (commit, forgotten) = self.find_gone(start).await?;
        if let Some((entry, trashed)) = forgotten {
            let hold = self.hold().await?;
            self.bring_back(&entry, &trashed, &hold).await.map_err(|error| unreadable(error, branch))?;
        }
        let short: String = commit.chars().take(SHOWN).collect();
        let note = format!("{branch} is gone, and its last commit {short} was taken");
        Ok((commit, note))
    }
}

/// What git says of a bundle, and what a person can do about it.
fn unreadable(error: WorktreeError, branch: &str) -> WorktreeError {
    match error {
        WorktreeError::Git { doing, said } => {
            let cure = format!("{branch} is in the trash: `tasuki worktree restore {branch}`, and try again");
            WorktreeError::Git { doing, said: format!("{said}; {cure}") }
        }
        other => other,
    }
}
