//! Branches are brought onto one, whatever dies between.

use super::kills::Deaths;
use super::*;

const SESSION: &str = "agent/session-12345678";

/// Merges these branches as a session does, a call for each.
async fn bring(repository: &Repository, into: Option<&str>, names: &[&str]) -> Result<Merge, WorktreeError> {
    let mut last = Merge::Already;
    for branch in names {
        let base = repository.head.clone();
        let gathering = repository.gather(&name(SESSION), "x", (&base, into)).await?;
        last = gathering.merge(&name(branch), None).await?;
        if last == Merge::Open {
            gathering.keep().await?;
        }
    }
    Ok(last)
}

#[tokio::test]
async fn a_conflict_leaves_nothing_and_what_was_not_kept_is_undone() {
    let world = World::new();
    world.run("branch agent/one 1 家; branch agent/two 2 家; branch agent/three 3 three");
    let repository = world.repository().await;
    assert_eq!(bring(&repository, None, &["agent/one"]).await.unwrap(), Merge::Open);
    let conflict = bring(&repository, None, &["agent/one", "agent/two"]).await.unwrap();
    let Merge::Conflict(Clash { files, commits }) = conflict else { panic!("{conflict:?}") };
    let titles: Vec<&str> = commits.iter().map(|commit| &*commit.title).collect();
    assert_eq!(
        (files, titles),
        (vec![PathBuf::from("家")], vec!["agent/one 写"]),
        "the merge itself is none"
    );
    let gathering = repository.gather(&name(SESSION), "x", (&repository.head, None)).await.unwrap();
    let place = gathering.path().to_owned();
    assert_eq!(world.run_in(&place, "git status --porcelain; cat 家"), "1");
    assert_eq!(gathering.merge(&name("agent/three"), None).await.unwrap(), Merge::Open);
    world.run_in(&place, "echo x > of_a_check; echo x > a");
    gathering.undo().await.unwrap();
    assert_eq!(world.run_in(&place, "git status --porcelain; ls"), "a\nqueue\nstatus\n家");
    // What somebody does there is theirs.
    world.run_in(&place, "echo mine > mine");
    let error = bring(&repository, None, &["agent/three"]).await.unwrap_err().to_string();
    assert!(error.contains("somebody works in its worktree") && error.contains(" remove mine,"), "{error}");
    assert_eq!(world.run_in(&place, "cat mine"), "mine");
}

#[tokio::test]
async fn another_branch_follows_unless_somebody_works_on_it() {
    let world = World::new();
    world.run("branch agent/one 1 one; branch agent/two 2 two; branch 統合 0 zero; git checkout -q -b here");
    let repository = world.repository().await;
    let error = bring(&repository, Some("here"), &["agent/one"]).await.unwrap_err().to_string();
    assert!(error.contains(&format!("it is checked out in {}", world.root().display())), "{error}");
    assert!(bring(&repository, Some("a..b"), &["agent/one"]).await.is_err());
    bring(&repository, Some("統合"), &["agent/one"]).await.unwrap();
    // Somebody puts a commit on it meanwhile, which stays.
    world.run("git worktree add -q ../x 統合; cd ../x; echo 3 > three; git add .; git commit -qm three; cd -; git worktree remove ../x");
    bring(&repository, Some("統合"), &["agent/two"]).await.unwrap();
    assert_eq!(world.run("git ls-tree --name-only 統合"), "a\none\nthree\ntwo\nzero");
    assert_eq!(world.run("git rev-parse 統合"), world.run(&format!("git rev-parse {SESSION}")));
    // One that conflicts with what was merged before: that is no task's, and whoever puts it right may ask again.
    world.run("branch other 九 one; git branch before other");
    let error = bring(&repository, Some("other"), &["agent/two"]).await.unwrap_err().to_string();
    for said in [
        "other has changed what was merged for it before, on agent/session-12345678: conflict in one, there by ",
        " other 写; `git merge other` in ",
    ] {
        assert!(error.contains(said), "{said}: {error}");
    }
    assert_eq!(world.run("git rev-parse other"), world.run("git rev-parse before"));
    let place =
        repository.gather(&name(SESSION), "x", (&repository.head, None)).await.unwrap().path().to_owned();
    world.run_in(&place, "git merge -q other || echo 両 > one; git add one; git commit -qm 両");
    bring(&repository, Some("other"), &["agent/two"]).await.unwrap();
    assert_eq!(world.run("git show other:one other:two"), "両\n2");
}

