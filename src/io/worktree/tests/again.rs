//! What somebody has removed is made again, or got back, and nothing of anybody's is lost by that.

use super::*;

#[tokio::test]
async fn a_worktree_that_was_removed_is_made_again_on_its_branch_or_else_anew() {
    let world = World::new();
    let repository = world.repository().await;
    let branch = name("agent/house");
    let make = || repository.make(&branch, "flow task-1", &[]);
    let made = make().await.unwrap();
    assert_eq!(made.note, None);
    world.run_in(&made.path, "echo 襷 > '日 本'; git add .; git commit -qm 'その一'");
    let head = world.run("git rev-parse agent/house");
    let tree = ".orchestrator-worktrees/agent-house";
    for how in [
        "git worktree remove --force $T",
        "rm -rf $T",
        // Its agent was at work, so its files of tasuki's own came back.
        "rm -rf $T; mkdir -p $T/queue $T/status/agents; touch $T/status/agents/a.yaml",
        // Whatever made it again was killed.
        "rm -rf $T; git worktree prune; git worktree add -q $T agent/house; echo initializing > .git/worktrees/agent-house/locked; rm $T/.git",
    ] {
        world.run(&format!("T={tree}; {how}"));
        let again = make().await.unwrap();
        let note = again.note.clone().unwrap_or_default();
        assert!(note.contains("made again on its branch agent/house"), "{how}: {note}");
        assert_eq!((&again.path, &again.base), (&made.path, &made.base), "{how}");
        assert_eq!(repository.head_of(&again).await.unwrap(), head);
        assert_eq!(world.run_in(&again.path, "cat '日 本'; git status --porcelain"), "襷", "{how}");
        assert!(again.path.join("queue").is_dir());
        assert_eq!(make().await.unwrap().note, None, "it is there now");
    }
    for (how, why) in [
        ("git worktree lock $T; rm -rf $T", "git worktree unlock"),
        (
            "git worktree unlock $T; git worktree prune; git worktree add -q elsewhere agent/house",
            "elsewhere",
        ),
        ("git worktree remove --force elsewhere; mkdir -p $T; echo 大事 > $T/mine", "move them away"),
    ] {
        world.run(&format!("T={tree}; {how}"));
        let error = make().await.unwrap_err().to_string();
        assert!(error.contains(why), "{how}: {error}");
    }
    assert_eq!(world.run(&format!("cat {tree}/mine")), "大事", "nothing of a person is touched");
    world.run(&format!("rm -r {tree}; git branch -qD agent/house"));
    let anew = make().await.unwrap();
    assert!(anew.note.unwrap().contains("its branch were gone"));
    assert_eq!(world.run("git rev-parse agent/house"), world.run("git rev-parse main"));
}

#[tokio::test]
async fn one_that_was_put_into_the_trash_comes_back_and_begins_anew_where_that_is_empty() {
    let world = World::new();
    let repository = world.repository().await;
    let branch = name("agent/a");
    let made = repository.make(&branch, "flow task-1", &[]).await.unwrap();
    world.run_in(&made.path, "echo 襷 > b; git add .; git commit -qm b; git branch merged");
    let head = world.run("git rev-parse agent/a");
    let error = |result: Result<Worktree, WorktreeError>| result.unwrap_err().to_string();
    repository.remove(&branch).await.unwrap();
    assert!(error(repository.make(&branch, "another", &[]).await).contains("it is that of flow task-1"));
    let back = repository.make(&branch, "flow task-1", &[]).await.unwrap();
    assert!(back.note.unwrap().contains("back from the trash"));
    assert_eq!(world.run("git rev-parse agent/a"), head);
    let entry = repository.remove(&branch).await.unwrap();
    std::fs::remove_dir_all(repository.trash.join(entry)).unwrap();
    let anew = repository.make(&branch, "flow task-1", &[]).await.unwrap();
    assert!(anew.note.unwrap().contains("no longer in the trash"));
    assert_eq!(anew.base, world.run("git rev-parse main"));
}

#[tokio::test]
async fn one_that_a_person_has_moved_is_neither_made_again_nor_removed() {
    let world = World::new();
    let repository = world.repository().await;
    let at = name("agent/a");
    let made = repository.make(&at, "x", &[]).await.unwrap();
    world.run("git worktree move .orchestrator-worktrees/agent-a '../別の 所'");
    let error = repository.make(&at, "x", &[]).await.unwrap_err().to_string();
    assert!(
        error.contains("was moved to") && error.contains("別の 所") && error.contains("`git worktree move`"),
        "{error}"
    );
    let pruned = repository.prune(|_| false, false).await.unwrap();
    assert!(!pruned[0].removed && matches!(pruned[0].obstacles[..], [Obstacle::Moved { .. }]), "{pruned:?}");
    world.run("git worktree move '../別の 所' .orchestrator-worktrees/agent-a");
    assert_eq!(repository.make(&at, "x", &[]).await.unwrap().path, made.path);
    assert!(repository.prune(|_| false, false).await.unwrap()[0].removed);
}
