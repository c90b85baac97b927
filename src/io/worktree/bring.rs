//! Brings branches onto one, in a worktree of tasuki's own. Nobody else works there, and a mark beside the records says that what is
//! half done there is a merge of ours: a kill leaves the mark, and whoever comes next undoes that merge first.
//!
//! A branch that somebody has deleted is merged by the commit at which it is known to have been.
//!
//! A merge is not committed before whoever asked for it has looked at its files. So what is on the branch is whole and was checked.

use super::error::{WorktreeError, named};
use super::git::{Git, LOCKED_RESTS, OWN_LOCKS, Place, is_locked, literally};
use super::half;
use super::hold::Hold;
use super::left_locks::clear_left_locks;
use super::look::WorkCommit;
use super::make::{Worktree, taken};
use super::record::write_durably;
use super::repository::{Repository, ref_of};
use super::submodules::How;
use crate::engine::flow::branch::BranchName;
use crate::engine::job::TreeStart;
use crate::wire::layout::plain;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The folder of git's in which all branches of tasuki's are.
const OWN_FOLDER: &str = "agent";
/// Two letters and a space stand before each path of a status.
const LETTERS: usize = 3;
/// Commits that are named of a conflict: whoever reads of it wants to know whose it is, and git names all.
const COMMITS_MAX: usize = 5;
/// Files of a conflict for which these are looked up.
const FILES_ASKED: usize = 100;

/// A branch that others are brought onto.
#[derive(Debug, Clone)]
pub struct Gathering<'a> {
    repository: &'a Repository,
    tree: Worktree,
    /// The branch that follows that of the worktree.
    into: Option<String>,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// It was there before.
    Already,
    /// Its files are there, and it waits for [`Gathering::keep`] or [`Gathering::undo`].
    Open,
    /// Both have changed these files; all is as it was before.
    Conflict(Clash),
}

/// What a branch conflicts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// The files that both have changed.
    pub files: Vec<PathBuf>,
    /// The commits that have changed them on the branch onto which all come, the newest first, and not all.
    pub commits: Vec<WorkCommit>,
}

