//! Commits that were made, and others that only seem so.

use super::Said::{Broken, Failed, Passed};
use super::*;

fn expect() -> Expect {
    Expect { commit: true, ..Expect::default() }
}

async fn hold(rows: &[Row], cwd: &str) {
    if !has_git() {
        return;
    }
    let mut found = Vec::new();
    for row in rows {
        found.extend(wrong(row, cwd, &expect(), &[]).await);
    }
    complain(&found);
}

/// HEAD does not move, or moves by what was not made here.
const LIES: &[Row] = &[
    ("nothing", "repo", "true", Failed, "HEAD is still"),
    ("a change that is not committed", "repo", "echo b > a", Failed, "HEAD is still"),
    ("a change that is staged", "repo", "echo b > a; git add a", Failed, "HEAD is still"),
    ("a stash", "repo", "echo b > a; git stash -q", Failed, "HEAD is still"),
    ("a tag", "repo", "git tag -m x v1", Failed, "HEAD is still"),
    (
        "a commit on a branch that is left",
        "repo",
        "git checkout -q -b x; echo b > a; git commit -qam x; git checkout -q main",
        Failed,
        "HEAD is still",
    ),
    (
        "a commit that is reset away",
        "repo",
        "echo b > a; git commit -qam x; git reset -q --hard HEAD~",
        Failed,
        "HEAD is still",
    ),
    ("an empty commit", "repo", "git commit -q --allow-empty -m x", Failed, "HEAD has the same files"),
    (
        "two commits that cancel each other",
        "repo",
        "echo b > a; git commit -qam x; echo a > a; git commit -qam y",
        Failed,
        "HEAD has the same files",
    ),
    (
        "a commit and its revert",
        "repo",
        "echo b > a; git commit -qam x; git revert --no-edit HEAD -n; git commit -qm y",
        Failed,
        "the same files",
    ),
    (
        "the earlier commit amended",
        "repo",
        "echo b > a; git commit -q --amend -am x",
        Failed,
        "was rewritten",
    ),
    ("only its title amended", "repo", "git commit -q --amend -m x", Failed, "was rewritten"),
    (
        "the earlier commit reset away",
        "repo; echo b > a; git commit -qam b",
        "git reset -q --hard HEAD~; echo c > a; git commit -qam c",
        Failed,
        "was rewritten",
    ),
    (
        "an orphan",
        "repo",
        "git checkout -q --orphan x; echo b > a; git commit -qam x",
        Failed,
        "was rewritten",
    ),
    (
        "a rebase that drops the earlier commit",
        "repo; by_alice; echo m > m; git add m; git commit -qm m",
        "git rebase -q alice; echo n > m; git commit -qam n",
        Failed,
        "was rewritten",
    ),
    ("a fast-forward", "repo; by_alice", "git merge -q alice", Failed, "`merge alice: Fast-forward`"),
    (
        "a pull",
        "repo; git clone -q . $D/other; cd $D/other; echo b > a; alice git commit -qam hers",
        "git pull -q $D/other main",
        Failed,
        "HEAD moved by `pull",
    ),
    (
        "a reset to another's commit",
        "repo; by_alice",
        "git reset -q --hard alice",
        Failed,
        "`reset: moving to alice`",
    ),
    (
        "a checkout of another's branch",
        "repo; by_alice",
        "git checkout -q alice",
        Failed,
        "`checkout: moving from main to alice`",
    ),
    ("a detached checkout", "repo; by_alice", "git checkout -q --detach alice", Failed, "`checkout: moving"),
    (
        "a branch that is made there",
        "repo; by_alice",
        "git checkout -q -B x alice",
        Failed,
        "`checkout: moving",
    ),
    (
        "another's commit picked",
        "repo; by_alice",
        "git cherry-pick alice >/dev/null",
        Failed,
        "`cherry-pick: hers`",
    ),
    (
        "another's patch applied",
        "repo; by_alice",
        "git format-patch -q -1 alice; git am -q 0001-hers.patch",
        Failed,
        "`am: hers`",
    ),
    (
        "a merge that has no conflict",
        "repo; by_alice; echo m > m; git add m; git commit -qm m",
        "git merge -q --no-edit alice",
        Failed,
        "HEAD moved by `merge alice: Merge made",
    ),
    (
        "a merge without a fast-forward",
        "repo; by_alice",
        "git merge -q --no-ff --no-edit alice",
        Failed,
        "HEAD moved by `merge",
    ),
    (
        "the same, committed by hand",
        "repo; by_alice",
        "git merge -q --no-ff --no-commit alice; git commit -qm x",
        Failed,
        "is empty: it changes no file",
    ),
    (
        "a merge of what had parted, committed by hand",
        "repo; by_alice; echo m > m; git add m; git commit -qm m",
        "git merge -q --no-commit alice; git commit -qm x",
        Failed,
        "has nothing that its parents do not have",
    ),
    ("a rebase onto another's", "repo; by_alice", "git rebase -q alice", Failed, "HEAD moved by `rebase"),
    (
        "an empty commit on another's",
        "repo; by_alice",
        "git merge -q alice; git commit -q --allow-empty -m mine",
        Failed,
        "is empty",
    ),
    (
        "another's commit with a title of one's own",
        "repo; by_alice",
        "git merge -q alice; git commit -q --amend -m mine",
        Failed,
        "has the files of another that was not made here",
    ),
    (
        "another's commit, committed anew",
        "repo; by_alice",
        "git merge -q alice; git commit -q --amend --reset-author -m mine",
        Failed,
        "has the files of another",
    ),
    (
        "a title changed twice",
        "repo; by_alice",
        "git merge -q alice; git commit -q --amend -m mine; git commit -q --amend -m ours",
        Failed,
        "has the files of another",
    ),
    (
        "a commit of one's own that is no part of it",
        "repo; by_alice",
        "git checkout -q -b x; echo b > a; git commit -qam x; git checkout -q main; git merge -q alice",
        Failed,
        "HEAD does not have it",
    ),
];

