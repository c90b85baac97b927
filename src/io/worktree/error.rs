//! Why nothing was made, removed or restored; each says what is wrong, where, and what to do.

use super::obstacle::Obstacle;
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::id::FlowId;
use crate::engine::words::counted;
use crate::wire::clean::escape;
use crate::wire::layout::plain;
use crate::wire::session::work::word;
use std::io;
use std::path::{Path, PathBuf};

/// The oldest git that is known to have all that is asked of it: absolute paths from `rev-parse`.
pub(super) const GIT_MIN: (u32, u32) = (2, 31);
/// Files of a conflict that are named.
const NAMED_MAX: usize = 20;

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// No folder of `PATH` has it.
    #[error("there is no git on the PATH; install git {}.{} or newer", GIT_MIN.0, GIT_MIN.1)]
    NoGit,
    /// It lacks what is needed.
    #[error("{found:?} is too old for worktrees; install git {}.{} or newer", GIT_MIN.0, GIT_MIN.1)]
    OldGit {
        /// What `git --version` says.
        found: String,
    },
    /// There is nothing of that name, or it is no folder.
    #[error("{} {}; name another folder", plain(.place), if *.is_there { "is no folder" } else { "does not exist" })]
    NoFolder {
        /// Where it was looked for.
        place: PathBuf,
        /// Whether there is something else.
        is_there: bool,
    },
    /// Neither the folder nor one above it.
    #[error("{} is in no git repository; make one with `git init`, or name another folder", plain(.place))]
    NoRepository {
        /// Where it was looked for.
        place: PathBuf,
    },
    /// One of the folders within a repository, where its uppermost one is meant.
    #[error("{} is no git repository itself, and lies in that of {}; name that one", plain(.place), plain(.root))]
    NotTop {
        /// Where it was looked for.
        place: PathBuf,
        /// The uppermost folder of the repository around it.
        root: PathBuf,
    },
    /// git refuses what another user owns.
    #[error(
        "{} belongs to another user, and git trusts it not; if you do, `git config --global --add safe.directory {}`",
        plain(.place),
        plain(.place)
    )]
    NotOurs {
        /// The repository.
        place: PathBuf,
    },
    /// No files are checked out there.
    #[error(
        "{} is a bare repository or a folder of git's own; use a clone that has its files checked out",
        plain(.place)
    )]
    Bare {
        /// The repository.
        place: PathBuf,
    },
    /// There is nothing to begin with.
    #[error(
        "the repository {} has no commit yet; make one, for example `git commit --allow-empty -m begin`",
        plain(.place)
    )]
    NoCommits {
        /// The repository.
        place: PathBuf,
    },
    /// A name that means no commit.
    #[error("{:?} is no commit of the repository {}; see `git branch --all`", escape(.name), plain(.place))]
    NoCommit {
        /// A branch, a tag or a commit, as somebody wrote it.
        name: String,
        /// The repository.
        place: PathBuf,
    },
    /// What tasuki would put there is the repository's own.
    #[error(
        "the repository keeps {path:?} at {commit}, where tasuki keeps messages of its own in each worktree; {cure}"
    )]
    Tracked {
        /// The path in the repository.
        path: String,
        /// Where it is kept.
        commit: String,
        /// How the repository makes room.
        cure: &'static str,
    },
    /// The branch, its folder or its name is somebody else's.
    #[error("the name {branch} cannot be used: {why}")]
    Taken {
        /// The branch that was asked for.
        branch: String,
        /// By whom or what, and the cure.
        why: String,
    },
    /// git keeps a branch as a file, and those below its name in a folder.
    #[error("git keeps no branch {} beside {}; name another one", escape(.branch), escape(.other))]
    Beside {
        /// The branch that was asked for.
        branch: String,
        /// The branch in its way, which is there or will be.
        other: String,
    },
    /// Its session goes on in another workspace, too.
    #[error(
        "the worktree of {branch} is that of the same session in the workspace {}: once that is over there, or called off with `tasuki --root {} session cancel {session}`, try again here",
        plain(.root),
        word(&plain(.root))
    )]
    Elsewhere {
        /// The branch of the worktree.
        branch: BranchName,
        /// The session that both have.
        session: FlowId,
        /// The folder of the other workspace.
        root: PathBuf,
    },
    /// What was removed is in nobody's way, and something else is in its.
    #[error("{branch} is not restored: {why}")]
    NotRestored {
        /// The branch that is in the trash.
        branch: BranchName,
        /// What is there, and the cure.
        why: String,
    },
    /// Two of the branches that it is made from change the same lines.
    #[error(
        "{with} cannot be merged into {branch}: conflict in {}; merge one into the other, and try again",
        named(.files)
    )]
    Conflict {
        /// The branch that was to be made.
        branch: BranchName,
        /// What was to be merged into it.
        with: String,
        /// The files that both have changed.
        files: Vec<PathBuf>,
    },
    /// A branch that is needed cannot be merged into a worktree that was there before.
    #[error(
        "{with} cannot be merged into {branch} in {}: {}; then `tasuki session retry` it",
        plain(.place),
        all(.obstacles)
    )]
    NotMerged {
        /// The branch of the worktree.
        branch: BranchName,
        /// What was to be merged into it.
        with: String,
        /// The worktree.
        place: PathBuf,
        /// One at least.
        obstacles: Vec<Obstacle>,
    },
    /// A submodule is to stand at a commit that is nowhere here.
    #[error(
        "the submodule {} is wanted at the commit {commit}, which no copy of it here has: push that commit from where it was made, then `git -C {} fetch origin {commit}`, and try again",
        plain(.tree),
        word(&plain(.place))
    )]
    NoSubmodule {
        /// The submodule in the worktree.
        tree: PathBuf,
        /// The commit that the worktree has of it.
        commit: String,
        /// The copy into which it is fetched.
        place: PathBuf,
    },
    /// Somebody has moved it, or checked its branch out in another one.
    #[error(
        "the worktree of {branch} was moved to {}, and is looked for in {}; move it back with `git worktree move`, or, if it is gone from there, forget it with `git worktree prune`, and try again",
        plain(.to),
        plain(.from)
    )]
    Moved {
        /// The one that it was made on.
        branch: BranchName,
        /// The folder in which tasuki looks for it.
        from: PathBuf,
        /// Where the branch is checked out.
        to: PathBuf,
    },
    /// `git worktree lock`: somebody wants it left alone.
    #[error(
        "the worktree of {branch} is locked{}: `git worktree unlock {}`, and try again",
        if .why.is_empty() { String::new() } else { format!(" ({})", escape(.why)) },
        word(&plain(.place))
    )]
    Locked {
        /// The branch of the worktree.
        branch: BranchName,
        /// Its folder.
        place: PathBuf,
        /// The reason that was given.
        why: String,
    },
    /// What is committed there does not come onto its branch.
    #[error("{}", of_astray(.branch, .place, (.head, .commits), .also.as_deref()))]
    Astray {
        /// The branch that has to be checked out there.
        branch: BranchName,
        /// The folder of the worktree.
        place: PathBuf,
        /// What is checked out instead: a branch, or a commit.
        head: String,
        /// The newest commits there that are not on the branch, each by its short name and title.
        commits: Vec<String>,
        /// Another worktree in which the branch is checked out, so that git refuses it here.
        also: Option<PathBuf>,
    },
    /// A file that each worktree gets cannot be copied into it.
    #[error("{} is not copied into the worktree: it {why} (`worktrees: setup: copy:` of the team file)", plain(.path))]
    NotCopied {
        /// The file in the repository, or the name that means it.
        path: PathBuf,
        /// What is wrong with it, and the cure.
        why: String,
    },
    /// A command by which each worktree is made ready did not succeed.
    #[error(
        "the setup command `{command}` failed in {}: {how}; put it right, or `worktrees: setup: run:` of the team file, and try again; {}",
        plain(.place),
        end_of_printed(.printed)
    )]
    SetupFailed {
        /// Its words.
        command: String,
        /// The worktree.
        place: PathBuf,
        /// Its exit, or why it could not be run.
        how: String,
        /// The end of what it printed.
        printed: String,
    },
    /// It has commits that are wanted, and somebody has deleted it.
    #[error("the branch {branch} was deleted or renamed, {}", of_gone(.branch, .commit.as_deref(), .place))]
    Gone {
        /// The branch that is gone.
        branch: BranchName,
        /// The commit at which it is known to have been, which is gone, too.
        commit: Option<String>,
        /// The repository.
        place: PathBuf,
    },
    /// A branch that is to follow another one conflicts with what was brought onto that.
    #[error(
        "{} has changed what was merged for it before, on {branch}: conflict in {}{}; `git merge {}` in {}, commit what both want, and ask for the merge again",
        escape(.into),
        named(.files),
        by_commits(.by),
        escape(.into),
        plain(.place)
    )]
    Unfollowed {
        /// The one that is to follow.
        into: String,
        /// The one onto which the others are brought.
        branch: BranchName,
        /// The worktree of that.
        place: PathBuf,
        /// The files that both have changed.
        files: Vec<PathBuf>,
        /// Its commits that have changed them, each by its short name and title.
        by: Vec<String>,
    },
    /// Something would be lost.
    #[error("{branch} is not removed: {}", all(.obstacles))]
    InTheWay {
        /// The branch of the worktree.
        branch: String,
        /// One at least.
        obstacles: Vec<Obstacle>,
    },
    /// Neither a worktree nor anything in the trash is called so.
    #[error("{what} {:?} does not exist; see `tasuki worktree list`", escape(.name))]
    NotThere {
        /// What it would be.
        what: &'static str,
        /// What it was called.
        name: String,
    },
    /// Somebody else changes the repository all the time.
    #[error("{} is held by another tasuki or by a git that it has started; wait for it, or end it", plain(.lock))]
    Busy {
        /// The file that is locked.
        lock: PathBuf,
    },
    /// git refused or could not be run.
    #[error("cannot {doing}: {said}")]
    Git {
        /// What was to be done.
        doing: String,
        /// Its own words.
        said: String,
    },
    /// A file or folder could not be used.
    #[error("cannot use {}", plain(.path))]
    Io {
        /// What was touched.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
}

