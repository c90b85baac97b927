//! Whether a commit was made in an agent's tree since its task began. That HEAD is another one says little: a merge, a pull, a
//! reset or a checkout moves it to what somebody else made. What was made here is named by git's own log of HEAD.

use super::files::sha256;
use super::finding::Finding;
use super::git::{Git, Place, Repository, Trouble, read_log};
use super::ground::Ground;
use super::record::{KeptRepository, Record};
use crate::engine::evidence::Base;
use crate::engine::flow::branch::{BRANCH_PREFIX, WORKTREES};
use crate::io::git::is_object_name;
use crate::io::run::printed::cut;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lines of the log that are looked at, the newest: nobody makes so many commits for one task.
const LINES_MAX: usize = 500;
/// Digits by which people know a commit.
const SHORT: usize = 12;

/// What there is before a task, and where.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub(super) commit: Option<String>,
    pub(super) log_bytes: u64,
    pub(super) repository: Option<KeptRepository>,
}

/// Takes note of what is checked out.
///
/// # Errors
/// Why git cannot be asked.
pub(super) async fn before(ground: &Ground) -> Result<Before, Trouble> {
    let git = Git::of(ground)?;
    let Place::Tree(repository) = git.place().await? else { return Ok(Before::default()) };
    let log = read_log(&repository.log)?;
    let kept = KeptRepository {
        dir: super::record::text_of(&repository.dir),
        inode: repository.inode,
        born_ms: repository.born_ms,
        log_sha256: sha256(&log),
    };
    Ok(Before { commit: git.head().await?, log_bytes: log.len() as u64, repository: Some(kept) })
}

/// Looks whether a commit was made since.
pub(super) async fn check(ground: &Ground, base: &Base, record: &Record) -> Finding {
    look(ground, base, record).await.unwrap_or_else(Finding::Broken)
}

async fn look(ground: &Ground, base: &Base, record: &Record) -> Result<Finding, Trouble> {
    let git = Git::of(ground)?;
    let failed = |how: String| Ok(Finding::Failed(how));
    let place = ground.cwd.display();
    let repository = match git.place().await? {
        Place::Tree(repository) => repository,
        Place::Nowhere => return failed(format!("{place} is in no git repository: there is no commit")),
        Place::Bare => {
            return failed(format!(
                "{place} is a bare repository or a folder of git's own: nothing is checked out there"
            ));
        }
    };
    if let Some(kept) = record.repository.as_ref()
        && !is_same(kept, &repository)
    {
        let there = repository.dir.display();
        return failed(format!("the repository of {place} is another one than before the task: now {there}"));
    }
    let Some(head) = git.head().await? else {
        return failed(format!("nothing is committed in the repository of {place}"));
    };
    let old = base.commit.as_deref();
    if let Some(name) = old.filter(|name| !is_object_name(name)) {
        return Err(format!(
            "{name:?}, which was recorded before the task, is no commit: send the task again"
        ));
    }
    if let Some(old) = old {
        if head == old {
            return failed(format!(
                "HEAD is still {}, as before the task: nothing was committed",
                short(old)
            ));
        }
        if !git.is_ancestor(old, &head).await? {
            let how = "the commit that was there before was rewritten (amended, rebased or reset away)";
            return failed(format!("{how}: {} is no ancestor of HEAD {}", short(old), short(&head)));
        }
    }
    if let Some(own) = own_branch(&ground.cwd, &repository.dir)
        && let Some(how) = elsewhere(own, &git, &head).await?
    {
        return failed(how);
    }
    let lines = since(&read_log(&repository.log)?, base, record);
    let mut history = History { git, known: BTreeMap::new(), made: BTreeMap::new(), notes: Vec::new() };
    if let Some(old) = old
        && history.tree(old).await? == history.tree(&head).await?
    {
        return failed(format!("HEAD has the same files as {}, the commit before the task", short(old)));
    }
    history.judge(&lines, &head, old).await
}

/// Why nobody gets what was committed in the worktree of a task: its branch is what the tasks behind it and a merge take.
async fn elsewhere(own: String, git: &Git<'_>, head: &str) -> Result<Option<String>, Trouble> {
    let branch = git.branch().await?;
    let (is, what) = match &branch {
        Some(branch) if *branch == own => return Ok(None),
        Some(branch) => (format!("{branch} is checked out"), branch.as_str()),
        None => ("no branch is checked out".to_owned(), short(head)),
    };
    Ok(Some(format!(
        "{is}, and only what is on {own} reaches others: `git switch {own}`, then `git merge {what}`"
    )))
}

