//! Makes a worktree with its branch. Asked again, by whoever it is for, it finds what is there and comes to the same end.

use super::error::WorktreeError;
use super::exclude::{Kept, QUEUE, STATUS};
use super::git::{Place, bytes_of};
use super::half;
use super::hold::Hold;
use super::left_locks::clear_left_locks;
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use super::submodules::How;
use crate::engine::flow::branch::BranchName;
use crate::engine::job::TreeStart;
use crate::wire::layout::plain;
use crate::wire::session::work::word;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// What a worktree begins with: commits, their names, what of its mailbox is kept there, and what is told of them.
type Beginning = (Vec<String>, Vec<String>, Option<Kept>, Vec<String>);

/// A worktree that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub branch: BranchName,
    /// Its folder.
    pub path: PathBuf,
    /// The commit with which its work begins: after the merges of what it is made from.
    pub base: String,
    /// Submodules whose files are not there, since nothing is fetched over a network.
    pub without: Vec<String>,
    /// What whoever asked for it is told: that it was gone, and how it was made again.
    pub note: Option<String>,
    /// Names of the commits that it begins with, if it was made just now and nothing has come since.
    pub new_from: Vec<String>,
}

impl Repository {
    /// Makes a worktree on a new branch, which begins where the first of `starts` is; the others are merged into it in order. A branch
    /// that is gone is taken where it was (`gone.rs`).
    /// `owner` is whoever it is for: the same may ask again, after a kill as well, and gets what is there or what is made then. One that
    /// somebody has removed meanwhile is made again (`again.rs`).
    ///
    /// Nothing is fetched. Submodules are checked out from what the repository has of them.
    ///
    /// # Errors
    /// [`WorktreeError::Taken`] if the branch or its folder is somebody else's or was used before; [`WorktreeError::Conflict`]
    /// names the files; [`WorktreeError::Gone`] if a branch is gone with its commits; what git and the machine say. Nothing is left of
    /// it then.
    pub async fn make(
        &self,
        branch: &BranchName,
        owner: &str,
        starts: &[TreeStart],
    ) -> Result<Worktree, WorktreeError> {
        let mut note = match self.back_from_trash(branch, owner).await? {
            Some(Ok(worktree)) => return Ok(worktree),
            Some(Err(note)) => Some(note),
            None => None,
        };
        // What only reads is done before: others wait for the hold. It counts where something is made.
        let beginning = self.beginning(branch, starts).await;
        let is_free = !self.has_branch(self.here(), branch).await?;
        let hold = self.hold().await?;
        let record = self.records.read(&branch.folder())?;
        if let Some(record) = record.as_ref().filter(|record| record.owner == owner) {
            self.refuse_elsewhere(record)?;
        }
        match record {
            None if is_free => self.refuse_folder(branch)?,
            None => self.refuse_taken(branch, &hold).await?,
            Some(record) if record.owner != owner => {
                return Err(taken(branch, format!("it is that of {}: take another one", record.owner)));
            }
            Some(record) => match &record.at {
                Progress::Made { base, .. } if self.is_whole(branch) => {
                    // A session that goes on in another workspace takes its worktrees with it.
                    if record.trash.as_ref() != Some(&self.trash) {
                        self.records.write(&Record { trash: Some(self.trash.clone()), ..record.clone() })?;
                    }
                    self.refuse_unfit(&record).await?;
                    return self.as_made(branch, base).await;
                }
                Progress::Made { .. } => match self.make_again(&record, &hold).await? {
                    Ok(worktree) => return Ok(worktree),
                    Err(why) => note = Some(why),
                },
                Progress::Making => self.clear_made(&record, &hold).await?,
                Progress::Removed { .. } if note.is_some() => self.refuse_taken(branch, &hold).await?,
                _ => {
                    let why =
                        format!("its worktree was removed: `tasuki worktree restore {branch}` gets it back");
                    return Err(taken(branch, why));
                }
            },
        }
        let (from, names, kept, news) = beginning?;
        let begun_s = self.clock.wall().0 / 1_000;
        let (branch, owner, at) = (branch.clone(), owner.to_owned(), Progress::Making);
        let trash = Some(self.trash.clone());
        let record = Record { branch, owner, from, names, begun_s, at, is_set_up: false, trash };
        let made = self.make_of(&record, kept.as_ref(), &hold).await;
        let notes: Vec<String> = note.into_iter().chain(news).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        made.map(|made| Worktree { note, new_from: names_of(starts), ..made })
    }

