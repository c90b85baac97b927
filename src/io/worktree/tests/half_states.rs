//! What a kill leaves, made by hand, and the same end of it.

use super::super::hold::Hold;
use super::super::record::{Progress, Record};
use super::*;
use std::time::Duration;

/// What is there when making a worktree was killed. `$W` is its folder, `$O` that which git has of it.
const MAKING: [(&str, &str); 14] = [
    ("only the record", ":"),
    ("a part of info/exclude", "printf '/.orchestrator-worktrees/' >> .git/info/exclude"),
    ("the lock of the branch", "mkdir -p .git/refs/heads/agent; touch .git/refs/heads/agent/a.lock"),
    ("the branch", "git branch agent/a agent/one"),
    ("git's folder, empty", "git branch agent/a agent/one; mkdir -p $O"),
    ("git's folder, locked", "git branch agent/a agent/one; mkdir -p $O; echo initializing > $O/locked"),
    (
        "the path in it",
        "git branch agent/a agent/one; mkdir -p $O; echo initializing > $O/locked; echo $W/.git > $O/gitdir",
    ),
    (
        "the link to it",
        "git branch agent/a agent/one; mkdir -p $O $W; echo initializing > $O/locked; echo $W/.git > $O/gitdir
        echo \"gitdir: $O\" > $W/.git",
    ),
    (
        "all but the files",
        "git worktree add -q --no-checkout $W -b agent/a agent/one; echo initializing > $O/locked",
    ),
    (
        "a part of the files, and the lock of the index",
        "git worktree add -q $W -b agent/a agent/one; rm $W/one; echo initializing > $O/locked; touch $O/index.lock",
    ),
    ("all of it", "git worktree add -q $W -b agent/a agent/one"),
    ("a merge under way", "git worktree add -q $W -b agent/a agent/one; git -C $W merge -q --no-commit agent/two"),
    (
        "a merge that is done, and the lock of HEAD",
        "git worktree add -q $W -b agent/a agent/one; git -C $W merge -q --no-edit agent/two; touch $O/HEAD.lock",
    ),
    (
        "all of it and its folders",
        "git worktree add -q $W -b agent/a agent/one; git -C $W merge -q --no-edit agent/two; mkdir -p $W/queue $W/status/agents",
    ),
];

fn script(text: &str) -> String {
    format!("W=$PWD/.orchestrator-worktrees/agent-a; O=$PWD/.git/worktrees/agent-a; {text}")
}

async fn killed_while_making(text: &str) -> (World, Repository) {
    let world = World::new();
    world.run("branch agent/one 1 one; branch agent/two 2 two");
    let repository = world.repository().await;
    let begins = ["agent/one", "agent/two"].map(|name| world.run(&format!("git rev-parse {name}")));
    let record = Record {
        names: Vec::new(),
        branch: name("agent/a"),
        owner: "x".to_owned(),
        from: begins.to_vec(),
        begun_s: 1_800_000_000,
        at: Progress::Making,
        is_set_up: false,
        trash: None,
    };
    repository.records.prepare().unwrap();
    repository.records.write(&record).unwrap();
    world.run(&script(text));
    (world, repository)
}

#[tokio::test]
async fn a_worktree_that_was_half_made_is_made_to_the_same_end() {
    for (what, text) in MAKING {
        let (world, repository) = killed_while_making(text).await;
        let made = repository.make(&name("agent/a"), "x", &from(&["agent/one", "agent/two"])).await;
        let made = made.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(world.run_in(&made.path, "git status --porcelain; git ls-files"), "a\none\ntwo", "{what}");
        assert_eq!(world.run("git log --format=%s -1 agent/a"), "Merge agent/two into agent/a", "{what}");
        assert_eq!(
            world.run("git worktree list | wc -l; ls .git/worktrees; find .git -name '*.lock'"),
            "2\nagent-a",
            "{what}"
        );
        assert!(!made.path.join(".git/locked").exists());
        assert_eq!(repository.list(|_| false).await.unwrap()[0].state, ListedState::There, "{what}");
    }
}

#[tokio::test]
async fn a_worktree_that_was_half_made_and_is_not_wanted_goes_without_a_trace() {
    for (what, text) in MAKING {
        let (world, repository) = killed_while_making(text).await;
        assert_eq!(repository.list(|_| false).await.unwrap()[0].state, ListedState::HalfMade, "{what}");
        repository.prune(|_| false, true).await.unwrap();
        assert!(world.left().contains("agent-a.json"), "{what}: a dry run changes nothing");
        let pruned = repository.prune(|_| false, false).await.unwrap();
        assert!(pruned[0].removed && pruned[0].entry.is_none(), "{what}");
        let left = world.left();
        assert!(
            !left.contains("agent-a") && !left.contains("agent/a") && !left.contains("lock"),
            "{what}: {left}"
        );
    }
}

