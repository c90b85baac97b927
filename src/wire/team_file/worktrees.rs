//! `worktrees:`, what is done in a fresh worktree before anybody works there. A plan brings nothing of it: whoever may write a plan may
//! not choose what runs.

use super::check::lasting;
use super::commands::{CommandEntry, words};
use super::finding::{Book, Place};
use super::values::{At, Lasting};
use crate::engine::flow::branch::WORKTREES;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::path::{Component, Path};

/// From a second to a day, as for the commands of checks.
const TIMEOUT_MS: RangeInclusive<u64> = 1_000..=86_400_000;
/// More than a repository has kinds of files that git does not keep.
const COPY_MAX: usize = 100;
/// More than the tools of a repository.
const RUN_MAX: usize = 20;
/// What a tree gets by git or by tasuki, and from nowhere else.
const NOT_COPIED: [&str; 3] = [".git", ".tasuki", WORKTREES];

/// The worktrees in which agents work.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Worktrees")]
pub(super) struct WorktreesEntry {
    /// What is done in a worktree when git has made it, before its agent is told of anything. Default: nothing
    pub(super) setup: Option<SetupEntry>,
}

/// What is done in a fresh worktree: first the files are copied, then the commands run in order. The first that fails ends it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Setup")]
pub(super) struct SetupEntry {
    /// Files of the repository's folder that git does not keep, such as `.env`. Each is a path or a pattern of git's, relative to the
    /// repository: `config/local.*`, `**/*.key`. A folder stands for all that is in it. At most 100.
    #[schemars(extend("maxItems" = 100))]
    pub(super) copy: Option<At<Vec<At<String>>>>,
    /// Commands, each one word per item: `[npm, ci]`. No shell reads them. They run in the worktree, with the variables that the
    /// commands of checks get (`check_env`). At most 20.
    #[schemars(extend("maxItems" = 20))]
    pub(super) run: Option<At<Vec<At<CommandEntry>>>>,
    /// How long each of these commands may take. Then it is ended, and the worktree cannot be used. Default: `10m`
    pub(super) timeout: Option<At<Lasting>>,
}

/// What is done in a fresh worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeSetup {
    /// Paths and patterns of git's, relative to the repository.
    pub copy: Vec<String>,
    /// Commands, word by word.
    pub run: Vec<Vec<String>>,
    /// How long each command may take, in ms.
    pub timeout_ms: u64,
}

impl Default for TreeSetup {
    fn default() -> Self {
        // Packages that are fetched over a slow line.
        Self { copy: Vec::new(), run: Vec::new(), timeout_ms: 10 * 60_000 }
    }
}

/// The setup of the file. What is wrong is in `book`.
pub(super) fn setup(entry: Option<&WorktreesEntry>, book: &mut Book) -> TreeSetup {
    let mut setup = TreeSetup::default();
    let Some(entry) = entry.and_then(|entry| entry.setup.as_ref()) else { return setup };
    lasting(&mut setup.timeout_ms, entry.timeout.as_ref(), TIMEOUT_MS, book);
    if let Some(copy) = &entry.copy {
        refuse_many((copy.value.len(), COPY_MAX), copy.place, book);
        for path in &copy.value {
            refuse_path(&path.value, path.place, book);
        }
        setup.copy = copy.value.iter().map(|path| path.value.clone()).collect();
    }
    if let Some(run) = &entry.run {
        refuse_many((run.value.len(), RUN_MAX), run.place, book);
        setup.run = run.value.iter().filter_map(|command| words(command, book)).collect();
    }
    setup
}

fn refuse_many((count, most): (usize, usize), place: Place, book: &mut Book) {
    if count > most {
        book.wrong(place, format!("{count} are too many"), format!("use at most {most}"));
    }
}

/// A path must lead to files of the repository's folder, and to none that git or tasuki puts into each tree itself.
fn refuse_path(path: &str, place: Place, book: &mut Book) {
    let shown = path.escape_debug();
    if path.is_empty() || path.chars().any(char::is_control) {
        book.wrong(
            place,
            format!("`{shown}` is not a path"),
            "write a path relative to the repository: `.env`",
        );
        return;
    }
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(path).components().all(plain) {
        let cure = "name what lies in the repository, relative to it and without `..`: `config/local.yaml`";
        book.wrong(place, format!("`{shown}` leads out of the repository"), cure);
    } else if path.split('/').any(|part| NOT_COPIED.contains(&part)) {
        let cure = "remove it: each worktree has what it needs of that";
        book.wrong(place, format!("`{shown}` is of git's or tasuki's own"), cure);
    }
}
