//! What the files of a command run or include in their turn: a script that a Makefile starts defines the command as much as the
//! Makefile does. Only what is named letter by letter is seen, and of rules and scripts only those that the command reaches.

use super::files::{COMPARED_BYTES_MAX, read};
use super::ground::Ground;
use super::part::{Part, Role, interprets};
use super::suite::is_test;
use crate::io::regular::open_linked;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// Files that are found so; a command of more is a build.
const FILES_MAX: usize = 100;
/// From a Makefile to a script, to another, to what that includes.
const DEPTH_MAX: usize = 3;
/// Bytes of a file in which names are looked for.
const TEXT_BYTES_MAX: u64 = 1 << 20;
/// Folders of scripts that build and check. A script elsewhere may be the very work.
const HELPERS: [&str; 9] = ["scripts", "script", "tools", "ci", ".ci", ".github", "hack", "make", "mk"];
/// Words before the one that says what is run.
const BEFORE: [&str; 14] = [
    "exec", "env", "command", "time", "nohup", "if", "elif", "then", "else", "while", "until", "do", "!", "{",
];
/// How scripts name the folder in which they are.
const HERE: [&str; 7] = [
    "\"$(dirname \"$0\")\"",
    "$(dirname \"$0\")",
    "$(dirname -- \"$0\")",
    "$(dirname $0)",
    "$(dirname \"${BASH_SOURCE[0]}\")",
    "${0%/*}",
    "$(CURDIR)",
];

/// The files that these files run or include, by their paths as seen from the agent's folder. `words` are the command's: they
/// name rules of a Makefile and scripts of a package.
pub(super) fn of(ground: &Ground, words: &BTreeSet<&str>, from: Vec<PathBuf>) -> BTreeMap<String, Part> {
    let mut found: BTreeMap<String, Part> = BTreeMap::new();
    let mut open = from;
    for _ in 0..DEPTH_MAX {
        let mut next = Vec::new();
        for file in open {
            let text = text(ground, &file).unwrap_or_default();
            for (named, is_included) in named(&file, &text, words) {
                let Some((path, mut part)) = there(ground, &file, &named) else { continue };
                let is_step = is_included || is_helper(&path);
                part.role = if is_step { Role::Step } else { Role::Work };
                let name = path.to_string_lossy().into_owned();
                let is_known = found.get(&name).is_some_and(|known| known.role == part.role || !is_step);
                if is_known || found.len() >= FILES_MAX {
                    continue;
                }
                found.insert(name, part);
                // Of the work itself, nothing is held against whoever does it.
                next.extend(is_step.then_some(path));
            }
        }
        open = next;
    }
    found
}

fn is_helper(path: &Path) -> bool {
    path.components().any(|part| HELPERS.iter().any(|helper| part.as_os_str() == *helper))
}

