//! The files that a text may cite: those of the commit at which its writer began, or of a folder. What somebody has written since is his
//! own, and no other one has it.

use super::git::is_object_name;
use super::regular;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Largest file whose lines are counted, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What is read of git's log of what was checked out, in bytes.
const LOG_BYTES_MAX: u64 = 16 << 20;
/// Largest file of git's that names a place or a commit, in bytes.
const REF_BYTES_MAX: u64 = 64 << 10;

/// A folder and what is below it, as it is or as it was committed.
#[derive(Debug)]
pub struct CitedTree {
    root: PathBuf,
    base: Option<Base>,
}

/// A commit, and whom its files are asked of.
#[derive(Debug)]
struct Base {
    git_dir: PathBuf,
    commit: String,
    asked: RefCell<Asked>,
}

/// A git that is asked for one file after the other, once it is needed, and what it has answered.
#[derive(Debug, Default)]
struct Asked {
    git: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
    lines: BTreeMap<String, Option<u32>>,
}

impl CitedTree {
    /// That of this folder, as it is whenever it is looked at.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { root: folder.canonicalize().unwrap_or_else(|_| folder.to_owned()), base: None }
    }

    /// That of the commit which is checked out in this folder now; where git knows of none, the folder as it is.
    #[must_use]
    pub fn of_commit(folder: &Path) -> Self {
        Self { base: Base::of(folder), ..Self::at(folder) }
    }

    /// How many lines the file at a path has; none if there is no such file. No link leads out of the folder.
    #[must_use]
    pub fn lines_of(&self, path: &str) -> Option<u32> {
        let path = path.strip_prefix("./").unwrap_or(path);
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        match &self.base {
            None => self.lines_there(Path::new(path)),
            // The commit has no files of a submodule, which is checked out as a repository of its own.
            Some(base) if self.is_of_submodule(base, Path::new(path)) => self.lines_there(Path::new(path)),
            Some(base) => base.lines_of(path),
        }
    }

    fn lines_there(&self, path: &Path) -> Option<u32> {
        let place = self.root.join(path).canonicalize().ok().filter(|place| place.starts_with(&self.root))?;
        lines_in(regular::open(OpenOptions::new().read(true), &place).ok()?)
    }

    fn is_of_submodule(&self, base: &Base, path: &Path) -> bool {
        let mut folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        folders.any(|folder| self.root.join(folder).join(".git").exists() && base.is_submodule(folder))
    }
}

impl Base {
    fn of(folder: &Path) -> Option<Self> {
        // Without it git would look in the folders above.
        folder.join(".git").exists().then(|| Self::by_files(folder).or_else(|| Self::by_git(folder)))?
    }

    fn at(git_dir: PathBuf, commit: String) -> Option<Self> {
        is_object_name(&commit).then(|| Self { git_dir, commit, asked: RefCell::default() })
    }

    /// What git's files say of a worktree: a role waits for this, and a git takes its time. Its log begins with the commit at which the
    /// worktree was made, whatever was committed there since.
    fn by_files(folder: &Path) -> Option<Self> {
        let read = |path: &Path, most: u64| regular::read(path, most).ok();
        let text = read(&folder.join(".git"), REF_BYTES_MAX)?;
        let own = folder.join(text.strip_prefix("gitdir: ")?.trim_end_matches('\n'));
        let common = read(&own.join("commondir"), REF_BYTES_MAX)?;
        let git_dir = own.join(common.trim_end_matches('\n')).canonicalize().ok()?;
        let log = read(&own.join("logs/HEAD"), LOG_BYTES_MAX)?;
        let mut words = log.lines().next()?.split(' ');
        let (none, made) = (words.next()?, words.next()?);
        Self::at(git_dir, made.to_owned()).filter(|_| none.bytes().all(|byte| byte == b'0'))
    }

    fn by_git(folder: &Path) -> Option<Self> {
        let words = ["rev-parse", "--path-format=absolute", "--git-common-dir", "HEAD"].map(OsString::from);
        let mut git = git(&[OsStr::new("-C"), folder.as_os_str()]);
        let out = git.args(words).stdin(Stdio::null()).output().ok()?;
        let lines = out.stdout.strip_suffix(b"\n").filter(|_| out.status.success())?;
        let end = lines.iter().rposition(|byte| *byte == b'\n')?;
        let (git_dir, commit) = lines.split_at(end);
        let commit = String::from_utf8(commit.get(1..)?.to_vec()).ok()?;
        Self::at(PathBuf::from(OsStr::from_bytes(git_dir)), commit)
    }

    fn lines_of(&self, path: &str) -> Option<u32> {
        let mut asked = self.asked.borrow_mut();
        if let Some(known) = asked.lines.get(path) {
            return *known;
        }
        let lines = self.ask(&mut asked, path).unwrap_or_default();
        asked.lines.insert(path.to_owned(), lines);
        lines
    }

    fn is_submodule(&self, folder: &Path) -> bool {
        let mut git =
            git(&[OsStr::new("--literal-pathspecs"), OsStr::new("--git-dir"), self.git_dir.as_os_str()]);
        let listed = git.args(["ls-tree", "--full-tree", &self.commit, "--"]).arg(folder);
        listed.stdin(Stdio::null()).output().is_ok_and(|listed| listed.stdout.starts_with(b"160000 "))
    }

