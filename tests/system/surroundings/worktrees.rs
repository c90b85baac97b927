//! Worktrees on a disk that fills up: what could not be made leaves nothing, and nothing is removed that could not be kept.

use super::disks::{Mount, fill};
use super::not_tested;
use std::path::Path;
use std::process::Command;
use tasuki::engine::flow::branch::BranchName;
use tasuki::io::clock::Clock;
use tasuki::io::evidence::environment;
use tasuki::io::workspace::Workspace;
use tasuki::io::worktree::{Repository, WorktreeError};

fn sh(folder: &Path, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(folder).env("HOME", folder).env("LC_ALL", "C.UTF-8");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
    }
    let done = command.output().expect("sh");
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("UTF-8").trim_end().to_owned()
}

/// Whether an error says that there is no room.
fn is_told(error: &WorktreeError) -> bool {
    match error {
        WorktreeError::Io { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
        error => error.to_string().contains("the disk is full: make room"),
    }
}

#[test]
fn a_full_disk_leaves_no_half_of_a_worktree_and_takes_none_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("the folder");
    let Some(_mount) = Mount::small(&root) else { return not_tested("worktrees on a full disk") };
    sh(
        &root,
        "git init -q -b main; head -c 1500000 /dev/urandom > large; git add large; git commit -qm large",
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let workspace = Workspace::at(&root).expect("a workspace");
        let env = environment(std::env::vars_os(), &[]);
        let found = Repository::find(&root, &workspace, &env, Clock::start()).await;
        let repository = found.expect("a repository");
        let branch = BranchName::new("agent/a").expect("a name");
        for left in [0, 4_096, 16 << 10, 64 << 10, 1 << 20] {
            fill(&root, left);
            let error = repository.make(&branch, "x", &[]).await.expect_err("a full disk");
            assert!(is_told(&error), "{left}: {error:?}");
            let there = sh(&root, "git branch --list 'agent/*'; git worktree list | wc -l; ls -A .orchestrator-worktrees 2>&1 | grep -v 'No such' || :; ls .git/tasuki/worktrees; find .git -name '*.lock'");
            assert_eq!(there, "1", "{left}");
            std::fs::remove_file(root.join("fill")).expect("room");
        }
        let made = repository.make(&branch, "x", &[]).await.expect("room");
        sh(&made.path, "head -c 1500000 /dev/urandom > more; git add more; git commit -qm more; git tag kept");
        for left in [0, 16 << 10, 256 << 10] {
            fill(&root, left);
            let error = repository.remove(&branch).await.expect_err("a full disk");
            assert!(is_told(&error), "{left}: {error:?}");
            assert!(made.path.join("more").is_file(), "{left}");
            std::fs::remove_file(root.join("fill")).expect("room");
        }
        repository.remove(&branch).await.expect("room");
        let back = repository.restore("agent/a").await.expect("room");
        assert_eq!(sh(&back.path, "git status --porcelain; git rev-parse HEAD"), sh(&root, "git rev-parse kept"));
    });
}
