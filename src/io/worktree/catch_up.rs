//! Merges branches into a worktree in which an agent has worked before: what its step needs was done again meanwhile. Files that are
//! not committed there stay as they are. Where one is in the way nothing is merged, and the error names it.
//!
//! Before a merge begins, a mark beside the records names the files that were changed already. So whoever comes after a kill puts back
//! what the merge has changed, and nothing else.

use super::error::WorktreeError;
use super::git::{LOCKED_RESTS, OWN_LOCKS, Place, is_locked, literally};
use super::half;
use super::hold::Hold;
use super::left_locks::clear_left_locks;
use super::look::{Unsaved, unsaved};
use super::make::{Worktree, taken};
use super::obstacle::{Obstacle, SHOWN_MAX};
use super::record::write_durably;
use super::repository::{Repository, ref_of};
use super::submodules::{Care, How};
use crate::io::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// Paths that are given to git at once: with the longest that Linux has they stay below what it takes as arguments.
const PATHS_AT_ONCE: usize = 400;
/// Some 100,000 paths.
const MARK_BYTES_MAX: u64 = 64 << 20;

/// A merge that is under way.
#[derive(Serialize, Deserialize)]
struct Mark {
    /// The commit into which it is merged.
    head: String,
    /// What is merged.
    tip: String,
    /// Files that git keeps and that were changed before, as bytes.
    changed: Vec<Vec<u8>>,
}

/// A worktree while branches are merged into it.
struct CatchUp<'a> {
    repository: &'a Repository,
    made: &'a Worktree,
    /// The folder of git's own for it.
    own: PathBuf,
    hold: Hold,
}

impl Repository {
    /// Merges those of these branches that are not in a worktree into it, in order. What is no branch, or none any more, is left out.
    ///
    /// # Errors
    /// [`WorktreeError::Conflict`] names the files, and [`WorktreeError::NotMerged`] what is in the way; what git and the machine
    /// say. The merge that failed is undone then.
    pub async fn catch_up(&self, made: Worktree, names: &[String]) -> Result<Worktree, WorktreeError> {
        let marked = self.catching_mark(&made).exists();
        let mut missing = Vec::new();
        for name in names {
            let Some(tip) = self.here().commit(&format!("refs/heads/{name}")).await? else { continue };
            self.refuse_astray(name).await?;
            if marked || !self.has(&made, &tip).await? {
                missing.push((name, tip));
            }
        }
        if missing.is_empty() && !marked {
            return Ok(made);
        }
        let mut merged: Vec<&str> = Vec::new();
        let (hold, own) = (self.hold().await?, self.own_of(&made)?);
        let catching = CatchUp { repository: self, made: &made, own, hold };
        catching.put_right().await?;
        for (name, tip) in missing {
            if !self.has(&made, &tip).await? {
                catching.merge(name, &tip).await?;
                merged.push(name);
            }
        }
        let news = (!merged.is_empty()).then(|| format!("merged into its worktree: {}", merged.join(", ")));
        let notes: Vec<String> = made.note.iter().cloned().chain(news).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        Ok(Worktree { note, new_from: Vec::new(), ..made })
    }

    /// Whether the branch of a worktree has a commit.
    pub(super) async fn has(&self, made: &Worktree, commit: &str) -> Result<bool, WorktreeError> {
        let arguments = ["merge-base", "--is-ancestor", commit, &ref_of(&made.branch)];
        Ok(self.here().ask("compare commits", &arguments).await?.code == 0)
    }

    fn own_of(&self, made: &Worktree) -> Result<PathBuf, WorktreeError> {
        let own = half::own_folder(&self.common_dir, &made.path);
        own.ok_or_else(|| taken(&made.branch, "its worktree is not there any more: try again".to_owned()))
    }

    fn catching_mark(&self, made: &Worktree) -> PathBuf {
        self.records.lock_folder().join(format!("catching-up-{}", made.branch.folder()))
    }
}