/// git's log, its objects and its refs are made to say what is not so.
const FORGERIES: &[Row] = &[
    (
        "a fast-forward that calls itself a commit",
        "repo; by_alice",
        "GIT_REFLOG_ACTION='commit: x' git merge -q alice",
        Failed,
        "it was made at another time or by another",
    ),
    (
        "a ref that is set with such a message",
        "repo; by_alice",
        "git update-ref -m 'commit: x' HEAD alice; git reset -q --hard",
        Failed,
        "it was made at another time or by another",
    ),
    (
        "a line in the log",
        "repo; by_alice",
        r#"old=$(git rev-parse main); git reset -q --hard alice
        printf '%s %s Agent <agent@example.org> 1900000000 +0000\tcommit: x\n' $old $(git rev-parse alice) >> .git/logs/HEAD"#,
        Failed,
        "it was made at another time or by another",
    ),
    (
        "a line that names what is not there",
        "repo; by_alice",
        r#"git reset -q --hard alice
        printf '%s %s A <a> 1 +0000\tcommit: x\n' $(git rev-parse main) 1234567890123456789012345678901234567890 >> .git/logs/HEAD"#,
        Failed,
        "which is not there",
    ),
    (
        "no log",
        "repo; by_alice",
        "git merge -q alice; rm .git/logs/HEAD",
        Failed,
        "names no commit that was made here",
    ),
    (
        "a log that is no file",
        "repo; by_alice",
        "git merge -q alice; rm .git/logs/HEAD; mkfifo .git/logs/HEAD",
        Broken,
        "is not a file",
    ),
    (
        "an earlier commit of one's own, and a log cut short",
        "repo; git checkout -q -b x; echo b > a; GIT_COMMITTER_DATE='2022-01-01T00:00:00Z' git commit -qam x; git checkout -q main",
        "git merge -q x; sed -i '/checkout/d' .git/logs/HEAD",
        Failed,
        "HEAD moved by `merge x: Fast-forward`",
    ),
    (
        "the same, and a log of the same length",
        "repo; git checkout -q -b x; echo b > a; GIT_COMMITTER_DATE='2022-01-01T00:00:00Z' git commit -qam x; git checkout -q main",
        "git merge -q x; sed -i '1d' .git/logs/HEAD; grep commit: .git/logs/HEAD > l; cat l l l l l > .git/logs/HEAD",
        Failed,
        "",
    ),
    (
        "a HEAD that is another branch",
        "repo; by_alice",
        "git symbolic-ref HEAD refs/heads/alice",
        Failed,
        "no commit",
    ),
    (
        "a HEAD that is written by hand",
        "repo; by_alice",
        "git rev-parse alice > .git/HEAD",
        Failed,
        "no commit",
    ),
    (
        "an empty commit that is replaced",
        "repo; by_alice",
        "git commit -q --allow-empty -m x; git replace HEAD $(git commit-tree -p main~ -m x alice^{tree})",
        Failed,
        "the same files",
    ),
    (
        "a graft",
        "repo; by_alice",
        r#"b=$(git rev-parse main); echo b > a; git commit -q --amend -am x
        mkdir -p .git/info; echo "$(git rev-parse HEAD) $b" > .git/info/grafts"#,
        Failed,
        "was rewritten",
    ),
    (
        "a shallow history",
        "repo; by_alice",
        "git merge -q alice; git commit -q --allow-empty -m x; git rev-parse HEAD > .git/shallow",
        Failed,
        "was rewritten",
    ),
    (
        "another repository in its place",
        "repo",
        "rm -rf .git; repo; echo b > a; git commit -qam x",
        Failed,
        "is another one than before",
    ),
    (
        "a repository within",
        "mkdir sub; cd sub; repo",
        "rm -rf sub/.git; git init -q -b main .; git add .; git commit -qm x",
        Failed,
        "another one",
    ),
    (
        "a colleague's tree",
        "repo; git worktree add -q $D/other -b other",
        "(cd $D/other; echo b > a; git commit -qam x); mv .git $D/git; sed -i \"s,$D/w/.git,$D/git,\" $D/other/.git; cp $D/other/.git .git",
        Failed,
        "is another one than before",
    ),
    (
        "a colleague's commit in another tree",
        "repo; git worktree add -q $D/other -b other",
        "(cd $D/other; echo b > a; git commit -qam x); git merge -q other",
        Failed,
        "`merge other: Fast-forward`",
    ),
    (
        "a copy of a colleague's repository",
        "repo; git clone -q . $D/other",
        "(cd $D/other; echo b > a; git commit -qam x); rm -rf .git; cp -r $D/other/.git .git",
        Failed,
        "is another one than before",
    ),
    ("no repository any more", "repo", "rm -rf .git", Failed, "in no git repository"),
    ("a repository that is bare now", "repo", "git config core.bare true", Failed, "bare"),
    (
        "a repository that is destroyed",
        "repo",
        "rm -rf .git/objects; mkdir .git/objects; echo x > .git/HEAD",
        Failed,
        "in no git repository",
    ),
    ("settings that are none", "repo", "echo '[' >> .git/config", Broken, "git cannot read the repository"),
    (
        "a .git that leads nowhere",
        "repo",
        "rm -rf .git; echo 'gitdir: /nowhere' > .git",
        Failed,
        "in no git repository",
    ),
    ("no folder any more", "mkdir x", "cd ..; mv w v", Broken, "cannot enter the agent's folder"),
    ("no commit in a new repository", "true", "git init -q -b main .", Failed, "nothing is committed"),
    (
        "a first commit without files",
        "true",
        "git init -q -b main .; git commit -q --allow-empty -m x",
        Failed,
        "has no files",
    ),
    (
        "a clone in place of an empty folder",
        "mkdir $D/o; cd $D/o; repo; cd $D/w",
        "git clone -q $D/o . ",
        Failed,
        "HEAD moved by `clone",
    ),
    (
        "refs that are kept as a table",
        "repo",
        "git refs migrate --ref-format=reftable 2>/dev/null || { rm -rf .git; git init -q --ref-format=reftable .; }",
        Broken,
        "reftable",
    ),
];