#[tokio::test]
async fn a_commit_that_somebody_made_meanwhile_is_not_thrown_away() {
    let text = "git worktree add -q $W -b agent/a agent/one; cd $W; git commit -q --allow-empty -m mine";
    let (world, repository) = killed_while_making(text).await;
    let error = repository.make(&name("agent/a"), "x", &from(&["agent/one", "agent/two"])).await.unwrap_err();
    assert!(error.to_string().contains("somebody has committed to it"), "{error}");
    assert_eq!(world.run("git log -1 --format=%s agent/a"), "mine");
}

#[tokio::test]
async fn merges_that_are_made_again_are_the_same_commits() {
    let (world, repository) = killed_while_making(":").await;
    let parts = from(&["agent/one", "agent/two"]);
    let record = repository.records.read("agent-a").unwrap().unwrap();
    let mut bases = Vec::new();
    for _ in 0..2 {
        let hold = repository.hold().await.unwrap();
        let own = repository.check_out(&record, &record.from[0], &hold).await.unwrap();
        let path = repository.path_of(&record.branch);
        repository.merge_all(&record, &path, &own, &hold).await.unwrap();
        bases.push(repository.base_of("agent/a").await.unwrap());
        repository.clear_made(&record, &hold).await.unwrap();
        repository.records.write(&record).unwrap();
    }
    assert_eq!(bases[0], bases[1]);
    // Both may have been made within one second.
    assert_eq!(world.run(&format!("git log -1 --format='%at %ct' {}", bases[0])), "1800000000 1800000000");
    repository.make(&name("agent/a"), "x", &parts).await.unwrap();
}

/// What is there when a removal was killed.
#[tokio::test]
async fn a_removal_that_was_interrupted_comes_to_its_end() {
    for (what, text) in [
        ("only the record", ":"),
        ("a half of the bundle", "mkdir -p $E; touch $E/commits.bundle.lock $E/removed.tmp"),
        ("the entry", "mkdir -p $E; git bundle create -q $E/commits.bundle agent/a --not main"),
        ("a half of the files", "rm $W/b $W/a"),
        ("a half of the files and the link", "rm $W/b $W/.git"),
        ("no files", "rm -r $W"),
        ("a half of git's folder", "rm -r $W $O/HEAD $O/index"),
        ("a worktree that git does not know", "rm -r $O"),
        ("no worktree", "git worktree remove $W"),
        (
            "no worktree, and the lock of all packed refs",
            "git worktree remove $W; touch .git/packed-refs.lock",
        ),
        (
            "no branch, and the lock of the settings",
            "git worktree remove $W; git config branch.agent/a.remote o; mkdir -p $E
            git bundle create -q $E/commits.bundle agent/a --not main
            git update-ref -d refs/heads/agent/a; touch .git/config.lock",
        ),
        (
            "no worktree, and the lock of the branch",
            "git worktree remove $W; touch .git/refs/heads/agent/a.lock",
        ),
        (
            "nothing but the entry",
            "mkdir -p $E; git bundle create -q $E/commits.bundle agent/a --not main
            git worktree remove $W; git update-ref -d refs/heads/agent/a",
        ),
    ] {
        let world = World::new();
        let repository = world.repository().await;
        let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        world.run_in(&made.path, "echo b > b; git add .; git commit -qm b; git tag kept");
        let head = world.run("git rev-parse agent/a");
        let mut record = repository.records.read("agent-a").unwrap().unwrap();
        let entry = "agent-a-2026".to_owned();
        record.at = Progress::Removing {
            base: made.base.clone(),
            head: head.clone(),
            entry: entry.clone(),
            removed_ms: 1,
        };
        repository.records.write(&record).unwrap();
        let place = repository.trash.join(&entry);
        world.run(&script(&format!("E={}; {text}", place.display())));
        assert_eq!(repository.list(|_| false).await.unwrap()[0].state, ListedState::HalfRemoved, "{what}");
        let pruned =
            repository.prune(|_| false, false).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(pruned[0].entry.as_ref(), Some(&entry), "{what}");
        assert_eq!(world.left(), "agent-a.json", "{what}");
        let back = repository.restore("agent/a").await.unwrap();
        assert_eq!(world.run_in(&back.path, "git status --porcelain; git rev-parse HEAD"), head, "{what}");
    }
}

#[tokio::test]
async fn what_was_written_while_a_removal_was_interrupted_stays() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    let mut record = repository.records.read("agent-a").unwrap().unwrap();
    let (base, head, entry) = (made.base.clone(), made.base.clone(), "agent-a-2026".to_owned());
    record.at = Progress::Removing { base, head, entry, removed_ms: 1 };
    repository.records.write(&record).unwrap();
    world.run_in(&made.path, "rm a; echo mine > mine");
    let error = repository.remove(&name("agent/a")).await.unwrap_err();
    assert!(error.to_string().contains("1 file not committed (mine)"), "{error}");
    world.run_in(&made.path, "rm mine");
    repository.remove(&name("agent/a")).await.unwrap();
}

