//! The end of a role's worktree: it goes, and what was done there stays as a patch, whatever the role has done to it.

use super::*;

const SPEECH: &str = "debate-a1b2c3d4-e5f6-4890-abcd-ef1234567890-r1-qa";

/// The patch of what a script does in a role's worktree; none if there is none. Nothing else may be left.
async fn patch_of(script: &str) -> Option<String> {
    let world = World::new();
    world.run("mkdir src; echo 1 > src/一; echo src/ignored > .gitignore; git add .; git commit -qm more");
    let repository = world.repository().await;
    let made = repository.make(&name(SPEECH), "x", &[]).await.unwrap();
    world.run_in(&made.path, script);
    repository.end(&name(SPEECH), "x").await.unwrap();
    repository.end(&name(SPEECH), "x").await.unwrap();
    assert!(!made.path.exists(), "{script}");
    let left = world.run("git for-each-ref 'refs/heads/debate*'; ls -A .git/worktrees .git/tasuki/worktrees | grep -v lock || :");
    assert_eq!(left.replace(".git/tasuki/worktrees:", "").trim(), "", "{script}");
    let logs = made.path.parent().unwrap().parent().unwrap().join("logs");
    let names: Vec<_> = std::fs::read_dir(&logs).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let read = |name: &str| std::fs::read_to_string(logs.join(name)).ok();
    let (patch, commits) = (read("round1-qa.patch"), read("round1-qa.mbox"));
    assert_eq!(names.len(), patch.iter().chain(&commits).count(), "{names:?}");
    if commits.is_some() {
        world.run(&format!("git am -q '{}/round1-qa.mbox'", logs.display()));
        return commits;
    }
    if let Some(patch) = &patch {
        // It can be applied to the base.
        std::fs::write(world.at("../p"), patch).unwrap();
        world.run("git apply --index ../p");
    }
    patch
}

#[tokio::test]
async fn one_that_a_role_has_moved_is_named_and_what_was_done_there_stays_as_a_patch() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name(SPEECH), "x", &[]).await.unwrap();
    world.run_in(
        &made.path,
        "echo 新 > b; git add b; git commit -qm own; git init -q nest; echo 別 > c; git worktree move \"$PWD\" \"$D/moved 先\"",
    );
    let told = repository.end(&name(SPEECH), "x").await.unwrap_err().to_string();
    let to = moved_to(&told).expect("where it is").to_owned();
    assert_eq!(world.run_in(Path::new(&to), "cat b c"), "新\n別", "{told}");
    assert!(Path::new(&to).join("nest/.git").is_dir(), "what stays is not changed");
    let logs = made.path.parent().unwrap().parent().unwrap().join("logs");
    let patch = std::fs::read_to_string(logs.join("round1-qa.patch")).unwrap();
    assert!(patch.contains("+新"), "{patch}");
    world.run(&format!("git worktree move '{to}' '{}'", made.path.display()));
    repository.end(&name(SPEECH), "x").await.unwrap();
    assert!(!made.path.exists());
}

#[tokio::test]
async fn what_a_role_has_done_stays_as_a_patch_whatever_it_has_done_to_its_git() {
    for (script, kept) in [
        ("echo 新 > b", "+新"),
        ("echo 新 > b; rm .git", "+新"),
        ("echo 新 > b; rm .git; git init -q .; git add .; git commit -qm own", "+新"),
        ("git init -q nest; cd nest; echo 新 > 中; git add .; git commit -qm own", "+新"),
        ("git init -q nest; echo 新 > nest/中", "+新"),
        (
            "git init -q 'o*d/ [x]'; cd 'o*d/ [x]'; echo 新 > 中; git add .; git commit -qm own; cd ../..; git add .; git commit -qm link",
            "+新",
        ),
        ("git init -q src; echo 新 >> src/一", "+新"),
        // What is checked out at the end has not all that was committed.
        ("echo 新 > b; git add b; git commit -qm own; git checkout -q --detach HEAD~1", "+新"),
        ("echo 新 > b; git add b; git commit -qm own; git reset -q --hard HEAD~1", "+新"),
        ("git checkout -q --detach; echo 新 > b; git add b; git commit -qm own; git checkout -q -", "+新"),
        ("git commit -q --allow-empty -m 空; git rm -q a; git commit -qm less", "-a"),
    ] {
        let patch = patch_of(script).await;
        assert!(
            patch.as_ref().is_some_and(|patch| patch.lines().any(|line| line == kept)),
            "{script}: {patch:?}"
        );
    }
    for script in [
        "log=$(git rev-parse --git-path logs/HEAD); rm $log; mkfifo $log",
        ":",
        "touch src/ignored",
        "rm -rf \"$PWD\"",
    ] {
        assert_eq!(patch_of(script).await, None, "{script}");
    }
}

#[tokio::test]
async fn a_folder_that_had_half_gone_when_the_daemon_died_is_no_change() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name(SPEECH), "x", &[]).await.unwrap();
    let logs = made.path.parent().unwrap().parent().unwrap().join("logs");
    // Where it died: nothing was changed, and the folder is being removed.
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join("round1-qa.end"), "kept").unwrap();
    std::fs::remove_file(made.path.join("a")).unwrap();
    repository.end(&name(SPEECH), "x").await.unwrap();
    assert!(!made.path.exists());
    assert_eq!(std::fs::read_dir(&logs).unwrap().count(), 0);
}

#[tokio::test]
async fn one_that_is_locked_has_its_patch_and_goes_once_it_is_unlocked() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name(SPEECH), "x", &[]).await.unwrap();
    world.run_in(
        &made.path,
        "echo 新 > b; git add .; git commit -qm own; echo 途中 > c; git worktree lock --reason 鍵 .",
    );
    let error = repository.end(&name(SPEECH), "x").await.unwrap_err();
    assert!(error.to_string().contains("it is locked (鍵)"), "{error}");
    let patch = made.path.parent().unwrap().parent().unwrap().join("logs/round1-qa.patch");
    let kept = || std::fs::read_to_string(&patch).unwrap();
    assert!(kept().contains("+新") && kept().contains("+途中"), "{}", kept());
    let pruned = repository.prune(|_| false, false).await.unwrap();
    assert!(!pruned[0].removed && pruned[0].obstacles.len() == 1, "{pruned:?}");
    // Whoever unlocks it may have worked there.
    world.run_in(&made.path, "echo 後 > d; git worktree unlock .");
    let pruned = repository.prune(|_| false, false).await.unwrap();
    assert!(pruned[0].removed, "{pruned:?}");
    assert!(kept().contains("+途中") && kept().contains("+後"), "{}", kept());
    assert_eq!(world.run("git for-each-ref 'refs/heads/debate*'; ls -A .git/worktrees 2>/dev/null || :"), "");
    assert!(!made.path.exists() && !patch.with_extension("end").exists());
}