#[tokio::test]
async fn a_commit_that_was_not_made_here_does_not_count() {
    hold(LIES, "").await;
}

#[tokio::test]
async fn neither_a_log_nor_an_object_nor_a_ref_is_believed_alone() {
    hold(FORGERIES, "").await;
}

/// Ways in which work is committed.
const HONEST: &[Row] = &[
    ("a commit", "repo", "echo b > a; git commit -qam 'a: b'", Passed, "a: b"),
    (
        "two",
        "repo",
        "echo b > a; git commit -qam x; echo c > a; git commit -qam y",
        Passed,
        "2 commits made here",
    ),
    (
        "in the name of another",
        "repo",
        "echo b > a; git commit -qa -m x --author='Bob <bob@example.org>'",
        Passed,
        " x",
    ),
    (
        "at another time",
        "repo",
        "echo b > a; GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' git commit -qam x",
        Passed,
        " x",
    ),
    ("on a branch", "repo", "git checkout -q -b x; echo b > a; git commit -qam x", Passed, " x"),
    ("on a detached HEAD", "repo", "git checkout -q --detach; echo b > a; git commit -qam x", Passed, " x"),
    (
        "amended",
        "repo",
        "echo b > a; git commit -qam x; echo c > a; git commit -qa --amend -m y",
        Passed,
        " y",
    ),
    (
        "with a title amended twice",
        "repo",
        "echo b > a; git commit -qam x; git commit -q --amend -m y; git commit -q --amend -m z --reset-author",
        Passed,
        " z",
    ),
    (
        "on another's",
        "repo; by_alice",
        "git merge -q alice; echo b > a; git commit -qam mine",
        Passed,
        "mine",
    ),
    (
        "another's with a change of one's own",
        "repo; by_alice",
        "git merge -q alice; echo b > a; git commit -qa --amend -m x",
        Passed,
        " x",
    ),
    (
        "a file that is removed",
        "repo; echo b > b; git add b; git commit -qm b",
        "git rm -q b; git commit -qm gone",
        Passed,
        "gone",
    ),
    ("a file that may be run", "repo", "chmod +x a; git commit -qam x", Passed, " x"),
    (
        "a squash of one's own",
        "repo",
        "git checkout -q -b x; echo b > a; git commit -qam x; echo c > a; git commit -qam y; git checkout -q main; git merge -q --squash x >/dev/null; git commit -qm both",
        Passed,
        "both",
    ),
    (
        "one's own branch merged",
        "repo",
        "git checkout -q -b x; echo b > a; git commit -qam x; git checkout -q main; git merge -q x",
        Passed,
        " x",
    ),
    (
        "rebased onto what had moved",
        "repo",
        "git checkout -q -b x; echo b > a; git commit -qam mine; git checkout -q main; echo m > m; git add m; alice git commit -qm m; git checkout -q x; git rebase -q main",
        Passed,
        "mine",
    ),
    (
        "rebased by a pull",
        "repo; git clone -q . $D/o",
        "(cd $D/o; echo m > m; git add m; alice git commit -qm m); echo b > a; git commit -qam mine; git pull -q --rebase $D/o main",
        Passed,
        "mine",
    ),
    (
        "rebased with a conflict",
        "repo; git checkout -q -b alice; echo hers > a; alice git commit -qam hers; git checkout -q main",
        "echo mine > a; git commit -qam mine; git rebase -q alice >/dev/null 2>&1 || { echo both > a; git add a; GIT_EDITOR=true git rebase --continue >/dev/null 2>&1; }",
        Passed,
        "mine",
    ),
    (
        "one's own picked from a branch",
        "repo",
        "git checkout -q -b x; echo b > a; git commit -qam mine; git checkout -q main; echo m > m; git add m; alice git commit -qm m; git cherry-pick x >/dev/null",
        Passed,
        "",
    ),
    (
        "a merge whose conflict was resolved",
        "repo; git checkout -q -b alice; echo hers > a; alice git commit -qam hers; git checkout -q main; echo ours > a; git commit -qam ours",
        "git merge -q alice >/dev/null 2>&1 || true; echo both > a; git commit -qam merged",
        Passed,
        "merged",
    ),
    (
        "a revert of what was wrong",
        "repo; echo wrong > a; git commit -qam wrong",
        "git revert --no-edit HEAD >/dev/null",
        Passed,
        "Revert",
    ),
    (
        "past hooks that fail",
        "repo",
        "printf '#!/bin/sh\\necho noise; exit 1\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit; echo b > a; git commit -qam x 2>/dev/null",
        Passed,
        " x",
    ),
    (
        "with a name and a title of many letters",
        "repo",
        "echo b > '日本 語\n.txt'; git add .; git commit -qm '襷をつなぐ 👩‍💻'",
        Passed,
        "襷をつなぐ",
    ),
    (
        "the first of all",
        "true",
        "git init -q -b main .; echo b > a; git add .; git commit -qm first",
        Passed,
        "first",
    ),
    (
        "the first of a repository",
        "git init -q -b main .",
        "echo b > a; git add .; git commit -qm first",
        Passed,
        "first",
    ),
    (
        "with a log that was packed",
        "repo",
        "echo b > a; git commit -qam x; git reflog expire --expire=now HEAD~ 2>/dev/null; git gc -q",
        Passed,
        " x",
    ),
    (
        "with names of objects by SHA-256",
        "git init -q -b main --object-format=sha256 .; echo a > a; git add .; git commit -qm a",
        "echo b > a; git commit -qam x",
        Passed,
        " x",
    ),
    (
        "in a shallow clone",
        "mkdir $D/o; cd $D/o; repo; echo b > a; git commit -qam b; cd $D/w; git clone -q --depth 1 file://$D/o .",
        "echo c > a; git commit -qam x",
        Passed,
        " x",
    ),
    (
        "past an empty commit",
        "repo",
        "git commit -q --allow-empty -m y; echo b > a; git commit -qam x",
        Passed,
        " x",
    ),
    (
        "with a side that was kept of a conflict",
        "repo; git checkout -q -b alice; echo hers > a; alice git commit -qam hers; git checkout -q main",
        "echo mine > a; git commit -qam mine; git merge -q alice >/dev/null 2>&1 || true; git checkout -q --ours a; git commit -qam merged",
        Passed,
        "mine",
    ),
];

