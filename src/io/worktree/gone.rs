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

    /// The commit that a worktree is made from whose branch is gone, and what is told of that.
    ///
    /// # Errors
    /// [`WorktreeError::Gone`] if its commits are, too; [`WorktreeError::NoCommit`] if the name is none of a branch of tasuki's.
    pub(super) async fn start_of_gone(&self, start: &TreeStart) -> Result<(String, String), WorktreeError> {
        let Ok(branch) = BranchName::new(&start.name) else {
            return Err(self.no_commit(&start.name));
        };
        let Gone { trashed, head } = self.gone(&branch)?;
        // A damaged journal may have anything there, and a name would be another commit.
        let ended_at = start.ended_at.as_deref().filter(|commit| is_object_name(commit));
        let known = head.or(ended_at.map(str::to_owned));
        let place = self.root.clone();
        let Some(commit) = known else { return Err(WorktreeError::Gone { branch, commit: None, place }) };
        if self.here().commit(&commit).await?.is_none() {
            let Some((entry, trashed)) = trashed.filter(|(_, trashed)| trashed.head == commit) else {
                return Err(WorktreeError::Gone { branch, commit: Some(commit), place });
            };
            let hold = self.hold().await?;
            self.bring_back(&entry, &trashed, &hold).await.map_err(|error| unreadable(error, &branch))?;
        }
        let short: String = commit.chars().take(SHOWN).collect();
        let note = format!("{branch} is gone, and its last commit {short} was taken");
        Ok((commit, note))
    }
}

/// What git says of a bundle, and what a person can do about it.
fn unreadable(error: WorktreeError, branch: &BranchName) -> WorktreeError {
    match error {
        WorktreeError::Git { doing, said } => {
            let cure = format!("{branch} is in the trash: `tasuki worktree restore {branch}`, and try again");
            WorktreeError::Git { doing, said: format!("{said}; {cure}") }
        }
        other => other,
    }
}