/// The text of a file of the workspace; none of a program that was compiled.
fn text(ground: &Ground, path: &Path) -> Option<String> {
    let at = ground.cwd.join(path);
    let file = ground.holds(&at).then(|| open_linked(&at).ok().flatten())??;
    let mut bytes = Vec::new();
    file.take(TEXT_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The file that is meant by a name: as seen from the agent's folder, or from that of the file that names it. Neither a test,
/// which a turn may change, nor what a build makes.
fn there(ground: &Ground, file: &Path, named: &str) -> Option<(PathBuf, Part)> {
    let beside = file.parent().unwrap_or(Path::new("")).join(named);
    [plain(Path::new(named)), plain(&beside)].into_iter().find_map(|path| {
        text(ground, &path).filter(|_| !is_test(&path))?;
        let file = open_linked(&ground.cwd.join(&path)).ok().flatten()?;
        let mark = read(file, COMPARED_BYTES_MAX).ok()?.mark;
        Some((path, Part { role: Role::Work, mark }))
    })
}

/// The path without steps that lead nowhere.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// What a file names to be run, or included (`true`).
fn named(file: &Path, text: &str, words: &BTreeSet<&str>) -> Vec<(String, bool)> {
    let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
    let is_of_rules = name.ends_with("makefile") || name.ends_with("justfile") || kind == "mk";
    if is_of_rules {
        return commands(&reached(&rules(text), words, true), true);
    }
    if name == "package.json" {
        return commands(&reached(&scripts(text), words, false), false);
    }
    let first = text.lines().next().unwrap_or_default();
    let is_of_shell = ["sh", "bash", "zsh", "dash", "ksh"].contains(&kind)
        || (kind.is_empty() && (!first.starts_with("#!") || first.contains("sh")));
    if is_of_shell { commands(text, false) } else { Vec::new() }
}

/// A rule of a Makefile, or a script of a package.
struct Rule {
    /// What it is called; lines outside of all rules have no name, and always count.
    names: Vec<String>,
    needs: String,
    text: String,
}

fn rules(text: &str) -> Vec<Rule> {
    let mut all: Vec<Rule> = Vec::new();
    for line in text.replace("\\\n", " ").lines() {
        let header = line.split_once(':').filter(|(names, rest)| {
            !line.starts_with([' ', '\t', '#']) && !names.contains('=') && !rest.starts_with('=')
        });
        if let Some((names, rest)) = header {
            let (needs, text) = rest.split_once(';').unwrap_or((rest, ""));
            let names = names.split_whitespace().map(str::to_owned).collect();
            all.push(Rule { names, needs: needs.to_owned(), text: format!("{text}\n") });
        } else if let Some(rule) = all.last_mut().filter(|_| line.starts_with([' ', '\t'])) {
            rule.text.push_str(line);
            rule.text.push('\n');
        } else if !line.trim().is_empty() {
            all.push(Rule { names: Vec::new(), needs: String::new(), text: format!("{line}\n") });
        }
    }
    all
}

fn scripts(text: &str) -> Vec<Rule> {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let scripts = value.get("scripts").and_then(serde_json::Value::as_object);
    let scripts = scripts.into_iter().flatten().filter_map(|(name, script)| Some((name, script.as_str()?)));
    let rule = |(name, script): (&String, &str)| {
        let needs = format!("pre{name} post{name}");
        Rule { names: vec![name.clone()], needs, text: format!("{script}\n") }
    };
    scripts.map(rule).collect()
}

/// The text of the rules that are reached from these words; where they name none, from the first rule if that is the `default`.
fn reached(rules: &[Rule], words: &BTreeSet<&str>, default: bool) -> String {
    let is_named = |rule: &&Rule| rule.names.iter().any(|name| words.contains(name.as_str()));
    let mut open: Vec<&Rule> = rules.iter().filter(is_named).collect();
    if open.is_empty() && default {
        let is_goal = |rule: &&Rule| rule.names.first().is_some_and(|name| !name.starts_with('.'));
        open.extend(rules.iter().find(is_goal));
    }
    open.extend(rules.iter().filter(|rule| rule.names.is_empty()));
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut text = String::new();
    while let Some(rule) = open.pop() {
        text.push_str(&rule.text);
        seen.extend(rule.names.iter().map(String::as_str));
        let said = format!("{} {}", rule.needs, rule.text);
        let said: BTreeSet<&str> =
            said.split(|c: char| c.is_whitespace() || ";&|()'\"`@".contains(c)).collect();
        for other in rules {
            let leads = other.names.iter().any(|name| said.contains(name.as_str()));
            let is_new = !other.names.iter().any(|name| seen.contains(name.as_str()));
            if leads && is_new {
                seen.extend(other.names.iter().map(String::as_str));
                open.push(other);
            }
        }
    }
    text
}

/// What the commands of a text run, or include (`true`).
fn commands(text: &str, is_make: bool) -> Vec<(String, bool)> {
    let text = HERE.iter().fold(text.replace("\\\n", " "), |text, here| text.replace(here, "."));
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let commands = lines.flat_map(|line| line.split(|c: char| ";&|()`".contains(c)));
    let mut all = Vec::new();
    for command in commands {
        let is_quote = |c: char| c == '"' || c == '\'';
        let words = command.split_whitespace().map(|word| word.trim_matches(is_quote));
        let mut words = words.skip_while(|word| BEFORE.contains(word) || word.contains('='));
        let Some(first) = words.next().map(|word| word.trim_start_matches(['@', '-', '+'])) else { continue };
        match first {
            "." | "source" => all.extend(words.next().map(|word| (word.to_owned(), true))),
            "include" | "sinclude" if is_make => all.extend(words.map(|word| (word.to_owned(), true))),
            _ if interprets(first) => {
                // Behind these comes no script; to a shell, `-e` says something else.
                let is_shell = first.ends_with("sh");
                let no_script = |word: &&str| matches!(*word, "-c" | "-m") || (*word == "-e" && !is_shell);
                let script = words.take_while(|word| !no_script(word)).find(|word| !word.starts_with('-'));
                all.extend(script.map(|word| (word.to_owned(), false)));
            }
            _ if first.contains('/') => all.push((first.to_owned(), false)),
            _ => {}
        }
    }
    all
}
