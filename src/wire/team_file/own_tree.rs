//! `worktree: true` of an agent: the git worktree that it works in, and where in it. It need not be there yet.

use super::file::AgentEntry;
use super::finding::Book;
use super::outside::{Found, Outside};
use crate::engine::flow::branch::{BRANCH_PREFIX, BranchName, WORKTREES};
use std::path::{Path, PathBuf};

/// The worktree of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnTree {
    /// The folder of the repository's own files.
    pub repository: PathBuf,
    /// `agent/NAME`.
    pub branch: BranchName,
    /// The folder of the worktree.
    pub path: PathBuf,
    /// Where the agent would work without it: what is meant by a path of its command is looked for there until the worktree is made.
    pub beside: PathBuf,
}

/// Where an agent works, and its worktree if it has one.
pub(super) struct Placed {
    pub(super) cwd: PathBuf,
    pub(super) tree: Option<OwnTree>,
}

/// Where an agent works that would work in `beside` without a worktree. What is wrong is in `book`.
pub(super) fn place_of(
    (name, agent): (&str, &AgentEntry),
    beside: PathBuf,
    (root, outside): (&Path, &dyn Outside),
    book: &mut Book,
) -> Placed {
    let branch = BranchName::new(&format!("{BRANCH_PREFIX}{name}")).ok();
    let (Some(wanted), Some(branch)) = (agent.worktree.as_ref().filter(|wanted| wanted.value), branch) else {
        return Placed { cwd: beside, tree: None };
    };
    // As git looks for it.
    let is_there = |folder: &&Path| outside.look(&folder.join(".git")) != Found::Nothing;
    let repository = root.ancestors().find(is_there).unwrap_or_else(|| {
        let why = format!("the workspace is in no git repository, so {name} cannot start");
        book.odd(wanted.place, why, "make one with `git init` and a first commit, or remove `worktree`");
        root
    });
    let path = repository.join(WORKTREES).join(branch.folder());
    let cwd = match (&agent.cwd, beside.strip_prefix(repository)) {
        (None, _) => path.clone(),
        (Some(_), Ok(within)) => path.join(within),
        (Some(given), Err(_)) => {
            let (beside, whole) = (beside.display(), repository.display());
            let why = format!("{beside} is not in the repository {whole}, of which {name} gets a worktree");
            book.wrong(given.place, why, "name a folder of that repository, or remove `worktree: true`");
            path.clone()
        }
    };
    let repository = repository.to_owned();
    Placed { cwd, tree: Some(OwnTree { repository, branch, path, beside }) }
}