impl Repository {
    /// Makes the worktree of `branch` for `owner`, unless it is there, and puts right what a kill has left in it. It begins at `base`;
    /// with `into` where that branch is, which from then on follows it.
    ///
    /// # Errors
    /// [`WorktreeError::Taken`] if a branch is somebody else's or somebody works on it; what git and the machine say.
    pub async fn gather<'a>(
        &'a self,
        branch: &BranchName,
        owner: &str,
        (base, into): (&str, Option<&str>),
    ) -> Result<Gathering<'a>, WorktreeError> {
        let there = match into {
            Some(into) => self.looked_at(into).await?,
            None => None,
        };
        let start = [there.clone().unwrap_or_else(|| base.to_owned()).into()];
        let tree = self.make(branch, owner, &start).await?;
        let gathering = Gathering { repository: self, tree, into: into.map(str::to_owned) };
        gathering.begin().await?;
        if let (Some(into), Some(there)) = (into, there)
            && let Merge::Conflict(Clash { files, .. }) = gathering.merge_commit(&there, into).await?
        {
            let (branch, place) = (branch.clone(), gathering.path().to_owned());
            let by = gathering.changed(&there, &files).await?;
            let by = by.into_iter().map(|commit| format!("{} {}", commit.id, commit.title)).collect();
            return Err(WorktreeError::Unfollowed { into: into.to_owned(), branch, place, files, by });
        }
        if into.is_some() {
            gathering.keep().await?;
        }
        Ok(gathering)
    }

    /// The commit at which a branch is, if it is there; refused where it is checked out.
    pub(super) async fn looked_at(&self, name: &str) -> Result<Option<String>, WorktreeError> {
        let whole = format!("refs/heads/{name}");
        let refuse = |why: String| WorktreeError::Taken { branch: name.to_owned(), why };
        let is_name = self.here().ask("look at a name", &["check-ref-format", &whole]).await?;
        if is_name.code != 0 || name.starts_with('-') {
            return Err(refuse("git takes it for no name of a branch: take another one".to_owned()));
        }
        let listed = self.here().demand("list worktrees", &["worktree", "list", "--porcelain"]).await?;
        let (listed, line) = (String::from_utf8_lossy(&listed.out), format!("branch {whole}"));
        // Each worktree is a paragraph.
        let found = listed.split("\n\n").find(|found| found.lines().any(|found| found == line));
        if let Some(found) = found {
            let place = found.lines().find_map(|line| line.strip_prefix("worktree ")).unwrap_or_default();
            let place = plain(Path::new(place));
            let why = format!(
                "it is checked out in {place}, where nobody's files are changed for it: check something else out there"
            );
            return Err(refuse(why));
        }
        let there = self.here().commit(&whole).await?;
        match there.is_none() {
            true => self.refuse_beside(name).await.map(|()| None),
            false => Ok(there),
        }
    }

    /// Refuses the name of a new branch that git cannot keep beside another one, or beside those of tasuki's own.
    async fn refuse_beside(&self, name: &str) -> Result<(), WorktreeError> {
        let refuse = |other: &str| WorktreeError::Beside { branch: name.to_owned(), other: other.to_owned() };
        if name == OWN_FOLDER {
            return Err(refuse("agent/…"));
        }
        let above = name.match_indices('/').filter_map(|(end, _)| name.get(..end));
        let mut asked = vec!["for-each-ref".to_owned(), "--format=%(refname:lstrip=2)".to_owned()];
        asked.extend(above.chain([name]).map(|name| format!("refs/heads/{name}")));
        let answer = self.here().demand("look for a branch", &asked).await?;
        let all = String::from_utf8_lossy(&answer.out).into_owned();
        // git lists those below each name, too.
        let is_beside = |other: &&str| {
            let is_below =
                |one: &str, other: &str| one.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'));
            is_below(name, other) || is_below(other, name)
        };
        all.lines().find(is_beside).map_or(Ok(()), |other| Err(refuse(other)))
    }
}

