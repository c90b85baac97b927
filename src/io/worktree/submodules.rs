//! Submodules of a worktree. Each worktree has its own copy of them, which is made from the one that the repository has: nothing
//! is fetched over a network. One that the repository itself has not checked out stays an empty folder, and is named.
//!
//! Each stands at the commit that the worktree has of it. What was committed in that of another worktree is taken from there.

use super::copies::{Home, Level, Submodule, submodules};
use super::error::WorktreeError;
use super::git::{OWN_LOCKS, Place, bytes_of, literally};
use super::half;
use super::hold::Hold;
use super::repository::Repository;
use crate::io::git::is_object_name;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The mode of a submodule in an index or a tree.
const LINK: &str = "160000";
const CHECK_OUT: &str = "check a submodule out";
static NONE: BTreeSet<PathBuf> = BTreeSet::new();

/// What may become of that which lies in a submodule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// What is changed there stays. Where it is in the way, that is an error.
    Gently,
    /// What a kill has left half done there goes.
    Over,
    /// Nobody works there: all that is no commit goes.
    Clean,
    /// One stays as it is where that would lose anything, or where it is not checked out.
    Lossless,
}

/// How submodules are put where they belong, and which of them stay as they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Care<'a> {
    pub(super) how: How,
    pub(super) but: &'a BTreeSet<PathBuf>,
}

/// A commit that a submodule is to stand at.
struct Wanted<'a> {
    submodule: &'a Submodule,
    commit: &'a str,
    /// All that there are of the submodule.
    copies: &'a [Home],
    /// The submodule in the folder of the repository itself.
    here: PathBuf,
    /// The same in the worktree.
    tree: PathBuf,
}

impl From<How> for Care<'_> {
    fn from(how: How) -> Self {
        Self { how, but: &NONE }
    }
}

impl Repository {
    /// Puts each submodule at the commit that the index of its worktree has. Those that the repository has are checked out.
    ///
    /// # Errors
    /// [`WorktreeError::NoSubmodule`] if no copy has that commit; what git says.
    pub(super) async fn stand_submodules(
        &self,
        path: &Path,
        hold: &Hold,
        care: Care<'_>,
    ) -> Result<(), WorktreeError> {
        let mut left = Vec::from_iter(self.level_of(path));
        while let Some(level) = left.pop() {
            let at = self.git.at(&level.own.tree).of(&level.own.git_dir);
            for (submodule, commit) in linked(&at, &level.own.tree).await? {
                if care.but.contains(&level.path.join(&submodule.path)) {
                    continue;
                }
                let copies = level.copies(&submodule);
                let wanted = level.wanted(&submodule, &commit, &copies);
                let is_there = level.within(&submodule).is_some();
                if !is_there && care.how != How::Lossless {
                    self.begin_submodule(&level, &wanted, hold).await?;
                }
                if let Some(within) = level.within(&submodule) {
                    self.move_submodule(&within, &wanted, hold, care.how).await?;
                    left.push(within);
                }
            }
        }
        Ok(())
    }

    /// Gets the commits of submodules that a merge brings into the copies of a worktree. So git sees which of two has the other, and
    /// what comes of the merge can be checked out.
    pub(super) async fn submodules_for_merge(
        &self,
        path: &Path,
        tip: &str,
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        let Some(level) = self.level_of(path) else { return Ok(()) };
        let at = self.git.at(path).of(&level.own.git_dir);
        let range = format!("HEAD...{tip}");
        let how = ["--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"];
        let asked = [&["diff"][..], &how, &[&range, "--"]].concat();
        // Where they have nothing in common, the merge says so.
        let answer = at.ask("see which submodules a merge changes", &asked).await?;
        let parts: Vec<&[u8]> = answer.parts().collect();
        let changed: Vec<(&Path, &str)> = parts.chunks_exact(2).filter_map(changed_link).collect();
        for submodule in submodules(&at, path).await? {
            let Some((_, commit)) = changed.iter().find(|(path, _)| *path == submodule.path) else {
                continue;
            };
            if let Some(within) = level.within(&submodule) {
                let copies = level.copies(&submodule);
                self.bring_commit(&within.own, &level.wanted(&submodule, commit, &copies), hold).await?;
            }
        }
        Ok(())
    }

