//! The test files of a tree: those that were there before a task and are gone or empty afterwards are no longer in anybody's
//! way. A file is a test by its path: `tests/`, `test_x.py`, `x_test.go`, `x.spec.ts`. Fixtures beside them are none.

use super::files::{COMPARED_BYTES_MAX, Mark, Tree, Unfit};
use super::git::Git;
use super::ground::Ground;
use super::record::{path_of, text_of};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Files that are looked at; those behind them are told of, not compared.
const FILES_MAX: usize = 50_000;
/// A file of fewer bytes is like many others: that it is elsewhere does not say that it was moved.
const MOVED_BYTES_MIN: u64 = 64;
/// Folders that hold tests.
const FOLDERS: [&str; 5] = ["test", "tests", "spec", "specs", "__tests__"];
/// Folders without tests of one's own. Hidden ones are not walked through either.
const SKIPPED: [&str; 4] = ["node_modules", "target", "queue", "status"];

/// Whether a file counts as a test by its path.
pub(super) fn is_test(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let in_folder = folders.filter_map(|folder| match folder {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    if in_folder.into_iter().any(|name| FOLDERS.contains(&name)) {
        return true;
    }
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return false };
    let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
    let (before_last, _) = name.rsplit_once('.').unwrap_or((&*name, ""));
    name == "conftest.py"
        || name.starts_with("test_")
        || [stem, before_last].iter().any(|stem| stem.ends_with("_test") || stem.ends_with("_spec"))
        || [".test.", ".spec."].iter().any(|part| name.contains(part))
        || name.ends_with("Test.java")
        || name.ends_with("Tests.cs")
}

/// The paths of the tests, and whether there are more files than are looked at. git knows which files are ignored; where it
/// cannot be asked the folders are walked through.
pub(super) async fn paths(ground: &Ground) -> (Vec<PathBuf>, bool) {
    let listed = match Git::of(ground) {
        Ok(git) => git.files().await.ok(),
        Err(_) => None,
    };
    let (paths, more) = match listed {
        Some(listed) => listed,
        None => {
            let cwd = ground.cwd.clone();
            tokio::task::spawn_blocking(move || walk(&cwd)).await.unwrap_or_default()
        }
    };
    let mut tests: Vec<PathBuf> = paths.into_iter().filter(|path| is_test(path)).collect();
    let more = more || tests.len() > FILES_MAX;
    tests.truncate(FILES_MAX);
    (tests, more)
}

/// Reads those that say something.
pub(super) fn marks(cwd: &Path, paths: &[PathBuf]) -> BTreeMap<String, Mark> {
    let Ok(tree) = Tree::open(cwd) else { return BTreeMap::new() };
    let seen = paths.iter().filter_map(|path| Some((path, tree.see(path, COMPARED_BYTES_MAX).ok()?)));
    seen.filter(|(_, seen)| !seen.is_blank).map(|(path, seen)| (text_of(path), seen.mark)).collect()
}

/// What became of the tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Gone or empty, each with which of these.
    pub(super) lost: Vec<String>,
    /// There with other bytes.
    pub(super) changed: Vec<String>,
}

/// Compares the tests that were there with those that are.
pub(super) fn compare(cwd: &Path, before: &BTreeMap<String, Mark>, now: &[PathBuf]) -> Outcome {
    let Ok(tree) = Tree::open(cwd) else { return Outcome::default() };
    let mut outcome = Outcome::default();
    let mut lost: Vec<(&String, &Mark, &str)> = Vec::new();
    for (name, mark) in before {
        match tree.see(&path_of(name), COMPARED_BYTES_MAX) {
            Ok(seen) if seen.mark == *mark => {}
            Ok(seen) if seen.is_blank => lost.push((name, mark, "empty")),
            Ok(_) => outcome.changed.push(name.clone()),
            Err(Unfit::Missing) => lost.push((name, mark, "gone")),
            Err(_) => lost.push((name, mark, "not to be read")),
        }
    }
    let elsewhere = if lost.is_empty() { Vec::new() } else { new_marks(&tree, before, now) };
    for (name, mark, how) in lost {
        if mark.size < MOVED_BYTES_MIN || !elsewhere.contains(mark) {
            outcome.lost.push(format!("{name} is {how}"));
        }
    }
    outcome
}

/// Of the tests that have other bytes than what was at their path before.
fn new_marks(tree: &Tree, before: &BTreeMap<String, Mark>, now: &[PathBuf]) -> Vec<Mark> {
    let seen = now.iter().filter_map(|path| {
        let mark = tree.see(path, COMPARED_BYTES_MAX).ok()?.mark;
        (before.get(&text_of(path)) != Some(&mark)).then_some(mark)
    });
    seen.collect()
}

fn walk(cwd: &Path) -> (Vec<PathBuf>, bool) {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(cwd.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
            let Ok(kind) = entry.file_type() else { continue };
            let name = name.to_string_lossy();
            if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&&*name) {
                open.push(path);
            } else if kind.is_file() {
                if found.len() == FILES_MAX {
                    return (found, true);
                }
                found.push(path);
            }
        }
    }
    (found, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_its_path() {
        for path in [
            "tests/a.rs",
            "a/test/b",
            "spec/x.rb",
            "src/__tests__/a.js",
            "test_a.py",
            "x/a_test.go",
            "a.test.ts",
            "a.spec.tsx",
            "b_spec.rb",
            "FooTest.java",
            "FooTests.cs",
            "conftest.py",
            "試験/tests/あ.rs",
        ] {
            assert!(is_test(Path::new(path)), "{path}");
        }
        for path in [
            "src/a.rs",
            "test",
            "testing/a",
            "testdata/a.bin",
            "contest.py",
            "attest.md",
            "latest_a.rs",
            "tests.md",
        ] {
            assert!(!is_test(Path::new(path)), "{path}");
        }
    }
}
