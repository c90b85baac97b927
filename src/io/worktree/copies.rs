//! Where copies of a submodule are: that of the repository, and those of its worktrees. What was committed in one of them is taken
//! from there, and is not lost with another one.

use super::error::WorktreeError;
use super::git::{Git, Place};
use super::half;
use super::repository::Repository;
use crate::io::git::Answer;
use crate::io::regular;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Of the file `.git` in a submodule: the longest path that Linux has, and what stands before it.
const DOT_GIT_BYTES_MAX: u64 = 8 << 10;

/// A submodule of a worktree.
#[derive(Debug)]
pub(super) struct Submodule {
    pub(super) name: String,
    /// In the worktree.
    pub(super) path: PathBuf,
}

/// A copy of a repository or of a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Home {
    /// Its folder of git's own.
    pub(super) git_dir: PathBuf,
    /// Where its files are, or were.
    pub(super) tree: PathBuf,
}

/// A repository or a submodule in a worktree, within which submodules are looked for.
#[derive(Debug)]
pub(super) struct Level {
    /// Its own copy.
    pub(super) own: Home,
    /// Its path in the worktree.
    pub(super) path: PathBuf,
    /// Its place in the folder of the repository itself.
    pub(super) here: PathBuf,
    /// All copies of it that there are, with its own.
    pub(super) homes: Vec<Home>,
}

impl Submodule {
    /// Whether its name leads to no other folder.
    pub(super) fn is_plain(&self) -> bool {
        !self.name.split('/').any(|part| matches!(part, "" | "." | ".."))
    }
}

impl Level {
    /// The submodule within it that is checked out; none if it is not.
    pub(super) fn within(&self, submodule: &Submodule) -> Option<Self> {
        let tree = self.own.tree.join(&submodule.path);
        let git_dir = git_dir_of(&tree)?;
        Some(Self {
            own: Home { git_dir, tree },
            path: self.path.join(&submodule.path),
            here: self.here.join(&submodule.path),
            homes: self.copies(submodule),
        })
    }

    /// All copies of a submodule of it.
    pub(super) fn copies(&self, submodule: &Submodule) -> Vec<Home> {
        let mut all = Vec::new();
        for home in &self.homes {
            let tree = home.tree.join(&submodule.path);
            // Older gits, and people who clone by hand, leave it in the submodule itself.
            let usual = submodule.is_plain().then(|| home.git_dir.join("modules").join(&submodule.name));
            let folders = usual.into_iter().chain([tree.join(".git")]);
            let there = folders.filter(|folder| is_git_dir(folder));
            all.extend(there.map(|git_dir| Home { git_dir, tree: tree.clone() }));
        }
        all
    }

    /// The copies beside its own.
    pub(super) fn others(&self) -> impl Iterator<Item = &Home> {
        self.homes.iter().filter(|home| !is_same(&home.git_dir, &self.own.git_dir))
    }
}

impl Repository {
    /// A worktree whose submodules are looked for; none if git does not know it, or if it names no submodules.
    pub(super) fn level_of(&self, path: &Path) -> Option<Level> {
        if !path.join(".gitmodules").is_file() {
            return None;
        }
        let git_dir = half::own_folder(&self.common_dir, path)?;
        let mut homes = vec![Home { git_dir: self.common_dir.clone(), tree: self.root.clone() }];
        let all = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = all.map(|entry| entry.path()).collect();
        all.sort_unstable();
        let trees =
            all.into_iter().filter_map(|git_dir| half::leads_to(&git_dir).map(|tree| (git_dir, tree)));
        homes.extend(trees.map(|(git_dir, tree)| Home { git_dir, tree }));
        let own = Home { git_dir, tree: path.to_owned() };
        Some(Level { own, path: PathBuf::new(), here: self.root.clone(), homes })
    }

    /// The submodules of a worktree that are checked out, and those within them.
    pub(super) async fn checked_out(&self, path: &Path) -> Result<Vec<Level>, WorktreeError> {
        let (mut found, mut left) = (Vec::new(), Vec::from_iter(self.level_of(path)));
        while let Some(level) = left.pop() {
            let all =
                submodules(&self.git.at(&level.own.tree).of(&level.own.git_dir), &level.own.tree).await?;
            left.extend(all.iter().filter_map(|submodule| level.within(submodule)));
            if !level.path.as_os_str().is_empty() {
                found.push(level);
            }
        }
        Ok(found)
    }

