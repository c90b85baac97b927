//! What is made, and of what.

use super::*;
use std::collections::BTreeSet;

#[tokio::test]
async fn a_worktree_is_made_once_and_kept_out_of_git() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name("agent/jwt-auth"), "flow-1/a", &from(&["main"])).await.unwrap();
    assert_eq!(made.path, world.at(".orchestrator-worktrees/agent-jwt-auth"));
    assert_eq!(made.base, world.run("git rev-parse main"));
    let again = repository.make(&name("agent/jwt-auth"), "flow-1/a", &from(&["main"])).await.unwrap();
    assert_eq!((made.new_from.clone(), again.new_from.len()), (vec!["main".to_owned()], 0));
    assert_eq!(again, Worktree { new_from: Vec::new(), ..made.clone() });
    assert!(made.path.join("queue").is_dir() && made.path.join("status/agents").is_dir());
    world
        .run_in(&made.path, "touch queue/x.yaml status/agents/a.yaml; test -z \"$(git status --porcelain)\"");
    assert_eq!(world.run("git status --porcelain"), "");
    // What was made of one is once in the file that all share.
    repository.make(&name("agent/b"), "flow-1/b", &[]).await.unwrap();
    assert_eq!(world.run("grep -c orchestrator .git/info/exclude"), "1");
    assert_eq!(world.run("git branch --show-current"), "main");
}

#[tokio::test]
async fn several_branches_are_merged_in_order_also_without_a_name() {
    let world = World::new();
    world.run("branch agent/one 1 one; branch agent/two 2 二; branch other 3 three");
    let repository = world.repository().await;
    let parts = from(&["agent/one", "agent/two", "other"]);
    let made = repository.make(&name("agent/all"), "x", &parts).await.unwrap();
    let log = world.run_in(&made.path, "git log --format='%an %s' --first-parent");
    let lines = [
        "tasuki Merge other into agent/all",
        "tasuki Merge agent/two into agent/all",
        "Agent 襷 agent/one 写",
        "Agent 襷 base",
    ];
    assert_eq!(log.lines().collect::<Vec<_>>(), lines);
    assert_eq!(made.base, world.run("git rev-parse agent/all"));
    let work = repository.look(&name("agent/all"), (None, None)).await.unwrap();
    assert_eq!((work.commits_in_all, work.files_in_all, work.obstacles), (0, 0, Vec::new()));
    world.run("git config user.name 'Alice 襷'; git config user.email al@example.org");
    let made = repository.make(&name("agent/hers"), "x", &parts).await.unwrap();
    assert_eq!(world.run_in(&made.path, "git log -1 --format=%an"), "Alice 襷");
}

#[tokio::test]
async fn a_conflict_names_the_files_and_leaves_nothing() {
    let world = World::new();
    world.run("branch agent/one 1 '同じ file'; branch agent/two 2 '同じ file'");
    let repository = world.repository().await;
    let before = world.left();
    let error =
        repository.make(&name("agent/both"), "x", &from(&["agent/one", "agent/two"])).await.unwrap_err();
    let said = "agent/two cannot be merged into agent/both: conflict in 同じ file; merge one into the other, and try again";
    assert_eq!(error.to_string(), said);
    assert_eq!(world.left(), before);
    // The same name is free for another try.
    repository.make(&name("agent/both"), "x", &from(&["agent/one"])).await.unwrap();
}

#[tokio::test]
async fn a_name_is_nobody_elses_and_is_never_used_twice() {
    let world = World::new();
    world.run("git branch agent/theirs; git worktree add -q ../elsewhere -b agent/away; mkdir -p .orchestrator-worktrees/agent-folder");
    let repository = world.repository().await;
    for (branch, why) in [
        ("agent/theirs", "a branch is called so"),
        ("agent/away", "a branch is called so"),
        ("agent/folder", "is there, and tasuki has not made it"),
    ] {
        let error = repository.make(&name(branch), "x", &[]).await.unwrap_err();
        assert!(matches!(&error, WorktreeError::Taken { .. }) && error.to_string().contains(why), "{error}");
    }
    repository.make(&name("agent/mine"), "x", &[]).await.unwrap();
    let error = repository.make(&name("agent/mine"), "y", &[]).await.unwrap_err();
    assert!(error.to_string().contains("it is that of x"), "{error}");
    repository.remove(&name("agent/mine")).await.unwrap();
    std::fs::remove_dir_all(&repository.trash).unwrap();
    let error = repository.make(&name("agent/mine"), "y", &[]).await.unwrap_err();
    assert!(error.is_refusal(), "{error}");
    let anew = repository.make(&name("agent/mine"), "x", &[]).await.unwrap();
    assert!(anew.note.is_some_and(|note| note.contains("begins anew")), "whose it was may have it again");
    world.run("git update-ref refs/remotes/origin/agent/mine-3 main");
    let taken = BTreeSet::from([name("agent/mine-2")]);
    for (wanted, free_one) in
        [("agent/mine", "agent/mine-4"), ("agent/theirs", "agent/theirs-2"), ("agent/new", "agent/new")]
    {
        assert_eq!(repository.free_name(&name(wanted), &taken).await.unwrap(), name(free_one));
    }
}

