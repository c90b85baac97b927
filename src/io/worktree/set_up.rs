//! Makes a fresh worktree ready for work, as the team file says: files are copied into it, and commands run there.
//!
//! That it is done is in the worktree's record, and is written last. So a setup that failed or was killed is done again from its
//! beginning, and one that is done never again.

use super::error::WorktreeError;
use super::half;
use super::hold::{HOLD_WITHIN, Hold};
use super::make::taken;
use super::record::{Progress, Record};
use super::repository::Repository;
use crate::engine::flow::branch::BranchName;
use crate::io::folder::Folder;
use crate::io::process::{is_program, signal_name};
use crate::io::run::printed::end_of;
use crate::io::run::{Keep, Ran, Run, look_up};
use crate::wire::clean::escape;
use crate::wire::team_file::{Env, TreeSetup};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is kept of that which a command prints.
const OUTPUT_BYTES: usize = 1 << 20;

impl Repository {
    /// Sets a worktree up that is made, unless that is done. Commands get `env` and nothing else. Nobody else is kept from the
    /// repository meanwhile: a command may take minutes. Only this worktree is not removed.
    ///
    /// # Errors
    /// [`WorktreeError::NotCopied`] and [`WorktreeError::SetupFailed`] say what is to be put right. The same may be asked again then.
    pub async fn set_up(
        &self,
        branch: &BranchName,
        setup: &TreeSetup,
        env: &Env,
    ) -> Result<(), WorktreeError> {
        if self.made_record(branch)?.is_set_up {
            return Ok(());
        }
        let lock = self.records.set_up_lock(branch);
        let hold = Hold::take(&lock, HOLD_WITHIN).await?;
        // Whoever had it has set it up, or removed it.
        let done = match self.made_record(branch)?.is_set_up {
            true => Ok(()),
            false => self.do_set_up(branch, setup, env).await,
        };
        // Whoever waits for it sees that it is gone, and takes another one.
        let _ = fs::remove_file(&lock);
        drop(hold);
        done
    }

    async fn do_set_up(
        &self,
        branch: &BranchName,
        setup: &TreeSetup,
        env: &Env,
    ) -> Result<(), WorktreeError> {
        let path = self.path_of(branch);
        if !setup.copy.is_empty() {
            let own = half::own_folder(&self.common_dir, &path).ok_or_else(|| {
                taken(branch, "git does not know its worktree any more: try again".to_owned())
            })?;
            for name in self.copy_into((&path, &own), &setup.copy).await? {
                tracing::warn!(
                    "{branch}: the setup of worktrees names {}, which is not there",
                    escape(&name)
                );
            }
        }
        for command in &setup.run {
            let limit = Duration::from_millis(setup.timeout_ms);
            let ran = self.run_in(&path, command, env, limit).await;
            let failed = match ran {
                Ok(ran) if ran.status.is_some_and(|status| status.success()) => None,
                Ok(ran) => Some((how_it_ended(&ran, limit), end_of(&ran.output))),
                Err(error) => Some((format!("it cannot be run: {error}"), String::new())),
            };
            if let Some((how, printed)) = failed {
                let command = escape(&command.join(" "));
                return Err(WorktreeError::SetupFailed { command, place: path, how, printed });
            }
        }
        self.keep_set_up(branch, &path).await
    }

    /// The record of a worktree that is there.
    fn made_record(&self, branch: &BranchName) -> Result<Record, WorktreeError> {
        let record = self.records.read(&branch.folder())?;
        let made = record.filter(|record| matches!(record.at, Progress::Made { .. }));
        made.ok_or_else(|| taken(branch, "its worktree was removed by somebody: try again".to_owned()))
    }

    /// Remembers that it is done, when all of it is on the disk.
    async fn keep_set_up(&self, branch: &BranchName, path: &Path) -> Result<(), WorktreeError> {
        let failed = |source| WorktreeError::Io { path: path.to_owned(), source };
        let place = path.to_owned();
        let synced = tokio::task::spawn_blocking(move || {
            Folder::open(&place).map_err(io::Error::other)?.sync_all().map_err(io::Error::from)
        });
        synced.await.map_err(io::Error::other).and_then(|synced| synced).map_err(failed)?;
        let _hold = self.hold().await?;
        self.records.write(&Record { is_set_up: true, ..self.made_record(branch)? })
    }

    async fn run_in(&self, path: &Path, words: &[String], env: &Env, limit: Duration) -> io::Result<Ran> {
        let argv: Vec<OsString> = words.iter().map(Into::into).collect();
        let mut env = env.clone();
        if let Some(places) = env.get_mut("PATH") {
            // A relative place is one of the tree, in which a branch may have a program of any name.
            let whole: Vec<&str> = places.split(':').filter(|place| place.starts_with('/')).collect();
            *places = whole.join(":");
        }
        let name = words.first().map_or("", String::as_str);
        let program = find(name, path, env.get("PATH").map(String::as_str)).ok_or_else(|| {
            io::Error::other(format!("there is no program {} to run; install it", escape(name)))
        })?;
        let (root, keep) = (self.git.workspace(), Keep::Last(OUTPUT_BYTES));
        Run { program: &program, argv: &argv, cwd: path, env: &env, limit, keep, root, held: None }
            .to_its_end()
            .await
    }
}

/// Where the program is: by its path as seen from the worktree, or on `PATH` and not in the worktree.
fn find(name: &str, tree: &Path, path: Option<&str>) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(tree.join(name)).filter(|path| is_program(path));
    }
    look_up(OsStr::new(name), path, tree, |found| !found.starts_with(tree))
}

fn how_it_ended(ran: &Ran, limit: Duration) -> String {
    match ran.status.map(|status| (status.code(), status.signal())) {
        None => format!("it was not over after {} s, and ended", limit.as_secs_f32()),
        Some((Some(code), _)) => format!("exit {code}"),
        Some((None, signal)) => format!("ended by signal {}", signal.map(signal_name).unwrap_or_default()),
    }
}