    /// Makes what a record says, which is written first. Of what cannot be made nothing is left.
    async fn make_of(
        &self,
        record: &Record,
        kept: Option<&Kept>,
        hold: &Hold,
    ) -> Result<Worktree, WorktreeError> {
        self.records.write(record)?;
        let start = record.from.first().map_or("", String::as_str);
        let made = match self.make_branch(record, start, hold).await {
            Ok(None) => self.build(record, kept, hold).await,
            Ok(Some(why)) => {
                // It is somebody else's, made a moment ago.
                self.records.forget(&record.branch)?;
                return Err(taken(&record.branch, why));
            }
            Err(error) => Err(error),
        };
        if made.is_err() {
            // Where even that fails the record stays, and the next try or `prune` clears it.
            if let Err(error) = self.clear_made(record, hold).await {
                tracing::warn!("what was made of {} could not be removed: {error}", record.branch);
            }
        }
        made
    }

    /// The commits that a worktree is made from, each once, what they are called, what of its mailbox is in the first of them, and what is told of them.
    async fn beginning(&self, branch: &BranchName, starts: &[TreeStart]) -> Result<Beginning, WorktreeError> {
        let (mut from, mut names, mut news): (Vec<String>, Vec<String>, Vec<String>) = Default::default();
        for (start, known) in starts.iter().zip(self.here().commits(&names_of(starts)).await?) {
            let (commit, note) = match known {
                Some(commit) => (commit, None),
                None => self.start_of_gone(start).await.map(|(commit, note)| (commit, Some(note)))?,
            };
            self.refuse_astray(&start.name).await?;
            news.extend(note);
            if !from.contains(&commit) {
                from.push(commit);
                names.push(start.name.clone());
            }
        }
        let start = from.first().unwrap_or(&self.head).clone();
        if from.is_empty() {
            from.push(start.clone());
        }
        // A role has no mailbox in its worktree.
        let kept = match branch.speech() {
            Some(_) => None,
            None => Some(self.kept_at(&start).await?),
        };
        Ok((from, names, kept, news))
    }

    /// What stands in the way of a name that tasuki has not used.
    pub(super) async fn refuse_taken(&self, branch: &BranchName, hold: &Hold) -> Result<(), WorktreeError> {
        if self.has_branch(self.here().working(hold.file()), branch).await? {
            return Err(taken(branch, self.called_so(branch.as_str())));
        }
        self.refuse_folder(branch)
    }

    /// The same of its folder.
    fn refuse_folder(&self, branch: &BranchName) -> Result<(), WorktreeError> {
        let path = self.path_of(branch);
        if half::is_taken(&path) || half::own_folder(&self.common_dir, &path).is_some() {
            let (at, place) = (word(&plain(&self.root)), word(&plain(&path)));
            let cure = match (half::is_taken(&path), half::own_folder(&self.common_dir, &path)) {
                (true, None) => format!("move it away, for example `mv {place} {place}-old`"),
                (true, Some(_)) => format!("`git -C {at} worktree remove {place}`, or move it elsewhere"),
                (false, _) => format!("git alone knows of it, so `git -C {at} worktree prune`"),
            };
            let why = format!("{} is there, and tasuki has not made it: {cure}", plain(&path));
            return Err(taken(branch, why));
        }
        Ok(())
    }

    /// That a branch is there, and how its name becomes free.
    fn called_so(&self, branch: &str) -> String {
        format!("a branch is called so: {}", self.free(branch))
    }

    /// How the name of a branch becomes free.
    fn free(&self, branch: &str) -> String {
        let (at, new) = (word(&plain(&self.root)), format!("{}-old", branch.replace('/', "-")));
        let (old, new) = (word(branch), word(&new));
        format!(
            "rename it with `git -C {at} branch -m {old} {new}`, or delete it with `git -C {at} branch -D {old}`"
        )
    }

