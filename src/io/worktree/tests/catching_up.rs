//! Branches come into a worktree in which somebody has worked before, and nothing of anybody's is lost by that.

use super::kills::Deaths;
use super::*;

/// A worktree of `agent/a` that began with `agent/need`, in which an agent has committed; then the need went on.
async fn worked(world: &World) -> (Repository, Worktree) {
    world.run("printf '1\\n' > 家; echo 0 > kept; git add .; git commit -qm more; branch agent/need 2 need; branch agent/other 3 other");
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &from(&["agent/need"])).await.unwrap();
    world.run_in(&made.path, "echo mine > mine; git add .; git commit -qm mine");
    world.run("git checkout -q agent/need; echo 2 >> 家; mkdir d; echo n > 'd/new 日'; git rm -q a; git add .; git commit -qm again; git checkout -q main");
    (repository, made)
}

fn needs() -> Vec<String> {
    texts(&["agent/need", "agent/other", "agent/gone"])
}

#[tokio::test]
async fn what_is_needed_comes_into_a_worktree_in_order_and_what_is_not_committed_stays() {
    let world = World::new();
    let (repository, made) = worked(&world).await;
    world.run_in(&made.path, "echo changed > kept; echo left > left");
    let caught = repository.catch_up(made.clone(), &needs()).await.unwrap();
    let note = "merged into its worktree: agent/need, agent/other";
    assert_eq!((caught.note.as_deref(), &caught.base), (Some(note), &made.base));
    let there = world.run_in(&made.path, "git status --porcelain; cat 家 'd/new 日' kept left; git ls-files");
    let files = "\"d/new \\346\\227\\245\"\nkept\nmine\nneed\nother\n\"\\345\\256\\266\"";
    assert_eq!(there, format!(" M kept\n?? left\n1\n2\nn\nchanged\nleft\n{files}"));
    let log = world.run("git log --first-parent --format=%s agent/a -2");
    assert_eq!(log, "Merge agent/other into agent/a\nMerge agent/need into agent/a");
    assert_eq!(repository.catch_up(made.clone(), &needs()).await.unwrap().note, None, "it has all of them");
}

#[tokio::test]
async fn whatever_is_in_the_way_is_named_and_all_is_as_it_was() {
    for (how, said) in [
        ("echo x >> 家", "1 file not committed (家): commit or remove them"),
        ("mkdir d; echo x > 'd/new 日'", "1 file not committed (d/new 日): commit or remove them"),
        ("echo x > kept; git add kept; echo y > kept", "1 file not committed (kept)"),
        ("git checkout -q -b elsewhere", "elsewhere is checked out there"),
        ("git checkout -q --detach", "commit"),
        ("git merge -q --no-commit --no-ff agent/other >/dev/null", "a merge is under way there"),
        // It conflicts, and what is changed beside that stays.
        (
            "echo 3 >> 家; git commit -qam ours; echo x > kept; echo left > left",
            "conflict in 家; merge one into the other",
        ),
        // What they have changed is called otherwise here.
        ("git mv 家 家屋; git commit -qm moved; echo x >> 家屋", "1 file not committed (家屋)"),
    ] {
        let world = World::new();
        let (repository, made) = worked(&world).await;
        world.run_in(&made.path, how);
        let look = "git status --porcelain -uall; git rev-parse HEAD; git ls-files -s; cat kept; ls -A . d 2>/dev/null || :";
        let before = world.run_in(&made.path, look);
        let error = repository.catch_up(made.clone(), &needs()).await.unwrap_err().to_string();
        assert!(
            error.contains("agent/need cannot be merged into agent/a") && error.contains(said),
            "{how}: {error}"
        );
        assert_eq!(world.run_in(&made.path, look), before, "{how}");
        assert_eq!(world.run("ls .git/tasuki | grep catching || :"), "", "{how}");
    }
}

#[tokio::test]
async fn whichever_call_dies_what_is_needed_comes_once_and_nothing_is_lost() {
    for (after, is_conflict) in [(false, false), (true, false), (true, true)] {
        // Right after a call is right before the next one: both ways together meet every moment once.
        let step = if is_conflict { 1 } else { 2 };
        for call in (1..).step_by(step) {
            let mut world = World::new();
            let deaths = Deaths::of(&mut world);
            let world = deaths.0;
            let (repository, made) = worked(world).await;
            if is_conflict {
                world.run_in(&made.path, "echo 3 >> 家; git commit -qam ours");
            }
            world.run_in(&made.path, "echo changed > kept; echo left > left");
            deaths.at(call, after);
            let names = texts(&["agent/need"]);
            let first = repository.catch_up(made.clone(), &names).await;
            deaths.never();
            let has_died = world.run("cat $D/calls | wc -l").parse::<usize>().unwrap() >= call;
            if !world.run("ls .git/tasuki | grep catching || :").is_empty() {
                // git itself was killed while it wrote.
                let half = "touch $(git rev-parse --git-dir)/index.lock; echo ha > 家; rm -f a; mkdir -p d; echo > 'd/new 日'";
                world.run_in(&made.path, half);
            }
            let again = repository.catch_up(made.clone(), &names).await;
            let files = world
                .run_in(&made.path, "git status --porcelain; cat 家 kept left; ls a d/* 2>/dev/null || :");
            if is_conflict {
                assert!(again.unwrap_err().to_string().contains("conflict in 家"), "call {call}");
                assert_eq!(files, " M kept\n?? left\n1\n3\nchanged\nleft\na", "call {call}");
            } else {
                again.unwrap_or_else(|error| panic!("call {call}, after: {after}: {error}"));
                assert_eq!(files, " M kept\n?? left\n1\n2\nchanged\nleft\nd/new 日", "call {call}");
                assert_eq!(world.run("git rev-list --count --merges agent/a"), "1", "call {call}");
            }
            assert_eq!(world.run("ls .git/tasuki | grep catching || :; find .git -name '*.lock'"), "");
            if !has_died {
                assert!(call > 6 && (is_conflict || first.is_ok()), "{call} calls only");
                break;
            }
        }
    }
}

#[tokio::test]
async fn what_somebody_has_done_since_a_merge_was_killed_stays() {
    let mut world = World::new();
    let deaths = Deaths::of(&mut world);
    let world = deaths.0;
    let (repository, made) = worked(world).await;
    let is_marked = || !world.run("ls .git/tasuki | grep catching || :").is_empty();
    for call in 1.. {
        deaths.at(call, false);
        repository.catch_up(made.clone(), &needs()).await.unwrap_err();
        deaths.never();
        if is_marked() {
            break;
        }
    }
    world.run_in(&made.path, "echo theirs > 家; git commit -qam theirs; echo mine > kept");
    let error = repository.catch_up(made.clone(), &needs()).await.unwrap_err().to_string();
    assert!(error.contains("conflict in 家") && !is_marked(), "{error}");
    assert_eq!(world.run_in(&made.path, "git status --porcelain; cat 家 kept"), " M kept\ntheirs\nmine");
}
