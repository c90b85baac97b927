//! Lies and honest work, a row each: what there is before the task, what the agent does, and what the check says. All with the
//! real git and real files.

mod commands;
mod commits;
mod files;
mod plants;

use super::*;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is said of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Passed,
    Failed,
    Broken,
}

/// What it is called, what there is before, what the agent does, what is said, and a part of how.
type Row = (&'static str, &'static str, &'static str, Said, &'static str);

/// Functions of all scripts: work of somebody else's, who has a name and a time of his own.
const PRELUDE: &str = r#"
set -e
repo() { git init -q -b main .; echo a > a; git add .; git commit -qm base; }
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
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{PRELUDE}\n{script}")]).current_dir(&self.ground.root).env_clear();
        command.envs(&self.ground.env).env("D", self.folder.path()).env("LC_ALL", "C.UTF-8");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Agent 襷")
                .env(format!("GIT_{who}_EMAIL"), "agent@example.org");
        }
        let done = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{name}: {script}\n{said}");
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
    let (name, before, turn, want, word) = row;
    let mut world = World::new();
    world.run(name, before);
    world.ground.cwd = world.at("w").join(cwd);
    let base = world.base(expect, command).await;
    world.run(name, turn);
    let found = world.check(expect, &base).await;
    let [evidence] = found.as_slice() else { return Some(format!("{name}: {found:?}")) };
    let is_right = said(evidence) == *want && evidence.how.contains(word);
    (!is_right).then(|| format!("{name}: wanted {want:?} … {word} …, but {evidence:?}"))
}

fn complain(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
