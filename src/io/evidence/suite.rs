//! The test files of a tree: those that were there before a task and are gone or empty afterwards are no longer in anybody's
//! way. A file is a test by its path: `tests/`, `test_x.py`, `x_test.go`, `x.spec.ts`. Fixtures beside them are none.

use super::files::{COMPARED_BYTES_MAX, Links, Mark, Seen, Tree, Unfit};
use super::git::{Git, Trouble};
use super::ground::Ground;
use super::record::{path_of, text_of};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Files that are looked at; those behind them are told of, not compared.
const FILES_MAX: usize = 50_000;
/// A file of fewer bytes is like many others: that it is elsewhere does not say that it was moved.
const MOVED_BYTES_MIN: u64 = 16;
/// A package of fewer bytes says next to nothing.
const PACKAGE_BYTES_MIN: u64 = 64;
/// Folders that hold tests.
const FOLDERS: [&str; 6] = ["test", "tests", "spec", "specs", "__tests__", "e2e"];
/// Ends of names of such folders.
const FOLDER_ENDS: [&str; 5] = ["Tests", "Test", "_test", "_tests", "-tests"];
/// "Test" as folders and files are called in Japanese and Chinese.
const WORDS: [&str; 3] = ["テスト", "測試", "测试"];
/// Files of these kinds run nothing, however they are called.
const NO_TESTS: [&str; 12] =
    ["md", "txt", "rst", "adoc", "log", "yml", "yaml", "json", "toml", "html", "xml", "csv"];
/// Kinds of files that somebody writes. Of files that git ignores, no others are tests: builds leave many that are called so.
const SOURCES: [&str; 36] = [
    "rs", "py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rb", "java", "kt", "kts",
    "swift", "c", "cc", "cpp", "cs", "php", "pl", "t", "ex", "exs", "scala", "clj", "hs", "lua", "sh",
    "bats", "feature", "dart", "zig", "jl", "r",
];
/// Makes a package of its folder, even when it is blank: without it a runner may not find the tests beside it.
const PACKAGE: &str = "__init__.py";
/// Folders without tests of one's own. Hidden ones are not walked through either.
const SKIPPED: [&str; 4] = ["node_modules", "target", "queue", "status"];

/// Whether a file counts as a test by its path.
pub(super) fn is_test(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let mut names = folders.filter_map(|folder| match folder {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let holds_tests = |name: &str| {
        FOLDERS.contains(&name)
            || FOLDER_ENDS.iter().any(|end| name.ends_with(end))
            || WORDS.iter().any(|word| name.contains(word))
    };
    // Deeper folders of this name hold the parts of a program.
    let is_of_features = path.starts_with("features");
    is_of_features || names.any(holds_tests) || is_called_test(path)
}

/// Whether a file counts as a test by its name, as runners find them.
fn is_called_test(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return false };
    let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
    let (before_last, kind) = name.rsplit_once('.').unwrap_or((&*name, ""));
    let has_own_name = !kind.is_empty() && !NO_TESTS.contains(&kind);
    name == "conftest.py"
        || name.starts_with("test_")
        || [stem, before_last].iter().any(|stem| stem.ends_with("_test") || stem.ends_with("_spec"))
        || [".test.", ".spec.", ".cy."].iter().any(|part| name.contains(part))
        || ["t", "feature"].contains(&kind)
        || WORDS.iter().any(|word| name.contains(word))
        || has_own_name
            && (["test", "tests"].contains(&stem) || stem.ends_with("Test") || stem.ends_with("Tests"))
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|kind| SOURCES.iter().any(|source| kind == *source))
}

fn is_package(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == PACKAGE)
}

