//! What says what a command does: the files that its words name, and those in which its program reads what to run. Whoever
//! changes one of them has changed the check by which he is measured.

use super::files::{COMPARED_BYTES_MAX, Mark, read, sha256};
use super::ground::Ground;
use super::part::{Part, Role, base_name};
use super::words::words;
use crate::io::regular::open_linked;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders above the agent's that are looked through for a repository.
const FOLDERS_MAX: usize = 40;
/// How much of a file says what is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// The value of this key of a JSON object.
    Key(&'static str),
    /// The sections whose names begin so, of a TOML or INI file.
    Sections(&'static str),
}

/// Program, file, how much of it, and whether the file is looked for in the folders above, too.
type Definition = (&'static [&'static str], &'static [&'static str], Extent, bool);

const NODE: &[&str] = &["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"];
const PYTEST: &[&str] = &["pytest", "py.test"];
const DEFINITIONS: [Definition; 12] = [
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"], Extent::Whole, false),
    (&["just"], &["justfile", "Justfile", ".justfile"], Extent::Whole, true),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"], Extent::Whole, true),
    (&["rake"], &["Rakefile", "rakefile"], Extent::Whole, true),
    (NODE, &["package.json"], Extent::Key("scripts"), true),
    (NODE, &[".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml"], Extent::Whole, true),
    (
        &["cargo", "rustc", "cargo-nextest"],
        &[".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"],
        Extent::Whole,
        true,
    ),
    (PYTEST, &["pytest.ini", ".pytest.ini", "conftest.py"], Extent::Whole, true),
    (PYTEST, &["tox.ini"], Extent::Sections("pytest"), true),
    (PYTEST, &["setup.cfg"], Extent::Sections("tool:pytest"), true),
    (PYTEST, &["pyproject.toml"], Extent::Sections("tool.pytest"), true),
    (&["tox"], &["tox.ini"], Extent::Whole, true),
];

/// Modules that run tests or look at a tree. Python takes a file or a folder of such a name in the agent's folder in place of them.
const PYTHON_RUNNERS: [&str; 14] = [
    "unittest",
    "pytest",
    "doctest",
    "nose2",
    "tox",
    "nox",
    "coverage",
    "twisted",
    "mypy",
    "pyright",
    "flake8",
    "pylint",
    "ruff",
    "compileall",
];

/// Where Python looks first for the runners that a command names behind `-m`.
fn modules(words: &[(String, Role)]) -> Vec<PathBuf> {
    let (mut found, mut is_python, mut is_next) = (Vec::new(), false, false);
    for (word, _) in words {
        let program = base_name(word);
        is_python |= program.starts_with("python") || program.starts_with("pypy");
        let name = match word.strip_prefix('-').filter(|option| is_python && !option.starts_with('-')) {
            _ if is_next => Some(word.as_str()),
            // `-m pytest`, `-Im pytest` and `-mpytest`.
            Some(option) => option.split_once('m').map(|(_, name)| name),
            None => None,
        };
        is_next = name == Some("");
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            // What follows is for the module.
            is_python = false;
            let name = name.split('.').next().unwrap_or(name);
            let files = [format!("{name}.py"), format!("{name}/__init__.py"), format!("{name}/__main__.py")];
            found.extend(files.map(PathBuf::from).into_iter().filter(|_| PYTHON_RUNNERS.contains(&name)));
        }
    }
    found
}

/// All parts that are there, by what they are called: a path as the command has it, or as seen from the agent's folder.
pub(super) fn parts(ground: &Ground, argv: &[String]) -> BTreeMap<String, Part> {
    let (mut found, mut read_from) = (BTreeMap::new(), Vec::new());
    let words = words(argv);
    // A name without a folder, as the first word, is looked for on `PATH`, not in the tree.
    let by_name = usize::from(words.first().is_some_and(|(word, _)| !word.contains('/')));
    for (word, role) in words.iter().skip(by_name) {
        if let Some(mark) = whole(ground, Path::new(word)) {
            read_from.extend((*role == Role::Program).then(|| PathBuf::from(word)));
            found.insert(word.clone(), Part { role: *role, mark });
        }
    }
    let mut folders: Vec<(PathBuf, bool)> = vec![(PathBuf::new(), false)];
    folders.extend(
        words.iter().filter(|(word, _)| ground.cwd.join(word).is_dir()).map(|(word, _)| (word.into(), false)),
    );
    folders.extend(above(&ground.cwd).into_iter().map(|folder| (folder, true)));
    let named = |programs: &[&str]| words.iter().any(|(word, _)| programs.contains(&base_name(word)));
    for (_, files, extent, upward) in DEFINITIONS.iter().filter(|(programs, ..)| named(programs)) {
        for (folder, _) in folders.iter().filter(|(_, is_above)| *upward || !is_above) {
            for file in *files {
                let path = folder.join(file);
                if let Some(mark) = part(ground, &path, *extent) {
                    let name = path.to_string_lossy().into_owned();
                    read_from.push(path);
                    let name = match extent {
                        Extent::Whole => name,
                        Extent::Key(key) => format!("{name} ({key})"),
                        Extent::Sections(start) => format!("{name} ([{start}…])"),
                    };
                    found.entry(name).or_insert(Part { role: Role::Definition, mark });
                }
            }
        }
    }
    for path in modules(&words) {
        if let Some(mark) = whole(ground, &path) {
            let name = path.to_string_lossy().into_owned();
            found.entry(name).or_insert(Part { role: Role::Definition, mark });
        }
    }
    let words: BTreeSet<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
    for (name, part) in super::steps::of(ground, &words, read_from) {
        found.entry(name).or_insert(part);
    }
    found
}

