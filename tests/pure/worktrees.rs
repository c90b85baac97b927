//! `tasuki worktree` through the built binary, without a daemon, in real repositories.

use std::path::Path;
use std::process::{Command, Output};
use tasuki::engine::flow::branch::BranchName;
use tasuki::io::clock::Clock;
use tasuki::io::evidence::environment;
use tasuki::io::workspace::Workspace;
use tasuki::io::worktree::Repository;
use tempfile::TempDir;

fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").expect("a PATH"));
    command.env("HOME", folder.join("home")).env("LANG", "C.UTF-8");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
    }
    command
}

fn tasuki(folder: &Path, arguments: &[&str], code: i32) -> String {
    let Output { status, stdout, stderr } =
        command(env!("CARGO_BIN_EXE_tasuki"), folder).args(arguments).output().expect("tasuki");
    let said = String::from_utf8([stdout, stderr].concat()).expect("UTF-8");
    assert_eq!(status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn sh(folder: &Path, script: &str) {
    let done = command("sh", folder).args(["-ec", script]).output().expect("sh");
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A workspace that is a repository, with these worktrees.
fn workspace(branches: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    tasuki(folder.path(), &["init", "--provider", "scripted"], 0);
    sh(folder.path(), "git init -q -b main; git add -A .; git commit -qm 'はじめ'");
    let workspace = Workspace::at(folder.path()).expect("a workspace");
    let env = environment(std::env::vars_os(), &[]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let found = Repository::find(workspace.root(), &workspace, &env, Clock::start()).await;
        let repository = found.expect("a repository");
        for branch in branches {
            let branch = BranchName::new(branch).expect("a name");
            repository.make(&branch, "test", &[]).await.expect("a worktree");
        }
    });
    folder
}

#[test]
fn worktrees_are_listed_removed_and_got_back_without_a_daemon() {
    let folder = workspace(&["agent/clean", "agent/dirty"]);
    let at = folder.path();
    sh(&at.join(".orchestrator-worktrees/agent-dirty"), "echo x > '書きかけ'");
    let listed = tasuki(at, &["worktree", "list"], 0);
    assert!(listed.contains("agent-clean") && listed.contains("nothing stands in the way"), "{listed}");
    assert!(listed.contains("1 file not committed (書きかけ)"), "{listed}");
    let dry = tasuki(at, &["worktree", "prune", "--dry-run"], 0);
    assert!(
        dry.contains("agent-clean: would be removed\n")
            && dry.contains("1 worktree would be removed, 1 stay"),
        "{dry}"
    );
    assert!(at.join(".orchestrator-worktrees/agent-clean").is_dir());
    let value: serde_json::Value =
        serde_json::from_str(&tasuki(at, &["worktree", "prune", "--json"], 0)).expect("JSON");
    assert_eq!(
        (&value["worktrees"][0]["removed"], &value["worktrees"][1]["removed"]),
        (&true.into(), &false.into())
    );
    assert_eq!(value["worktrees"][1]["obstacles"][0]["kind"], "dirty");
    assert!(!at.join(".orchestrator-worktrees/agent-clean").exists());
    let listed = tasuki(at, &["worktree", "list"], 0);
    assert!(listed.contains("in the trash, for `tasuki worktree restore`: 1"), "{listed}");
    let back = tasuki(at, &["worktree", "restore", "agent/clean"], 0);
    assert!(back.starts_with("agent/clean is in ") && back.contains("agent-clean again"), "{back}");
    assert!(at.join(".orchestrator-worktrees/agent-clean/tasuki.yaml").is_file());
    let value: serde_json::Value =
        serde_json::from_str(&tasuki(at, &["worktree", "list", "--json"], 0)).expect("JSON");
    assert_eq!(
        (value["worktrees"].as_array().map(Vec::len), &value["trash"]),
        (Some(2), &serde_json::json!([]))
    );
}

#[test]
fn what_cannot_be_done_has_its_exit_code_and_a_cure() {
    let folder = workspace(&["agent/a"]);
    let at = folder.path();
    let said = tasuki(at, &["worktree", "restore", "agent/none"], 2);
    assert!(said.contains("does not exist; see `tasuki worktree list`"), "{said}");
    let agents = command(env!("CARGO_BIN_EXE_tasuki"), at)
        .args(["worktree", "prune"])
        .env("TASUKI_AGENT_KEY", "x")
        .output()
        .expect("tasuki");
    assert_eq!(agents.status.code(), Some(2), "{agents:?}");
    sh(at, "mv .git away");
    let said = tasuki(at, &["worktree", "list"], 2);
    assert!(said.contains("is in no git repository; make one with `git init`"), "{said}");
}
