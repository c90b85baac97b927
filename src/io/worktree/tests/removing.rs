//! What is removed, what is not, and what comes back.

use super::*;

/// One worktree, whatever somebody did there, and a part of why it is not removed.
#[tokio::test]
async fn whatever_would_be_lost_is_told_and_stays() {
    for (script, said) in [
        ("echo b > a", "1 file not committed (a)"),
        ("echo x > '新しい file'", "1 file not committed (新しい file)"),
        ("rm a", "1 file not committed (a)"),
        ("git mv a b", "2 files not committed (a, b)"),
        ("git update-index --assume-unchanged a; echo b > a", "git is told not to look at 1 file (a)"),
        ("git update-index --skip-worktree a; echo b > a", "git is told not to look at 1 file (a)"),
        (
            "for n in $(seq 1 12); do touch f$n; done",
            "12 files not committed (f1, f10, f11, f12, f2, f3, f4, f5, f6, f7, …)",
        ),
        (
            "git commit -q --allow-empty -m 'a person was here 人'",
            "a person was here 人): merge or push them",
        ),
        ("git worktree lock --reason 'on a stick' .", "it is locked (on a stick)"),
        ("git worktree lock .", "it is locked: "),
        ("git checkout -q --detach", "is checked out there: check its own branch out"),
        ("git checkout -q -b agent/else", "agent/else is checked out there"),
        ("git branch -m agent/renamed", "its branch was deleted or renamed"),
        ("touch queue/later.yaml", "1 message in its queue/ not taken (later.yaml)"),
        ("touch $(git rev-parse --git-path index.lock)", "a command of git (index.lock) is under way"),
        (
            "git checkout -q -b x; echo 1 > a; git commit -qam 1; git checkout -q agent/a; echo 2 > a; git commit -qam 2; git merge -q x || :",
            "a merge is under way",
        ),
    ] {
        let world = World::new();
        let repository = world.repository().await;
        let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        world.run_in(&made.path, script);
        let error = repository.remove(&name("agent/a")).await.unwrap_err();
        assert!(error.to_string().contains(said) && error.is_refusal(), "{script}: {error}");
        assert!(made.path.join("queue").is_dir() && !repository.trash.exists(), "{script}");
        let pruned = repository.prune(|_| false, false).await.unwrap();
        assert!(!pruned[0].removed && !pruned[0].obstacles.is_empty(), "{script}");
    }
}

#[tokio::test]
async fn what_others_have_and_what_is_ignored_does_not_stay() {
    for script in [
        ":",
        "git commit -q --allow-empty -m merged; git -C ../.. merge -q agent/a",
        "git commit -q --allow-empty -m pushed; git update-ref refs/remotes/origin/agent/a HEAD",
        "git commit -q --allow-empty -m tagged; git tag kept",
        "echo target > ../../.git/info/more; cat ../../.git/info/more >> ../../.git/info/exclude; mkdir target; touch target/x",
    ] {
        let world = World::new();
        let repository = world.repository().await;
        let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        world.run_in(&made.path, script);
        let entry = repository.remove(&name("agent/a")).await.unwrap();
        assert_eq!(repository.remove(&name("agent/a")).await.unwrap(), entry, "once");
        assert_eq!(world.left(), "agent-a.json", "{script}");
    }
}

#[tokio::test]
async fn commits_that_a_branch_has_lost_come_into_the_trash_as_messages() {
    for (script, kept) in [
        ("echo 新 > b; git add b; git commit -qm new; git -C ../.. merge -q agent/a", false),
        ("echo 新 > b; git add b; git commit -qm new; git reset -q --hard HEAD~1", true),
        (
            "git checkout -q --detach; echo 新 > b; git add b; git commit -qm new; git checkout -q agent/a",
            true,
        ),
        (
            "echo 新 > b; git add b; git commit -qm new; echo > b; git commit -qa --amend -m other; git -C ../.. merge -q agent/a",
            true,
        ),
    ] {
        let world = World::new();
        let repository = world.repository().await;
        let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        world.run_in(&made.path, script);
        let pruned = repository.prune(|_| false, false).await.unwrap();
        assert_eq!((pruned[0].removed, pruned[0].left.is_some()), (true, kept), "{script}: {pruned:?}");
        repository.restore("agent/a").await.unwrap();
        if let Some(left) = &pruned[0].left {
            world.run(&format!(
                "git checkout -q -b again HEAD~0; git reset -q --hard {}; git am -q '{}'",
                made.base,
                left.display()
            ));
            assert_eq!(world.run("cat b").trim(), "新", "{script}");
        }
    }
}

