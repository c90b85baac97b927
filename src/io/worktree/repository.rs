//! Finds the repository that a session works in, and says what is wrong with one in which nobody can.

use super::error::WorktreeError;
use super::git::{Git, Place};
use super::hold::{HOLD_WITHIN, Hold};
use super::record::Records;
use crate::engine::flow::branch::BranchName;
use crate::io::clock::Clock;
use crate::io::git::is_object_name;
use crate::io::workspace::Workspace;
use crate::wire::team_file::Env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

pub use crate::engine::flow::branch::WORKTREES;

/// A repository with files checked out, and what is needed to make worktrees of it.
#[derive(Debug, Clone)]
pub struct Repository {
    /// The folder of its files.
    pub root: PathBuf,
    /// Its folder of git's own, which all of its worktrees share.
    pub common_dir: PathBuf,
    /// The commit that is checked out.
    pub head: String,
    /// The branch that is checked out; none if that is a commit by itself.
    pub branch: Option<String>,
    pub(super) git: Git,
    pub(super) records: Records,
    /// `.tasuki/trash` of the workspace.
    pub(super) trash: PathBuf,
    /// `.tasuki/debates` of the workspace.
    debates: PathBuf,
    pub(super) clock: Clock,
}

impl Repository {
    /// The repository that `folder` is in. `env` is what git is run with: `PATH`, `HOME` and the like.
    ///
    /// # Errors
    /// [`WorktreeError`] says what is missing: a git that is new enough, a repository that is the user's own and has files and a
    /// commit.
    pub async fn find(
        folder: &Path,
        workspace: &Workspace,
        env: &Env,
        clock: Clock,
    ) -> Result<Self, WorktreeError> {
        let place = folder.to_owned();
        if !folder.is_dir() {
            return Err(WorktreeError::NoFolder { is_there: folder.exists(), place });
        }
        // A git within the repository is none. A folder that is in no repository may well have git in it, as `/` has.
        let git = match Git::find(env, workspace.root(), folder).await {
            Err(WorktreeError::NoGit) if !is_in_repository(folder) => {
                return Err(WorktreeError::NoRepository { place });
            }
            found => found?,
        };
        let at = git.at(folder);
        let Here { root, common_dir, head, branch } = match at.all_at_once().await? {
            Some(here) => here,
            None => at.one_by_one(place).await?,
        };
        let records = Records::of(&common_dir);
        let (trash, debates) = (workspace.trash(), workspace.debates());
        Ok(Self { root, common_dir, head, branch, git, records, trash, debates, clock })
    }

    /// The commit that a name means: the base of a session.
    ///
    /// # Errors
    /// [`WorktreeError::NoCommit`]; what git says.
    pub async fn base_of(&self, name: &str) -> Result<String, WorktreeError> {
        self.here().commit(name).await?.ok_or_else(|| self.no_commit(name))
    }

    pub(super) fn no_commit(&self, name: &str) -> WorktreeError {
        WorktreeError::NoCommit { name: name.to_owned(), place: self.root.clone() }
    }

    /// Where the worktree of a branch is, or would be.
    #[must_use]
    pub fn path_of(&self, branch: &BranchName) -> PathBuf {
        match branch.speech() {
            Some((debate, round, role)) => {
                self.debates.join(debate).join("worktrees").join(format!("round{round}-{role}"))
            }
            None => self.worktrees().join(branch.folder()),
        }
    }

    /// The right to change it, after whoever has that now.
    pub(super) async fn hold(&self) -> Result<Hold, WorktreeError> {
        self.records.prepare()?;
        Hold::take(&self.records.lock(), HOLD_WITHIN).await
    }

    pub(super) fn worktrees(&self) -> PathBuf {
        self.root.join(WORKTREES)
    }

    /// git in the repository itself.
    pub(super) fn here(&self) -> Place<'_> {
        self.git.at(&self.root)
    }
}

/// Where a repository is, and what is checked out in it.
struct Here {
    root: PathBuf,
    common_dir: PathBuf,
    head: String,
    branch: Option<String>,
}

const DOING: &str = "find the repository";

impl Place<'_> {
    /// By one call, where nothing is amiss: with many worktrees, finding the repository for each took longer than all else. None if
    /// an answer is missing, or if a path has a line's end in it.
    async fn all_at_once(&self) -> Result<Option<Here>, WorktreeError> {
        let places = ["--path-format=absolute", "--show-toplevel", "--git-common-dir"];
        let asked =
            [&["rev-parse"][..], &places, &["HEAD^{commit}", "--symbolic-full-name", "HEAD"]].concat();
        let answer = self.ask(DOING, &asked).await?;
        let line = answer.line();
        let lines: Vec<&[u8]> = line.split(|byte| *byte == b'\n').collect();
        let [root, common_dir, head, name] = lines[..] else { return Ok(None) };
        let head = std::str::from_utf8(head).ok().filter(|head| answer.code == 0 && is_object_name(head));
        let branch = name.strip_prefix(b"refs/heads/").map(|name| String::from_utf8_lossy(name).into_owned());
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        Ok(head.map(|head| Here {
            root: path(root),
            common_dir: path(common_dir),
            head: head.to_owned(),
            branch,
        }))
    }

    /// By a call for each, so that what is amiss has a name.
    async fn one_by_one(&self, place: PathBuf) -> Result<Here, WorktreeError> {
        let answer = self.ask(DOING, &["rev-parse", "--is-inside-work-tree"]).await?;
        match (answer.code, answer.line().as_slice()) {
            (0, b"true") => {}
            (0, _) => return Err(WorktreeError::Bare { place }),
            _ if answer.said.contains("dubious ownership") => return Err(WorktreeError::NotOurs { place }),
            _ if answer.said.contains("not a git repository") => {
                return Err(WorktreeError::NoRepository { place });
            }
            _ => return Err(self.refused(DOING, &answer)),
        }
        let root = self.path(DOING, &["rev-parse", "--path-format=absolute", "--show-toplevel"]).await?;
        let common = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
        let common_dir = self.path(DOING, &common).await?;
        let Some(head) = self.commit("HEAD").await? else {
            let answer =
                self.ask(DOING, &["log", "--max-count=1", "--format=%H", "--no-show-signature"]).await?;
            return Err(match answer.said.contains("does not have any commits yet") {
                true => WorktreeError::NoCommits { place: root },
                false => self.refused("read the commit that is checked out", &answer),
            });
        };
        let branch = self.ask(DOING, &["symbolic-ref", "--quiet", "--short", "HEAD"]).await?;
        let branch = (branch.code == 0).then(|| String::from_utf8_lossy(&branch.line()).into_owned());
        Ok(Here { root, common_dir, head, branch })
    }
}

/// The whole name of a branch.
pub(super) fn ref_of(branch: &BranchName) -> String {
    format!("refs/heads/{branch}")
}

/// Whether a folder, or one above it, has what git keeps.
fn is_in_repository(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.ancestors().any(|above| above.join(".git").exists() || above.join("HEAD").is_file())
}
