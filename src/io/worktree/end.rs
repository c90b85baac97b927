//! The end of a role's worktree: it goes with its branch, whatever is in it, and what was changed there stays as a patch.

use super::error::WorktreeError;
use super::git::{Place, bytes_of, literally};
use super::half;
use super::hold::Hold;
use super::left_locks::clear_left_locks;
use super::make::{delete_branch, taken};
use super::obstacle::Obstacle;
use super::record::{Progress, Record};
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a role has changed is known within seconds; a program that it has named for git is not waited for.
const PATCH_LIMIT: Duration = Duration::from_secs(60);
/// What the mark of an end says: it was asked for; what was done there is kept, and it is being removed.
const ASKED: &str = "asked";
const KEPT: &str = "kept";
/// Whoever worked there is being ended: between two looks whether that is done, and how often it is looked.
const REST: Duration = Duration::from_millis(50);
const LOOKS_MAX: usize = 60;
/// What somebody writes there meanwhile keeps a folder from going; tried so often, it has ended or goes on.
const TRIES: usize = 5;

impl Repository {
    /// Removes the worktree of a role's speech and its branch. What was committed or left lying there since its base is kept as
    /// `logs/roundN-ROLE.patch` beside it, if anything was. Asked again after a kill, it comes to the same end; where nothing is there any
    /// more nothing is done.
    ///
    /// # Errors
    /// [`WorktreeError::InTheWay`] if somebody has locked or moved it, [`WorktreeError::Taken`] if it is not `owner`'s; what git and the
    /// machine say.
    pub async fn end(&self, branch: &BranchName, owner: &str) -> Result<(), WorktreeError> {
        let path = self.path_of(branch);
        for _ in 0..LOOKS_MAX {
            let place = path.clone();
            // All of /proc is gone through: others wait for this thread.
            if !tokio::task::spawn_blocking(move || is_worked_in(&place)).await.unwrap_or_default() {
                break;
            }
            tokio::time::sleep(REST).await;
        }
        let hold = self.hold().await?;
        let Some(record) = self.records.read(&branch.folder())? else { return Ok(()) };
        if record.owner != owner {
            return Err(taken(branch, format!("it is that of {}", record.owner)));
        }
        let Progress::Made { base, .. } = &record.at else { return self.clear_made(&record, &hold).await };
        if !self.is_kept(branch) {
            self.mark(branch, ASKED)?;
            self.keep_patch(branch, base, &hold).await?;
        }
        // What is in the way may stay for long; what was done there is kept already, and is again when it goes.
        let obstacles = self.obstacles_to_its_end(&record);
        if !obstacles.is_empty() {
            return Err(WorktreeError::InTheWay { branch: branch.to_string(), obstacles });
        }
        self.mark(branch, KEPT)?;
        clear(&self.common_dir, &path).await?;
        half::clear_ref_lock(&self.common_dir, branch)?;
        clear_left_locks(&self.root, &self.common_dir).await?;
        let at = self.here().working(hold.file());
        let tip = at.commit(&ref_of(branch)).await?;
        delete_branch(&at, branch, tip.as_deref()).await?;
        half::remove(&self.mark_of(branch))?;
        self.records.forget(branch)
    }

    /// What a person has done with it stays as it is.
    pub(super) fn obstacles_to_its_end(&self, record: &Record) -> Vec<Obstacle> {
        let path = self.path_of(&record.branch);
        let own = half::own_folder(&self.common_dir, &path);
        let locked = own.and_then(|own| fs::read(own.join("locked")).ok());
        let locked =
            locked.map(|why| Obstacle::Locked { why: String::from_utf8_lossy(&why).trim().to_owned() });
        let moved = half::elsewhere(&self.common_dir, &record.branch, &path).filter(|to| to.exists());
        let moved = moved.map(|to| Obstacle::Moved { to: to.to_string_lossy().into_owned() });
        locked.into_iter().chain(moved).collect()
    }

    /// Whether its end was asked for and has not come: whoever looks for what may go takes that up.
    pub(super) fn is_to_end(&self, branch: &BranchName) -> bool {
        branch.speech().is_some() && self.mark_of(branch).exists()
    }

    /// Whether all that was done there is kept, and it is being removed: what is left of it is no change.
    fn is_kept(&self, branch: &BranchName) -> bool {
        fs::read_to_string(self.mark_of(branch)).is_ok_and(|mark| mark == KEPT)
    }