    /// Those of a worktree that are not checked out: whoever works there may want it so.
    pub(super) async fn left_out(&self, path: &Path) -> Result<Vec<PathBuf>, WorktreeError> {
        let Some(level) = self.level_of(path) else { return Ok(Vec::new()) };
        let all = submodules(&self.git.at(path), path).await?;
        let out = all.into_iter().filter(|submodule| level.within(submodule).is_none());
        Ok(out.map(|submodule| submodule.path).collect())
    }

    /// Checks one out that the repository has, from there. One that the repository has only as an empty folder stays so.
    async fn begin_submodule(
        &self,
        level: &Level,
        wanted: &Wanted<'_>,
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        let (Wanted { submodule, copies, .. }, modules) = (wanted, self.common_dir.join("modules"));
        let is_given = wanted.is_here()
            || !wanted.here.exists()
            || copies.iter().any(|copy| copy.git_dir.starts_with(&modules));
        // A name with a `=` cannot be set on a command line.
        if !is_given || !submodule.is_plain() || submodule.name.contains('=') {
            return Ok(());
        }
        let Some(source) = self.copy_with(wanted.commit, copies).await? else {
            return if wanted.is_here() { Err(wanted.nowhere()) } else { Ok(()) };
        };
        // One that was here before: git would ask its remote for the commit.
        let git_dir = level.own.git_dir.join("modules").join(&submodule.name);
        if git_dir.join("HEAD").is_file() {
            self.bring_commit(&Home { tree: git_dir.clone(), git_dir }, wanted, hold).await?;
        }
        let at = self.git.at(&level.own.tree).working(hold.file());
        let (url, place) = (format!("submodule.{}.url", submodule.name), bytes_of(&submodule.path));
        if at.ask(CHECK_OUT, &["config", "--get", &url]).await?.code != 0 {
            // With a place on the command line git would not take it as begun.
            let init = [b"--literal-pathspecs".as_slice(), b"submodule", b"init", b"--", place];
            at.ask(CHECK_OUT, &init.map(OsStr::from_bytes)).await?;
        }
        let mut from = OsString::from(format!("{url}="));
        from.push(&source.git_dir);
        let arguments: [&OsStr; 11] = [
            "--literal-pathspecs".as_ref(),
            "-c".as_ref(),
            &from,
            "-c".as_ref(),
            "protocol.file.allow=always".as_ref(),
            "submodule".as_ref(),
            "update".as_ref(),
            "--init".as_ref(),
            "--no-fetch".as_ref(),
            "--".as_ref(),
            OsStr::from_bytes(place),
        ];
        at.ask(CHECK_OUT, &arguments).await?;
        match level.within(submodule) {
            Some(within) => self.point_home(&within.own, source, hold).await,
            // Its folder stays empty, which is told.
            None => Ok(()),
        }
    }

    /// What is pushed from it goes where the repository's own copy pushes to.
    async fn point_home(&self, own: &Home, source: &Home, hold: &Hold) -> Result<(), WorktreeError> {
        let asked = ["config", "--get", "remote.origin.url"];
        let home = source.ask_of(&self.git).ask("find a submodule's remote", &asked).await?;
        if home.code == 0 {
            let at = own.ask_of(&self.git).working(hold.file());
            let set = [b"config".as_slice(), b"remote.origin.url", &home.line()];
            at.ask("set a submodule's remote", &set.map(OsStr::from_bytes)).await?;
        }
        Ok(())
    }

    /// Puts one that is checked out at the commit that is wanted.
    async fn move_submodule(
        &self,
        within: &Level,
        wanted: &Wanted<'_>,
        hold: &Hold,
        how: How,
    ) -> Result<(), WorktreeError> {
        let Home { git_dir, tree } = &within.own;
        let at = self.git.at(tree).of(git_dir).working(hold.file());
        let is_there = at.commit("HEAD").await?.as_deref() == Some(wanted.commit);
        if is_there && how != How::Clean {
            return Ok(());
        }
        if how == How::Lossless {
            let asked = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=none"];
            let changed = at.demand(CHECK_OUT, &asked).await?;
            if !changed.out.is_empty() || self.is_ahead(within, None).await? {
                return Ok(());
            }
        }
        let is_forced = matches!(how, How::Over | How::Clean);
        if is_forced {
            for lock in OWN_LOCKS {
                half::remove(&git_dir.join(lock))?;
            }
        }
        self.bring_commit(&within.own, wanted, hold).await?;
        let mut asked = vec!["checkout", "--quiet", "--detach"];
        asked.extend(is_forced.then_some("--force"));
        asked.push(wanted.commit);
        at.demand(CHECK_OUT, &asked).await?;
        if how == How::Clean {
            at.demand(CHECK_OUT, &["clean", "-ffdq"]).await?;
        }
        Ok(())
    }

