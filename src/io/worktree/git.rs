//! git for a repository and its worktrees: with no program that the repository names, and tried again where another git has a
//! lock for a moment.

use super::error::{GIT_MIN, WorktreeError};
use crate::io::git::{Answer, Call, is_object_name};
use crate::io::run::look_up;
use crate::wire::clean::escape;
use crate::wire::team_file::Env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// A question is answered within a second; a disk that hangs is not waited for.
pub(super) const ASK_LIMIT: Duration = Duration::from_secs(60);
/// A checkout of a large repository takes minutes.
pub(super) const WORK_LIMIT: Duration = Duration::from_secs(900);
/// What is read of an answer: some 100,000 paths.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// With less room than this a disk is full: git writes a file of some KiB for each step, and the files of a commit at once.
const FULL_BYTES: u64 = 1 << 20;
/// How long is waited for another git that has a lock, each time: it has it for some ms, or for a second while it packs.
pub(super) const LOCKED_RESTS: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_millis(1_000),
    Duration::from_millis(3_000),
];
/// What git keeps in the folder of a worktree, and locks while it merges there.
pub(super) const OWN_LOCKS: [&str; 3] = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock"];
/// Set for each call: nobody is asked for a password or a text, and the words are English.
const SET: [(&str, &str); 7] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
];
/// Neither programs of the repository's, nor what would go on behind our back, nor what would ask somebody.
const SETTINGS: [&str; 9] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "rerere.enabled=false",
    "commit.gpgSign=false",
    "merge.verifySignatures=false",
    "branch.autoSetupMerge=false",
];

/// The program whose version was asked and is new enough, so that it is not asked before each call.
static NEW_ENOUGH: OnceLock<PathBuf> = OnceLock::new();

/// Where git is, and with what it runs.
#[derive(Debug, Clone)]
pub(super) struct Git {
    program: PathBuf,
    env: Env,
    /// The workspace, by which what a killed daemon has left is known.
    workspace: PathBuf,
    /// How long is waited for an answer.
    limit: Duration,
}

/// git in one folder.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    git: &'a Git,
    cwd: &'a Path,
    held: Option<&'a File>,
    /// The folder of git's own for the worktree that is meant, where that must not be looked for: its `.git` may be missing, and
    /// git would go on to the repository above.
    own: Option<&'a Path>,
    limit: Duration,
}

impl Git {
    /// The git of the `PATH` in `env`, of which nothing else but what is set here comes to it. One that lies in the repository is
    /// none.
    pub(super) async fn find(env: &Env, workspace: &Path, folder: &Path) -> Result<Self, WorktreeError> {
        let path = env.get("PATH").map(String::as_str);
        let program = look_up(OsStr::new("git"), path, Path::new("/"), |path| !path.starts_with(folder));
        let program = program.ok_or(WorktreeError::NoGit)?;
        let mut env: Env = env.clone();
        env.retain(|name, _| !name.starts_with("GIT_"));
        env.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let git = Self { program, env, workspace: workspace.to_owned(), limit: ASK_LIMIT };
        if NEW_ENOUGH.get() == Some(&git.program) {
            return Ok(git);
        }
        let found = git.at(folder).text("ask git for its version", &["--version"]).await?;
        match version(&found) {
            Some(version) if version >= GIT_MIN => {
                // Whichever was asked first stays; another is asked each time.
                let _ = NEW_ENOUGH.set(git.program.clone());
                Ok(git)
            }
            _ => Err(WorktreeError::OldGit { found }),
        }
    }

    /// The same with these variables besides.
    pub(super) fn with(&self, more: &[(&str, String)]) -> Self {
        let mut git = self.clone();
        git.env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        git
    }

    /// The same for questions whose answers are not waited for any longer.
    pub(super) fn answering_within(&self, limit: Duration) -> Self {
        Self { limit, ..self.clone() }
    }

    /// The workspace for which it is called.
    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    pub(super) fn at<'a>(&'a self, cwd: &'a Path) -> Place<'a> {
        Place { git: self, cwd, held: None, own: None, limit: self.limit }
    }
}

impl<'a> Place<'a> {
    /// For work that changes something, under this lock.
    pub(super) fn working(mut self, held: &'a File) -> Self {
        (self.held, self.limit) = (Some(held), WORK_LIMIT);
        self
    }

    /// With so much time.
    pub(super) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// For the worktree that is checked out here and whose folder of git's own that is.
    pub(super) fn of(mut self, own: &'a Path) -> Self {
        self.own = Some(own);
        self
    }

    /// What it answers, however it exits. Where another git has a lock, it is asked again.
    pub(super) async fn ask(
        &self,
        doing: &str,
        arguments: &[impl AsRef<OsStr>],
    ) -> Result<Answer, WorktreeError> {
        for rest in LOCKED_RESTS {
            let answer = self.ask_once(doing, arguments).await?;
            if answer.code == 0 || !is_locked(&answer.said) {
                return Ok(answer);
            }
            tokio::time::sleep(rest).await;
        }
        self.ask_once(doing, arguments).await
    }