#[tokio::test]
async fn what_was_half_got_back_comes_back() {
    for (what, text) in [
        ("only the record", ":"),
        ("the branch", "git branch agent/a $H"),
        ("git's folder, locked", "git branch agent/a $H; mkdir -p $O; echo initializing > $O/locked"),
        ("a half of the files", "git worktree add -q $W -b agent/a $H; rm $W/a; touch $O/index.lock"),
        ("all of it", "git worktree add -q $W -b agent/a $H"),
    ] {
        let world = World::new();
        let repository = world.repository().await;
        let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        let entry = repository.remove(&name("agent/a")).await.unwrap();
        let mut record = repository.records.read("agent-a").unwrap().unwrap();
        let (base, head) = (made.base.clone(), made.base.clone());
        record.at = Progress::Restoring { base, head, entry: entry.clone() };
        repository.records.write(&record).unwrap();
        world.run(&script(&format!("H={}; {text}", made.base)));
        if what == "all of it" {
            let pruned = repository.prune(|_| false, false).await.unwrap();
            assert_eq!(pruned[0].entry.as_ref(), Some(&entry));
            assert_eq!(world.left(), "agent-a.json");
        }
        let back = repository.restore("agent/a").await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(back, made, "{what}");
        assert_eq!(world.run_in(&back.path, "git status --porcelain"), "", "{what}");
        assert!(!repository.trash.join(&entry).exists(), "{what}");
    }
}

#[tokio::test]
async fn a_git_that_outlives_its_daemon_keeps_the_lock() {
    let world = World::new();
    let repository = world.repository().await;
    let hold = repository.hold().await.unwrap();
    let held = hold.file().try_clone().unwrap();
    let mut git = std::process::Command::new("sleep").arg("600").stdin(held).spawn().unwrap();
    drop(hold);
    let folder = repository.records.lock_folder().to_owned();
    let error = Hold::take(&folder.join("lock"), Duration::ZERO).await.unwrap_err();
    assert!(error.to_string().contains("is held by another tasuki or by a git"), "{error}");
    git.kill().unwrap();
    git.wait().unwrap();
    // Whatever another test starts at this moment has the lock open until it has begun.
    Hold::take(&folder.join("lock"), Duration::from_secs(60)).await.unwrap();
}

#[tokio::test]
async fn each_git_that_changes_something_has_the_lock_open() {
    let mut world = World::new();
    world.run(
        r#"G=$(command -v git); mkdir $D/bin; printf '#!/bin/sh\necho "$(readlink /proc/$$/fd/0) $*" >> %s/calls\nexec %s "$@"\n' $D $G > $D/bin/git
        chmod +x $D/bin/git"#,
    );
    let path = format!("{}/bin:/usr/bin:/bin", world.folder.path().display());
    world.env.insert("PATH".to_owned(), path);
    let repository = world.repository().await;
    repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    repository.remove(&name("agent/a")).await.unwrap();
    let calls = std::fs::read_to_string(world.folder.path().join("calls")).unwrap();
    for words in ["update-ref --create-reflog", "worktree add", "worktree remove", "update-ref -d"] {
        let call =
            calls.lines().find(|call| call.contains(words)).unwrap_or_else(|| panic!("{words}: {calls}"));
        assert!(call.split(' ').next().unwrap().ends_with("/w/.git/tasuki/lock"), "{call}");
    }
}

#[tokio::test]
async fn a_lock_of_another_git_is_waited_for_four_times() {
    for (most, is_removed) in [(4, true), (5, false)] {
        let mut world = World::new();
        // A git that asks the real one, and gives the lock of somebody else back after so many tries.
        world.run(&format!(
            "G=$(command -v git); mkdir $D/bin; touch $D/tries; cat > $D/bin/git <<END
#!/bin/sh
$G \"\\$@\"; code=\\$?
case \"\\$*\" in *'update-ref -d'*)
  echo x >> $D/tries; [ \\$(wc -l < $D/tries) -lt {most} ] || rm -f $PWD/.git/packed-refs.lock ;;
esac
exit \\$code
END
            chmod +x $D/bin/git"
        ));
        let path = format!("{}/bin:/usr/bin:/bin", world.folder.path().display());
        world.env.insert("PATH".to_owned(), path);
        let repository = world.repository().await;
        repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        world.run("touch .git/packed-refs.lock");
        let removed = repository.remove(&name("agent/a")).await;
        assert_eq!(removed.is_ok(), is_removed, "{removed:?}");
        assert_eq!(world.run("wc -l < $D/tries"), "5");
        // Asked again, it goes on.
        repository.remove(&name("agent/a")).await.unwrap();
    }
}
