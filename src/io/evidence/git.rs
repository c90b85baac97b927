//! Asks git about a repository that nobody trusts: by plumbing alone, with no program that the repository names, with a
//! deadline, and without a change to anything.

use super::ground::Ground;
use crate::io::git::{Answer, Call, is_object_name};
use crate::io::regular;
use crate::io::run::look_up;
use crate::wire::team_file::Env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// git answers within a second; a disk that hangs is not waited for.
const LIMIT: Duration = Duration::from_secs(30);
/// What is read of an answer: the names of 100,000 commits.
const ANSWER_BYTES_MAX: usize = 8 << 20;
/// What is read of a log of HEAD: some 300,000 lines.
const LOG_BYTES_MAX: u64 = 64 << 20;

/// Set for each call. Neither replaced objects nor grafts count, nothing is fetched, nobody is asked for a password.
const SET: [(&str, &str); 8] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
];
/// Of what a repository may name programs by, what plumbing would heed; and what may lie about who is whose parent.
const WITHOUT: [&str; 7] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.commitGraph=false",
    "core.sshCommand=false",
    "protocol.allow=never",
    "submodule.recurse=false",
];

/// What tasuki writes in a workspace, whatever an agent does: whoever adds all files commits it, and has done nothing thereby.
const OURS: [&str; 12] = [
    ".tasuki",
    "status/agents",
    "status/activity.log",
    "status/daemon.yaml",
    "queue/active",
    "queue/done",
    "queue/inbox",
    "queue/lost",
    "queue/rejected",
    "queue/results",
    "queue/.claim",
    "queue/STOP",
];

/// Why git could not be asked, with the cure.
pub(super) type Trouble = String;

/// What git says of the folder.
#[derive(Debug)]
pub(super) enum Place {
    /// It is in no repository.
    Nowhere,
    /// It is in one that has no files checked out there.
    Bare,
    /// It is in a tree of files.
    Tree(Repository),
}

/// The repository of a tree.
#[derive(Debug)]
pub(super) struct Repository {
    /// The folder of this very tree: of a linked worktree its own.
    pub(super) dir: PathBuf,
    /// Its number in the file system.
    pub(super) inode: u64,
    /// When that folder was made, in ms since 1970, where the file system knows it: a number is given again.
    pub(super) born_ms: Option<u64>,
    /// Its log of HEAD.
    pub(super) log: PathBuf,
}

/// git, for one folder.
pub(super) struct Git<'a> {
    program: PathBuf,
    cwd: &'a Path,
    root: &'a Path,
    env: Env,
}

impl<'a> Git<'a> {
    /// For the agent's folder. A git that somebody put into it is none.
    pub(super) fn of(ground: &'a Ground) -> Result<Self, Trouble> {
        let is_foreign = |path: &Path| !ground.is_in_tree(path);
        let path = ground.env.get("PATH").map(String::as_str);
        let program = look_up(OsStr::new("git"), path, &ground.cwd, is_foreign);
        let program = program.ok_or("there is no git on the daemon's PATH: install git")?;
        let mut env = ground.env.clone();
        env.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
        Ok(Self { program, cwd: &ground.cwd, root: &ground.root, env })
    }

    /// What it answers; an error with its words if it ends in another way than with 0.
    async fn ask(&self, arguments: &[&str]) -> Result<Answer, Trouble> {
        let Self { program, cwd, root, env } = self;
        let (limit, bytes_max) = (LIMIT, ANSWER_BYTES_MAX);
        Call { program, cwd, root, env, settings: &WITHOUT, limit, bytes_max, held: None }
            .ask(arguments)
            .await
    }

    /// As [`Git::ask`], where anything but 0 is trouble.
    async fn demand(&self, arguments: &[&str]) -> Result<Answer, Trouble> {
        let answer = self.ask(arguments).await?;
        if answer.code == 0 { Ok(answer) } else { Err(self.trouble(&answer)) }
    }

    fn trouble(&self, answer: &Answer) -> Trouble {
        let place = self.cwd.display();
        format!("git cannot read the repository of {place}: {}", answer.said.trim())
    }

    /// In which repository the folder is.
    pub(super) async fn place(&self) -> Result<Place, Trouble> {
        let answer = self.ask(&["rev-parse", "--is-inside-work-tree"]).await?;
        match (answer.code, answer.line().as_slice()) {
            (0, b"true") => {}
            (0, _) => return Ok(Place::Bare),
            (_, _) if answer.said.contains("not a git repository") => return Ok(Place::Nowhere),
            _ => return Err(self.trouble(&answer)),
        }
        let form = self.ask(&["rev-parse", "--show-ref-format"]).await?;
        if form.line() == b"reftable" {
            let cure = "convert it with `git refs migrate --ref-format=files`";
            return Err(format!(
                "the repository of {} keeps its refs as reftable: {cure}",
                self.cwd.display()
            ));
        }
        let dir = self.path(&["rev-parse", "--absolute-git-dir"]).await?;
        let log = self.path(&["rev-parse", "--git-path", "logs/HEAD"]).await?;
        let meta =
            std::fs::metadata(&dir).map_err(|error| format!("cannot look at {}: {error}", dir.display()))?;
        let born = meta.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        let born_ms = born.and_then(|since| u64::try_from(since.as_millis()).ok());
        Ok(Place::Tree(Repository { inode: meta.ino(), born_ms, dir, log }))
    }