    async fn has_branch(&self, at: Place<'_>, branch: &BranchName) -> Result<bool, WorktreeError> {
        let name = ref_of(branch);
        Ok(at.ask("look for a branch", &["show-ref", "--verify", "--quiet", &name]).await?.code == 0)
    }

    pub(super) async fn as_made(&self, branch: &BranchName, base: &str) -> Result<Worktree, WorktreeError> {
        let path = self.path_of(branch);
        if !self.is_whole(branch) {
            let why = format!(
                "its worktree {} was moved or removed by somebody: move it back, or try again",
                path.display()
            );
            return Err(taken(branch, why));
        }
        let without = self.empty_submodules(&path).await?;
        let (branch, base) = (branch.clone(), base.to_owned());
        Ok(Worktree { branch, path, base, without, note: None, new_from: Vec::new() })
    }

    async fn build(
        &self,
        record: &Record,
        kept: Option<&Kept>,
        hold: &Hold,
    ) -> Result<Worktree, WorktreeError> {
        let (branch, path) = (&record.branch, self.path_of(&record.branch));
        self.exclude(kept)?;
        let own = self.add(branch, hold).await?;
        self.merge_all(record, &path, &own, hold).await?;
        let base = match record.from.as_slice() {
            [only] => only.clone(),
            _ => {
                let at = self.git.at(&path).of(&own);
                at.text("ask for the commit of a worktree", &["rev-parse", "HEAD"]).await?
            }
        };
        self.finish(record, &path, Progress::Made { base, restored: None }, hold).await
    }

    /// Makes the branch at a commit, and its worktree; where git keeps what it knows of it.
    pub(super) async fn check_out(
        &self,
        record: &Record,
        commit: &str,
        hold: &Hold,
    ) -> Result<PathBuf, WorktreeError> {
        match self.make_branch(record, commit, hold).await? {
            None => self.add(&record.branch, hold).await,
            Some(why) => Err(taken(&record.branch, why)),
        }
    }

    /// Makes the branch of a worktree; or why it is not made: another one is in its way.
    async fn make_branch(
        &self,
        record: &Record,
        commit: &str,
        hold: &Hold,
    ) -> Result<Option<String>, WorktreeError> {
        let at = self.here().working(hold.file());
        let name = ref_of(&record.branch);
        let why = format!("tasuki: a worktree for {}", record.owner).replace('\n', " ");
        // No old value: it must not be there.
        let new = ["update-ref", "--create-reflog", "-m", &why, &name, commit, ""];
        let answer = at.ask("make a branch", &new).await?;
        match (answer.code, &*answer.said) {
            (0, _) => Ok(None),
            (_, said) if said.contains("reference already exists") => {
                Ok(Some(self.called_so(record.branch.as_str())))
            }
            (_, said) => match beside(said) {
                Some(other) => Ok(Some(format!(
                    "there is a branch `{other}`, beside which git keeps none of this name: {}",
                    self.free(other)
                ))),
                None => Err(at.refused("make a branch", &answer)),
            },
        }
    }

    /// Makes the worktree of a branch that was made just now; where git keeps what it knows of it.
    async fn add(&self, branch: &BranchName, hold: &Hold) -> Result<PathBuf, WorktreeError> {
        let path = self.path_of(branch);
        let at = self.here().working(hold.file());
        self.make_place(branch)?;
        // Nobody has a new branch checked out: without `--force` git looks for that in all worktrees, a few times each.
        let add =
            [b"worktree".as_slice(), b"add", b"--force", b"--", bytes_of(&path), branch.as_str().as_bytes()];
        at.demand("make a worktree", &add.map(OsStr::from_bytes)).await?;
        half::own_folder(&self.common_dir, &path).ok_or_else(|| WorktreeError::Git {
            doing: "make a worktree".to_owned(),
            said: format!("it is not known to git afterwards: {}", path.display()),
        })
    }

    /// Makes the folder in which the worktree of a branch is to be.
    fn make_place(&self, branch: &BranchName) -> Result<(), WorktreeError> {
        let path = self.path_of(branch);
        let Some(parent) = path.parent() else { return Ok(()) };
        if branch.speech().is_some() {
            let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(parent);
            made.map_err(|source| WorktreeError::Io { path: parent.to_owned(), source })?;
        }
        make_folder(parent)
    }