/// The branch of the worktree of a task that a folder is in; `own` is git's folder for that. A repository that lies within such a
/// worktree is another one.
fn own_branch(folder: &Path, own: &Path) -> Option<String> {
    let name = own.file_name().filter(|_| own.parent().is_some_and(|above| above.ends_with("worktrees")))?;
    let place = Path::new(WORKTREES).join(name);
    folder.ancestors().find(|above| above.ends_with(&place))?;
    let task = name.to_str()?.strip_prefix("agent-").filter(|task| task.starts_with("task-"))?;
    Some(format!("{BRANCH_PREFIX}{task}"))
}

fn is_same(kept: &KeptRepository, now: &Repository) -> bool {
    let is_as_old = kept.born_ms.zip(now.born_ms).is_none_or(|(then, now)| then == now);
    is_as_old && kept.inode == now.inode && kept.dir == super::record::text_of(&now.dir)
}

fn short(name: &str) -> &str {
    name.get(..SHORT).unwrap_or(name)
}

/// A line of git's log of HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    old: String,
    new: String,
    /// The committer as git writes him, with the time.
    by: Vec<u8>,
    message: String,
}

impl Line {
    fn of(line: &[u8]) -> Option<Self> {
        let tab = line.iter().position(|byte| *byte == b'\t').unwrap_or(line.len());
        let (head, message) = line.split_at(tab);
        let mut parts = head.splitn(3, |byte| *byte == b' ');
        let mut name = || String::from_utf8(parts.next()?.to_vec()).ok();
        let (old, new) = (name()?, name()?);
        let message = String::from_utf8_lossy(message).trim().to_owned();
        Some(Self { old, new, by: parts.next()?.to_vec(), message })
    }

    /// In seconds since 1970.
    fn at(&self) -> Option<u64> {
        let text = String::from_utf8_lossy(&self.by);
        text.rsplit(' ').nth(1)?.parse().ok()
    }

    /// Whether git says that a commit was made by it.
    fn commits(&self) -> bool {
        ["commit:", "commit (", "revert:"].iter().any(|start| self.message.starts_with(start))
    }

    /// Whether by it a commit was made anew that was made before.
    fn carries(&self) -> bool {
        ["rebase", "pull", "cherry-pick", "am"]
            .iter()
            .any(|word| self.message.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', ' '])))
    }
}

/// The lines that were written since the task began. Of a log that was written anew, those that say so themselves.
fn since(log: &[u8], base: &Base, record: &Record) -> Vec<Line> {
    let from = usize::try_from(base.log_bytes).unwrap_or(usize::MAX);
    let is_same = |earlier: &[u8]| {
        let kept = record.repository.as_ref();
        let ends = earlier.is_empty() || earlier.ends_with(b"\n");
        ends && kept.is_none_or(|kept| kept.log_sha256 == sha256(earlier))
    };
    let (later, is_anew) = match log.split_at_checked(from) {
        Some((earlier, later)) if is_same(earlier) => (later, false),
        _ => (log, true),
    };
    let lines = later.split(|byte| *byte == b'\n').filter_map(Line::of);
    let began = base.at.0 / 1_000;
    let mut lines: Vec<Line> =
        lines.filter(|line| !is_anew || line.at().is_some_and(|at| at > began)).collect();
    let over = lines.len().saturating_sub(LINES_MAX);
    lines.drain(..over);
    lines
}

/// What counts of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Commit {
    tree: String,
    parents: Vec<String>,
    author: Vec<u8>,
    committer: Vec<u8>,
    subject: String,
}

impl Commit {
    fn of(stored: &[u8]) -> Option<Self> {
        let (mut tree, mut parents, mut author, mut committer) = (None, Vec::new(), None, None);
        let mut lines = stored.split(|byte| *byte == b'\n');
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            let at = line.iter().position(|byte| *byte == b' ')?;
            let (key, value) = (line.get(..at)?, line.get(at + 1..)?);
            let text = || String::from_utf8_lossy(value).into_owned();
            match key {
                b"tree" => tree = Some(text()),
                b"parent" => parents.push(text()),
                b"author" => author = Some(value.to_vec()),
                b"committer" => committer = Some(value.to_vec()),
                _ => {}
            }
        }
        let subject = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let subject = String::from_utf8_lossy(subject).into_owned();
        Some(Self { tree: tree?, parents, author: author?, committer: committer?, subject })
    }
}

/// Commits as they are looked at.
struct History<'a> {
    git: Git<'a>,
    known: BTreeMap<String, Option<Commit>>,
    /// Those that were made here, with their authors.
    made: BTreeMap<String, Vec<u8>>,
    /// Why others that the log names do not count.
    notes: Vec<String>,
}

