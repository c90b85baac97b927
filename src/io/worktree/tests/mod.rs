//! Worktrees by the real git, in repositories as people have them.

mod again;
mod astray;
mod bringing;
mod catching_up;
mod elsewhere;
mod ending;
mod half_states;
mod hostile;
mod kills;
mod making;
mod removing;
mod setting_up;
mod submodules;

use super::*;
use crate::engine::flow::branch::BranchName;
use crate::engine::job::TreeStart;
use crate::io::clock::Clock;
use crate::io::evidence::environment;
use crate::io::workspace::Workspace;
use crate::wire::team_file::Env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A workspace `w`, which is a repository where a script has made it one, and what is beside it.
struct World {
    folder: tempfile::TempDir,
    env: Env,
}

/// Functions of all scripts.
const PRELUDE: &str = r#"
set -e
repo() { git init -q -b main .; echo a > a; git add .; git commit -qm base; }
# A branch with a file of its own.
branch() { git checkout -q -b $1 main; echo "$2" > "$3"; git add .; git commit -qm "$1 写"; git checkout -q main; }
"#;

impl World {
    /// With a repository of one commit.
    fn new() -> Self {
        let world = Self::empty("w");
        world.run("repo");
        world
    }

    fn empty(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", name] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let home = folder.path().join("home");
        let vars = [("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("HOME".into(), home.into())];
        Self { env: environment(vars, &[]), folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("w")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn run(&self, script: &str) -> String {
        self.run_in(&self.root(), script)
    }

    fn run_in(&self, folder: &Path, script: &str) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{PRELUDE}\n{script}")]).current_dir(folder).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.folder.path().join("home"));
        command.env("LC_ALL", "C.UTF-8").env("D", self.folder.path());
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Agent 襷")
                .env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        let done = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{script}: {said}");
        String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
    }

    async fn repository(&self) -> Repository {
        self.try_repository(&self.root()).await.unwrap()
    }

    async fn try_repository(&self, folder: &Path) -> Result<Repository, WorktreeError> {
        let workspace = Workspace::at(&self.folder.path().join("home")).unwrap();
        Repository::find(folder, &workspace, &self.env, Clock::start()).await
    }

    /// Everything that there is of worktrees: branches, folders, what git and tasuki know. Records of what was removed stay.
    fn left(&self) -> String {
        self.run(
            "git for-each-ref refs/heads/agent; ls -A .orchestrator-worktrees .git/worktrees 2>/dev/null || :
            ls -A .git/tasuki/worktrees | grep -v '^lock$' || :
            find .git -name '*.lock'; git config --get-regexp '^branch.agent' || :",
        )
    }
}

fn name(text: &str) -> BranchName {
    BranchName::new(text).unwrap()
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn from(names: &[&str]) -> Vec<TreeStart> {
    names.iter().map(|name| (*name).to_owned().into()).collect()
}
