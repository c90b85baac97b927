//! The end of a role's worktree: it goes with its branch, whatever is in it, and what was changed there stays as a patch.

use super::error::WorktreeError;
use super::git::bytes_of;
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
        self.refuse_to_end(&record, &path)?;
        self.keep_patch(branch, base, &hold).await?;
        clear(&self.common_dir, &path).await?;
        half::clear_ref_lock(&self.common_dir, branch)?;
        clear_left_locks(&self.root, &self.common_dir).await?;
        let at = self.here().working(hold.file());
        let tip = at.commit(&ref_of(branch)).await?;
        delete_branch(&at, branch, tip.as_deref()).await?;
        self.records.forget(branch)
    }

    /// What a person has done with it stays as it is.
    fn refuse_to_end(&self, record: &Record, path: &Path) -> Result<(), WorktreeError> {
        let own = half::own_folder(&self.common_dir, path);
        let locked = own.and_then(|own| fs::read(own.join("locked")).ok());
        let locked =
            locked.map(|why| Obstacle::Locked { why: String::from_utf8_lossy(&why).trim().to_owned() });
        let moved = half::elsewhere(&self.common_dir, &record.branch, path);
        let moved = moved.map(|to| Obstacle::Moved { to: to.to_string_lossy().into_owned() });
        let obstacles: Vec<Obstacle> = locked.into_iter().chain(moved).collect();
        if obstacles.is_empty() {
            return Ok(());
        }
        Err(WorktreeError::InTheWay { branch: record.branch.to_string(), obstacles })
    }

    /// Writes what differs from the base, committed or not; what is ignored is not.
    async fn keep_patch(&self, branch: &BranchName, base: &str, hold: &Hold) -> Result<(), WorktreeError> {
        let (path, patch) = (self.path_of(branch), self.patch_of(branch));
        // Whoever was here before a kill has written all of it.
        if patch.exists() {
            return Ok(());
        }
        let failed = |source| WorktreeError::Io { path: patch.clone(), source };
        if let Some(logs) = patch.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(logs).map_err(failed)?;
        }
        let half_written = patch.with_extension("patch.tmp");
        half::remove(&half_written)?;
        let mut output = OsString::from("--output=");
        output.push(OsStr::from_bytes(bytes_of(&half_written)));
        let mut diff: Vec<OsString> =
            ["diff", "--binary", "--no-color", "--no-ext-diff", "--no-textconv"].map(OsString::from).to_vec();
        diff.push(output);
        let doing = "keep what a role has changed";
        match half::own_folder(&self.common_dir, &path).filter(|_| path.join(".git").is_file()) {
            Some(own) => {
                // Nobody works there any more, so this is a killed one's.
                half::remove(&own.join("index.lock"))?;
                let at = self.git.at(&path).of(&own).working(hold.file());
                at.demand(doing, &["add", "--all", "--", "."]).await?;
                diff.extend(["--cached", base, "--"].map(OsString::from));
                at.demand(doing, &diff).await?;
            }
            None => {
                let at = self.here().working(hold.file());
                let Some(tip) = at.commit(&ref_of(branch)).await? else { return Ok(()) };
                diff.extend([base, &tip, "--"].map(OsString::from));
                at.demand(doing, &diff).await?;
            }
        }
        let written = match fs::metadata(&half_written) {
            Ok(meta) if meta.len() > 0 => fs::set_permissions(&half_written, Permissions::from_mode(0o600))
                .and_then(|()| fs::rename(&half_written, &patch)),
            Ok(_) => fs::remove_file(&half_written),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        written.map_err(failed)
    }

    /// Where what a role has changed is kept.
    fn patch_of(&self, branch: &BranchName) -> PathBuf {
        let path = self.path_of(branch);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let debate = path.parent().and_then(Path::parent).unwrap_or(&path);
        debate.join("logs").join(format!("{name}.patch"))
    }
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
