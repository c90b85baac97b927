//! Merges the branches that a worktree is made from. A merge that cannot be done leaves nothing: the worktree is not made.

use super::error::WorktreeError;
use super::git::{Git, LOCKED_RESTS, is_locked};
use super::hold::Hold;
use super::record::Record;
use super::repository::Repository;
use super::submodules::How;
use crate::engine::flow::branch::BranchName;
use std::path::Path;

/// Who merges where the user has told git no name of his own.
const NAME: &str = "tasuki";
const EMAIL: &str = "tasuki@localhost";
impl Repository {
    /// Merges all but the first, which is checked out already.
    pub(super) async fn merge_all(
        &self,
        record: &Record,
        path: &Path,
        own: &Path,
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        if record.from.len() < 2 {
            return Ok(());
        }
        let git = self.merging_git(record).await?;
        // git brings two commits of a submodule together where it has both.
        self.stand_submodules(path, hold, How::Gently.into()).await?;
        for (at, other) in record.from.iter().enumerate().skip(1) {
            let called = self.called(record, at).await?;
            self.submodules_for_merge(path, other, hold).await?;
            let mut rests = LOCKED_RESTS.into_iter();
            while let Some(files) = self.merge(record, (other, &called), (path, own), &git, hold).await? {
                if !files.is_empty() {
                    let (branch, with) = (record.branch.clone(), called);
                    return Err(WorktreeError::Conflict { branch, with, files });
                }
                let Some(rest) = rests.next() else {
                    return Err(WorktreeError::Busy { lock: self.common_dir.clone() });
                };
                tokio::time::sleep(rest).await;
            }
            self.stand_submodules(path, hold, How::Gently.into()).await?;
        }
        Ok(())
    }

    /// Merges one: nothing if it is done, the files of a conflict, or no files where another git had a lock.
    async fn merge(
        &self,
        record: &Record,
        (other, called): (&str, &str),
        (path, own): (&Path, &Path),
        git: &Git,
        hold: &Hold,
    ) -> Result<Option<Vec<std::path::PathBuf>>, WorktreeError> {
        let at = git.at(path).of(own).working(hold.file());
        let doing = "merge the branches of a worktree";
        let said = format!("Merge {called} into {}", record.branch);
        let options =
            ["merge", "--no-edit", "--ff", "--no-squash", "--commit", "--no-stat", "--no-autostash"];
        let arguments = [&options[..], &["-m", &said, other]].concat();
        let answer = at.ask_once(doing, &arguments).await?;
        if answer.code == 0 {
            return Ok(None);
        }
        let files = at.demand(doing, &["diff", "--name-only", "--diff-filter=U", "-z", "--"]).await?.paths();
        // Nobody has worked there yet: whatever the merge has left is its own.
        at.demand("undo a merge", &["reset", "--hard", "--quiet"]).await?;
        if files.is_empty() && !is_locked(&answer.said) {
            return Err(at.refused(doing, &answer));
        }
        Ok(Some(files))
    }

    /// What is merged, by the name of its branch, which may be gone; else that of one that is there, or else the commit itself.
    async fn called(&self, record: &Record, at: usize) -> Result<String, WorktreeError> {
        if let Some(branch) = record.names.get(at).filter(|name| BranchName::new(name).is_ok()) {
            return Ok(branch.clone());
        }
        let commit = record.from.get(at).map_or("", String::as_str);
        let points = format!("--points-at={commit}");
        let arguments = ["for-each-ref", "--count=1", "--format=%(refname:short)", &points, "refs/heads"];
        let name = self.here().text("look for the name of a commit", &arguments).await?;
        Ok(if name.is_empty() { commit.to_owned() } else { name })
    }

    /// git for merges: with a name, and with the time at which the worktree was begun. So merges that are made again after a kill
    /// are the same commits.
    async fn merging_git(&self, record: &Record) -> Result<Git, WorktreeError> {
        let when = format!("@{} +0000", record.begun_s);
        let mut more = vec![("GIT_AUTHOR_DATE", when.clone()), ("GIT_COMMITTER_DATE", when)];
        more.extend(self.identity().await?);
        Ok(self.git.with(&more))
    }

    /// A name for commits, where the user has told git none.
    pub(super) async fn identity(&self) -> Result<Vec<(&'static str, String)>, WorktreeError> {
        let email =
            self.here().ask("ask git for the user's name", &["config", "--get", "user.email"]).await?;
        if email.code == 0 {
            return Ok(Vec::new());
        }
        let names = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, NAME.to_owned()));
        let emails = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, EMAIL.to_owned()));
        Ok(names.into_iter().chain(emails).collect())
    }
}