/// What is another thing than before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// What makes the check another one, a line each.
    pub(super) cheats: Vec<String>,
    /// Files that are named and are new, which may be.
    pub(super) new: Vec<String>,
    /// What is run and may be the work.
    pub(super) work: Vec<String>,
}

/// Compares what says what the command does.
pub(super) fn changes(before: &BTreeMap<String, Part>, now: &BTreeMap<String, Part>) -> Changes {
    let Changes { cheats: mut changed, mut new, mut work } = Changes::default();
    for (name, part) in before {
        match now.get(name) {
            Some(there) if there.mark == part.mark => {}
            _ if part.role == Role::Work => work.push(name.clone()),
            None => changed.push(format!("{name}, by which the command is defined, is gone")),
            Some(_) => {
                let cure = match part.role {
                    Role::Argument => ": a task that is to change it names it in its `files:`",
                    _ => "",
                };
                changed
                    .push(format!("{name}, by which the command is defined, was changed by the turn{cure}"));
            }
        }
    }
    for (name, part) in now.iter().filter(|(name, _)| !before.contains_key(*name)) {
        match part.role {
            Role::Argument | Role::Step | Role::Work => new.push(name.clone()),
            Role::Program | Role::Definition => {
                changed.push(format!("{name}, by which the command is defined, was not there before"));
            }
        }
    }
    Changes { cheats: changed, new, work }
}

/// The folders above, as seen from this one, up to that of its repository; none where there is no repository.
fn above(cwd: &Path) -> Vec<PathBuf> {
    let Ok(real) = std::fs::canonicalize(cwd) else { return Vec::new() };
    let up = real.ancestors().take(FOLDERS_MAX).position(|folder| folder.join(".git").exists());
    (1..=up.unwrap_or(0)).map(|steps| PathBuf::from("../".repeat(steps))).collect()
}

/// A file that is named and is in the tree or in the workspace.
fn whole(ground: &Ground, path: &Path) -> Option<Mark> {
    let at = ground.cwd.join(path);
    let is_ours = ground.holds(&at);
    is_ours
        .then(|| open_linked(&at).ok().flatten())?
        .and_then(|file| Some(read(file, COMPARED_BYTES_MAX).ok()?.mark))
}

fn part(ground: &Ground, path: &Path, extent: Extent) -> Option<Mark> {
    let at = ground.cwd.join(path);
    let file = open_linked(&at).ok().flatten()?;
    if extent == Extent::Whole {
        return Some(read(file, COMPARED_BYTES_MAX).ok()?.mark);
    }
    let text = std::fs::read(&at).ok().filter(|bytes| bytes.len() as u64 <= COMPARED_BYTES_MAX)?;
    let of_text = |text: &str| Mark {
        size: text.len() as u64,
        sha256: Some(sha256(text.as_bytes())),
        changed_ns: None,
    };
    let text = String::from_utf8_lossy(&text);
    let said = match extent {
        Extent::Key(key) => match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(value) => value.get(key).map(sorted),
            // Nobody can run it either; that it became so is a change.
            Err(_) => Some(text.into_owned()),
        },
        Extent::Sections(start) => Some(sections(&text, start)).filter(|text| !text.is_empty()),
        Extent::Whole => None,
    };
    said.as_deref().map(of_text)
}

/// A value as JSON whose keys are in order.
fn sorted(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(members) => {
            let members: BTreeMap<&String, String> =
                members.iter().map(|(key, value)| (key, sorted(value))).collect();
            format!("{members:?}")
        }
        other => other.to_string(),
    }
}

/// The lines of the sections whose names begin so.
fn sections(text: &str, start: &str) -> String {
    let mut is_in = false;
    let mut said = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            is_in = name.trim_start_matches('[').trim_start().trim_start_matches('"').starts_with(start);
        }
        let line = line.trim();
        if is_in && !line.is_empty() {
            said.push_str(line);
            said.push('\n');
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_read_without_the_others() {
        let text = "[tool.x]\na = 1\n[tool.pytest.ini_options]\naddopts = \"-q\"\n\n[[other]]\nb = 2\n";
        assert_eq!(sections(text, "tool.pytest"), "[tool.pytest.ini_options]\naddopts = \"-q\"\n");
        assert_eq!(sections("[pytest]\nx=1\n", "tool:pytest"), "");
    }
}
