//! The house rules, run by `cargo test`: floors, circles, sizes, headers, forbidden words. Each rule has a test of itself.

mod circles;
mod docs;
mod fences;
mod glossary;
mod parsed;
mod prose;
mod sizes;
mod stages;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 60;

/// Words that have no place in the project.
const FORBIDDEN: &[&str] = &[
    "todo!(",
    "unimplemented!(",
    "dbg!(",
    "TODO",
    "FIXME",
    "XXX",
    "#[ignore",
    "#[allow(",
    "unbounded_channel(",
    // A path could not be followed through these.
    "extern crate",
    " include!(",
    "#[path",
];

struct Source {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let path = path.strip_prefix(root()).expect("below the root").display().to_string();
            found.push(Source { path, text });
        }
    }
}

/// The lines of a file that count: those before its test module.
fn production(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn long_functions(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (at, line) in production(text).lines().enumerate() {
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let head = line.trim_start();
        let starts = [
            "fn ",
            "pub fn ",
            "pub(super) fn ",
            "pub(crate) fn ",
            "async fn ",
            "pub async fn ",
            "pub(super) async fn ",
        ]
        .iter()
        .any(|start| head.starts_with(start));
        match &open {
            None if starts && !line.ends_with(';') && !line.ends_with('}') => {
                open = Some((at, indent, head.to_owned()))
            }
            Some((from, depth, name)) if line == format!("{depth}}}") => {
                if at - from > FUNCTION_LINES_MAX {
                    found.push(format!("{path}:{}: {} lines: {name}", from + 1, at - from + 1));
                }
                open = None;
            }
            _ => {}
        }
    }
    found
}

fn complain(breaches: &[String]) {
    assert!(breaches.is_empty(), "\n{}", breaches.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    let bare = |s: &Source| !s.text.starts_with("//!");
    complain(&sources("src").iter().filter(|s| bare(s)).map(|s| s.path.clone()).collect::<Vec<_>>());
    complain(&sources("tests").iter().filter(|s| bare(s)).map(|s| s.path.clone()).collect::<Vec<_>>());
}

#[test]
fn files_and_functions_stay_small() {
    let long = |s: &Source| {
        let lines = production(&s.text).lines().count();
        (lines > FILE_LINES_MAX).then(|| format!("{}: {lines} lines", s.path))
    };
    let mut found: Vec<String> = sources("src").iter().filter_map(long).collect();
    found.extend(sources("src").iter().flat_map(|s| long_functions(&s.path, &s.text)));
    complain(&found);
    let text = format!("fn f() {{\n{}}}\n", "    x();\n".repeat(FUNCTION_LINES_MAX + 1));
    assert_eq!(long_functions("a.rs", &text).len(), 1);
}

#[test]
fn nothing_is_left_behind() {
    let found: Vec<String> = sources("src")
        .iter()
        .flat_map(|s| {
            s.text.lines().enumerate().filter_map(|(at, line)| {
                let word = FORBIDDEN.iter().find(|word| line.contains(**word))?;
                Some(format!("{}:{}: {word}", s.path, at + 1))
            })
        })
        .collect();
    complain(&found);
}

#[test]
fn one_module_alone_may_be_unsafe() {
    let forms = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "(unsafe_code"];
    let found: Vec<String> = sources("src")
        .iter()
        .filter(|s| s.path != "src/io/c_library.rs")
        .filter(|s| {
            s.text.lines().any(|line| !is_comment(line) && forms.iter().any(|form| line.contains(form)))
        })
        .map(|s| s.path.clone())
        .collect();
    complain(&found);
}

#[test]
fn one_module_alone_reads_the_clock() {
    let clocks = ["SystemTime::now(", "Utc::now(", "Local::now("];
    let found: Vec<String> = sources("src")
        .iter()
        .filter(|s| s.path != "src/io/clock.rs")
        .filter(|s| production(&s.text).lines().any(|line| clocks.iter().any(|clock| line.contains(clock))))
        .map(|s| s.path.clone())
        .collect();
    complain(&found);
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let dependencies = manifest.split("\n[").filter(|part| part.contains("dependencies]"));
    let bare: Vec<String> = dependencies
        .flat_map(|part| part.lines().skip(1))
        .filter(|line| line.contains(" = ") && !line.trim_start().starts_with('#') && !line.contains(" # "))
        .map(str::to_owned)
        .collect();
    complain(&bare);
}

/// Programs that a source names: `Command::new("…")` and, in a script, `need …`.
fn programs(path: &str, text: &str) -> Vec<String> {
    if path.starts_with("scripts/") {
        let asked = text.lines().filter_map(|line| line.trim_start().strip_prefix("need "));
        return asked.filter_map(|words| words.split_whitespace().next()).map(str::to_owned).collect();
    }
    // tmux's own commands are made by a type of the same name.
    let ours = ["io::tmux::command", "super::command"];
    if ours.iter().any(|own| text.contains(own)) || path.starts_with("src/io/tmux/") {
        return Vec::new();
    }
    let named = text.split("Command::new(\"").skip(1);
    let named = named.filter_map(|rest| rest.split('"').next()).filter(|name| *name != "…");
    named.map(|name| name.rsplit('/').next().unwrap_or(name).to_owned()).collect()
}

#[test]
fn one_list_names_every_program_that_the_tests_start() {
    assert_eq!(
        programs("tests/a.rs", "x = Command::new(\"/bin/kill\").a(); Command::new(\"b\")"),
        ["kill", "b"]
    );
    assert_eq!(programs("scripts/a", "need cc build-essential\nneedless\n"), ["cc"]);
    let list = fs::read_to_string(root().join("scripts/programs.list")).expect("the list");
    let lines: Vec<Vec<&str>> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(lines.iter().all(|words| words.len() == 2), "a program and a package a line");
    let mut named: Vec<(String, String)> = Vec::new();
    for source in sources("tests").into_iter().chain(sources("src")) {
        if !source.path.starts_with("tests/pure/tidy/") {
            let found = programs(&source.path, &source.text);
            named.extend(found.into_iter().map(|name| (source.path.clone(), name)));
        }
    }
    let breaches: Vec<String> = named
        .iter()
        .filter(|(_, name)| !lines.iter().any(|words| words[0] == name))
        .map(|(path, name)| format!("{path} starts {name}, which scripts/programs.list does not name"))
        .collect();
    complain(&breaches);
    assert!(named.len() > 20, "{named:?}");
    let test = fs::read_to_string(root().join("scripts/test")).expect("the script");
    assert!(test.contains("need_all scripts/programs.list"), "scripts/test installs what the list names");
    assert_eq!(programs("scripts/test", &test), [""; 0], "and names none besides");
}

#[test]
fn the_map_names_a_test_for_each_invariant() {
    let map = fs::read_to_string(root().join("src/ARCHITECTURE.md")).expect("the map");
    let invariants: Vec<&str> =
        map.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert!(invariants.len() >= 10, "the ten invariants");
    let tests: String = sources("tests").iter().chain(&sources("src")).map(|s| s.text.clone()).collect();
    for invariant in invariants {
        let names: Vec<&str> = invariant.split('`').filter(|word| word.ends_with("()")).collect();
        assert!(!names.is_empty(), "no test is named in: {invariant}");
        for name in names {
            let function = format!("fn {}", name.trim_end_matches(')'));
            assert!(tests.contains(&function), "{name} does not exist: {invariant}");
        }
    }
}