    fn mark(&self, branch: &BranchName, mark: &str) -> Result<(), WorktreeError> {
        let path = self.mark_of(branch);
        let failed = |source| WorktreeError::Io { path: path.clone(), source };
        if let Some(logs) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(logs).map_err(failed)?;
        }
        fs::write(&path, mark).map_err(failed)
    }

    /// Writes what differs from the base, committed or not; what is ignored is not.
    async fn keep_patch(&self, branch: &BranchName, base: &str, hold: &Hold) -> Result<(), WorktreeError> {
        let (path, patch) = (self.path_of(branch), self.patch_of(branch));
        // What it has changed is where it has moved its worktree to.
        let moved =
            half::elsewhere(&self.common_dir, branch, &path).filter(|to| !path.exists() && to.is_dir());
        let is_moved = moved.is_some();
        let path = moved.unwrap_or(path);
        let failed = |source| WorktreeError::Io { path: patch.clone(), source };
        let half_written = patch.with_extension("patch.tmp");
        half::remove(&half_written)?;
        let mut output = OsString::from("--output=");
        output.push(OsStr::from_bytes(bytes_of(&half_written)));
        let mut diff: Vec<OsString> =
            ["diff", "--binary", "--no-color", "--no-ext-diff", "--no-textconv"].map(OsString::from).to_vec();
        diff.push(output);
        let doing = "keep what a role has changed";
        // Who has removed its `.git` has still left what it wrote.
        match half::own_folder(&self.common_dir, &path).filter(|_| path.is_dir()) {
            // It stays, and is somebody's: nothing is changed there, and what git does not know of lies there still.
            Some(own) if is_moved => {
                let at = self.git.at(&path).of(&own).working(hold.file()).within(PATCH_LIMIT);
                diff.extend([base, "--"].map(OsString::from));
                at.demand(doing, &diff).await?;
            }
            Some(own) => {
                // Nobody works there any more, so this is a killed one's.
                half::remove(&own.join("index.lock"))?;
                let at = self.git.at(&path).of(&own).working(hold.file()).within(PATCH_LIMIT);
                dissolve_repositories(&at, &path, base).await?;
                let added = at.demand(doing, &["add", "--all", "--", "."]).await;
                if added.is_err() {
                    // It was ended, and has left its lock.
                    half::remove(&own.join("index.lock"))?;
                }
                added?;
                diff.extend(["--cached", base, "--"].map(OsString::from));
                at.demand(doing, &diff).await?;
                let left = self.patch_of(branch).with_extension("mbox");
                self.keep_left_commits(&at, (branch, base), &own, &left).await?;
            }
            None => {
                let at = self.here().working(hold.file()).within(PATCH_LIMIT);
                let Some(tip) = at.commit(&ref_of(branch)).await? else { return Ok(()) };
                diff.extend([base, &tip, "--"].map(OsString::from));
                at.demand(doing, &diff).await?;
            }
        }
        put_in_place(&half_written, &patch).map_err(failed)
    }

    /// Where what a role has changed is kept.
    fn patch_of(&self, branch: &BranchName) -> PathBuf {
        let path = self.path_of(branch);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let debate = path.parent().and_then(Path::parent).unwrap_or(&path);
        debate.join("logs").join(format!("{name}.patch"))
    }

    /// Where it is written down that its end was asked for, and how far it has come.
    fn mark_of(&self, branch: &BranchName) -> PathBuf {
        self.patch_of(branch).with_extension("end")
    }
}

/// Gives a patch its name, if anything is in it.
fn put_in_place(half_written: &Path, patch: &Path) -> io::Result<()> {
    match fs::metadata(half_written) {
        // It is on the disk before what it was made from goes.
        Ok(meta) if meta.len() > 0 => fs::set_permissions(half_written, Permissions::from_mode(0o600))
            .and_then(|()| fs::File::open(half_written)?.sync_all())
            .and_then(|()| fs::rename(half_written, patch))
            .and_then(|()| fs::File::open(patch.parent().unwrap_or(patch))?.sync_all()),
        Ok(_) => {
            fs::remove_file(patch).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })?;
            fs::remove_file(half_written)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes plain folders of the repositories that a role has made in its worktree: of a repository within another one git keeps the name
/// of a commit alone, and here its files are kept.
async fn dissolve_repositories(at: &Place<'_>, path: &Path, base: &str) -> Result<(), WorktreeError> {
    let doing = "keep what a role has changed";
    let place = path.to_owned();
    let found = tokio::task::spawn_blocking(move || repositories_in(&place)).await.unwrap_or_default();
    for folder in found {
        let Ok(within) = folder.strip_prefix(path) else { continue };
        let named = [within.to_owned()];
        // A submodule of the base is one.
        let in_base = at.demand(doing, &literally(&["ls-tree", base], &named)).await?;
        if within.as_os_str().is_empty() || in_base.out.starts_with(b"160000 ") {
            continue;
        }
        half::remove(&folder.join(".git"))?;
        let words = ["rm", "--quiet", "--cached", "-r", "--force", "--ignore-unmatch"];
        at.demand(doing, &literally(&words, &named)).await?;
    }
    Ok(())
}

/// The folders with a `.git` of their own, other than the uppermost one.
fn repositories_in(path: &Path) -> Vec<PathBuf> {
    let (mut found, mut left) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_name() == ".git" {
                if folder != path {
                    found.push(folder.clone());
                }
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push(entry.path());
            }
        }
    }
    found
}

/// Removes the folder and what git knows of it.
async fn clear(common_dir: &Path, path: &Path) -> Result<(), WorktreeError> {
    for _ in 1..TRIES {
        if half::clear(common_dir, path).is_ok() {
            return Ok(());
        }
        tokio::time::sleep(REST).await;
    }
    half::clear(common_dir, path)
}

/// Whether a process of this user's works in a folder.
fn is_worked_in(folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let places = processes.filter_map(|process| fs::read_link(process.path().join("cwd")).ok());
    places.into_iter().any(|place| place.starts_with(folder))
}