#[tokio::test]
async fn a_commit_that_was_made_here_counts_however_it_was_made() {
    hold(HONEST, "").await;
}

#[tokio::test]
async fn a_commit_counts_wherever_in_a_repository_the_folder_is() {
    hold(
        &[("a subfolder", "repo; mkdir -p sub", "echo b > sub/b; git add .; git commit -qm x", Passed, " x")],
        "sub",
    )
    .await;
    let tree = "repo; git worktree add -q tree -b x";
    hold(
        &[
            ("a linked worktree", tree, "cd tree; echo b > a; git commit -qam x", Passed, " x"),
            ("the tree beside it", tree, "echo b > a; git commit -qam x", Failed, "HEAD is still"),
            (
                "a commit from beside it",
                tree,
                "echo b > a; git commit -qam x; cd tree; git merge -q main",
                Failed,
                "Fast-forward",
            ),
        ],
        "tree",
    )
    .await;
    let module = "mkdir $D/o; cd $D/o; repo; cd $D/w; repo; git -c protocol.file.allow=always submodule --quiet add $D/o sub; git commit -qam sub";
    hold(
        &[
            ("a submodule", module, "cd sub; echo b > a; git commit -qam x", Passed, " x"),
            ("what holds it", module, "echo b > a; git commit -qam x", Failed, "HEAD is still"),
        ],
        "sub",
    )
    .await;
    let strange = "mkdir '日本 a\nb'; cd '日本 a\nb'; repo".replace("\\n", "\n");
    let strange: &'static str = strange.leak();
    hold(
        &[("a folder with a strange name", strange, "cd 日*; echo b > a; git commit -qam x", Passed, " x")],
        "日本 a\nb",
    )
    .await;
    hold(&[("a bare repository", "git init -q --bare b", "true", Failed, "bare")], "b").await;
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
    // What the index knows of a file is out of date: git would write it anew.
    world.run("touch", "touch -d '2030-01-01' a tests/a");
    let before = state(&world);
    let expect = Expect { command: vec!["test".to_owned()], ..expect() };
    let base = world.base(&expect, &["true"]).await;
    assert_eq!(world.check(&expect, &base).await.len(), 2);
    assert_eq!(state(&world).replace("./.tasuki", ""), before.replace("./.tasuki", ""));
}