    /// As [`Place::ask`], once: for what must not be done again before what it has left is put right.
    pub(super) async fn ask_once(
        &self,
        doing: &str,
        arguments: &[impl AsRef<OsStr>],
    ) -> Result<Answer, WorktreeError> {
        let mut all: Vec<OsString> = Vec::new();
        if let Some(own) = self.own {
            for (name, value) in [("--git-dir=", own), ("--work-tree=", self.cwd)] {
                let mut option = OsString::from(name);
                option.push(value);
                all.push(option);
            }
        }
        all.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        let Git { program, env, workspace, .. } = self.git;
        let (cwd, held, limit) = (self.cwd, self.held, self.limit);
        let call = Call {
            program,
            cwd,
            root: workspace,
            env,
            settings: &SETTINGS,
            limit,
            bytes_max: ANSWER_BYTES_MAX,
            held,
        };
        let failed = |said| WorktreeError::Git { doing: doing.to_owned(), said };
        call.ask(&all).await.map_err(failed)
    }

    /// As [`Place::ask`], where anything but 0 is an error.
    pub(super) async fn demand(
        &self,
        doing: &str,
        arguments: &[impl AsRef<OsStr>],
    ) -> Result<Answer, WorktreeError> {
        let answer = self.ask(doing, arguments).await?;
        if answer.code == 0 { Ok(answer) } else { Err(self.refused(doing, &answer)) }
    }

    /// What git complained, for whoever has to put it right. Of a full disk git does not always speak.
    pub(super) fn refused(&self, doing: &str, answer: &Answer) -> WorktreeError {
        let printed = String::from_utf8_lossy(&answer.out);
        let said = if answer.said.trim().is_empty() { printed.trim() } else { answer.said.trim() };
        let is_full = said.contains("No space left on device")
            || fs2::available_space(self.cwd).is_ok_and(|bytes| bytes < FULL_BYTES);
        let cure = if is_full { "; the disk is full: make room" } else { "" };
        WorktreeError::Git { doing: doing.to_owned(), said: format!("{}{cure}", escape(said)) }
    }

    /// The one line that it answers, as text.
    pub(super) async fn text(&self, doing: &str, arguments: &[&str]) -> Result<String, WorktreeError> {
        let answer = self.demand(doing, arguments).await?;
        Ok(String::from_utf8_lossy(&answer.line()).into_owned())
    }

    /// The one path that it answers.
    pub(super) async fn path(&self, doing: &str, arguments: &[&str]) -> Result<PathBuf, WorktreeError> {
        Ok(PathBuf::from(OsString::from_vec(self.demand(doing, arguments).await?.line())))
    }

    /// The commit that is meant; none if none is.
    pub(super) async fn commit(&self, name: &str) -> Result<Option<String>, WorktreeError> {
        let meant = format!("{name}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &meant];
        let answer = self.ask("look a commit up", &arguments).await?;
        let found = String::from_utf8(answer.line()).ok().filter(|name| is_object_name(name));
        Ok(found.filter(|_| answer.code == 0))
    }

    /// The commit that each of these means. One call answers, unless one means none.
    pub(super) async fn commits(&self, names: &[String]) -> Result<Vec<Option<String>>, WorktreeError> {
        if names.len() > 1 {
            let meant = names.iter().map(|name| format!("{name}^{{commit}}"));
            let arguments = ["rev-parse", "--revs-only", "--end-of-options"].map(str::to_owned);
            let arguments: Vec<String> = arguments.into_iter().chain(meant).collect();
            let answer = self.ask("look commits up", &arguments).await?;
            let text = String::from_utf8_lossy(&answer.out);
            let found: Vec<_> = text.lines().map(|line| Some(line.to_owned())).collect();
            let is_each =
                found.iter().flatten().all(|name| is_object_name(name)) && found.len() == names.len();
            if answer.code == 0 && is_each {
                return Ok(found);
            }
        }
        let mut found = Vec::new();
        for name in names {
            found.push(self.commit(name).await?);
        }
        Ok(found)
    }
}

/// Whether another git had a lock at that moment.
pub(super) fn is_locked(said: &str) -> bool {
    [".lock': File exists", "could not lock config file"].iter().any(|words| said.contains(words))
}

/// Of `git version 2.47.3 (Apple Git-1)` the first two numbers.
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.strip_prefix("git version ")?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A command of git's about these paths, in which no letter of theirs means anything.
pub(super) fn literally<'a>(command: &[&'a str], paths: &'a [PathBuf]) -> Vec<&'a OsStr> {
    let options = ["--literal-pathspecs"].into_iter().chain(command.iter().copied()).chain(["--"]);
    options.map(OsStr::new).chain(paths.iter().map(|path| path.as_os_str())).collect()
}

/// A path as an argument to which git gives no meaning of its own.
pub(super) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_however_it_is_adorned() {
        for (said, read) in [
            ("git version 2.47.3", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)", Some((2, 39))),
            ("git version 2.31.0.rc1.dirty", Some((2, 31))),
            ("git version 3.0-rc0", Some((3, 0))),
            ("git version x", None),
            ("hub 2.1", None),
            ("", None),
        ] {
            assert_eq!(version(said), read, "{said}");
        }
    }

    #[test]
    fn only_a_lock_is_waited_for() {
        for (said, is) in [
            ("fatal: Unable to create '/r/.git/index.lock': File exists.", true),
            ("error: cannot lock ref 'HEAD': Unable to create '/r/.git/HEAD.lock': File exists.", true),
            ("error: could not lock config file .git/config: File exists", true),
            (
                "fatal: cannot lock ref 'refs/heads/agent/a': 'refs/heads/agent' exists; cannot create it",
                false,
            ),
            ("fatal: cannot lock ref 'refs/heads/a': reference already exists", false),
            ("error: unable to create '/r/.git/index.lock': No space left on device", false),
        ] {
            assert_eq!(is_locked(said), is, "{said}");
        }
    }
}
