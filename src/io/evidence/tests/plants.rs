//! Programs that a repository names, in every place where git would run one, and processes that do not wish to end.

use super::Said::{Failed, Passed};
use super::*;
use crate::io::process::{alive, key_of};

/// Each names a program that leaves a file behind.
const PLANTS: &str = r#"
repo
mkdir -p tests; echo x > tests/a; git add .; git commit -qm t
printf '#!/bin/sh\necho "$0 $*" >> %s/ran\nexit 0\n' "$D" > $D/evil; chmod +x $D/evil
for h in pre-commit post-checkout post-index-change reference-transaction pre-auto-gc fsmonitor-watchman post-rewrite; do
  ln -s $D/evil .git/hooks/$h
done
mkdir hooks; for h in .git/hooks/*; do cp -P $h hooks/; done
"#;
const SETTINGS: &str = r#"
for k in core.fsmonitor core.sshCommand core.pager core.editor core.askPass core.gitProxy diff.external diff.x.command diff.x.textconv \
  filter.x.clean filter.x.smudge filter.x.process merge.x.driver gpg.program gpg.ssh.program credential.helper \
  alias.rev-parse alias.ls-files alias.cat-file alias.diff-tree alias.rev-list alias.merge-base uploadpack.packObjectsHook \
  pager.rev-parse pager.diff-tree pager.ls-files pager.cat-file interactive.diffFilter core.alternateRefsCommand sequence.editor; do
  case $k in alias.*) v="!$D/evil";; *) v="$D/evil";; esac
  git config $k "$v"
done
git config core.hooksPath $D/w/hooks; git config log.showSignature true; git config commit.gpgSign true
git config remote.origin.url "ext::$D/evil"; git config remote.origin.promisor true; git config remote.origin.uploadpack $D/evil
git config extensions.partialClone origin; git config protocol.ext.allow always; git config core.repositoryFormatVersion 1
git config core.untrackedCache true; git config core.splitIndex true
echo '* filter=x diff=x merge=x' > .gitattributes
mkdir -p .git/info; cp .gitattributes .git/info/attributes
"#;

#[tokio::test]
async fn a_hostile_repository_runs_nothing() {
    if !has_git() {
        return;
    }
    let world = World::new();
    world.run("plants", PLANTS);
    world.run("a merge", "git checkout -q -b x; echo x > a; git commit -qam x; git checkout -q main; echo y > a; git commit -qam y");
    let expect = Expect { commit: true, command: vec!["test".to_owned()], ..Expect::default() };
    world.run("begin", "rm -f $D/ran");
    let early = world.base(&expect, &["true"]).await;
    world.run(
        "work",
        "git merge -q x >/dev/null 2>&1 || true; echo z > a; git commit -qam merged; rm -f $D/ran",
    );
    world.run("settings", SETTINGS);
    // The plants can do harm: git as people call it runs them.
    world.run(
        "a person",
        "timeout 20 git status >/dev/null 2>&1 || true; timeout 20 git diff >/dev/null 2>&1 || true",
    );
    assert!(world.at("ran").exists(), "none of the plants works");
    world.run("clean", "rm -f $D/ran");
    let late = world.base(&expect, &["true"]).await;
    for base in [&early, &late] {
        let found = world.check(&expect, base).await;
        println!("{found:?}");
        assert_eq!(said(&found[0]), if base == &early { Passed } else { Failed }, "{found:?}");
        assert_eq!(said(&found[1]), Passed, "{found:?}");
    }
    // Objects that are not there are not fetched.
    world.run(
        "missing",
        "git cat-file --batch-all-objects --batch-check > $D/all; rm -rf .git/objects/??; rm -f $D/ran",
    );
    let found = world.check(&expect, &early).await;
    assert_ne!(said(&found[0]), Passed, "{found:?}");
    let ran = std::fs::read_to_string(world.at("ran")).unwrap_or_default();
    assert_eq!(ran, "", "run by the repository");
}

/// Writes its number to a file and does not end.
const STAYS: &str = "echo $$ >> pids; exec sleep 1000";

/// How programs stay: what they do, and whether they exit by themselves.
const STAYING: &[(&str, &str, bool)] = &[
    ("it sleeps", "STAYS", false),
    ("its child sleeps", "sh -c 'STAYS' & wait", false),
    ("its child keeps the pipe", "sh -c 'STAYS' & while [ ! -s pids ]; do :; done", true),
    ("a session of its own", "setsid sh -c 'STAYS' & while [ ! -s pids ]; do :; done", true),
    (
        "a daemon",
        "setsid sh -c 'sh -c \"STAYS\" & exit 0' < /dev/null > /dev/null 2>&1; while [ ! -s pids ]; do :; done",
        true,
    ),
    ("signals that are ignored", "trap '' HUP INT TERM; sh -c 'trap \"\" TERM; STAYS' & wait", false),
    (
        "a child that stands still",
        "sh -c 'echo $$ >> pids; kill -STOP $$' & while [ ! -s pids ]; do :; done",
        true,
    ),
    ("itself stands still", "echo $$ >> pids; kill -STOP $$", false),
    ("an environment of its own", "env -i setsid sh -c 'STAYS' & wait", false),
    ("a flood", "echo $$ >> pids; exec cat /dev/zero", false),
    ("two floods", "sh -c 'echo $$ >> pids; exec yes' & yes >&2", false),
    ("many children", "for i in $(seq 60); do setsid sh -c 'STAYS' & done; wait", false),
    (
        "children of children",
        "f() { echo $(sh -c 'echo $PPID') >> pids; [ $1 = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 1000; }; f 5",
        false,
    ),
    (
        "one that comes again",
        "export F='echo $$ >> pids; sleep 0.02; setsid sh -c \"$F\" &'; setsid sh -c \"$F\" & sleep 1000",
        false,
    ),
];

#[tokio::test]
async fn nobody_stays_behind_a_command() {
    for (name, script, ends) in STAYING {
        let mut world = World::new();
        world.ground.command_limit = Duration::from_millis(if *ends { 60_000 } else { 500 });
        let expect = Expect { command: vec!["test".to_owned()], ..Expect::default() };
        let script = script.replace("STAYS", STAYS);
        let base = world.base(&expect, &["sh", "-c", &script]).await;
        let found = world.check(&expect, &base).await;
        assert_eq!(said(&found[0]), if *ends { Passed } else { Failed }, "{name}: {found:?}");
        let word = if *ends { "exit 0" } else { "not over after 0.5 s" };
        assert!(found[0].how.contains(word), "{name}: {found:?}");
        let pids = std::fs::read_to_string(world.at("w/pids")).unwrap_or_default();
        let pids: Vec<u32> = pids.lines().filter_map(|line| line.trim().parse().ok()).collect();
        assert!(!pids.is_empty(), "{name} did not begin");
        let left: Vec<u32> = pids.into_iter().filter(|pid| key_of(*pid).is_some_and(alive)).collect();
        assert_eq!(left, [0; 0], "{name}");
    }
}

/// Between two looks at what another process has done, of which nothing tells; it takes some such spans to begin.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

#[tokio::test]
async fn nobody_stays_when_nobody_waits_any_more() {
    let world = World::new();
    let expect = Expect { command: vec!["test".to_owned()], ..Expect::default() };
    let script = format!("setsid sh -c '{STAYS}' & wait");
    let base = world.base(&expect, &["sh", "-c", &script]).await;
    let pids = world.at("w/pids");
    let begun = async {
        while !std::fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n')) {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    tokio::select! {
        found = world.check(&expect, &base) => panic!("{found:?}"),
        () = begun => {}
    }
    let pid: u32 = std::fs::read_to_string(&pids).unwrap().trim().parse().unwrap();
    let gone = async {
        while key_of(pid).is_some_and(alive) {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("it ends with the check");
}