#[tokio::test]
async fn a_branch_named_agent_is_told() {
    let world = World::new();
    world.run("git branch agent");
    let error = world.repository().await.make(&name("agent/a"), "x", &[]).await.unwrap_err();
    assert!(error.to_string().contains("there is a branch `agent`"), "{error}");
}

#[tokio::test]
async fn a_branch_that_somebody_makes_at_that_moment_stays_his() {
    let mut world = World::new();
    world.run(
        r#"G=$(command -v git); mkdir $D/bin; cat > $D/bin/git <<END
#!/bin/sh
case "\$*" in *update-ref*) $G branch agent/a;; esac
exec $G "\$@"
END
chmod +x $D/bin/git"#,
    );
    let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", world.folder.path().display());
    world.env.insert("PATH".to_owned(), path);
    let repository = world.repository().await;
    for _ in 0..2 {
        let error = repository.make(&name("agent/a"), "x", &[]).await.unwrap_err();
        assert!(error.to_string().contains("a branch is called so"), "{error}");
        assert_eq!(world.run("git branch --list 'agent/*' | tr -d ' '"), "agent/a");
        assert!(repository.records.read("agent-a").unwrap().is_none());
    }
}

#[tokio::test]
async fn fifty_are_made_at_once() {
    let world = World::new();
    let repository = world.repository().await;
    let mut all = tokio::task::JoinSet::new();
    for number in 0..50 {
        let repository = repository.clone();
        all.spawn(async move {
            repository.make(&name(&format!("agent/n{number}")), "x", &[]).await.unwrap().path
        });
    }
    let paths: BTreeSet<PathBuf> = all.join_all().await.into_iter().collect();
    assert_eq!(paths.len(), 50);
    assert_eq!(world.run("git worktree list | wc -l"), "51");
    assert_eq!(world.run("find .git -name '*.lock'"), "");
    let pruned = repository.prune(|branch| *branch == name("agent/n7"), false).await.unwrap();
    assert_eq!(pruned.iter().filter(|one| one.removed).count(), 49);
    assert_eq!(world.run("git branch --list 'agent/*' | tr -d ' +'"), "agent/n7");
}

#[tokio::test]
async fn the_repositorys_own_queue_is_shared_or_told() {
    let world = World::new();
    world.run("mkdir -p queue status; echo 'read me' > queue/README.md; echo x > status/note; git add .; git commit -qm q");
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    assert_eq!(std::fs::read_to_string(made.path.join("queue/README.md")).unwrap(), "read me\n");
    world.run_in(
        &made.path,
        "touch queue/m.yaml queue/new.txt; mkdir queue/active; touch queue/active/m.yaml",
    );
    // A new file of the repository's own is seen, a message is not.
    assert_eq!(world.run_in(&made.path, "git status --porcelain -uall"), "?? queue/new.txt");
    for (number, (script, said)) in [
        ("echo 'to: a' > queue/task.yaml", "\"queue/task.yaml\""),
        ("rm -r queue; echo x > queue", "\"queue\""),
        ("rm -r status; mkdir -p status; echo x > status/agents", "\"status/agents\""),
        ("mkdir queue/done; echo x > queue/done/日.yaml", "\"queue/done/日.yaml\""),
    ]
    .into_iter()
    .enumerate()
    {
        world.run(&format!("git checkout -q -b k{number} main; {script}; git add -A -f .; git commit -qm k; git checkout -q main"));
        let error = repository.make(&name("agent/b"), "x", &[format!("k{number}").into()]).await.unwrap_err();
        assert!(error.to_string().contains(said) && error.is_refusal(), "{error}");
    }
    assert!(!world.left().contains("agent-b"));
}