    /// Whether a submodule has commits that neither its remote nor another copy of it has. Where there is no other copy, those
    /// up to `at_base` are none.
    pub(super) async fn is_ahead(&self, level: &Level, at_base: Option<&str>) -> Result<bool, WorktreeError> {
        let (doing, at) = ("look for commits of a submodule", level.own.ask_of(&self.git));
        let others: Vec<&Home> = level.others().collect();
        let mut asked = vec!["rev-list", "--max-count=1", "HEAD", "--branches", "--not", "--remotes"];
        let mut base = at_base.filter(|_| others.is_empty());
        if let Some(commit) = base
            && at.commit(commit).await?.is_none()
        {
            base = None;
        }
        asked.extend(base);
        if at.demand(doing, &asked).await?.out.is_empty() {
            return Ok(false);
        }
        let tips = at.text(doing, &["rev-parse", "HEAD", "--branches"]).await?;
        for tip in tips.lines() {
            let mut asked = vec!["rev-list", "--max-count=1", tip, "--not", "--remotes"];
            asked.extend(base);
            let mut is_kept = is_nothing(&at.ask(doing, &asked).await?);
            for other in &others {
                let asked = ["rev-list", "--max-count=1", tip, "--not", "--all"];
                is_kept = is_kept || is_nothing(&other.ask_of(&self.git).ask(doing, &asked).await?);
            }
            if !is_kept {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first of these copies that has a commit.
    pub(super) async fn copy_with<'a>(
        &self,
        commit: &str,
        copies: &'a [Home],
    ) -> Result<Option<&'a Home>, WorktreeError> {
        for copy in copies {
            if copy.ask_of(&self.git).commit(commit).await?.is_some() {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    }
}

impl Home {
    /// git for its commits, wherever its files are.
    pub(super) fn ask_of<'a>(&'a self, git: &'a Git) -> Place<'a> {
        git.at(&self.git_dir).of(&self.git_dir)
    }
}

/// Those that a worktree's `.gitmodules` names.
pub(super) async fn submodules(at: &Place<'_>, path: &Path) -> Result<Vec<Submodule>, WorktreeError> {
    if !path.join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let pattern = r"^submodule\..*\.path$";
    let arguments = ["config", "--file", ".gitmodules", "-z", "--get-regexp", pattern];
    // Where it names none, that is an error to git.
    let answer = at.ask("read .gitmodules", &arguments).await?;
    let read = |part: &[u8]| {
        let end = part.iter().position(|byte| *byte == b'\n')?;
        let (key, value) = part.split_at(end);
        let name = std::str::from_utf8(key).ok()?.strip_prefix("submodule.")?.strip_suffix(".path")?;
        let path = PathBuf::from(OsStr::from_bytes(value.get(1..)?));
        let is_within = path.components().all(|part| matches!(part, Component::Normal(_)));
        is_within.then(|| Submodule { name: name.to_owned(), path })
    };
    Ok(answer.parts().filter_map(read).collect())
}

/// The folder of git's own for the submodule that is checked out in a folder; none if none is. git itself would go on to the
/// repository above where there is none.
pub(super) fn git_dir_of(tree: &Path) -> Option<PathBuf> {
    let dot = tree.join(".git");
    let found = if dot.is_dir() {
        dot
    } else {
        let text = regular::read(&dot, DOT_GIT_BYTES_MAX).ok()?;
        tree.join(text.strip_suffix('\n').unwrap_or(&text).strip_prefix("gitdir: ")?)
    };
    found.canonicalize().ok().filter(|found| is_git_dir(found))
}

fn is_git_dir(folder: &Path) -> bool {
    folder.join("HEAD").is_file()
}

fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole(one) == whole(other)
}

/// Whether git has answered, and found none.
fn is_nothing(answer: &Answer) -> bool {
    answer.code == 0 && answer.out.is_empty()
}