impl Gathering<'_> {
    /// The folder of the worktree.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.tree.path
    }

    /// Merges a branch, without a commit. `ended_at` is the commit at which it was last, as far as that is known: it is merged
    /// where the branch is gone.
    ///
    /// # Errors
    /// [`WorktreeError::Gone`] if neither is there; [`WorktreeError::Astray`] if its worktree has commits beside it; what git and the machine say.
    pub async fn merge(&self, branch: &BranchName, ended_at: Option<&str>) -> Result<Merge, WorktreeError> {
        self.repository.refuse_astray(branch.as_str()).await?;
        let tip = match self.repository.here().commit(&ref_of(branch)).await? {
            Some(tip) => tip,
            None => return self.merge_gone(branch, ended_at).await,
        };
        self.merge_commit(&tip, branch.as_str()).await
    }

    /// A branch that is gone counts as merged if its last commit is. Otherwise that commit is merged: it is known from when the worktree
    /// was removed or its task ended, and what git has forgotten of it is in the trash.
    async fn merge_gone(&self, branch: &BranchName, ended_at: Option<&str>) -> Result<Merge, WorktreeError> {
        let repository = self.repository;
        if let Some(head) = &repository.gone(branch)?.head
            && repository.has(&self.tree, head).await?
        {
            return Ok(Merge::Already);
        }
        let start = TreeStart { name: branch.to_string(), ended_at: ended_at.map(Into::into) };
        let (commit, _) = repository.start_of_gone(&start).await?;
        self.merge_commit(&commit, &format!("{branch}, which is gone, at {commit}")).await
    }

    /// The commits since it parted from the worktree's branch that have changed these files on this one.
    async fn changed(&self, on: &str, files: &[PathBuf]) -> Result<Vec<WorkCommit>, WorktreeError> {
        let head = ref_of(&self.tree.branch);
        changed_by(&self.repository.here(), (&head, on), files).await
    }

    async fn merge_commit(&self, tip: &str, called: &str) -> Result<Merge, WorktreeError> {
        let hold = self.repository.hold().await?;
        let (own, git) = (self.own()?, self.named_git().await?);
        let at = git.at(self.path()).of(&own).working(hold.file());
        if at.ask("compare commits", &["merge-base", "--is-ancestor", tip, "HEAD"]).await?.code == 0 {
            return Ok(Merge::Already);
        }
        self.repository.submodules_for_merge(self.path(), tip, &hold).await?;
        let (doing, said) = ("merge a branch", format!("Merge {called} into {}", self.tree.branch));
        let options = ["merge", "--no-commit", "--no-ff", "--no-squash", "--no-stat", "--no-autostash"];
        let arguments = [&options[..], &["-m", &said, tip]].concat();
        let mut rests = LOCKED_RESTS.into_iter();
        loop {
            self.mark(true)?;
            let answer = at.ask_once(doing, &arguments).await?;
            if answer.code == 0 {
                // Whoever looks at the files of the merge sees its submodules, too.
                let stood = self.repository.stand_submodules(self.path(), &hold, How::Clean.into()).await;
                return match stood {
                    Ok(()) => Ok(Merge::Open),
                    Err(error) => self.put_back(&at, &hold).await.and(Err(error)),
                };
            }
            let unmerged = ["diff", "--name-only", "--diff-filter=U", "-z", "--"];
            let files = at.demand(doing, &unmerged).await?.paths();
            self.put_back(&at, &hold).await?;
            match (files.is_empty(), is_locked(&answer.said)) {
                (false, _) => {
                    let commits = changed_by(&at, (tip, "HEAD"), &files).await?;
                    return Ok(Merge::Conflict(Clash { files, commits }));
                }
                (true, false) => return Err(at.refused(doing, &answer)),
                (true, true) => {}
            }
            let Some(rest) = rests.next() else {
                return Err(WorktreeError::Busy { lock: self.repository.common_dir.clone() });
            };
            tokio::time::sleep(rest).await;
        }
    }

    /// Commits the merge that is open, if one is, and has the other branch follow.
    ///
    /// # Errors
    /// [`WorktreeError::Taken`] if somebody has put other commits on that branch meanwhile; what git and the machine say.
    pub async fn keep(&self) -> Result<(), WorktreeError> {
        let hold = self.repository.hold().await?;
        let (own, git) = (self.own()?, self.named_git().await?);
        let at = git.at(self.path()).of(&own).working(hold.file());
        if own.join("MERGE_HEAD").exists() {
            at.demand("commit a merge", &["commit", "--no-edit", "--no-verify", "--quiet"]).await?;
        }
        // What a check has written is nobody's work.
        self.put_back(&at, &hold).await?;
        let Some(into) = &self.into else { return Ok(()) };
        let head = at.text("ask for the commit of a worktree", &["rev-parse", "HEAD"]).await?;
        let before = self.repository.looked_at(into).await?;
        if before.as_ref() == Some(&head) {
            return Ok(());
        }
        if let Some(before) = &before {
            let older = ["merge-base", "--is-ancestor", before, "HEAD"];
            if at.ask("compare commits", &older).await?.code != 0 {
                let why = "somebody has put commits on it meanwhile: ask for the merge again".to_owned();
                return Err(WorktreeError::Taken { branch: into.clone(), why });
            }
        }
        let (whole, old) = (format!("refs/heads/{into}"), before.unwrap_or_default());
        let update =
            ["update-ref", "--create-reflog", "-m", "tasuki: branches of a session", &whole, &head, &old];
        at.demand("move a branch", &update).await.map(drop)
    }

    /// Undoes the merge that is open.
    ///
    /// # Errors
    /// What git and the machine say.
    pub async fn undo(&self) -> Result<(), WorktreeError> {
        let hold = self.repository.hold().await?;
        let own = self.own()?;
        self.put_back(&self.repository.git.at(self.path()).of(&own).working(hold.file()), &hold).await
    }

    /// Puts right what a kill has left; refuses what somebody has done there.
    async fn begin(&self) -> Result<(), WorktreeError> {
        let hold = self.repository.hold().await?;
        let own = self.own()?;
        let at = self.repository.git.at(self.path()).of(&own).working(hold.file());
        if self.marked().exists() {
            for lock in OWN_LOCKS {
                half::remove(&own.join(lock))?;
            }
            half::clear_ref_lock(&self.repository.common_dir, &self.tree.branch)?;
            clear_left_locks(&self.repository.root, &self.repository.common_dir).await?;
            self.put_back(&at, &hold).await?;
        } else {
            self.repository.stand_submodules(self.path(), &hold, How::Lossless.into()).await?;
        }
        let on = at.text("ask for a branch", &["rev-parse", "--symbolic-full-name", "HEAD"]).await?;
        // What `.gitmodules` has git not look at counts, too: it would be lost when a submodule is put back.
        let asked = [
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=none",
        ];
        let changed = at.demand("look at a worktree", &asked).await?;
        if on != ref_of(&self.tree.branch) {
            let path = plain(self.path());
            let why = format!("something else is checked out in its worktree {path}: check it out again");
            return Err(taken(&self.tree.branch, why));
        }
        let lines = changed.paths();
        if !lines.is_empty() {
            let names = lines.iter().filter_map(|line| line.as_os_str().as_bytes().get(LETTERS..));
            let names: Vec<PathBuf> = names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
            let (path, names) = (plain(self.path()), named(&names));
            let why = format!(
                "somebody works in its worktree {path}: commit or remove {names}, or let git ignore what is no work"
            );
            return Err(taken(&self.tree.branch, why));
        }
        Ok(())
    }

    /// All is as the last commit has it, and nothing is half done. It was so before, so nothing of anybody's is lost.
    async fn put_back(&self, at: &Place<'_>, hold: &Hold) -> Result<(), WorktreeError> {
        at.demand("undo a merge", &["reset", "--hard", "--quiet"]).await?;
        at.demand("undo a merge", &["clean", "-ffdq"]).await?;
        self.repository.stand_submodules(self.path(), hold, How::Clean.into()).await?;
        self.mark(false)
    }

    fn mark(&self, is: bool) -> Result<(), WorktreeError> {
        let path = self.marked();
        if !is {
            return half::remove(&path);
        }
        let failed = |source: io::Error| WorktreeError::Io { path: path.clone(), source };
        write_durably(&path, "a merge is under way\n").map_err(failed)
    }

    fn marked(&self) -> PathBuf {
        self.repository.records.lock_folder().join(format!("merging-{}", self.tree.branch.folder()))
    }

    fn own(&self) -> Result<PathBuf, WorktreeError> {
        let own = half::own_folder(&self.repository.common_dir, self.path());
        own.ok_or_else(|| {
            taken(&self.tree.branch, "its worktree is not there any more: try again".to_owned())
        })
    }

    async fn named_git(&self) -> Result<Git, WorktreeError> {
        Ok(self.repository.git.with(&self.repository.identity().await?))
    }
}

/// The newest commits of one side that have changed these files and that the other one has not. A merge has changed nothing itself.
async fn changed_by(
    at: &Place<'_>,
    (other, side): (&str, &str),
    files: &[PathBuf],
) -> Result<Vec<WorkCommit>, WorktreeError> {
    let (most, range) = (format!("--max-count={COMMITS_MAX}"), format!("{other}..{side}"));
    let log = ["log", "--no-merges", "--no-show-signature", "--format=%h %s", &most, &range];
    let some: Vec<PathBuf> = files.iter().take(FILES_ASKED).cloned().collect();
    let answer = at.demand("see who has changed the files of a conflict", &literally(&log, &some)).await?;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let commits = text.lines().map(|line| {
        let (id, title) = line.split_once(' ').unwrap_or((line, ""));
        WorkCommit { id: id.to_owned(), title: title.to_owned() }
    });
    Ok(commits.collect())
}
