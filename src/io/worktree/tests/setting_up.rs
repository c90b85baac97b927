//! What is done in a fresh worktree before anybody works there.

use super::*;
use crate::wire::team_file::TreeSetup;

/// Files to copy, and one script for each command.
fn setup(copy: &[&str], run: &[&str]) -> TreeSetup {
    let run = run.iter().map(|script| ["sh", "-c", script].map(str::to_owned).to_vec()).collect();
    TreeSetup { copy: texts(copy), run, ..TreeSetup::default() }
}

const KEPT_OUT: &str = "
printf '.env\nconfig/local.*\nbuilt\n' > .gitignore; mkdir config; echo t > config/kept; git add .; git commit -qm ignore
echo 鍵 > .env; chmod 600 .env; echo 1 > config/local.a; echo 2 > 'config/local.b 襷'; echo own > queue.yaml
mkdir -p home/.tasuki queue; echo x > queue/m.yaml";

#[tokio::test]
async fn files_that_git_does_not_keep_are_copied_and_commands_run_once() {
    let world = World::new();
    world.run(KEPT_OUT);
    // Changed in the person's folder: the tree has what git has.
    world.run(
        "echo changed > config/kept; ln -s ../.env config/local.link; git branch other; git config x.y z",
    );
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &from(&["main"])).await.unwrap();
    let done = setup(
        &[".env", "config/*", "**/nothing-*", "queue", "new.txt"],
        &["cat .env > built; env > ../../env", "echo run >> ../../ran; test -s built"],
    );
    for _ in 0..2 {
        repository.set_up(&name("agent/a"), &done, &world.env).await.unwrap();
    }
    assert_eq!(world.run("cat ran"), "run", "it is done once");
    let files = world.run_in(&made.path, "cat .env config/kept config/local.*; stat -c %a .env; ls queue");
    assert_eq!(files, "鍵\nt\n1\n2\n鍵\n600");
    assert!(!made.path.join("config/local.link").is_symlink(), "a copy, and no link");
    let env = world.run("cat env");
    let names: Vec<&str> = env.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let told = |name: &&str| !["PWD", "OLDPWD", "SHLVL", "_", "TASUKI_CHECK"].contains(name);
    let mut names: Vec<&str> = names.into_iter().filter(told).collect();
    names.sort_unstable();
    assert_eq!(names, ["HOME", "PATH"], "nothing of the daemon's own");
    // What git ignores is nobody's change.
    assert_eq!(repository.look(&name("agent/a"), (None, None)).await.unwrap().obstacles, []);
    world.run("echo n > new.txt");
    repository.make(&name("agent/b"), "x", &from(&["main"])).await.unwrap();
    repository.set_up(&name("agent/b"), &done, &world.env).await.unwrap();
    let obstacles = repository.look(&name("agent/b"), (None, None)).await.unwrap().obstacles;
    assert_eq!(obstacles, [Obstacle::Dirty { files: vec!["new.txt".to_owned()], in_all: 1 }]);
    repository.remove(&name("agent/a")).await.unwrap();
    // What git keeps in the branch is not overwritten, whatever lies in the person's folder.
    world.run("branch kept 'of git' shared; echo 'of a person' > shared");
    let made = repository.make(&name("agent/c"), "x", &from(&["kept"])).await.unwrap();
    repository.set_up(&name("agent/c"), &setup(&["shared"], &[]), &world.env).await.unwrap();
    assert_eq!(world.run_in(&made.path, "cat shared; git status --porcelain"), "of git");
}

#[tokio::test]
async fn a_setup_that_fails_says_so_and_is_done_again_from_its_beginning() {
    let world = World::new();
    world.run(KEPT_OUT);
    let repository = world.repository().await;
    let at = name("agent/a");
    repository.make(&at, "x", &[]).await.unwrap();
    let failing = "echo 'まだです'; echo '\x1b[31mE: no net' >&2; test -e ../../mended || exit 7";
    let steps = setup(&[".env"], &["echo first >> ../../ran", failing]);
    let error = repository.set_up(&at, &steps, &world.env).await.unwrap_err().to_string();
    assert!(error.contains("setup command `sh -c") && error.contains("exit 7; put it right"), "{error}");
    assert!(error.ends_with("the end of what it printed:\nまだです\nE: no net"), "{error}");
    let slow = TreeSetup { timeout_ms: 50, ..setup(&[], &["sleep 600 & sleep 600"]) };
    let error = repository.set_up(&at, &slow, &world.env).await.unwrap_err().to_string();
    assert!(error.contains("not over after 0.05 s") && error.ends_with("it printed nothing"), "{error}");
    let absent = TreeSetup { run: vec![texts(&["nothing-of-that-name"])], ..TreeSetup::default() };
    let error = repository.set_up(&at, &absent, &world.env).await.unwrap_err().to_string();
    assert!(error.contains("no program nothing-of-that-name"), "{error}");
    // Whoever asks for the tree meanwhile finds it made, and it is set up from the beginning.
    world.run("touch mended; echo 新 > .env");
    let made = repository.make(&at, "x", &[]).await.unwrap();
    repository.set_up(&at, &steps, &world.env).await.unwrap();
    assert_eq!(world.run("cat ran"), "first\nfirst");
    assert_eq!(world.run_in(&made.path, "cat .env"), "新", "what the first try has copied is copied again");
    repository.remove(&at).await.unwrap();
    let error = repository.set_up(&at, &steps, &world.env).await.unwrap_err();
    assert!(error.to_string().contains("was removed"), "{error}");
}

