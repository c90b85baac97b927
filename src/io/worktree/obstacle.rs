//! What stands in the way of a removal: whatever would be lost by it, or is not tasuki's to remove.

use crate::engine::words::counted;
use crate::wire::clean::escape;
use crate::wire::session::work::word;
use serde::Serialize;
use std::fmt;

/// Files, commits and the like that are named of one kind.
pub(super) const SHOWN_MAX: usize = 10;

const MOVED_TO: &str = "its branch is checked out in ";
const MOVED_CURE: &str = ": `git worktree move`";

/// Where a worktree was moved to that could not be removed, by what was told of that.
#[must_use]
pub fn moved_to(told: &str) -> Option<&str> {
    Some(told.split_once(MOVED_TO)?.1.split_once(MOVED_CURE)?.0)
}

/// One thing that stands in the way. The names in it are the first ten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Obstacle {
    /// Files that are changed or new, and not committed.
    Dirty {
        /// The first ten, by their paths in the worktree.
        files: Vec<String>,
        /// How many there are.
        in_all: usize,
    },
    /// Files whose changes git was told not to see.
    Unwatched {
        /// The first ten, by their paths in the worktree.
        files: Vec<String>,
        /// How many there are.
        in_all: usize,
    },
    /// Commits that no other branch, no tag and no remote has.
    Unpushed {
        /// The newest ten, by their short names and titles.
        commits: Vec<String>,
        /// How many there are.
        in_all: usize,
    },
    /// `git worktree lock`.
    Locked {
        /// The reason that was given.
        why: String,
    },
    /// tasuki has not made it.
    Foreign,
    /// Something else than its own branch is checked out.
    OtherHead {
        /// A branch or a commit.
        head: String,
    },
    /// A merge, a rebase or the like has begun and has not ended.
    UnderWay {
        /// As git calls it: merge, rebase, bisect.
        what: String,
    },
    /// Messages lie in `queue/` that nobody has taken.
    Undelivered {
        /// The first ten, by name.
        files: Vec<String>,
        /// How many there are.
        in_all: usize,
    },
    /// A submodule has commits that its remote does not have.
    Submodule {
        /// Its path in the worktree.
        path: String,
    },
    /// It was moved, or its branch is checked out in another worktree.
    Moved {
        /// The folder of that worktree, which no session knows.
        to: String,
    },
    /// The branch was deleted or renamed.
    NoBranch,
    /// A session that is open works in it, or an agent of the team file.
    InUse,
    /// Files are copied into it, or a command runs in it: its setup, or a check.
    AtWork,
    /// git does not tell what is there, or not in time.
    Unread {
        /// What it was asked, and what came of that.
        why: String,
    },
    /// Another workspace of the repository has made it, and alone knows who works there.
    OtherWorkspace {
        /// Its folder.
        root: String,
        /// The repository, which need not be that of its folder.
        repository: String,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dirty { files, in_all } => {
                let what = counted(*in_all, "file");
                write!(f, "{what} not committed ({}): commit or remove them", some(files, *in_all))
            }
            Self::Unwatched { files, in_all } => {
                let what = counted(*in_all, "file");
                let cure = "`git update-index --no-assume-unchanged --no-skip-worktree` them";
                write!(f, "git is told not to look at {what} ({}): {cure}", some(files, *in_all))
            }
            Self::Unpushed { commits, in_all } => {
                let what = counted(*in_all, "commit");
                write!(f, "{what} that nobody else has ({}): merge or push them", some(commits, *in_all))
            }
            Self::Locked { why } if why.is_empty() => f.write_str("it is locked: `git worktree unlock` it"),
            Self::Locked { why } => write!(f, "it is locked ({}): `git worktree unlock` it", escape(why)),
            Self::Foreign => {
                f.write_str("tasuki has not made it: remove it yourself with `git worktree remove`")
            }
            Self::OtherHead { head } => {
                write!(f, "{} is checked out there: check its own branch out", escape(head))
            }
            Self::UnderWay { what } => write!(f, "a {what} is under way there: finish or abort it"),
            Self::Undelivered { files, in_all } => {
                let what = counted(*in_all, "message");
                write!(
                    f,
                    "{what} in its queue/ not taken ({}): let them be read, or remove them",
                    some(files, *in_all)
                )
            }
            Self::Submodule { path } => {
                write!(f, "the submodule {} has commits that its remote has not: push them", escape(path))
            }
            Self::Moved { to } => {
                write!(f, "{MOVED_TO}{}{MOVED_CURE} it back, or remove it there", escape(to))
            }
            Self::NoBranch => f.write_str(
                "its branch was deleted or renamed: commit what is there to another branch, then `git worktree remove` it",
            ),
            Self::InUse => f.write_str(
                "an open session or an agent works in it: end the session, or remove `worktree:` of the agent in the team file",
            ),
            Self::AtWork => f.write_str(
                "its setup or a check is at work there: wait until that is over, or cancel the session that it is for",
            ),
            Self::Unread { why } => write!(f, "git does not answer there: {}", escape(why)),
            Self::OtherWorkspace { root, repository } => write!(
                f,
                "it is that of the workspace {}: `tasuki --root {} worktree prune --repository {}`",
                escape(root),
                word(&escape(root)),
                word(&escape(repository))
            ),
        }
    }
}

fn some(names: &[String], in_all: usize) -> String {
    let more = if in_all > names.len() { ", …" } else { "" };
    format!("{}{more}", names.iter().map(|name| escape(name)).collect::<Vec<_>>().join(", "))
}
