//! Submodules follow the work of other worktrees, and nothing that was committed in one is lost or taken back unseen.

use super::*;

/// A submodule with a blank and an é, which nobody can fetch, and one within it.
const WITH: &str = "
mkdir $D/inner $D/o; (cd $D/inner; repo)
(cd $D/o; repo; git -c protocol.file.allow=always submodule --quiet add $D/inner 'in ner'; git commit -qm inner)
git -c protocol.file.allow=always submodule --quiet add $D/o 'lib é'
git -c protocol.file.allow=always submodule --quiet update --init --recursive; git commit -qm sub
mv $D/o $D/gone; mv $D/inner $D/gone-inner";
/// Commits in the submodule, then in the worktree.
const BUMP: &str = "cd 'lib é'; echo $N > \"$N\"; git add .; git commit -qm $N; cd ..; git commit -qam bump";
const SESSION: &str = "agent/session-12345678";

fn with_submodule() -> World {
    let world = World::new();
    world.run(WITH);
    world
}

fn bump(world: &World, place: &Path, called: &str) -> String {
    world.run_in(place, &format!("N={called}; {BUMP}; git rev-parse 'HEAD:lib é'"))
}

/// What is to be seen of the submodules: nothing changed, and each at its commit.
fn seen(world: &World, place: &Path) -> String {
    world.run_in(place, "git status --porcelain; git submodule status --recursive | cut -c1; ls 'lib é'")
}

#[tokio::test]
async fn a_worktree_begins_with_what_was_committed_in_a_submodule_of_another() {
    let world = with_submodule();
    let repository = world.repository().await;
    let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    assert_eq!(
        seen(&world, &first.path),
        "\n \n \na\nin ner".trim_start_matches('\n'),
        "the nested one, too"
    );
    let at = bump(&world, &first.path, "写");
    // The nested one goes on as well.
    world.run_in(&first.path, "cd 'lib é/in ner'; echo n > n; git add .; git commit -qm n; cd ..; git commit -qam n; cd ..; git commit -qam n");
    assert_ne!(world.run_in(&first.path, "git rev-parse 'HEAD:lib é'"), at);
    let second = repository.make(&name("agent/b"), "x", &from(&["agent/a"])).await.unwrap();
    assert_eq!(seen(&world, &second.path), " \n \na\nin ner\n写");
    assert_eq!(
        world.run_in(&second.path, "git add -A; git diff --cached --name-only; ls 'lib é/in ner'"),
        "a\nn"
    );
    let origin = "git -C 'lib é' remote get-url origin";
    assert_eq!(world.run_in(&second.path, origin), world.run("echo $D/o"));
    // A commit that no branch has any more: it was another one before.
    world.run_in(
        &first.path,
        "git branch before; cd 'lib é'; git commit -q --amend -m other; cd ..; git commit -qam amended",
    );
    let third = repository.make(&name("agent/c"), "x", &from(&["before"])).await.unwrap();
    assert_eq!(seen(&world, &third.path), " \n \na\nin ner\n写");
    // One that somebody has removed is made again with it.
    world.run_in(&world.root(), "git worktree remove --force .orchestrator-worktrees/agent-b");
    let again = repository.make(&name("agent/b"), "x", &from(&["agent/a"])).await.unwrap();
    assert_eq!(seen(&world, &again.path), " \n \na\nin ner\n写");
}

#[tokio::test]
async fn a_submodule_that_a_predecessor_has_added_comes_with_its_work() {
    let world = World::new();
    let repository = world.repository().await;
    let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    world.run_in(&first.path, WITH);
    let second = repository.make(&name("agent/b"), "x", &from(&["main", "agent/a"])).await.unwrap();
    assert_eq!((seen(&world, &second.path), second.without), (" \n \na\nin ner".to_owned(), Vec::new()));
    let third = repository.make(&name("agent/c"), "x", &from(&["main"])).await.unwrap();
    let third = repository.catch_up(third, &texts(&["agent/a"])).await.unwrap();
    assert_eq!(seen(&world, &third.path), " \n \na\nin ner");
}