#[tokio::test]
async fn one_in_which_git_hangs_keeps_no_other_from_being_listed() {
    let world = World::new();
    let repository = world.repository().await;
    for branch in ["agent/a", "agent/b", "agent/c"] {
        let made = repository.make(&name(branch), "x", &[]).await.unwrap();
        if branch == "agent/b" {
            world.run_in(&made.path, "echo '* filter=hangs' > .gitattributes; git config filter.hangs.clean 'sleep 1000'; touch -d tomorrow a");
        }
    }
    let repository = world.repository().await;
    let listed = repository.list_within(&|_| false, std::time::Duration::from_secs(2)).await.unwrap();
    let rows: Vec<String> = listed.iter().map(|one| format!("{:?}", one.obstacles)).collect();
    assert_eq!((listed.len(), &*rows[0], &*rows[2]), (3, "[]", "[]"), "{rows:?}");
    let said = listed[1].obstacles[0].to_string();
    assert!(said.starts_with("git does not answer there: cannot see what is not committed"), "{said}");
}

#[tokio::test]
async fn one_that_is_made_while_others_are_listed_is_in_use_and_not_foreign() {
    let world = World::new();
    let repository = world.repository().await;
    repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    // By then the records are read, and the folders are not looked at yet.
    let is_in_use = |_: &BranchName| {
        let repository = repository.clone();
        let maker = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(repository.make(&name("agent/b"), "y", &[])).unwrap();
        });
        maker.join().unwrap();
        false
    };
    let listed = repository.list(is_in_use).await.unwrap();
    let rows: Vec<_> = listed.iter().map(|one| (&*one.folder, one.state, &*one.obstacles)).collect();
    let there = ListedState::There;
    assert_eq!(rows, [("agent-a", there, &[][..]), ("agent-b", there, &[Obstacle::InUse][..])]);
}

#[tokio::test]
async fn a_foreign_one_is_left_alone() {
    let world = World::new();
    world.run(
        "git worktree add -q .orchestrator-worktrees/agent-a -b agent/a; mkdir .orchestrator-worktrees/x",
    );
    let repository = world.repository().await;
    let error = repository.remove(&name("agent/a")).await.unwrap_err();
    assert!(error.to_string().contains("tasuki has not made it"), "{error}");
    let listed = repository.list(|_| false).await.unwrap();
    assert_eq!(
        listed.iter().map(|one| (one.folder.as_str(), one.state)).collect::<Vec<_>>(),
        [("agent-a", ListedState::Foreign), ("x", ListedState::Foreign)]
    );
    assert!(repository.prune(|_| false, false).await.unwrap().iter().all(|one| !one.removed));
    let error = repository.remove(&name("agent/none")).await.unwrap_err();
    assert!(matches!(error, WorktreeError::NotThere { .. }), "{error}");
}

#[tokio::test]
async fn what_was_removed_comes_back_as_it_was_even_when_git_has_forgotten_it() {
    let world = World::new();
    world.run("branch agent/one 1 one; branch agent/two 2 two");
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &from(&["agent/one", "agent/two"])).await.unwrap();
    world.run_in(&made.path, "echo 襷 > '日 本'; git add .; git commit -qm 'その一'; git tag t");
    let (head, files) = (world.run("git rev-parse agent/a"), world.run_in(&made.path, "git ls-files -s"));
    let work = repository.look(&name("agent/a"), (None, None)).await.unwrap();
    assert_eq!(
        (work.head.as_str(), work.commits_in_all, work.commits[0].title.as_str()),
        (head.as_str(), 1, "その一")
    );
    assert_eq!(
        (work.files[0].path.as_str(), work.files[0].added, work.files[0].removed),
        ("日 本", Some(1), Some(0))
    );
    let entry = repository.remove(&name("agent/a")).await.unwrap();
    assert!(!made.path.exists());
    world.run("git tag -d t; git reflog expire --expire=now --all; git gc -q --prune=now; ! git cat-file -e $0 2>/dev/null");
    assert!(repository.here().commit(&head).await.unwrap().is_none());
    let back = repository.restore("agent-a").await.unwrap();
    assert_eq!((&back.path, &back.base), (&made.path, &made.base));
    assert_eq!(world.run("git rev-parse agent/a"), head);
    assert_eq!(world.run_in(&back.path, "git ls-files -s"), files);
    assert_eq!(world.run_in(&back.path, "git status --porcelain; git rev-parse HEAD"), head);
    assert!(!repository.trash.join(&entry).exists());
    // It is its own again: the same may ask for it, and it can be removed and got back once more.
    assert_eq!(repository.make(&name("agent/a"), "x", &[]).await.unwrap(), back);
    assert!(repository.restore(&entry).await.is_err());
    world.run("git merge -q agent/a");
    let entry = repository.remove(&name("agent/a")).await.unwrap();
    let bundle = repository.trash.join(&entry);
    world.run(&format!("cp -r {0} {0}-2", bundle.display()));
    repository.restore(&entry).await.unwrap();
    let error = repository.restore("agent/a").await.unwrap_err().to_string();
    assert!(error.contains("it is there already, with its worktree "), "{error}");
}