/// The paths of the tests, and whether there are more files than are looked at. git knows which files are ignored; where it
/// cannot be asked the folders are walked through.
pub(super) async fn paths(ground: &Ground) -> (Vec<PathBuf>, bool) {
    let listed = match Git::of(ground) {
        Ok(git) => listed(&git).await.ok(),
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

/// Whoever writes a test's name into `.git/info/exclude` hides it from git, not from a runner: these are looked at as well.
async fn listed(git: &Git<'_>) -> Result<(Vec<PathBuf>, bool), Trouble> {
    let (mut paths, more) = git.files().await?;
    let ignored = git.ignored().await?;
    paths.extend(ignored.into_iter().filter(|path| is_source(path) && is_called_test(path)));
    Ok((paths, more))
}

/// Reads those that say something.
pub(super) fn marks(cwd: &Path, paths: &[PathBuf]) -> BTreeMap<String, Mark> {
    let Ok(tree) = Tree::open(cwd) else { return BTreeMap::new() };
    let seen = paths.iter().filter_map(|path| Some((path, see(&tree, path).ok()?)));
    let counts = seen.filter(|(path, seen)| !seen.is_blank || is_package(path));
    counts.map(|(path, seen)| (text_of(path), seen.mark)).collect()
}

fn see(tree: &Tree, path: &Path) -> Result<Seen, Unfit> {
    tree.see(path, COMPARED_BYTES_MAX, Links::Followed)
}

/// What became of the tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Gone or empty, each with which of these.
    pub(super) lost: Vec<String>,
    /// There with other bytes.
    pub(super) changed: Vec<String>,
    /// Elsewhere with the same bytes, each with where it was and where it is.
    pub(super) moved: Vec<String>,
}

/// Compares the tests that were there with those that are.
pub(super) fn compare(cwd: &Path, before: &BTreeMap<String, Mark>, now: &[PathBuf]) -> Outcome {
    let Ok(tree) = Tree::open(cwd) else { return Outcome::default() };
    let mut outcome = Outcome::default();
    let mut lost: Vec<(&String, &Mark, &str)> = Vec::new();
    for (name, mark) in before {
        let path = path_of(name);
        match see(&tree, &path) {
            Ok(seen) if seen.mark == *mark => {}
            Ok(seen) if seen.is_blank && mark.size > 0 => lost.push((name, mark, "empty")),
            Ok(_) => outcome.changed.push(name.clone()),
            Err(Unfit::Missing) if went_with_its_folder(cwd, &path, mark) => {}
            Err(Unfit::Missing) => lost.push((name, mark, "gone")),
            Err(_) => lost.push((name, mark, "not to be read")),
        }
    }
    let mut elsewhere = if lost.is_empty() { Vec::new() } else { new_marks(&tree, before, now) };
    for (name, mark, how) in lost {
        let is_it = |(path, there): &(&PathBuf, Mark)| there == mark && may_move(&path_of(name), path);
        let found = elsewhere.iter().position(is_it).filter(|_| mark.size >= MOVED_BYTES_MIN);
        match found {
            // One file is not where two have gone.
            Some(at) => {
                let (path, _) = elsewhere.swap_remove(at);
                outcome.moved.push(format!("{name} → {}", text_of(path)));
            }
            None => outcome.lost.push(format!("{name} is {how}")),
        }
    }
    outcome
}

/// A package that says next to nothing is not missed where its folder is gone: the tests that were in it are.
fn went_with_its_folder(cwd: &Path, path: &Path, mark: &Mark) -> bool {
    let folder = path.parent().map(|folder| cwd.join(folder));
    is_package(path) && mark.size < PACKAGE_BYTES_MIN && folder.is_some_and(|folder| !folder.exists())
}

/// Whether a runner that found a test by its old path finds it by the new one.
fn may_move(old: &Path, new: &Path) -> bool {
    old.extension() == new.extension() && (is_called_test(new) || !is_called_test(old))
}

/// Of the tests that have other bytes than what was at their path before.
fn new_marks<'a>(
    tree: &Tree,
    before: &BTreeMap<String, Mark>,
    now: &'a [PathBuf],
) -> Vec<(&'a PathBuf, Mark)> {
    let seen = now.iter().filter_map(|path| {
        let mark = see(tree, path).ok()?.mark;
        (before.get(&text_of(path)) != Some(&mark)).then_some((path, mark))
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
            "src/tests.rs",
            "lib/test.py",
            "FooTests/Foo.swift",
            "FooTest/Foo.kt",
            "x/calc_tests/a.py",
            "calc-tests/a.js",
            "t/01-basic.t",
            "e2e/login.ts",
            "features/steps/a.rb",
            "x/login.feature",
            "x/login.cy.ts",
            "テスト/あ.py",
            "測試/a.py",
            "計算テスト.py",
            "tests/__init__.py",
            "FooTest.php",
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
            "src/features/login.ts",
            "tests.json",
            "latest/a.rs",
            "src/Contest.java",
            "e2e",
            "src/__init__.py",
        ] {
            assert!(!is_test(Path::new(path)), "{path}");
        }
    }
}