impl WorktreeError {
    /// Whether whoever asked has to ask for something else. Otherwise the machine failed, and the same may be asked again.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Busy { .. } | Self::Git { .. } | Self::Io { .. })
    }
}

pub(super) fn named(files: &[PathBuf]) -> String {
    let mut names: Vec<String> = files.iter().take(NAMED_MAX).map(|file| plain(file)).collect();
    if let Some(more) = files.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        names.push(format!("and {}", counted(more, "more file")));
    }
    names.join(", ")
}

fn of_gone(branch: &BranchName, commit: Option<&str>, place: &Path) -> String {
    let place = plain(place);
    match commit {
        Some(commit) => format!(
            "and {place} has no commit {commit} any more, at which it ended: fetch that from where it is, then `git branch {branch} {commit}` there"
        ),
        None => format!(
            "and it is not known at which commit it ended: find that in {place}, for example with `git reflog`, then `git branch {branch} COMMIT` there"
        ),
    }
}

/// What is checked out beside the branch, what would be lost by that, and the commands that put it right, in their order.
fn of_astray(
    branch: &BranchName,
    place: &Path,
    (head, commits): (&str, &[String]),
    also: Option<&Path>,
) -> String {
    let at = word(&plain(place));
    let other = also.map(|also| (plain(also), word(&plain(also))));
    let (there, free) = other.map_or_else(Default::default, |(also, quoted)| {
        (format!(", and {branch} in {also}"), format!("`git -C {quoted} switch --detach`, then "))
    });
    let mut cure = format!("{free}`git -C {at} switch {branch}`");
    let mut lost = String::new();
    if !commits.is_empty() {
        let tip = head.strip_prefix("commit ").unwrap_or(head);
        cure = format!("{cure}, then `git -C {at} merge {}`", word(tip));
        let named = escape(&commits.join(", "));
        lost = format!("; what was committed there is not on {branch} ({named}), so no other task has it");
    }
    format!("{} is checked out in the worktree of {branch}{there}{lost}: {cure}, and try again", escape(head))
}

fn by_commits(commits: &[String]) -> String {
    if commits.is_empty() { String::new() } else { format!(", there by {}", escape(&commits.join(", "))) }
}

fn end_of_printed(printed: &str) -> String {
    if printed.is_empty() {
        return "it printed nothing".to_owned();
    }
    format!("the end of what it printed:\n{printed}")
}

fn all(obstacles: &[Obstacle]) -> String {
    obstacles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