#[tokio::test]
async fn submodules_are_checked_out_without_a_network() {
    let world = World::new();
    world.run(
        "mkdir $D/o; (cd $D/o; repo); git -c protocol.file.allow=always submodule --quiet add $D/o 'sub mod'
        git commit -qam sub; mv $D/o $D/gone",
    );
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    assert_eq!(made.without, [""; 0]);
    assert!(made.path.join("sub mod/a").is_file());
    assert_eq!(world.run_in(&made.path, "git -C 'sub mod' remote get-url origin"), world.run("echo $D/o"));
    assert_eq!(world.run_in(&made.path, "git status --porcelain"), "");
    world.run_in(
        &made.path,
        "cd 'sub mod'; echo b > a; git commit -qam new; cd ..; git commit -qam 'new sub'",
    );
    world.run("git merge -q agent/a");
    let error = repository.remove(&name("agent/a")).await.unwrap_err();
    assert!(error.to_string().contains("the submodule sub mod has commits"), "{error}");
    world.run_in(
        &made.path,
        "cd 'sub mod'; git reset -q --hard HEAD~; cd ..; git submodule --quiet update || :",
    );
    // A repository that has not checked it out itself has nothing to give.
    world.run("git reset -q --hard HEAD~; git submodule --quiet deinit -f --all; rm -r .git/modules");
    let made = repository.make(&name("agent/b"), "x", &[]).await.unwrap();
    assert_eq!(made.without, ["sub mod"]);
    repository.remove(&name("agent/b")).await.unwrap();
}

/// The command in what is told that begins so.
fn cure<'t>(told: &'t str, begins: &str) -> &'t str {
    told.split('`').find(|cure| cure.starts_with(begins)).unwrap_or_else(|| panic!("{told}"))
}

#[tokio::test]
async fn what_has_a_name_already_goes_by_the_command_that_is_told() {
    let world = World::new();
    world.run("git branch agent; mkdir -p .orchestrator-worktrees/agent-folder; mkdir ../else");
    let repository = world.repository().await;
    let elsewhere = world.root().join("../else");
    let make = async |branch: &str| {
        repository.make(&name(branch), "x", &[]).await.map_err(|error| error.to_string())
    };
    for (branch, begins) in [
        ("agent/a", "git -C "),
        ("agent/folder", "mv "),
        ("agent/b", "git -C "),
        ("agent/c", "git -C "),
        ("agent/d", "git -C "),
    ] {
        let told = make(branch).await.unwrap_err();
        world.run_in(&elsewhere, &format!("{} 2>&1", cure(&told, begins)));
        make(branch).await.unwrap();
        // What is in the way of the next ones.
        world.run("git branch agent/b main 2>/dev/null || :; git show-ref -q refs/heads/agent/c || git branch -q agent/c/x main 2>/dev/null || :
            [ -d .git/worktrees/agent-d ] || { git worktree add -q --detach .orchestrator-worktrees/agent-d; rm -r .orchestrator-worktrees/agent-d; }");
    }
}

#[tokio::test]
async fn a_link_in_the_place_of_the_worktrees_is_told_with_its_cure() {
    let world = World::new();
    world.run("mkdir ../else; ln -s ../else .orchestrator-worktrees");
    let error = world.repository().await.make(&name("agent/a"), "x", &[]).await.unwrap_err();
    let WorktreeError::Io { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.to_string(), "it is a link or no folder: move it away");
    assert_eq!(world.run("ls ../else; git for-each-ref refs/heads/agent"), "");
}

#[tokio::test]
async fn a_head_that_cannot_be_read_is_told_in_the_words_of_git() {
    let world = World::empty("w");
    world.run("git init -q -b main .");
    let error = world.try_repository(&world.root()).await.unwrap_err();
    assert!(matches!(error, WorktreeError::NoCommits { .. }), "{error}");
    for (written, said) in
        [("1234567890123456789012345678901234567890", "bad object HEAD"), ("x", "appears to be broken")]
    {
        world.run(&format!("echo {written} > .git/refs/heads/main"));
        let error = world.try_repository(&world.root()).await.unwrap_err().to_string();
        assert!(
            error.contains("cannot read the commit that is checked out") && error.contains(said),
            "{error}"
        );
    }
}