#[tokio::test]
async fn what_is_needed_moves_a_submodule_unless_somebody_has_changed_it() {
    let world = with_submodule();
    let repository = world.repository().await;
    let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    let second = repository.make(&name("agent/b"), "x", &[]).await.unwrap();
    world.run_in(&second.path, "echo mine > mine; git add .; git commit -qm mine");
    bump(&world, &first.path, "one");
    let needs = texts(&["agent/a"]);
    let second = repository.catch_up(second, &needs).await.unwrap();
    assert_eq!(seen(&world, &second.path), " \n \na\nin ner\none");
    // Their commit has ours: git takes it, as it has both.
    let mine = bump(&world, &second.path, "two");
    let third = repository.make(&name("agent/c"), "x", &from(&["agent/a", "agent/b"])).await.unwrap();
    assert_eq!(seen(&world, &third.path), " \n \na\nin ner\none\ntwo");
    // What is not committed there is in the way, and stays.
    bump(&world, &first.path, "three");
    world.run_in(&second.path, "cd 'lib é'; echo x > a");
    let error = repository.catch_up(second.clone(), &needs).await.unwrap_err().to_string();
    assert!(error.contains("1 file not committed (lib é)"), "{error}");
    assert_eq!(
        world.run_in(&second.path, "git -C 'lib é' rev-parse HEAD; cat 'lib é/a'"),
        format!("{mine}\nx")
    );
    // Both have gone on: that is a conflict of the two.
    world.run_in(&second.path, "git -C 'lib é' checkout -q a");
    let error = repository.catch_up(second.clone(), &needs).await.unwrap_err().to_string();
    assert!(error.contains("conflict in lib é"), "{error}");
    assert_eq!(seen(&world, &second.path), " \n \na\nin ner\none\ntwo");
    // Where it is not checked out it stays so.
    let out = repository.make(&name("agent/d"), "x", &[]).await.unwrap();
    world.run_in(&out.path, "git submodule --quiet deinit -f 'lib é'; rm -f .git/modules");
    let out = repository.catch_up(out, &needs).await.unwrap();
    assert_eq!(world.run_in(&out.path, "ls -A 'lib é'; git status --porcelain"), "");
}

#[tokio::test]
async fn branches_that_change_a_submodule_come_together_and_a_merge_is_undone_with_it() {
    let world = with_submodule();
    let repository = world.repository().await;
    let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    bump(&world, &first.path, "one");
    let second = repository.make(&name("agent/b"), "x", &from(&["agent/a"])).await.unwrap();
    bump(&world, &second.path, "two");
    let head = repository.head.clone();
    let gather = async || repository.gather(&name(SESSION), "x", (&head, None)).await;
    let gathering = gather().await.unwrap();
    assert_eq!(gathering.merge(&name("agent/a"), None).await.unwrap(), Merge::Open);
    let place = gathering.path().to_owned();
    assert_eq!(world.run_in(&place, "ls 'lib é'; echo x > 'lib é/of a check'"), "a\nin ner\none");
    gathering.undo().await.unwrap();
    assert_eq!(seen(&world, &place), " \n \na\nin ner");
    for (branch, there) in [("agent/a", "one"), ("agent/b", "one\ntwo")] {
        let gathering = gather().await.unwrap();
        assert_eq!(gathering.merge(&name(branch), None).await.unwrap(), Merge::Open, "{branch}");
        gathering.keep().await.unwrap();
        assert_eq!(seen(&world, &place), format!(" \n \na\nin ner\n{there}"));
    }
    // One that was left at an older commit, in which nobody has done anything, goes on; what somebody does there is theirs.
    world.run_in(&place, "git -C 'lib é' checkout -q HEAD~");
    gather().await.unwrap();
    assert_eq!(seen(&world, &place), " \n \na\nin ner\none\ntwo");
    world.run_in(&place, "cd 'lib é'; git checkout -q HEAD~; echo x > x; git add .; git commit -qm theirs");
    let error = gather().await.unwrap_err().to_string();
    assert!(error.contains("somebody works in its worktree"), "{error}");
}

