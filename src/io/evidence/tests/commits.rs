//! Commits that were made, and others that only seem so.

use super::Said::{Broken, Failed, Passed};
use super::*;

const ROWS: &str = include_str!("commits.txt");

fn expect() -> Expect {
    Expect { commit: true, ..Expect::default() }
}

async fn hold_commits(section: &str, cwd: &str) {
    if has_git() {
        hold(ROWS, section, cwd, &expect(), "").await;
    }
}

/// HEAD does not move, or moves by what was not made here.
#[tokio::test]
async fn a_commit_that_was_not_made_here_does_not_count() {
    hold_commits("lies", "").await;
}

/// git's log, its objects and its refs are made to say what is not so.
#[tokio::test]
async fn neither_a_log_nor_an_object_nor_a_ref_is_believed_alone() {
    hold_commits("forgeries", "").await;
}

/// Ways in which work is committed.
#[tokio::test]
async fn a_commit_that_was_made_here_counts_however_it_was_made() {
    hold_commits("honest", "").await;
}

/// Of a task's worktree only its own branch reaches anybody.
#[tokio::test]
async fn a_commit_in_a_tasks_worktree_counts_on_its_own_branch() {
    hold_commits("own", ".orchestrator-worktrees/agent-task-1-abc").await;
}

#[tokio::test]
async fn a_commit_counts_wherever_in_a_repository_the_folder_is() {
    hold_commits("subfolder", "sub").await;
    hold_commits("worktree", "sub").await;
    if !has_git() {
        return;
    }
    let row = Row {
        name: "a folder with a strange name".to_owned(),
        before: "mkdir '日本 a\nb'; cd '日本 a\nb'; repo".to_owned(),
        turn: "cd 日*; echo b > a; git commit -qam x".to_owned(),
        said: Passed,
        word: " x".to_owned(),
    };
    complain(&wrong(&row, "日本 a\nb", &expect(), &[]).await.into_iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn what_git_itself_lacks_is_told_with_its_cure() {
    if !has_git() {
        return;
    }
    let mut world = World::new();
    world.run("repo", "repo");
    let base = world.base(&expect(), &[]).await;
    world.run("commit", "echo b > a; git commit -qam x");
    let path = world.ground.env.insert("PATH".to_owned(), "/nowhere".to_owned());
    let found = world.check(&expect(), &base).await;
    assert!(found[0].broken && found[0].how.contains("install git"), "{found:?}");
    // One that somebody put into the tree is none.
    world.run("git", "mkdir t; printf '#!/bin/sh\\ntouch ran\\n' > t/git; chmod +x t/git");
    let planted = format!("{}:t:.", world.at("w/t").display());
    world.ground.env.insert("PATH".to_owned(), planted.clone());
    assert!(world.check(&expect(), &base).await[0].broken);
    world.ground.env.insert("PATH".to_owned(), format!("{planted}:{}", path.unwrap()));
    assert_eq!(said(&world.check(&expect(), &base).await[0]), Passed);
    assert!(!world.at("w/ran").exists());
    // A base that says nonsense is no way past it.
    let nowhere = "1234567890123456789012345678901234567890";
    for (commit, want) in [("--all", Broken), ("HEAD", Broken), (nowhere, Failed)] {
        let base = Base { commit: Some(commit.to_owned()), ..base.clone() };
        assert_eq!(said(&world.check(&expect(), &base).await[0]), want, "{commit}");
    }
    let base = Base { record: None, ..base };
    assert_eq!(said(&world.check(&expect(), &base).await[0]), Broken);
}

#[tokio::test]
async fn nothing_of_the_repository_is_changed() {
    if !has_git() {
        return;
    }
    let world = World::new();
    world.run("repo", "repo; mkdir tests; echo x > tests/a; git add .; git commit -qm t; echo new > tests/b");
    let state = |world: &World| {
        let list = "find . -path ./.tasuki -prune -o -printf '%p %T@ %C@ %i %s\\n' | sort > $D/list";
        world.run("list", list);
        std::fs::read_to_string(world.at("list")).unwrap()
    };
    world.run("records", "mkdir -p .tasuki/evidence");
    // What the index knows of a file is out of date: git would write it anew.
    world.run("touch", "touch -d '2030-01-01' a tests/a");
    let before = state(&world);
    let expect = Expect { command: vec!["test".to_owned()], ..expect() };
    let base = world.base(&expect, &["true"]).await;
    assert_eq!(world.check(&expect, &base).await.len(), 2);
    assert_eq!(state(&world).replace("./.tasuki", ""), before.replace("./.tasuki", ""));
}
