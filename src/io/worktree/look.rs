//! Looks at a worktree: what was done in it since its base, and what stands in the way of its removal. Nothing is changed, so no
//! lock is taken.

use super::astray::other_head;
use super::error::WorktreeError;
use super::exclude::{QUEUE, is_message};
use super::git::Place;
use super::half;
use super::obstacle::{Obstacle, SHOWN_MAX};
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use crate::io::git::is_object_name;
use serde::Serialize;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Commits of a task that are named, the newest.
const COMMITS_MAX: usize = 50;
const DOING: &str = "read the commits of a worktree";
/// Files of a task that are named.
const FILES_MAX: usize = 200;

/// What was done in a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Work {
    /// The commit since which it was done.
    pub base: String,
    /// The commit at which its branch is now, or up to which was asked; empty if there is no such branch any more.
    pub head: String,
    /// Those since the base, the newest first.
    pub commits: Vec<WorkCommit>,
    pub commits_in_all: usize,
    /// Files that differ between the two, by path.
    pub files: Vec<WorkFile>,
    pub files_in_all: usize,
    /// What of its folder would be lost by a removal, and what there forbids it.
    pub obstacles: Vec<Obstacle>,
    /// Whether its folder is gone.
    pub is_gone: bool,
    /// That what was committed there is not on its branch, and the cure; none of what ended before another one began there.
    pub astray: Option<String>,
}

/// A commit since the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkCommit {
    /// Its whole name.
    pub id: String,
    /// The first line of its message.
    pub title: String,
}

/// A file that differs from the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkFile {
    pub path: String,
    /// Lines that were added; none for what is no text.
    pub added: Option<u64>,
    /// Lines that were removed.
    pub removed: Option<u64>,
}

/// A file that is changed or new, and the two letters that git gives it.
pub(super) struct Unsaved {
    pub(super) letters: [u8; 2],
    pub(super) path: PathBuf,
}