#[tokio::test]
async fn what_needs_a_branch_that_is_gone_begins_at_its_last_commit() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    world.run_in(&made.path, "echo 襷 > '日 本'; git add .; git commit -qm 一; git tag t");
    let head = world.run("git rev-parse agent/a");
    let entry = repository.remove(&name("agent/a")).await.unwrap();
    world.run("git tag -d t; git reflog expire --expire=now --all; git gc -q --prune=now; ! git cat-file -e $0 2>/dev/null");
    // What lies in the trash cannot be read.
    let (bundle, aside) =
        ["commits.bundle", "aside"].map(|file| repository.trash.join(&entry).join(file)).into();
    std::fs::rename(&bundle, &aside).unwrap();
    let error = repository.make(&name("agent/b"), "y", &from(&["agent/a"])).await.unwrap_err().to_string();
    assert!(error.contains("`tasuki worktree restore agent/a`"), "{error}");
    std::fs::rename(&aside, &bundle).unwrap();
    let next = repository.make(&name("agent/b"), "y", &from(&["agent/a"])).await.unwrap();
    assert_eq!(world.run_in(&next.path, "git rev-parse HEAD; cat '日 本'"), format!("{head}\n襷"));
    let told = format!("agent/a is gone, and its last commit {} was taken", &head[..12]);
    assert_eq!(next.note.as_deref(), Some(&*told));
    // The trash is emptied, and the record knows it; nobody but who asks knows where a deleted one was.
    std::fs::remove_dir_all(repository.trash.join(&entry)).unwrap();
    let deleted = TreeStart { name: "agent/d".to_owned(), ended_at: Some(head.as_str().into()) };
    for (branch, start) in [("agent/e", from(&["agent/a"])), ("agent/f", vec![deleted])] {
        let made = repository.make(&name(branch), "z", &start).await.unwrap();
        assert_eq!(world.run_in(&made.path, "git rev-parse HEAD"), head, "{branch}");
    }
    let error =
        repository.make(&name("agent/g"), "z", &from(&["agent/never"])).await.unwrap_err().to_string();
    assert!(error.contains("`git branch agent/never COMMIT`"), "{error}");
}

#[tokio::test]
async fn nothing_comes_back_over_something_else() {
    for (script, why) in [
        (
            "git branch agent/a",
            "again: rename it, for example `git branch -m agent/a agent/a-new`, and try again",
        ),
        ("mkdir -p .orchestrator-worktrees/agent-a", "tasuki has not made it: move it away, and try again"),
    ] {
        let world = World::new();
        let repository = world.repository().await;
        repository.make(&name("agent/a"), "x", &[]).await.unwrap();
        let entry = repository.remove(&name("agent/a")).await.unwrap();
        world.run(script);
        let error = repository.restore("agent/a").await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(repository.trash.join(entry).join("removed.json").is_file());
    }
}

#[tokio::test]
async fn what_another_workspace_of_the_repository_has_made_stays() {
    let world = World::new();
    let repository = world.repository().await;
    repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    let elsewhere = world.at("別の部屋");
    std::fs::create_dir(&elsewhere).unwrap();
    let workspace = Workspace::at(&elsewhere).unwrap();
    let other = Repository::find(&world.root(), &workspace, &world.env, Clock::start()).await.unwrap();
    let pruned = other.prune(|_| false, false).await.unwrap();
    let told: Vec<String> = pruned[0].obstacles.iter().map(ToString::to_string).collect();
    assert!(!pruned[0].removed && told[0].starts_with("it is that of the workspace "), "{told:?}");
    // Whoever it is for goes on with it in the other one, which has it from then on.
    other.make(&name("agent/a"), "x", &[]).await.unwrap();
    let pruned = repository.prune(|_| false, false).await.unwrap();
    assert!(!pruned[0].removed && pruned[0].obstacles[0].to_string().contains("別の部屋"), "{pruned:?}");
    assert!(other.prune(|_| false, false).await.unwrap()[0].removed);
}