#[tokio::test]
async fn a_commit_that_is_nowhere_is_named_with_the_cure_and_leaves_nothing() {
    let world = with_submodule();
    let repository = world.repository().await;
    let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    let second = repository.make(&name("agent/b"), "x", &[]).await.unwrap();
    let at = bump(&world, &first.path, "one");
    let head = repository.head.clone();
    let gathering = repository.gather(&name(SESSION), "x", (&head, None)).await.unwrap();
    // It is pushed, and then nobody here has it.
    world.run("mv $D/gone $D/o; git -C $D/o checkout -q -b elsewhere");
    world.run_in(&first.path, "git -C 'lib é' push -q origin HEAD:refs/heads/new; rm -r \"$(git rev-parse --git-dir)/modules\" 'lib é'");
    let cure =
        format!("git -C {}", crate::wire::session::work::word(&format!("{}/lib é", world.root().display())));
    let left = world.left();
    let tip = world.run("git rev-parse agent/b");
    let errors = [
        repository.make(&name("agent/c"), "x", &from(&["agent/a"])).await.unwrap_err(),
        repository.make(&name("agent/c"), "x", &from(&["main", "agent/a"])).await.unwrap_err(),
        repository.catch_up(second.clone(), &texts(&["agent/a"])).await.unwrap_err(),
        gathering.merge(&name("agent/a"), None).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, WorktreeError::NoSubmodule { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains(&format!("is wanted at the commit {at}")) && error.contains(&cure), "{error}");
    }
    assert_eq!((world.left(), world.run("git rev-parse agent/b")), (left, tip));
    assert_eq!(seen(&world, &second.path), " \n \na\nin ner");
    let cured = format!("git -C 'lib é' fetch -q origin {at}");
    world.run(&cured);
    let made = repository.make(&name("agent/c"), "x", &from(&["agent/a"])).await.unwrap();
    assert_eq!(seen(&world, &made.path), " \n \na\nin ner\none");
    repository.catch_up(second.clone(), &texts(&["agent/a"])).await.unwrap();
    assert_eq!(seen(&world, &second.path), " \n \na\nin ner\none");
}

#[tokio::test]
async fn the_last_copy_of_a_commit_is_not_removed() {
    let world = with_submodule();
    let repository = world.repository().await;
    let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    bump(&world, &first.path, "one");
    let second = repository.make(&name("agent/b"), "x", &from(&["agent/a"])).await.unwrap();
    world.run("git merge -q agent/a 2>&1");
    // The other one has it as well; and then nobody has.
    repository.remove(&name("agent/a")).await.unwrap();
    let error = repository.remove(&name("agent/b")).await.unwrap_err().to_string();
    assert!(error.contains("the submodule lib é has commits"), "{error}");
    let back = repository.restore("agent/a").await.unwrap();
    assert_eq!(seen(&world, &back.path), " \n \na\nin ner\none");
    repository.remove(&name("agent/a")).await.unwrap();
    // The repository itself has it now.
    world.run(&format!("cd 'lib é'; git fetch -q '{}/lib é' HEAD:refs/heads/got", second.path.display()));
    repository.remove(&name("agent/b")).await.unwrap();
}

#[tokio::test]
async fn a_submodule_whose_repository_lies_in_it_is_copied_as_well() {
    let world = World::new();
    world.run("git init -q -b main 'lib é'; cd 'lib é'; repo; cd ..; git -c protocol.file.allow=always submodule --quiet add ./'lib é' 'lib é'; git commit -qm sub; test -d 'lib é/.git'");
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    assert_eq!((seen(&world, &made.path), made.without), (" \na".to_owned(), Vec::new()));
    bump(&world, &made.path, "one");
    let second = repository.make(&name("agent/b"), "x", &from(&["agent/a"])).await.unwrap();
    assert_eq!(seen(&world, &second.path), " \na\none");
}

#[tokio::test]
async fn whichever_call_dies_a_submodule_stands_where_the_merge_has_it() {
    for after in [false, true] {
        for call in (1..).step_by(2) {
            let mut world = World::new();
            world.run("mkdir $D/o; (cd $D/o; repo); git -c protocol.file.allow=always submodule --quiet add $D/o 'lib é'; git commit -qm sub");
            let deaths = super::kills::Deaths::of(&mut world);
            let (world, repository) = (deaths.0, deaths.0.repository().await);
            let first = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
            let second = repository.make(&name("agent/b"), "x", &[]).await.unwrap();
            bump(world, &first.path, "one");
            let needs = texts(&["agent/a"]);
            deaths.at(call, after);
            let caught = repository.catch_up(second.clone(), &needs).await;
            deaths.never();
            repository
                .catch_up(second.clone(), &needs)
                .await
                .unwrap_or_else(|error| panic!("{call}: {error}"));
            assert_eq!(seen(world, &second.path), " \na\none", "call {call}, after: {after}");
            if caught.is_ok() {
                assert!(call > 10, "{call} calls only");
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_repository_without_submodules_pays_nothing_for_them() {
    let mut world = World::new();
    world.run("branch agent/one 1 one");
    let deaths = super::kills::Deaths::of(&mut world);
    let (world, repository) = (deaths.0, deaths.0.repository().await);
    let calls = |world: &World| world.run("wc -l < $D/calls; : > $D/calls");
    calls(world);
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    assert_eq!(calls(world), "4");
    repository.catch_up(made, &texts(&["agent/one"])).await.unwrap();
    assert_eq!(calls(world), "9");
}