    /// Gets a commit into a copy of a submodule, unless it has it.
    async fn bring_commit(&self, own: &Home, wanted: &Wanted<'_>, hold: &Hold) -> Result<(), WorktreeError> {
        let at = own.ask_of(&self.git).working(hold.file());
        if at.commit(wanted.commit).await?.is_some() {
            return Ok(());
        }
        let source = self.copy_with(wanted.commit, wanted.copies).await?.ok_or_else(|| wanted.nowhere())?;
        // Version 2 gives any commit by its name; the older ones only what a branch is at.
        let settings = ["-c", "protocol.file.allow=always", "-c", "protocol.version=2"];
        let options = [
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--update-shallow",
            "--",
        ];
        let words = [&settings[..], &["fetch"], &options].concat();
        let mut arguments: Vec<&OsStr> = words.into_iter().map(OsStr::new).collect();
        arguments.extend([source.git_dir.as_os_str(), OsStr::new(wanted.commit)]);
        at.demand("get the commit of a submodule", &arguments).await.map(drop)
    }

    /// Those whose files are not there, by their paths.
    pub(super) async fn empty_submodules(&self, path: &Path) -> Result<Vec<String>, WorktreeError> {
        let (mut empty, mut left) = (Vec::new(), Vec::from_iter(self.level_of(path)));
        while let Some(level) = left.pop() {
            let at = self.git.at(&level.own.tree).of(&level.own.git_dir);
            for submodule in submodules(&at, &level.own.tree).await? {
                match level.within(&submodule) {
                    Some(within) => left.push(within),
                    None => empty.push(level.path.join(&submodule.path).display().to_string()),
                }
            }
        }
        Ok(empty)
    }
}

impl Level {
    fn wanted<'a>(&self, submodule: &'a Submodule, commit: &'a str, copies: &'a [Home]) -> Wanted<'a> {
        let (here, tree) = (self.here.join(&submodule.path), self.own.tree.join(&submodule.path));
        Wanted { submodule, commit, copies, here, tree }
    }
}

impl Wanted<'_> {
    /// Whether the repository itself has it checked out.
    fn is_here(&self) -> bool {
        self.here.join(".git").exists()
    }

    fn nowhere(&self) -> WorktreeError {
        let place = if self.is_here() { &self.here } else { &self.tree };
        WorktreeError::NoSubmodule {
            tree: self.tree.clone(),
            commit: self.commit.to_owned(),
            place: place.clone(),
        }
    }
}

/// Those that the index has, each with its commit.
async fn linked(at: &Place<'_>, path: &Path) -> Result<Vec<(Submodule, String)>, WorktreeError> {
    let mut all = submodules(at, path).await?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<PathBuf> = all.iter().map(|submodule| submodule.path.clone()).collect();
    let asked = literally(&["ls-files", "--stage", "-z"], &paths);
    let answer = at.demand("see which commits submodules have", &asked).await?;
    // `160000 COMMIT 0`, a tab and the path.
    let links = answer.parts().filter_map(|part| {
        let tab = part.iter().position(|byte| *byte == b'\t')?;
        let (said, path) = part.split_at(tab);
        let mut words = std::str::from_utf8(said).ok()?.split(' ');
        let (mode, commit, stage) = (words.next()?, words.next()?, words.next()?);
        let path = Path::new(OsStr::from_bytes(path.get(1..)?));
        (mode == LINK && stage == "0" && is_object_name(commit)).then(|| (path, commit.to_owned()))
    });
    let mut found = Vec::new();
    for (path, commit) in links {
        if let Some(at) = all.iter().position(|submodule| submodule.path == path) {
            found.push((all.swap_remove(at), commit));
        }
    }
    Ok(found)
}

/// Of `:MODE MODE COMMIT COMMIT LETTER` and a path: the path and the new commit, where that is one of a submodule.
fn changed_link<'a>(pair: &[&'a [u8]]) -> Option<(&'a Path, &'a str)> {
    let [said, path] = pair else { return None };
    let words: Vec<&str> = std::str::from_utf8(said).ok()?.split(' ').collect();
    let [_, mode, _, commit, _] = words[..] else { return None };
    (mode == LINK).then(|| (Path::new(OsStr::from_bytes(path)), commit))
}
