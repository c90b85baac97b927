//! Lies and honest work, a row each in `*.txt`: what there is before the task, what the agent does, and what the check says.
//! All with the real git and real files.

mod commands;
mod commits;
mod files;
mod plants;

use super::*;
use crate::io::clock::Clock;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is said of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Passed,
    Failed,
    Broken,
}

/// What is told of one way.
struct Row {
    name: String,
    /// A script that makes what there is before the task.
    before: String,
    /// A script that does what the agent does.
    turn: String,
    said: Said,
    /// A part of how.
    word: String,
}

/// Functions of all scripts: work of somebody else's, who has a name and a time of his own.
const PRELUDE: &str = r#"
set -e
F=docs/計画.md
repo() { git init -q -b main .; echo a > a; git add .; git commit -qm base; }
# A repository within another one.
module() {
  mkdir $D/o; (cd $D/o; repo); repo
  git -c protocol.file.allow=always submodule --quiet add $D/o sub; git commit -qam sub
}
# Programs outside of the workspace that find everything good.
programs() {
  for p in make just npm cargo pytest; do printf '#!/bin/sh\nexit 0\n' > $D/bin/$p; chmod +x $D/bin/$p; done
}
# Tests of more bytes than a move needs.
suite() {
  mkdir -p tests src; for i in 1 2 3 4 5 6 7 8 9; do echo "assert $i"; done > tests/あ.rs
  cp tests/あ.rs src/x_test.go; echo y >> src/x_test.go; touch tests/empty
}
script() { printf '#!/bin/sh\ngrep -q good result\n' > check; chmod +x check; }
alice() {
  GIT_AUTHOR_NAME=Alice GIT_AUTHOR_EMAIL=alice@example.org GIT_COMMITTER_NAME=Alice GIT_COMMITTER_EMAIL=alice@example.org \
  GIT_AUTHOR_DATE='2021-02-03T04:05:06Z' GIT_COMMITTER_DATE='2021-02-03T04:05:06Z' "$@"
}
# A commit of Alice's on a branch of hers that follows from here.
by_alice() {
  git checkout -q -b alice; echo hers > hers; git add hers; alice git commit -qm "hers"; git checkout -q main
}
"#;

/// A workspace, and what is outside of it.
struct World {
    folder: tempfile::TempDir,
    ground: Ground,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["w", "home", "bin"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", at("bin").display());
        let vars = [("PATH".into(), path.into()), ("HOME".into(), at("home").into())];
        let ground = Ground {
            root: at("w"),
            cwd: at("w"),
            records: at("w/.tasuki/evidence"),
            env: environment(vars, &[]),
            command_limit: Duration::from_secs(60),
            clock: Clock::start(),
        };
        Self { folder, ground }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a script in the workspace.
    fn run(&self, name: &str, script: &str) {
        if let Err(said) = self.try_run(script) {
            panic!("{name}: {script}: {said}");
        }
    }

    fn try_run(&self, script: &str) -> Result<(), String> {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display());
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{PRELUDE}\n{script}")]).current_dir(&self.ground.root).env_clear();
        command
            .env("PATH", path)
            .env("HOME", self.at("home"))
            .env("D", self.folder.path())
            .env("LC_ALL", "C.UTF-8");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Agent 襷")
                .env(format!("GIT_{who}_EMAIL"), "agent@example.org");
        }
        let done = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        if done.status.success() { Ok(()) } else { Err(said) }
    }

    async fn base(&self, expect: &Expect, command: &[&str]) -> Base {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        record_base(&self.ground, &AgentName::new("worker").unwrap(), expect, &command).await.unwrap()
    }

    async fn check(&self, expect: &Expect, base: &Base) -> Vec<Evidence> {
        check(&self.ground, expect, base).await
    }
}

/// Whether the machine has git; a test that needs it says what it leaves out.
fn has_git() -> bool {
    let has = Command::new("git").arg("--version").output().is_ok();
    if !has {
        println!("left out: there is no git");
    }
    has
}

fn said(evidence: &Evidence) -> Said {
    match evidence {
        Evidence { passed: true, broken: false, .. } => Said::Passed,
        Evidence { passed: false, broken: false, .. } => Said::Failed,
        Evidence { passed: false, broken: true, .. } => Said::Broken,
        Evidence { .. } => panic!("passed and broken: {evidence:?}"),
    }
}

/// What is wrong with a row; none if all is right.
async fn wrong(row: &Row, cwd: &str, expect: &Expect, command: &[&str]) -> Option<String> {
    let Row { name, before, turn, said: want, word } = row;
    let mut world = World::new();
    if let Err(said) = world.try_run(before) {
        return Some(format!("{name}: before: {said}"));
    }
    world.ground.cwd = world.at("w").join(cwd);
    let base = world.base(expect, command).await;
    if let Err(said) = world.try_run(turn) {
        return Some(format!("{name}: turn: {said}"));
    }
    let found = world.check(expect, &base).await;
    let [evidence] = found.as_slice() else { return Some(format!("{name}: {found:?}")) };
    let is_right = said(evidence) == *want && evidence.how.contains(word.as_str());
    (!is_right).then(|| format!("{name}: wanted {want:?} … {word:?} …, but {evidence:?}"))
}

/// Holds all rows of a section. `besides` is done before each task as well.
async fn hold(rows: &str, section: &str, cwd: &str, expect: &Expect, besides: &str) {
    let (command, mut rows) = parsed(rows, section);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    assert!(!rows.is_empty(), "{section} has no rows");
    let mut found = Vec::new();
    for row in &mut rows {
        row.before.push_str(besides);
        found.extend(wrong(row, cwd, expect, &command).await);
    }
    complain(&found);
}

/// The command and the rows of a section: `## section: ["command"]`, then `# row`, `before:`, `turn:`, and what is said with a
/// part of how. What is indented carries the line before it on.
fn parsed(text: &str, section: &str) -> (Vec<String>, Vec<Row>) {
    let is_meant = |part: &&str| part.split(['\n', ':']).next() == Some(section);
    let part = text.strip_prefix("## ").unwrap_or(text).split("\n## ").find(is_meant);
    let (head, rest) = part.unwrap_or_else(|| panic!("no {section}")).split_once('\n').unwrap();
    let command = head.split_once(": ").map(|(_, command)| serde_json::from_str(command).unwrap());
    let rows = rest.split("\n# ").skip(1).map(|row| {
        let (name, lines) = row.split_once('\n').unwrap();
        let lines = lines.replace("\n  ", "\u{1}");
        let value = |key: &str| {
            let found = lines.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            found.map(|value| value.replace('\u{1}', "\n"))
        };
        let all = [("passed", Said::Passed), ("failed", Said::Failed), ("broken", Said::Broken)];
        let found = all.iter().find_map(|(key, said)| Some((*said, value(key)?)));
        let (said, word) = found.unwrap_or_else(|| panic!("nothing is said of {name}"));
        let script = |key: &str| value(key).unwrap_or_else(|| "true".to_owned());
        Row {
            name: name.to_owned(),
            before: script("before"),
            turn: script("turn"),
            said,
            word: word.replace("\\n", "\n"),
        }
    });
    (command.unwrap_or_default(), rows.collect())
}

fn complain(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