impl CatchUp<'_> {
    async fn merge(&self, name: &str, tip: &str) -> Result<(), WorktreeError> {
        let git = self.repository.git.with(&self.repository.identity().await?);
        let at = git.at(&self.made.path).of(&self.own).working(self.hold.file());
        let mut changed = self.look(&at, name, tip).await?;
        self.repository.submodules_for_merge(&self.made.path, tip, &self.hold).await?;
        changed.extend(self.repository.left_out(&self.made.path).await?);
        let head = self.repository.head_of(self.made).await?;
        let doing = "merge a branch that is needed";
        let said = format!("Merge {name} into {}", self.made.branch);
        let options =
            ["merge", "--no-edit", "--ff", "--no-squash", "--commit", "--no-stat", "--no-autostash"];
        let arguments = [&options[..], &["-m", &said, tip]].concat();
        let mut rests = LOCKED_RESTS.into_iter();
        loop {
            self.mark(&head, tip, &changed)?;
            let answer = at.ask_once(doing, &arguments).await?;
            if answer.code == 0 {
                self.stand(How::Gently, &changed.into_iter().collect()).await?;
                return self.unmark();
            }
            let unmerged = ["diff", "--name-only", "--diff-filter=U", "-z", "--"];
            let files = at.demand(doing, &unmerged).await?.paths();
            self.put_right().await?;
            if !files.is_empty() {
                let (branch, with) = (self.made.branch.clone(), name.to_owned());
                return Err(WorktreeError::Conflict { branch, with, files });
            }
            match rests.next().filter(|_| is_locked(&answer.said)) {
                Some(rest) => tokio::time::sleep(rest).await,
                None if is_locked(&answer.said) => {
                    return Err(WorktreeError::Busy { lock: self.repository.common_dir.clone() });
                }
                // What was renamed is changed under its new name.
                None if !changed.is_empty() => return Err(self.in_the_way(name, vec![dirty(&changed)])),
                None => return Err(at.refused(doing, &answer)),
            }
        }
    }

    /// The files that git keeps and that are changed, if a branch may be merged: its own branch is checked out, nothing else is under
    /// way, nothing is staged, and what the merge changes is committed.
    async fn look(&self, at: &Place<'_>, name: &str, tip: &str) -> Result<Vec<PathBuf>, WorktreeError> {
        let on = at.text("ask for a branch", &["rev-parse", "--symbolic-full-name", "HEAD"]).await?;
        if on != ref_of(&self.made.branch) {
            let head = on.strip_prefix("refs/heads/").unwrap_or("a commit by itself").to_owned();
            return Err(self.in_the_way(name, vec![Obstacle::OtherHead { head }]));
        }
        if let Some(what) = half::under_way(&self.own) {
            return Err(self.in_the_way(name, vec![Obstacle::UnderWay { what: what.to_owned() }]));
        }
        let theirs = self.theirs(at, tip, &[]).await?;
        let unsaved = unsaved(at).await?;
        let in_the_way = unsaved.iter().filter(|file| is_staged(file) || theirs.contains(&file.path));
        let in_the_way: Vec<PathBuf> = in_the_way.map(|file| file.path.clone()).collect();
        if !in_the_way.is_empty() {
            return Err(self.in_the_way(name, vec![dirty(&in_the_way)]));
        }
        Ok(unsaved.into_iter().filter(is_kept).map(|file| file.path).collect())
    }

    /// The paths that a commit has changed since it parted from what is checked out.
    async fn theirs(
        &self,
        at: &Place<'_>,
        tip: &str,
        more: &[&str],
    ) -> Result<BTreeSet<PathBuf>, WorktreeError> {
        let range = format!("HEAD...{tip}");
        let options = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff"];
        let arguments = [&options[..], more, &[&range, "--"]].concat();
        Ok(at.demand("see what a merge changes", &arguments).await?.paths().into_iter().collect())
    }

    fn in_the_way(&self, name: &str, obstacles: Vec<Obstacle>) -> WorktreeError {
        let (branch, with, place) = (self.made.branch.clone(), name.to_owned(), self.made.path.clone());
        WorktreeError::NotMerged { branch, with, place, obstacles }
    }

    /// Puts back what a merge has changed that was not finished, by a conflict or by a kill.
    async fn put_right(&self) -> Result<(), WorktreeError> {
        let path = self.repository.catching_mark(self.made);
        let failed = |source| WorktreeError::Io { path: path.clone(), source };
        let text = match regular::read(&path, MARK_BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            text => text.map_err(failed)?,
        };
        let mark: Mark = serde_json::from_str(&text).map_err(|error| failed(error.into()))?;
        let head = self.repository.head_of(self.made).await?;
        if head != mark.head && !self.repository.has(self.made, &mark.tip).await? {
            // Somebody has committed since, so what lies there is theirs.
            return self.unmark();
        }
        for lock in OWN_LOCKS {
            half::remove(&self.own.join(lock))?;
        }
        half::clear_ref_lock(&self.repository.common_dir, &self.made.branch)?;
        clear_left_locks(&self.repository.root, &self.repository.common_dir).await?;
        let (path, doing) = (&self.made.path, "undo a merge");
        let at = self.repository.git.at(path).of(&self.own).working(self.hold.file());
        if self.own.join("MERGE_HEAD").exists() {
            // It knows files that a conflict alone has made. What it cannot undo follows.
            at.ask(doing, &["merge", "--abort"]).await?;
        }
        at.demand(doing, &["reset", "--quiet"]).await?;
        let before: BTreeSet<PathBuf> = mark.changed.into_iter().map(path_of).collect();
        let changed = unsaved(&at).await?.into_iter().filter(is_kept).map(|file| file.path);
        let changed: Vec<PathBuf> = changed.filter(|path| !before.contains(path)).collect();
        for some in changed.chunks(PATHS_AT_ONCE) {
            at.demand(doing, &literally(&["checkout", "--quiet", "HEAD"], some)).await?;
        }
        // None of these was there before: `look` has seen to that.
        let new: Vec<PathBuf> =
            self.theirs(&at, &mark.tip, &["--diff-filter=A"]).await?.into_iter().collect();
        for some in new.chunks(PATHS_AT_ONCE) {
            let left = at.demand(doing, &literally(&["ls-files", "-z", "--others"], some)).await?;
            for file in left.paths() {
                half::remove(&path.join(file))?;
            }
        }
        self.stand(How::Over, &before).await?;
        self.unmark()
    }

    /// Puts submodules where the merge has them, without those that were changed or not there before.
    async fn stand(&self, how: How, but: &BTreeSet<PathBuf>) -> Result<(), WorktreeError> {
        self.repository.stand_submodules(&self.made.path, &self.hold, Care { how, but }).await
    }

    fn mark(&self, head: &str, tip: &str, changed: &[PathBuf]) -> Result<(), WorktreeError> {
        let path = self.repository.catching_mark(self.made);
        let changed = changed.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect();
        let text = serde_json::to_string(&Mark { head: head.to_owned(), tip: tip.to_owned(), changed })
            .map_err(io::Error::from);
        let written = text.and_then(|text| write_durably(&path, &text));
        written.map_err(|source| WorktreeError::Io { path, source })
    }

    fn unmark(&self) -> Result<(), WorktreeError> {
        half::remove(&self.repository.catching_mark(self.made))
    }
}

/// Whether git keeps a file that is changed.
fn is_kept(file: &Unsaved) -> bool {
    file.letters != *b"??"
}

/// Whether it is to be in the next commit: a merge that is undone would forget that.
fn is_staged(file: &Unsaved) -> bool {
    !matches!(file.letters[0], b' ' | b'?')
}

fn dirty(files: &[PathBuf]) -> Obstacle {
    let named = files.iter().take(SHOWN_MAX).map(|file| file.to_string_lossy().into_owned());
    Obstacle::Dirty { files: named.collect(), in_all: files.len() }
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}
