//! Names for branches that nobody has or had: a name is never used twice, not even after its worktree was removed.

use super::error::WorktreeError;
use super::make::taken;
use super::repository::Repository;
use crate::engine::flow::branch::{BRANCH_BYTES_MAX, BRANCH_PREFIX, BranchName};
use std::collections::BTreeSet;

/// So many are tried: a session has fewer tasks, and a person gives fewer sessions one name.
const NUMBER_MAX: usize = 10_000;

impl Repository {
    /// The wanted name, or else that with the first number from 2 on which is free: of branches here and on remotes, of worktrees,
    /// of the trash, and of whatever else is `taken`.
    ///
    /// # Errors
    /// [`WorktreeError::Taken`] if all numbers are used; what git says.
    pub async fn free_name(
        &self,
        wanted: &BranchName,
        taken_too: &BTreeSet<BranchName>,
    ) -> Result<BranchName, WorktreeError> {
        let used = self.used_folders().await?;
        let is_free = |name: &BranchName| !used.contains(&name.folder()) && !taken_too.contains(name);
        let mut names =
            std::iter::once(Some(wanted.clone())).chain((2..NUMBER_MAX).map(|n| numbered(wanted, n)));
        let found = names.find_map(|name| name.filter(|name| is_free(name)));
        found.ok_or_else(|| taken(wanted, "all numbers behind it are used: take another one".to_owned()))
    }

    /// By folder, since a folder has one branch.
    async fn used_folders(&self) -> Result<BTreeSet<String>, WorktreeError> {
        let mut used: BTreeSet<String> = self.records.all()?.into_keys().collect();
        used.extend(self.folders());
        used.extend(self.trashed()?.into_iter().map(|(_, trashed)| trashed.branch.folder()));
        let refs = ["for-each-ref", "--format=%(refname)", "refs/heads/agent/", "refs/remotes/"];
        let answer = self.here().demand("list branches", &refs).await?;
        let text = String::from_utf8_lossy(&answer.out).into_owned();
        let tails = text.lines().filter_map(|name| name.find("/agent/").and_then(|at| name.get(at + 1..)));
        used.extend(tails.map(|tail| tail.replace('/', "-")));
        Ok(used)
    }
}

/// The name with a number behind it, shorter where there is no room for that.
fn numbered(wanted: &BranchName, number: usize) -> Option<BranchName> {
    let end = format!("-{number}");
    let most = BRANCH_BYTES_MAX - end.len();
    let stem = wanted.as_str().get(..most.min(wanted.as_str().len()))?;
    BranchName::new(&format!("{stem}{end}")).ok().filter(|_| stem.len() > BRANCH_PREFIX.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_fits_behind_the_longest_name() {
        let name = |text: &str| BranchName::new(text).unwrap();
        assert_eq!(numbered(&name("agent/a"), 2), Some(name("agent/a-2")));
        let long = name(&format!("agent/{}", "a".repeat(BRANCH_BYTES_MAX - 6)));
        let numbered = numbered(&long, 123).unwrap();
        assert!(numbered.as_str().len() == BRANCH_BYTES_MAX && numbered.as_str().ends_with("aa-123"));
    }
}
