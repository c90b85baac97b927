//! What is committed beside the branch of a task is missed by whoever needs it: that is refused, and the cure that is told works.

use super::*;

const SESSION: &str = "a1b2c3d4-e5f6-4890-abcd-ef1234567890";

fn task(n: u8) -> String {
    format!("{SESSION} task-{n}")
}

/// Types each command of a text that has them between backquotes.
fn follow(world: &World, told: &str) {
    for command in told.split('`').skip(1).step_by(2) {
        world.run(command);
    }
}

#[tokio::test]
async fn a_task_goes_on_in_its_worktree_only_where_its_commits_come_onto_its_branch() {
    let world = World::new();
    let repository = world.repository().await;
    let (house, owner) = (name("agent/house"), task(1));
    let make = || repository.make(&house, &owner, &[]);
    let made = make().await.unwrap();
    let at = |script: &str| world.run_in(&made.path, script);
    for (how, why) in [
        ("git checkout -q --detach", "commit "),
        ("git checkout -q -b 別", "別 is checked out in the worktree of agent/house: `git -C "),
        ("git checkout -q --detach; git -C ../.. worktree add -q '../別の 所' agent/house", "別の 所"),
        ("git checkout -q --detach; git -C ../.. checkout -q agent/house", ", and agent/house in /"),
        (
            "git checkout -q --detach; echo 1 > c; git add c; git commit -qm 写一",
            " 写一), so no other task has it",
        ),
        ("git worktree lock --reason '見る' .", "is locked (見る)"),
    ] {
        at(how);
        let told = make().await.unwrap_err().to_string();
        assert!(told.contains(why) && told.ends_with(", and try again"), "{how}: {told}");
        follow(&world, &told);
        assert_eq!(make().await.unwrap(), Worktree { new_from: Vec::new(), ..made.clone() }, "{how}: {told}");
        assert_eq!(at("git symbolic-ref HEAD"), "refs/heads/agent/house");
    }
    assert_eq!(world.run("git log -1 --format=%s agent/house"), "写一");
    // A rebase ends on its branch.
    world.run("git checkout -q main; echo 2 > c; git add c; git commit -qm 二");
    at("git rebase -q main >/dev/null 2>&1 || :");
    assert_eq!(make().await.unwrap().path, made.path);
    // What an agent of the team file has checked out in its own worktree is its own affair.
    let own = repository.make(&name("agent/own"), "agent own of /w", &[]).await.unwrap();
    world.run_in(&own.path, "git checkout -q -b own; git worktree lock .");
    assert_eq!(repository.make(&name("agent/own"), "agent own of /w", &[]).await.unwrap().path, own.path);
}

#[tokio::test]
async fn nobody_goes_on_without_what_a_task_has_committed_beside_its_branch() {
    let world = World::new();
    let repository = world.repository().await;
    let (need, next) = (name("agent/need"), name("agent/next"));
    let made = repository.make(&need, &task(1), &[]).await.unwrap();
    for (how, before) in [("git checkout -q --detach", 1), ("git checkout -q -b feature", 2)] {
        let later = repository.make(&name("agent/later"), &task(3), &from(&["agent/need"])).await.unwrap();
        world.run_in(&made.path, &format!("{how}; echo {before} >> b; git add b; git commit -qm 仕事"));
        let begun = repository.make(&next, &task(2), &from(&["agent/need"])).await.unwrap_err().to_string();
        let caught = repository.catch_up(later, &texts(&["agent/need"])).await.unwrap_err().to_string();
        let gathering = repository.gather(&name("agent/all"), "x", (&repository.head, None)).await.unwrap();
        let merged = gathering.merge(&need, None).await.unwrap_err().to_string();
        let seen = repository.look(&need, (None, None)).await.unwrap().astray.unwrap_or_default();
        assert!(
            begun.contains("what was committed there is not on agent/need (") && begun.contains(" 仕事)")
        );
        assert_eq!((&caught, &merged, &seen), (&begun, &begun, &begun));
        follow(&world, &begun);
        assert_eq!(repository.look(&need, (None, None)).await.unwrap().astray, None);
    }
    let begun = repository.make(&next, &task(2), &from(&["agent/need"])).await.unwrap();
    assert_eq!(world.run_in(&begun.path, "cat b"), "1\n2");
    // Whoever only looks around there takes nothing away.
    world.run_in(&made.path, "git checkout -q --detach HEAD~1");
    repository.make(&name("agent/fourth"), &task(4), &from(&["agent/need"])).await.unwrap();
}