#[tokio::test]
async fn no_link_and_no_branch_leads_a_setup_out_of_the_repository() {
    let mut world = World::new();
    world.run("echo secret > ../outside; mkdir -p config; echo c > config/local; ln -s ../outside out; ln -s $D abs");
    world.run("git checkout -q -b other; rm -r config; ln -s ../../.. config; git add config; git commit -qm link; git checkout -q main; mkdir -p config; echo c > config/local");
    let repository = world.repository().await;
    let made = repository.make(&name("agent/a"), "x", &from(&["main"])).await.unwrap();
    for (copied, why) in [("out", "leads out of the repository"), ("abs", "leads out of the repository")] {
        let error =
            repository.set_up(&name("agent/a"), &setup(&[copied], &[]), &world.env).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(!made.path.join(copied).exists());
    }
    for dead in ["ln -s nowhere dead", "rm dead; ln -s dead dead", "rm dead; ln -s a/b dead"] {
        world.run(dead);
        let error = repository.set_up(&name("agent/a"), &setup(&["de*"], &[]), &world.env).await.unwrap_err();
        let said = error.to_string();
        assert!(said.contains("dead is not copied") && said.contains("remove the link"), "{dead}: {said}");
    }
    world.run("mkfifo pipe; mkdir folder; ln -s folder to-folder");
    let error =
        repository.set_up(&name("agent/a"), &setup(&["to-folder"], &[]), &world.env).await.unwrap_err();
    assert!(error.to_string().contains("is no file"), "{error}");
    // In that branch the folder is a link that leads away.
    repository.make(&name("agent/b"), "x", &from(&["other"])).await.unwrap();
    let error =
        repository.set_up(&name("agent/b"), &setup(&["config/local"], &[]), &world.env).await.unwrap_err();
    assert!(error.to_string().contains("cannot be written into the worktree"), "{error}");
    assert!(!world.folder.path().join("local").exists());
    // A program in a relative place of the PATH is one of the tree.
    world.run("mkdir bin; printf '#!/bin/sh\\ntouch $0.ran\\n' > bin/tool; chmod +x bin/tool; git add bin; git commit -qm tool");
    let made = repository.make(&name("agent/c"), "x", &from(&["main"])).await.unwrap();
    world.env.insert("PATH".to_owned(), format!("bin:{}/bin:/usr/bin:/bin", made.path.display()));
    let tool = TreeSetup { run: vec![texts(&["tool"])], ..TreeSetup::default() };
    let error = repository.set_up(&name("agent/c"), &tool, &world.env).await.unwrap_err();
    assert!(error.to_string().contains("no program tool"), "{error}");
    let tool = TreeSetup { run: vec![texts(&["bin/tool"])], ..TreeSetup::default() };
    repository.set_up(&name("agent/c"), &tool, &world.env).await.unwrap();
    assert!(made.path.join("bin/tool.ran").exists(), "where it is named, it is meant");
}

#[tokio::test]
async fn a_worktree_in_which_a_setup_is_at_work_is_not_removed_nor_set_up_twice() {
    let world = World::new();
    let repository = world.repository().await;
    let at = name("agent/a");
    repository.make(&at, "x", &[]).await.unwrap();
    // The pipe has nobody at its other end, so the command waits until somebody lets it go on.
    world.run("mkfifo go; printf 'go\n' >> .git/info/exclude");
    let waiting = setup(&[], &["echo begun >> ../../begun; read x < ../../go; echo run >> ../../ran"]);
    let set_up = |repository: Repository, env: Env| {
        let (at, waiting) = (at.clone(), waiting.clone());
        tokio::spawn(async move {
            repository.set_up(&at, &waiting, &env).await.map_err(|error| error.to_string())
        })
    };
    let is_begun = async |times: usize| {
        while std::fs::read_to_string(world.at("begun")).unwrap_or_default().lines().count() < times {
            tokio::task::yield_now().await;
        }
    };
    let dropped = set_up(repository.clone(), world.env.clone());
    is_begun(1).await;
    let other = set_up(repository.clone(), world.env.clone());
    let pruned = repository.prune(|_| false, false).await.unwrap();
    let one = &pruned[0];
    assert!(!one.removed && one.obstacles == [Obstacle::AtWork], "{pruned:?}");
    assert!(one.obstacles[0].to_string().contains("cancel the session"));
    let refused = repository.remove(&at).await.unwrap_err().to_string();
    assert!(refused.contains("its setup or a check is at work there"), "{refused}");
    assert!(!other.is_finished() && !world.at("ran").exists());
    // Nobody wants the first any more: its command ends, and the next one begins behind it.
    dropped.abort();
    assert!(dropped.await.unwrap_err().is_cancelled());
    is_begun(2).await;
    world.run("echo > go");
    assert_eq!(other.await.unwrap(), Ok(()));
    assert_eq!(world.run("cat begun ran"), "begun\nbegun\nrun");
    assert!(repository.prune(|_| false, false).await.unwrap()[0].removed);
    assert_eq!(world.run("ls .git/tasuki"), "lock\nworktrees", "no lock of a setup is left");
}
