//! The planted bugs are of use only as long as each fits the present sources: `scripts/planted-bugs` plants them, and this
//! test keeps them, their headers and their table (`docs/planted-bugs.md`) together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// As many as are promised at least.
const BUGS_MIN: usize = 24;
/// What a layer begins with: the script puts its own words behind it.
const LAYER: &str = "cargo test --";

/// A bug, as its patch tells it.
#[derive(Debug, PartialEq, Eq)]
struct Bug {
    what: String,
    layer: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All patches by the name of the bug.
fn patches() -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(root().join("tests/planted")).expect("the planted bugs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path)).collect()
}

/// What a patch says of its bug.
fn bug(text: &str) -> Result<Bug, String> {
    let mut lines = text.lines();
    let what = lines.next().filter(|line| line.ends_with('.') && line.len() > 20);
    let layer = lines.next().and_then(|line| line.strip_prefix("Caught-by: "));
    let layer = layer.filter(|layer| layer.starts_with(LAYER));
    let only_sources = text.lines().filter(|line| line.starts_with("--- ") || line.starts_with("+++ "));
    let mut only_sources =
        only_sources.map(|line| line.starts_with("--- a/src/") || line.starts_with("+++ b/src/"));
    match (what, layer) {
        (None, _) => Err("its first line does not say in a sentence what is wrong".to_owned()),
        (_, None) => Err(format!("its second line is not \"Caught-by: {LAYER}…\"")),
        _ if !only_sources.all(|is| is) => Err("it changes something else than the sources".to_owned()),
        (Some(what), Some(layer)) => Ok(Bug { what: what.to_owned(), layer: layer.to_owned() }),
    }
}

/// The rows of the table.
fn rows(page: &str) -> BTreeMap<String, Bug> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let [name, what, layer, _how_fast] = cells[..] else { return None };
        let layer = layer.strip_prefix('`')?.strip_suffix('`')?.to_owned();
        Some((name.to_owned(), Bug { what: what.to_owned(), layer }))
    };
    page.lines().filter_map(row).collect()
}

/// Asks `git`, which needs no repository for it, else `patch`; none where there is neither.
fn fits(patch: &Path, root: &Path) -> Option<Output> {
    let mut git = Command::new("git");
    // Not as a part of a repository in which this folder may lie: there it would leave the patch out, and say nothing.
    git.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root)).arg("-C").arg(root);
    let mut other = Command::new("patch");
    other.args(["--dry-run", "--force", "-p1", "-d"]).arg(root).arg("-i").arg(patch);
    git.args(["apply", "--check", "--verbose"]).arg(patch).output().or_else(|_| other.output()).ok()
}

#[test]
fn each_planted_bug_says_what_it_is_and_fits_the_sources() {
    let patches = patches();
    assert!(patches.len() >= BUGS_MIN, "{} planted bugs", patches.len());
    for (name, path) in &patches {
        assert!(path.extension().is_some_and(|extension| extension == "patch"), "{name} is no patch");
        assert!(
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{name} cannot stand in the table"
        );
        if let Err(why) = bug(&fs::read_to_string(path).expect("a patch")) {
            panic!("{name}: {why}");
        }
        let Some(output) = fits(path, &root()) else {
            println!("not tested: there is neither git nor patch");
            return;
        };
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(
            output.status.success() && !said.contains("Skipped"),
            "{name} does not fit any more:\n{said}"
        );
    }
}

#[test]
fn a_patch_that_does_not_fit_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let (name, path) = patches().pop_first().expect("a planted bug");
    let patch = fs::read_to_string(&path).expect("a patch");
    let file = patch.lines().find_map(|line| line.strip_prefix("--- a/")).expect("a file");
    let place = folder.path().join(file);
    fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
    let source = fs::read_to_string(root().join(file)).expect("a source");
    let tried = |text: &str| {
        fs::write(&place, text).expect("a source");
        fits(&path, folder.path()).map(|output| output.status.success())
    };
    assert_ne!(tried(&source), Some(false), "{name} fits outside of a repository as well");
    assert_ne!(tried("//! Something else.\n"), Some(true), "{name} does not fit this");
    assert!(bug("too short.\nCaught-by: cargo test --lib\n").is_err());
    assert!(bug("Something is wrong somewhere.\nCaught-by: nobody\n").is_err());
    assert!(bug("Something is wrong somewhere.\nCaught-by: cargo test --lib\n\n--- a/tests/x.rs\n").is_err());
}

#[test]
fn the_table_names_exactly_the_planted_bugs() {
    let page = fs::read_to_string(root().join("docs/planted-bugs.md")).expect("the page");
    let rows = rows(&page);
    let read = |path: &PathBuf| bug(&fs::read_to_string(path).expect("a patch")).expect("a header");
    let bugs: BTreeMap<String, Bug> =
        patches().iter().map(|(name, path)| (name.clone(), read(path))).collect();
    let names = |all: &BTreeMap<String, Bug>| all.keys().cloned().collect::<BTreeSet<_>>();
    let (there, told) = (names(&bugs), names(&rows));
    assert_eq!(
        there, told,
        "run `scripts/planted-bugs NAME` for those that are missing in docs/planted-bugs.md"
    );
    assert_eq!(bugs, rows, "docs/planted-bugs.md tells of them as their patches do");
}