    /// Asks for one file. A link is followed as far as it stays in the commit.
    fn ask(&self, asked: &mut Asked, path: &str) -> io::Result<Option<u32>> {
        // A name with a line end would be two questions.
        if path.contains('\n') {
            return Ok(None);
        }
        let (_, questions, answers) = match &mut asked.git {
            Some(git) => git,
            none => none.insert(self.start()?),
        };
        writeln!(questions, "{}:{path}", self.commit)?;
        questions.flush()?;
        let mut head = String::new();
        answers.by_ref().take(REF_BYTES_MAX).read_line(&mut head)?;
        // `NAME blob SIZE`, `NAME tree SIZE`, `QUESTION missing`; `symlink SIZE` where one leads out, `dangling SIZE`, `loop SIZE`.
        let words: Vec<&str> = head.trim_end().split(' ').collect();
        let size = words.last().and_then(|size| size.parse::<u64>().ok()).filter(|_| words.len() < 4);
        let is_answer = words.first().is_some_and(|name| is_object_name(name) || words.len() == 2);
        let Some(size) = size.filter(|_| is_answer) else { return Ok(None) };
        let lines = lines_in(answers.by_ref().take(size.min(FILE_BYTES_MAX)));
        io::copy(&mut answers.by_ref().take(size.saturating_sub(FILE_BYTES_MAX) + 1), &mut io::sink())?;
        Ok(lines.filter(|_| words.get(1) == Some(&"blob")))
    }

    fn start(&self) -> io::Result<(Child, ChildStdin, BufReader<ChildStdout>)> {
        let mut git = git(&[OsStr::new("--git-dir"), self.git_dir.as_os_str()]);
        git.args(["cat-file", "--batch", "--follow-symlinks"]);
        let mut child = git.stdin(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (questions, answers) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((child, questions, BufReader::new(answers)))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some((mut child, questions, answers)) = self.git.take() {
            drop((questions, answers));
            // It ends when nobody asks any more; one that does not is ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// git, which asks nobody and fetches nothing. Other places run one to its end; this one is asked many small things while it lives.
fn git(words: &[&OsStr]) -> Command {
    let mut git = Command::new("git");
    git.arg("--no-replace-objects").args(words).stdout(Stdio::piped()).stderr(Stdio::null());
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"] {
        git.env_remove(name);
    }
    git.envs([("LC_ALL", "C"), ("GIT_TERMINAL_PROMPT", "0")]);
    git.envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")]);
    git
}

fn lines_in(file: impl Read) -> Option<u32> {
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let rest = usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
    u32::try_from(ends + rest).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn lines_are_counted_in_files_of_the_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("src")).unwrap();
        for (name, text) in [("src/家.rs", "1\n2\n3"), ("empty", ""), ("../outside", "1\n")] {
            fs::write(tree.join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("../outside", tree.join("link")).unwrap();
        let tree = CitedTree::at(&tree);
        for (path, lines) in [
            ("src/家.rs", Some(3)),
            ("./src/家.rs", Some(3)),
            ("empty", Some(0)),
            ("src", None),
            ("link", None),
            ("../outside", None),
            ("src/../empty", None),
            ("/etc/passwd", None),
            ("none", None),
        ] {
            assert_eq!(tree.lines_of(path), lines, "{path}");
        }
    }

    #[test]
    fn what_a_commit_has_counts_whatever_was_written_or_removed_since() {
        let folder = tempfile::tempdir().unwrap();
        let at = |script: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-ec", script]).current_dir(folder.path());
            let name = [("GIT_AUTHOR_NAME", "人"), ("GIT_AUTHOR_EMAIL", "a@example.org")];
            let other = [("GIT_COMMITTER_NAME", "人"), ("GIT_COMMITTER_EMAIL", "a@example.org")];
            assert!(shell.envs(name).envs(other).status().unwrap().success(), "{script}");
        };
        at(
            "mkdir base; cd base; git init -q .; mkdir src; printf '1\\n2\\n' > src/家.rs; ln -s src/家.rs link; ln -s src folder; ln -s /etc/passwd out; ln -s loop loop; : > empty; git add .; git commit -qm first; git worktree add -q ../tree",
        );
        let root = folder.path().join("tree");
        let [by_files, by_git] =
            [Base::by_files(&root), Base::by_git(&root)].map(|base| base.expect("a commit"));
        assert_eq!((&by_files.git_dir, &by_files.commit), (&by_git.git_dir, &by_git.commit));
        let tree = CitedTree::of_commit(&root);
        assert_eq!(tree.lines_of("src/家.rs"), Some(2));
        let links = ["link", "folder/家.rs", "out", "loop", "gone", "empty"].map(|path| tree.lines_of(path));
        assert_eq!(links, [Some(2), Some(2), None, None, None, Some(0)]);
        at(
            "cd tree; echo 3 >> src/家.rs; echo new > new; git add .; git commit -qm own; git init -q sub; echo x > sub/x",
        );
        let lines =
            |tree: &CitedTree| ["src/家.rs", "empty", "new", "src", "sub/x"].map(|path| tree.lines_of(path));
        assert_eq!(lines(&tree), [Some(2), Some(0), None, None, None]);
        assert_eq!(
            lines(&CitedTree::of_commit(&root)),
            lines(&tree),
            "what was committed since is no part of it"
        );
        at("rm -rf tree");
        assert_eq!(lines(&tree)[..2], [Some(2), Some(0)]);
        assert_eq!(lines(&CitedTree::of_commit(&root)), [None; 5]);
    }
}