impl History<'_> {
    async fn commit(&mut self, name: &str) -> Result<Option<Commit>, Trouble> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let commit = self.git.commit(name).await?.as_deref().and_then(Commit::of);
        self.known.insert(name.to_owned(), commit.clone());
        Ok(commit)
    }

    async fn tree(&mut self, name: &str) -> Result<Option<String>, Trouble> {
        Ok(self.commit(name).await?.map(|commit| commit.tree))
    }

    /// Whether HEAD has a commit that was made here by one of these lines.
    async fn judge(&mut self, lines: &[Line], head: &str, base: Option<&str>) -> Result<Finding, Trouble> {
        let added: BTreeSet<String> = self.git.added(head, base).await?.into_iter().collect();
        for line in lines.iter().filter(|line| line.commits()) {
            if let Err(note) = self.take(line).await? {
                self.notes.push(note);
            }
        }
        let own: Vec<&Line> = lines
            .iter()
            .filter(|line| added.contains(&line.new) && self.made.contains_key(&line.new))
            .collect();
        if let Some(newest) = own.last() {
            let count: BTreeSet<&str> = own.iter().map(|line| line.new.as_str()).collect();
            return Ok(Finding::Passed(self.told(&newest.new, count.len()).await?));
        }
        for line in lines.iter().rev().filter(|line| line.carries() && added.contains(&line.new)) {
            let Some(commit) = self.commit(&line.new).await? else { continue };
            let is_own = self.made.values().any(|author| *author == commit.author);
            if is_own && self.empty(&commit).await?.is_none() {
                return Ok(Finding::Passed(self.told(&line.new, 1).await?));
            }
        }
        Ok(Finding::Failed(self.refusal(lines, head)))
    }

    async fn told(&mut self, name: &str, count: usize) -> Result<String, Trouble> {
        let subject = self.commit(name).await?.map(|commit| commit.subject).unwrap_or_default();
        let more = if count > 1 { format!(" ({count} commits made here)") } else { String::new() };
        Ok(format!("{} {}{more}", short(name), cut(&subject, 200)))
    }

    /// Takes a line's commit for one that was made here, or says why it is none.
    async fn take(&mut self, line: &Line) -> Result<Result<(), String>, Trouble> {
        let (name, log) = (short(&line.new), "git's log of HEAD");
        let Some(commit) = self.commit(&line.new).await? else {
            return Ok(Err(format!("{log} names the commit {name}, which is not there")));
        };
        if commit.committer != line.by {
            return Ok(Err(format!(
                "{log} says that {name} was committed here, but it was made at another time or by another"
            )));
        }
        let is_amend = line.message.starts_with("commit (amend)");
        let follows = match commit.parents.first() {
            _ if is_amend => true,
            None => line.old.bytes().all(|digit| digit == b'0'),
            Some(parent) => *parent == line.old,
        };
        if !follows {
            return Ok(Err(format!(
                "{log} says that {name} was committed here, but it does not follow what was checked out"
            )));
        }
        if let Some(why) = self.empty(&commit).await? {
            return Ok(Err(format!("the commit {name} {why}")));
        }
        let is_merge = commit.parents.len() > 1;
        if is_merge && !self.git.adds_to_its_parents(&line.new).await? {
            return Ok(Err(format!("the merge {name} has nothing that its parents do not have")));
        }
        if !is_merge && !self.git.changes_work(&line.new).await? {
            let what = "has only files that tasuki writes (`.tasuki/`, `status/`, `queue/`)";
            return Ok(Err(format!("the commit {name} {what}: commit your work, and keep them out of git")));
        }
        let is_of_others = is_amend && !self.made.contains_key(&line.old);
        if is_of_others && self.tree(&line.old).await? == Some(commit.tree.clone()) {
            return Ok(Err(format!("the commit {name} has the files of another that was not made here")));
        }
        self.made.insert(line.new.clone(), commit.author);
        Ok(Ok(()))
    }

    /// Why a commit changes nothing; none if it does.
    async fn empty(&mut self, commit: &Commit) -> Result<Option<String>, Trouble> {
        if commit.parents.is_empty() {
            let is_empty = self.git.is_empty(&commit.tree).await?;
            return Ok(is_empty.then(|| "has no files".to_owned()));
        }
        for parent in &commit.parents {
            if self.tree(parent).await?.as_ref() == Some(&commit.tree) {
                return Ok(Some("is empty: it changes no file".to_owned()));
            }
        }
        Ok(None)
    }

    /// What HEAD did instead.
    fn refusal(&self, lines: &[Line], head: &str) -> String {
        let last = lines.iter().rev().find(|line| !line.message.is_empty() && line.new != line.old);
        let made = self.made.keys().next_back();
        let what = match (made, last) {
            (Some(made), _) => format!("{} was committed here, but HEAD does not have it", short(made)),
            (None, Some(line)) => {
                let message = cut(&line.message, 200);
                format!("HEAD moved by `{message}`, but no commit was made here")
            }
            (None, None) => format!(
                "HEAD is {}, but git's log of HEAD names no commit that was made here; if git keeps none, \
                 `git config core.logAllRefUpdates true` and commit again",
                short(head)
            ),
        };
        self.notes.iter().rev().take(3).fold(what, |text, note| format!("{text}\n{note}"))
    }
}