    /// Submodules, folders and the record: what follows when all files are there.
    pub(super) async fn finish(
        &self,
        record: &Record,
        path: &Path,
        at: Progress,
        hold: &Hold,
    ) -> Result<Worktree, WorktreeError> {
        self.stand_submodules(path, hold, How::Gently.into()).await?;
        let folders = if record.branch.speech().is_some() { &[][..] } else { &[QUEUE, "status", STATUS] };
        for folder in folders {
            make_folder(&path.join(folder))?;
        }
        let (Progress::Made { base, .. }
        | Progress::Removing { base, .. }
        | Progress::Restoring { base, .. }) = &at
        else {
            return Err(taken(&record.branch, "its record is none of a worktree: try again".to_owned()));
        };
        let base = base.clone();
        self.records.write(&Record { at, ..record.clone() })?;
        let without = self.empty_submodules(path).await?;
        let (branch, path) = (record.branch.clone(), path.to_owned());
        Ok(Worktree { branch, path, base, without, note: None, new_from: Vec::new() })
    }

    /// Removes all of a worktree that was not made to its end, with its branch and its record. Nobody was told of it, so nobody
    /// has worked in it; but a commit that is none of our merges is somebody's, and then everything stays.
    pub(super) async fn clear_made(&self, record: &Record, hold: &Hold) -> Result<(), WorktreeError> {
        let (branch, name) = (&record.branch, ref_of(&record.branch));
        half::clear_ref_lock(&self.common_dir, branch)?;
        clear_left_locks(&self.root, &self.common_dir).await?;
        let at = self.here().working(hold.file());
        let tip = at.commit(&name).await?;
        if let Some(tip) = &tip {
            let mut foreign = vec!["rev-list", "--no-merges", "--max-count=1", tip, "--not"];
            foreign.extend(record.from.iter().map(String::as_str));
            let answer = at.demand("look for commits of others", &foreign).await?;
            if !answer.out.is_empty() {
                let why = format!(
                    "somebody has committed to it while it was made, at {tip}: rename it, and try again"
                );
                return Err(taken(branch, why));
            }
        }
        half::clear(&self.common_dir, &self.path_of(branch))?;
        delete_branch(&at, branch, tip.as_deref()).await?;
        self.records.forget(branch)?;
        // Only the last one takes the folder with it.
        let _ = fs::remove_dir(self.worktrees());
        Ok(())
    }
}

/// The branch that git has named as one beside which it keeps no other.
fn beside(said: &str) -> Option<&str> {
    let (before, _) = said.split_once("' exists; cannot create")?;
    before.rsplit_once("'refs/heads/").map(|(_, other)| other)
}

fn names_of(starts: &[TreeStart]) -> Vec<String> {
    starts.iter().map(|start| start.name.clone()).collect()
}

pub(super) fn taken(branch: &BranchName, why: String) -> WorktreeError {
    WorktreeError::Taken { branch: branch.to_string(), why }
}

/// Deletes a branch, if it is there and still at this commit, and what was set for it.
pub(super) async fn delete_branch(
    at: &Place<'_>,
    branch: &BranchName,
    tip: Option<&str>,
) -> Result<(), WorktreeError> {
    if let Some(tip) = tip {
        at.demand("delete a branch", &["update-ref", "-d", &ref_of(branch), tip]).await?;
    }
    let doing = "forget the settings of a branch";
    let settings = format!("^branch\\.{branch}\\.");
    // Most have none. Then nothing is written, and no kill can leave the lock of the settings.
    if at.ask(doing, &["config", "--local", "--get-regexp", &settings]).await?.code == 0 {
        let section = format!("branch.{branch}");
        at.demand(doing, &["config", "--local", "--remove-section", &section]).await?;
    }
    Ok(())
}

/// Makes a folder of the user's own, where there is none. A link or a file in its place is refused.
pub(super) fn make_folder(path: &Path) -> Result<(), WorktreeError> {
    let failed = |source| WorktreeError::Io { path: path.to_owned(), source };
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    if path.symlink_metadata().map_err(failed)?.is_dir() {
        return Ok(());
    }
    Err(failed(io::Error::other("it is a link or no folder: move it away")))
}
