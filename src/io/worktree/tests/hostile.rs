//! Repositories in which nothing can be made, and such as only look so.

use super::*;

#[tokio::test]
async fn what_is_wrong_with_a_repository_is_said_with_a_cure() {
    for (script, said) in [
        (":", "is in no git repository; make one with `git init`"),
        ("git init -q .", "has no commit yet; make one"),
        ("git init -q --bare .", "is a bare repository or a folder of git's own"),
        ("repo; chown -R nobody .", "git config --global --add safe.directory"),
        ("repo; echo rubbish > .git/HEAD", "is in no git repository"),
        ("repo; echo '[core' > .git/config", "cannot find the repository: "),
    ] {
        let world = World::empty("w");
        world.run(script);
        let error = world.try_repository(&world.root()).await.unwrap_err();
        assert!(error.to_string().contains(said), "{script}: {error}");
    }
    let world = World::new();
    let error = world.try_repository(&world.at(".git")).await.unwrap_err();
    assert!(matches!(error, WorktreeError::Bare { .. }), "{error}");
    let error = world.try_repository(&world.at("nowhere")).await.unwrap_err();
    assert!(matches!(error, WorktreeError::NoFolder { is_there: false, .. }), "{error}");
    let error = world.try_repository(std::path::Path::new("/usr")).await.unwrap_err();
    let said = "/usr is in no git repository; make one with `git init`, or name another folder";
    assert_eq!(error.to_string(), said, "its own git lies in it");
    let error = world.repository().await.base_of("--all").await.unwrap_err();
    assert!(error.to_string().starts_with("\"--all\" is no commit"), "{error}");
}

#[tokio::test]
async fn a_git_that_is_missing_or_too_old_is_told() {
    let mut world = World::new();
    let bin = world.folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = bin.to_str().unwrap().to_owned();
    world.env.insert("PATH".to_owned(), path);
    let error = world.try_repository(&world.root()).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no git on the PATH; install git 2.31 or newer");
    world.run("printf '#!/bin/sh\\necho git version 2.30.2\\n' > $D/bin/git; chmod +x $D/bin/git");
    let error = world.try_repository(&world.root()).await.unwrap_err();
    let said = "\"git version 2.30.2\" is too old for worktrees; install git 2.31 or newer";
    assert_eq!(error.to_string(), said);
}

#[tokio::test]
async fn any_folder_and_any_head_is_good() {
    for folder in
        ["w", "a b", "日本の 仕事", "😀", "line\nfeed", "-dash", "*.rs", "w'\"\\$(x)", "a\t\u{1b}[2J"]
    {
        let world = World::empty(folder);
        let root = world.folder.path().canonicalize().unwrap().join(folder);
        world.run_in(&root, "repo; mkdir -p 'in ner'; git checkout -q --detach");
        let repository = world.try_repository(&root.join("in ner")).await.unwrap();
        assert_eq!((&repository.root, &repository.branch), (&root, &None), "{folder:?}");
        world.run_in(&root, "branch agent/one 1 'x\ny'; branch agent/two 2 'z'");
        let parts = from(&["agent/one", "agent/two"]);
        let made = repository.make(&name("agent/a"), "x", &parts).await.unwrap();
        assert!(made.path.starts_with(&root) && made.path.join("x\ny").is_file(), "{folder:?}");
        let again = repository.make(&name("agent/a"), "x", &parts).await.unwrap();
        assert_eq!(Worktree { new_from: made.new_from.clone(), ..again }, made);
        let entry = repository.remove(&name("agent/a")).await.unwrap();
        assert!(!made.path.exists());
        let back = repository.restore(&entry).await.unwrap();
        assert_eq!((back.path, back.base), (made.path, made.base), "{folder:?}");
    }
}

#[tokio::test]
async fn a_linked_worktree_of_a_persons_is_a_repository_too() {
    let world = World::new();
    world.run("git worktree add -q ../mine -b mine");
    let mine = world.folder.path().canonicalize().unwrap().join("mine");
    let repository = world.try_repository(&mine).await.unwrap();
    let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
    assert_eq!(made.path, mine.join(".orchestrator-worktrees/agent-a"));
    assert_eq!(world.run_in(&mine, "git status --porcelain"), "");
}

#[tokio::test]
async fn no_program_of_the_repository_is_run() {
    let world = World::new();
    world.run(
        "for hook in post-checkout reference-transaction pre-commit prepare-commit-msg commit-msg post-merge pre-merge-commit; do
          printf '#!/bin/sh\\ntouch $D/ran-%s\\nexit 1\\n' $hook > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
        git config core.fsmonitor 'touch $D/ran-fsmonitor'; git config merge.ff only; git config commit.gpgSign true
        git config merge.verifySignatures true",
    );
    world.run("git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c commit.gpgSign=false checkout -q -b one; echo 1 > 1; git add .
        git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c commit.gpgSign=false commit -qm 1
        git -c core.hooksPath=/dev/null -c core.fsmonitor=false checkout -q -b two main; echo 2 > 2; git add .
        git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c commit.gpgSign=false commit -qm 2
        rm -f $D/ran-*");
    let repository = world.repository().await;
    repository.make(&name("agent/a"), "x", &from(&["one", "two"])).await.unwrap();
    repository.remove(&name("agent/a")).await.unwrap();
    repository.restore("agent/a").await.unwrap();
    assert_eq!(world.run("ls $D | grep ran- || :"), "");
}

#[tokio::test]
async fn names_that_git_takes_are_plain_and_hostile_ones_reach_no_git() {
    let world = World::new();
    let repository = world.repository().await;
    let longest = format!("agent/{}", "x".repeat(194));
    for text in [
        "agent/_",
        "agent/0",
        "agent/HEAD",
        "agent/a-",
        "agent/a--b",
        "agent/main",
        "agent/con",
        longest.as_str(),
    ] {
        let made = repository.make(&name(text), "x", &[]).await.unwrap();
        assert_eq!(world.run_in(&made.path, "git branch --show-current"), text);
    }
    assert_eq!(world.run("git branch --list 'agent/*' | wc -l"), "8");
}

#[tokio::test]
async fn a_link_in_place_of_the_folder_of_worktrees_is_refused() {
    let world = World::new();
    world.run("mkdir $D/else; ln -s $D/else .orchestrator-worktrees");
    let error = world.repository().await.make(&name("agent/a"), "x", &[]).await.unwrap_err();
    assert!(error.to_string().contains(".orchestrator-worktrees"), "{error}");
    assert_eq!(world.run("ls -A $D/else; git branch --list 'agent/*'"), "");
}