#[tokio::test]
async fn a_branch_that_was_removed_is_merged_by_what_is_known_of_it() {
    let world = World::new();
    let repository = world.repository().await;
    let made = repository.make(&name("agent/w"), "x", &[]).await.unwrap();
    world.run_in(&made.path, "echo 襷 > w; git add .; git commit -qm w; git tag kept");
    let entry = repository.remove(&name("agent/w")).await.unwrap();
    let head = world.run("git rev-parse kept");
    world.run(&format!(
        "git tag -d kept; git reflog expire --expire=now --all; git gc -q --prune=now; ! git cat-file -e {head} 2>/dev/null"
    ));
    // What git has forgotten comes from the trash, where all of it is.
    assert!(repository.missing(&from(&["agent/w"])).await.unwrap().is_empty());
    let bundle = repository.trash.join(&entry).join("commits.bundle");
    let aside = bundle.with_extension("aside");
    std::fs::rename(&bundle, &aside).unwrap();
    let error = bring(&repository, None, &["agent/w"]).await.unwrap_err().to_string();
    assert!(error.contains("`tasuki worktree restore agent/w`"), "{error}");
    std::fs::rename(&aside, &bundle).unwrap();
    assert_eq!(bring(&repository, None, &["agent/w"]).await.unwrap(), Merge::Open);
    assert_eq!(bring(&repository, None, &["agent/w"]).await.unwrap(), Merge::Already);
    std::fs::remove_dir_all(repository.trash.join(entry)).unwrap();
    assert_eq!(bring(&repository, None, &["agent/w"]).await.unwrap(), Merge::Already, "the record knows it");
    let missing = repository.missing(&from(&["agent/never", "agent/w", "agent/neither"])).await.unwrap();
    assert_eq!(missing.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 2]);
    let error = bring(&repository, None, &["agent/never"]).await.unwrap_err().to_string();
    let cure = "it is not known at which commit it ended";
    assert!(error.contains(cure) && error.contains("`git branch agent/never COMMIT`"), "{error}");
}

#[tokio::test]
async fn a_branch_that_somebody_has_deleted_is_merged_by_the_commit_at_which_it_ended() {
    let world = World::new();
    world.run("branch agent/one 1 一; git tag kept agent/one; git branch -q -D agent/one");
    let repository = world.repository().await;
    let gathering = repository.gather(&name(SESSION), "x", (&repository.head, None)).await.unwrap();
    let at = world.run("git rev-parse kept");
    assert_eq!(gathering.merge(&name("agent/one"), Some(&at)).await.unwrap(), Merge::Open);
    gathering.keep().await.unwrap();
    assert_eq!(world.run(&format!("git show {SESSION}:一")), "1");
    assert_eq!(gathering.merge(&name("agent/one"), Some(&at)).await.unwrap(), Merge::Already);
    // A name that stands where a commit should is another one, and a commit that is gone is named.
    for (known, cure) in [
        ("kept", "`git branch agent/two COMMIT`"),
        (&*"0".repeat(40), "`git branch agent/two 0000000000000000000000000000000000000000`"),
    ] {
        let error = gathering.merge(&name("agent/two"), Some(known)).await.unwrap_err().to_string();
        assert!(
            error.contains("the branch agent/two was deleted or renamed") && error.contains(cure),
            "{error}"
        );
    }
}

#[tokio::test]
async fn whichever_call_dies_all_branches_come_onto_it_once() {
    // Right after a call is right before the next one, too.
    let after = true;
    for call in 1.. {
        let mut world = World::new();
        world.run("branch agent/one 1 one; git branch all");
        let deaths = Deaths::of(&mut world);
        let repository = deaths.0.repository().await;
        // How the worktree is made dies elsewhere.
        let names = ["agent/one"];
        repository.gather(&name(SESSION), "x", (&repository.head, Some("all"))).await.unwrap();
        deaths.at(call, after);
        let first = bring(&repository, Some("all"), &names).await;
        deaths.never();
        let again = bring(&repository, Some("all"), &names).await;
        again.unwrap_or_else(|error| panic!("call {call}, after: {after}: {error}"));
        let world = deaths.0;
        assert_eq!(world.run("git ls-tree --name-only all"), "a\none", "call {call}");
        let merges = format!("git rev-list --count --merges all; git rev-parse all {SESSION} | uniq | wc -l");
        assert_eq!(world.run(&merges), "1\n1", "call {call}");
        assert_eq!(
            world.run("ls .git/tasuki | grep merging || :; find .git -name '*.lock'"),
            "",
            "call {call}"
        );
        if first.is_ok() {
            assert!(call > 10, "{call} calls only");
            break;
        }
    }
}

#[tokio::test]
async fn a_branch_that_git_cannot_keep_beside_another_is_refused() {
    let world = World::new();
    world.run("git branch a/b; git branch 枝");
    let repository = world.repository().await;
    for (into, other) in [("a", "a/b"), ("枝/x", "枝"), ("a/b/c/d", "a/b"), ("agent", "agent/…")] {
        let error = repository.looked_at(into).await.unwrap_err();
        assert!(matches!(error, WorktreeError::Beside { .. }), "{error}");
        assert!(error.to_string().contains(&format!(" no branch {into} beside {other};")), "{error}");
    }
    for into in ["a/c", "ab", "枝2"] {
        assert_eq!(repository.looked_at(into).await.unwrap(), None, "{into}");
    }
    assert!(repository.looked_at("a/b").await.unwrap().is_some());
}