impl Repository {
    /// What was done in the worktree of a branch, and what lies in its folder: since the commit `from` and up to `until`,
    /// or else since its base and up to now.
    ///
    /// # Errors
    /// [`WorktreeError::NotThere`] if tasuki has made none on it; what git says.
    pub async fn look(
        &self,
        branch: &BranchName,
        (from, until): (Option<&str>, Option<&str>),
    ) -> Result<Work, WorktreeError> {
        let record = self.records.read(&branch.folder())?;
        let made = record.as_ref().and_then(|record| Some((record, record.base()?)));
        let Some((record, base)) = made else { return Err(no_worktree(branch)) };
        let (at, base, is_gone) = (self.here(), from.unwrap_or(base), !self.path_of(branch).is_dir());
        let astray = if until.is_some() { None } else { self.left_beside(branch).await? };
        let (astray, tip) = (astray.map(|error| error.to_string()), ref_of(branch));
        let Some(head) = at.commit(until.unwrap_or(&tip)).await? else {
            let obstacles = self.in_its_folder(record).await?;
            let (base, head) = (base.to_owned(), String::new());
            let (commits, files) = (Vec::new(), Vec::new());
            let (commits_in_all, files_in_all) = (0, 0);
            return Ok(Work {
                base,
                head,
                commits,
                commits_in_all,
                files,
                files_in_all,
                obstacles,
                is_gone,
                astray,
            });
        };
        let (commits, commits_in_all, mut files) = if *base == *head {
            (Vec::new(), 0, Vec::new()) // nothing was done, as git need not be asked
        } else {
            let (commits, in_all) = commits_of(&at, &format!("{base}..{head}")).await?;
            let how = ["--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
            let diff = [&["diff"][..], &how, &[base, &head, "--"]].concat();
            let answer = at.demand(DOING, &diff).await?;
            (commits, in_all, answer.parts().filter_map(file_of).collect::<Vec<_>>())
        };
        let files_in_all = files.len();
        files.truncate(FILES_MAX);
        let obstacles = self.in_its_folder(record).await?;
        let base = base.to_owned();
        Ok(Work { base, head, commits, commits_in_all, files, files_in_all, obstacles, is_gone, astray })
    }

    /// All that stands in the way of a removal.
    pub(super) async fn obstacles(&self, record: &Record) -> Result<Vec<Obstacle>, WorktreeError> {
        let mut all = self.in_its_folder(record).await?;
        match self.here().commit(&ref_of(&record.branch)).await? {
            None => all.push(Obstacle::NoBranch),
            Some(head) => all.extend(self.unpushed(record, &head).await?),
        }
        Ok(all)
    }

    /// The part of it that lies in its folder.
    async fn in_its_folder(&self, record: &Record) -> Result<Vec<Obstacle>, WorktreeError> {
        let (path, mut all) = (self.path_of(&record.branch), Vec::new());
        if let Some(own) = half::own_folder(&self.common_dir, &path) {
            if let Ok(why) = fs::read(own.join("locked")) {
                all.push(Obstacle::Locked { why: String::from_utf8_lossy(&why).trim().to_owned() });
            }
            if path.is_dir() {
                all.extend(self.in_the_tree(record, &path, &own).await?);
            }
        }
        let elsewhere = half::elsewhere(&self.common_dir, &record.branch, &path);
        all.extend(elsewhere.map(|to| Obstacle::Moved { to: to.to_string_lossy().into_owned() }));
        Ok(all)
    }

    async fn in_the_tree(
        &self,
        record: &Record,
        path: &Path,
        own: &Path,
    ) -> Result<Vec<Obstacle>, WorktreeError> {
        let at = self.git.at(path).of(own);
        let mut all = Vec::new();
        if let Some(head) = other_head(&at, &record.branch, own).await? {
            all.push(Obstacle::OtherHead { head });
        }
        all.extend(half::under_way(own).map(|what| Obstacle::UnderWay { what: what.to_owned() }));
        let unsaved = unsaved(&at).await?;
        if !unsaved.is_empty() {
            let files = unsaved.iter().take(SHOWN_MAX).map(|file| file.path.to_string_lossy().into_owned());
            all.push(Obstacle::Dirty { files: files.collect(), in_all: unsaved.len() });
        }
        let unwatched = unwatched(&at, path).await?;
        if !unwatched.is_empty() {
            let in_all = unwatched.len();
            all.push(Obstacle::Unwatched { files: unwatched.into_iter().take(SHOWN_MAX).collect(), in_all });
        }
        let undelivered = undelivered(path);
        if !undelivered.is_empty() {
            let in_all = undelivered.len();
            all.push(Obstacle::Undelivered {
                files: undelivered.into_iter().take(SHOWN_MAX).collect(),
                in_all,
            });
        }
        for submodule in self.checked_out(path).await? {
            let at_base = self.at_base(record, &submodule.path).await?;
            if self.is_ahead(&submodule, at_base.as_deref()).await? {
                all.push(Obstacle::Submodule { path: submodule.path.display().to_string() });
            }
        }
        Ok(all)
    }

    /// The commit that the base of a worktree has of a submodule.
    async fn at_base(&self, record: &Record, path: &Path) -> Result<Option<String>, WorktreeError> {
        let mut named = record.base().unwrap_or("HEAD").as_bytes().to_vec();
        named.push(b':');
        named.extend_from_slice(path.as_os_str().as_bytes());
        let arguments = [b"rev-parse".as_slice(), b"--verify", b"--quiet", &named].map(OsStr::from_bytes);
        let answer = self.here().ask("see which commit a submodule has", &arguments).await?;
        Ok(String::from_utf8(answer.line()).ok().filter(|name| is_object_name(name)))
    }

    /// The commits that would be lost with the branch. Merges by which it was made, which tasuki can make again, are none.
    async fn unpushed(&self, record: &Record, head: &str) -> Result<Option<Obstacle>, WorktreeError> {
        let at = self.here();
        let own = format!("--exclude={}", record.branch);
        let mut range = vec![head, "--not", &own, "--branches", "--tags", "--remotes"];
        if let Some(base) = record.base()
            && at.commit(base).await?.is_some()
        {
            range.push(base);
        }
        let in_all = count(&at, &range).await?;
        if in_all == 0 {
            return Ok(None);
        }
        let most = format!("--max-count={SHOWN_MAX}");
        let log = [&["log", "-z", "--format=%h %s", "--no-show-signature", &most][..], &range].concat();
        let answer = at.demand(DOING, &log).await?;
        let commits = answer.parts().map(|part| String::from_utf8_lossy(part).into_owned()).collect();
        Ok(Some(Obstacle::Unpushed { commits, in_all }))
    }
}

impl Record {
    /// The commit with which the work begins; none of a worktree that is not there.
    pub(super) fn base(&self) -> Option<&str> {
        match &self.at {
            Progress::Made { base, .. } | Progress::Removing { base, .. } => Some(base),
            Progress::Making | Progress::Removed { .. } | Progress::Restoring { .. } => None,
        }
    }
}

pub(super) fn no_worktree(branch: &BranchName) -> WorktreeError {
    WorktreeError::NotThere { what: "a worktree of tasuki's on the branch", name: branch.to_string() }
}

/// What is changed or new, without what is ignored.
pub(super) async fn unsaved(at: &Place<'_>) -> Result<Vec<Unsaved>, WorktreeError> {
    let how = ["--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames"];
    let arguments = [&["status"][..], &how].concat();
    let answer = at.demand("see what is not committed", &arguments).await?;
    let read = |part: &[u8]| {
        let (letters, path) = part.split_first_chunk::<3>()?;
        Some(Unsaved { letters: [letters[0], letters[1]], path: OsStr::from_bytes(path).into() })
    };
    Ok(answer.parts().filter_map(read).collect())
}

/// Files whose changes git was told not to see (`update-index --assume-unchanged`, `--skip-worktree`), as far as they are there.
async fn unwatched(at: &Place<'_>, path: &Path) -> Result<Vec<String>, WorktreeError> {
    let answer = at.demand("see what git is told not to look at", &["ls-files", "-v", "-z"]).await?;
    let hidden = answer.parts().filter_map(|part| {
        let (tag, name) = part.split_first_chunk::<2>()?;
        let is_hidden = tag[0].is_ascii_lowercase() || tag[0] == b'S';
        let is_there = || path.join(OsStr::from_bytes(name)).symlink_metadata().is_ok();
        (is_hidden && is_there()).then(|| String::from_utf8_lossy(name).into_owned())
    });
    Ok(hidden.collect())
}

/// Commits of a range, the newest, and how many there are.
async fn commits_of(at: &Place<'_>, range: &str) -> Result<(Vec<WorkCommit>, usize), WorktreeError> {
    let most = format!("--max-count={COMMITS_MAX}");
    let log = ["log", "-z", "--format=%H %s", "--no-show-signature", &most, range, "--"];
    let answer = at.demand(DOING, &log).await?;
    let commits: Vec<WorkCommit> = answer.parts().filter_map(commit_of).collect();
    let in_all = if commits.len() < COMMITS_MAX { commits.len() } else { count(at, &[range]).await? };
    Ok((commits, in_all))
}

async fn count(at: &Place<'_>, range: &[&str]) -> Result<usize, WorktreeError> {
    let text = at.text("count commits", &[&["rev-list", "--count"][..], range].concat()).await?;
    Ok(text.trim().parse().unwrap_or(0))
}

fn commit_of(part: &[u8]) -> Option<WorkCommit> {
    let text = String::from_utf8_lossy(part);
    let (id, title) = text.split_once(' ')?;
    Some(WorkCommit { id: id.to_owned(), title: title.to_owned() })
}

fn file_of(part: &[u8]) -> Option<WorkFile> {
    let mut fields = part.splitn(3, |byte| *byte == b'\t').map(String::from_utf8_lossy);
    let (added, removed) = (fields.next()?.parse().ok(), fields.next()?.parse().ok());
    Some(WorkFile { path: fields.next()?.into_owned(), added, removed })
}

pub(super) fn undelivered(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path.join(QUEUE)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_message(name)).collect();
    names.sort_unstable();
    names
}