    async fn path(&self, arguments: &[&str]) -> Result<PathBuf, Trouble> {
        let line = self.demand(arguments).await?.line();
        Ok(self.cwd.join(OsString::from_vec(line)))
    }

    /// The commit that is checked out; none where there is none yet.
    pub(super) async fn head(&self) -> Result<Option<String>, Trouble> {
        let answer = self.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await?;
        match answer.code {
            0 => Ok(String::from_utf8(answer.line()).ok().filter(|name| is_object_name(name))),
            1 => Ok(None),
            _ => Err(self.trouble(&answer)),
        }
    }

    /// The branch that is checked out; none where a commit is by itself.
    pub(super) async fn branch(&self) -> Result<Option<String>, Trouble> {
        let answer = self.ask(&["symbolic-ref", "--quiet", "HEAD"]).await?;
        let name = String::from_utf8_lossy(&answer.line()).into_owned();
        match answer.code {
            0 => Ok(Some(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned())),
            1 => Ok(None),
            _ => Err(self.trouble(&answer)),
        }
    }

    /// Whether one commit is the other or an ancestor of it. A commit that is not there any more is none.
    pub(super) async fn is_ancestor(&self, old: &str, new: &str) -> Result<bool, Trouble> {
        let answer = self.ask(&["merge-base", "--is-ancestor", old, new]).await?;
        match answer.code {
            0 => Ok(true),
            1 => Ok(false),
            _ if self.commit(old).await?.is_none() => Ok(false),
            _ => Err(self.trouble(&answer)),
        }
    }

    /// The names of the commits that were added, newest first.
    pub(super) async fn added(&self, head: &str, base: Option<&str>) -> Result<Vec<String>, Trouble> {
        let not = base.map(|base| format!("^{base}"));
        let mut arguments = vec!["rev-list", head];
        arguments.extend(not.as_deref());
        let answer = self.demand(&arguments).await?;
        let text = String::from_utf8_lossy(&answer.out).into_owned();
        Ok(text.lines().filter(|line| is_object_name(line)).map(str::to_owned).collect())
    }

    /// A commit as it is stored; none if it is not there, or is none.
    pub(super) async fn commit(&self, name: &str) -> Result<Option<Vec<u8>>, Trouble> {
        if !is_object_name(name) {
            return Ok(None);
        }
        let answer = self.ask(&["cat-file", "commit", name]).await?;
        Ok((answer.code == 0).then_some(answer.out))
    }

    /// Whether a tree has no files.
    pub(super) async fn is_empty(&self, tree: &str) -> Result<bool, Trouble> {
        Ok(self.demand(&["cat-file", "tree", tree]).await?.out.is_empty())
    }

    /// Whether a commit changes a file that is none of tasuki's own, which change by themselves. It has one parent at most.
    pub(super) async fn changes_work(&self, commit: &str) -> Result<bool, Trouble> {
        let ours: Vec<String> =
            self.ours().iter().map(|path| format!(":(top,exclude,literal){path}")).collect();
        let mut arguments = vec!["diff-tree", "--root", "--quiet", "-r", commit, "--", ":(top)"];
        arguments.extend(ours.iter().map(String::as_str));
        let answer = self.ask(&arguments).await?;
        match answer.code {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.trouble(&answer)),
        }
    }

    /// Where in the repository tasuki's own files are: those of the workspace, else those of a worktree.
    fn ours(&self) -> Vec<String> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (cwd, root) = (real(self.cwd), real(self.root));
        let top = cwd.ancestors().find(|folder| folder.join(".git").exists());
        let below =
            top.and_then(|top| root.strip_prefix(top).ok()).and_then(Path::to_str).unwrap_or_default();
        let slash = if below.is_empty() { "" } else { "/" };
        OURS.iter().map(|name| format!("{below}{slash}{name}")).collect()
    }

    /// Whether a merge has a line that none of its parents has.
    pub(super) async fn adds_to_its_parents(&self, merge: &str) -> Result<bool, Trouble> {
        let how = ["--cc", "-p", "--no-ext-diff", "--no-textconv", "--no-commit-id", "--no-color", merge];
        let answer = self.demand(&[&["diff-tree", "-r"][..], &how].concat()).await?;
        Ok(!answer.out.is_empty())
    }

    /// The files of the folder, tracked and new, without those that are ignored; `true` if these are not all.
    pub(super) async fn files(&self) -> Result<(Vec<PathBuf>, bool), Trouble> {
        let answer = self.demand(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).await?;
        Ok((answer.paths(), answer.cut))
    }

    /// The files that are ignored by themselves. A folder that is ignored as a whole ends in `/`, and is not walked through.
    pub(super) async fn ignored(&self) -> Result<Vec<PathBuf>, Trouble> {
        let how = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let mut paths = self.demand(&how).await?.paths();
        paths.retain(|path| !path.as_os_str().as_bytes().ends_with(b"/"));
        Ok(paths)
    }
}

/// A log of HEAD, as far as it is read; empty where there is none.
pub(super) fn read_log(path: &Path) -> Result<Vec<u8>, Trouble> {
    let refuse = |error: io::Error| format!("cannot read git's log of HEAD: {error}");
    let file: File = match regular::open(std::fs::OpenOptions::new().read(true), path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refuse(error)),
    };
    let mut log = Vec::new();
    file.take(LOG_BYTES_MAX).read_to_end(&mut log).map_err(refuse)?;
    Ok(log)
}
