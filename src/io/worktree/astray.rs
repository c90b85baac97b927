//! Whether what is committed in a worktree comes onto its branch. Somebody may have checked something else out there: no later task
//! and no merge would have what is committed then.

use super::error::WorktreeError;
use super::git::Place;
use super::half;
use super::obstacle::SHOWN_MAX;
use super::record::Record;
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use std::fs;
use std::path::{Path, PathBuf};

impl Repository {
    /// Refuses a worktree in which the next task of a session would not come onto its branch, and one that somebody keeps locked.
    /// An agent of the team file finds its own as it has left it.
    pub(super) async fn refuse_unfit(&self, record: &Record) -> Result<(), WorktreeError> {
        let (branch, path) = (&record.branch, self.path_of(&record.branch));
        let Some(own) = half::own_folder(&self.common_dir, &path).filter(|_| record.is_of_task()) else {
            return Ok(());
        };
        if let Ok(why) = fs::read(own.join("locked")) {
            let why = String::from_utf8_lossy(&why).trim().to_owned();
            return Err(WorktreeError::Locked { branch: branch.clone(), place: path, why });
        }
        let at = self.git.at(&path).of(&own);
        match other_head(&at, branch, &own).await? {
            // The rebase ends on the branch.
            Some(_) if is_rebased(&own, branch) => Ok(()),
            Some(head) => {
                let commits = self.beside(&at, branch, &head).await?;
                Err(self.astray(branch, head, commits))
            }
            None => Ok(()),
        }
    }

    /// Refuses to go on from a branch whose worktree has commits that are not on it: whoever needs it would not have them.
    pub(super) async fn refuse_astray(&self, branch: &str) -> Result<(), WorktreeError> {
        let Ok(branch) = BranchName::new(branch) else { return Ok(()) };
        let record = self.records.read(&branch.folder())?.filter(Record::is_of_task);
        match record.filter(|record| record.base().is_some()) {
            Some(_) => self.left_beside(&branch).await?.map_or(Ok(()), Err),
            None => Ok(()),
        }
    }

    /// What a worktree has committed beside its branch, if it has: with what that means, and the cure.
    pub(super) async fn left_beside(
        &self,
        branch: &BranchName,
    ) -> Result<Option<WorktreeError>, WorktreeError> {
        let path = self.path_of(branch);
        let Some(own) = half::own_folder(&self.common_dir, &path).filter(|_| path.is_dir()) else {
            return Ok(None);
        };
        let at = self.git.at(&path).of(&own);
        // Who works there may be at a rebase, and ends that.
        let head = other_head(&at, branch, &own).await?.filter(|_| half::under_way(&own).is_none());
        let Some(head) = head else { return Ok(None) };
        let commits = self.beside(&at, branch, &head).await?;
        Ok((!commits.is_empty()).then(|| self.astray(branch, head, commits)))
    }

    /// The newest commits of what is checked out that neither the branch nor anybody else has.
    async fn beside(
        &self,
        at: &Place<'_>,
        branch: &BranchName,
        head: &str,
    ) -> Result<Vec<String>, WorktreeError> {
        let whole = ref_of(branch);
        if at.commit(&whole).await?.is_none() || at.commit("HEAD").await?.is_none() {
            return Ok(Vec::new());
        }
        let (most, other) = (format!("--max-count={SHOWN_MAX}"), format!("--exclude={head}"));
        let log = ["log", "-z", "--format=%h %s", "--no-show-signature", &most, "HEAD"];
        let rest = ["--not", &whole, &other, "--branches", "--tags", "--remotes", "--"];
        let answer = at.demand("look for commits beside a branch", &[&log[..], &rest].concat()).await?;
        Ok(answer.parts().map(|part| String::from_utf8_lossy(part).into_owned()).collect())
    }

    fn astray(&self, branch: &BranchName, head: String, commits: Vec<String>) -> WorktreeError {
        let place = self.path_of(branch);
        let also = half::elsewhere(&self.common_dir, branch, &place).or_else(|| self.in_the_first(branch));
        WorktreeError::Astray { branch: branch.clone(), place, head, commits, also }
    }

    /// The folder beside git's own one, if the branch is checked out there.
    fn in_the_first(&self, branch: &BranchName) -> Option<PathBuf> {
        let head = fs::read_to_string(self.common_dir.join("HEAD")).ok()?;
        let is_it = head.trim_end().strip_prefix("ref: ") == Some(&*ref_of(branch));
        self.common_dir.parent().filter(|_| is_it).map(Path::to_owned)
    }
}

impl Record {
    /// Whether it is for a task of a session, which commits there. A role of a debate reads.
    fn is_of_task(&self) -> bool {
        self.session().is_some() && self.branch.speech().is_none()
    }
}

/// What is checked out in a worktree, if that is not its branch: another one, or a commit.
pub(super) async fn other_head(
    at: &Place<'_>,
    branch: &BranchName,
    own: &Path,
) -> Result<Option<String>, WorktreeError> {
    // Most have their branch checked out, and say so in a file; only other ways to keep refs do not.
    let (expected, doing) = (ref_of(branch), "see what is checked out");
    let text = fs::read_to_string(own.join("HEAD"));
    if text.is_ok_and(|head| head.trim_end().strip_prefix("ref: ") == Some(&*expected)) {
        return Ok(None);
    }
    let mut head = at.ask(doing, &["symbolic-ref", "--quiet", "HEAD"]).await?;
    if head.line() == expected.as_bytes() {
        return Ok(None);
    }
    if head.code != 0 {
        head = at.ask(doing, &["rev-parse", "HEAD"]).await?;
    }
    let text = String::from_utf8_lossy(&head.line()).into_owned();
    Ok(Some(text.strip_prefix("refs/heads/").map_or_else(|| format!("commit {text}"), str::to_owned)))
}

/// Whether a rebase of the branch is under way.
fn is_rebased(own: &Path, branch: &BranchName) -> bool {
    let names = ["rebase-merge/head-name", "rebase-apply/head-name"];
    let mut texts = names.into_iter().filter_map(|name| fs::read_to_string(own.join(name)).ok());
    texts.any(|text| text.trim_end() == ref_of(branch))
}
