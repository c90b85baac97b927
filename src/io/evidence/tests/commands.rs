//! Commands that succeed, and others that only seem to.

use super::Said::{Broken, Failed, Passed};
use super::*;

const ROWS: &str = include_str!("commands.txt");

fn expect() -> Expect {
    Expect { command: vec!["test".to_owned()], ..Expect::default() }
}

async fn hold_commands(sections: &[&str]) {
    for section in sections {
        hold(ROWS, section, "", &expect(), "").await;
    }
}

#[tokio::test]
async fn the_script_of_a_command_is_not_the_turns_to_write() {
    let sections = ["its own script", "a script for a shell", "words of a shell", "an argument", "itself"];
    hold_commands(&sections).await;
}

/// A command, a file in which its program reads what to run, and another text for it.
const DEFINED: &[(&[&str], &str, &str, &str)] = &[
    (&["make", "test"], "Makefile", "test:; false", "test:; true"),
    (&["make", "test"], "GNUmakefile", "", "test:; true"),
    (&["make", "-C", "sub", "test"], "sub/makefile", "test:; false", "test:; true"),
    (&["env", "A=1", "make", "test"], "Makefile", "test:; false", "test:; true"),
    (&["sh", "-c", "make test"], "Makefile", "test:; false", "test:; true"),
    (&["just", "test"], "justfile", "test:\\n  false", "test:\\n  true"),
    (&["just", "test"], ".justfile", "", "test:\\n  true"),
    (
        &["npm", "test"],
        "package.json",
        "{\"scripts\": {\"test\": \"jest\"}}",
        "{\"scripts\": {\"test\": \"true\"}}",
    ),
    (
        &["npm", "test"],
        "package.json",
        "{\"scripts\": {\"test\": \"jest\"}}",
        "{\"scripts\": {\"pretest\": \"x\", \"test\": \"jest\"}}",
    ),
    (&["npm", "test"], "package.json", "{\"scripts\": {\"test\": \"jest\"}}", "{}"),
    (&["npm", "test"], ".npmrc", "", "script-shell=/bin/true"),
    (&["cargo", "test"], ".cargo/config.toml", "", "[target.x]\\nrunner = \"true\""),
    (&["cargo", "test"], "rust-toolchain.toml", "[toolchain]", "[toolchain]\\npath = \"x\""),
    (&["pytest"], "pytest.ini", "", "[pytest]\\naddopts = --co"),
    (&["pytest"], "conftest.py", "x = 1", "collect_ignore = [\"test_a.py\"]"),
    (&["pytest"], "setup.cfg", "[tool:pytest]\\na = 1", "[tool:pytest]\\na = 2"),
    (
        &["python3", "-m", "pytest"],
        "pyproject.toml",
        "[project]\\na = 1",
        "[project]\\na = 1\\n[tool.pytest.ini_options]\\naddopts = \"--co\"",
    ),
    (&["python3", "-m", "unittest", "discover"], "unittest/__init__.py", "", "import sys; sys.exit(0)"),
    (&["python3", "-Xdev", "-Im", "unittest"], "unittest.py", "", "import sys; sys.exit(0)"),
    (&["sh", "-c", "cd . && python3 -mpytest -q"], "pytest.py", "", "import sys; sys.exit(0)"),
    (&["pytest"], "tox.ini", "[tox]", "[tox]\\n[pytest]\\naddopts = --co"),
];

#[tokio::test]
async fn what_a_program_reads_its_work_from_is_not_the_turns_to_write() {
    let mut found = Vec::new();
    for (command, file, before, turn) in DEFINED {
        let write = |text: &str| match text {
            "" => "true".to_owned(),
            text => format!("mkdir -p .cargo sub unittest; printf '{text}\\n' > {file}"),
        };
        let row = |name: &str, before: String, turn: String, word: &str| Row {
            name: format!("{file} {name}"),
            before: format!("programs; mkdir sub; {before}"),
            turn,
            said: Failed,
            word: word.to_owned(),
        };
        let changed = row("changed", write(before), write(turn), "by which the command is defined");
        found.extend(wrong(&changed, "", &expect(), command).await);
        let says_something = *turn != "{}";
        if says_something {
            let gone = row("removed", write(turn), format!("rm {file}"), "is gone");
            found.extend(wrong(&gone, "", &expect(), command).await);
        }
    }
    // As seen from a folder of the repository.
    let above = Row {
        name: "above".to_owned(),
        before: "programs; git init -q .; mkdir sub".to_owned(),
        turn: "mkdir .cargo; echo x > .cargo/config.toml".to_owned(),
        said: Failed,
        word: "../.cargo/config.toml".to_owned(),
    };
    if has_git() {
        found.extend(wrong(&above, "sub", &expect(), &["cargo", "test"]).await);
    }
    complain(&found);
}

#[tokio::test]
async fn what_a_script_includes_is_not_the_turns_to_write() {
    hold_commands(&["what a script includes"]).await;
}

#[tokio::test]
async fn what_make_runs_is_not_the_turns_to_write() {
    hold_commands(&["what make runs", "the first rule of make"]).await;
}

#[tokio::test]
async fn what_a_package_runs_is_not_the_turns_to_write() {
    hold_commands(&["what a package runs"]).await;
}

#[tokio::test]
async fn what_a_task_is_to_write_is_its_work() {
    let world = World::new();
    world.run("before", "echo '. ./lib.sh' > main.sh; echo false > lib.sh");
    let expect = Expect { files: vec!["lib.sh".to_owned()], ..expect() };
    let base = world.base(&expect, &["sh", "main.sh"]).await;
    world.run("turn", "echo true > lib.sh");
    let found = world.check(&expect, &base).await;
    assert_eq!(said(&found[1]), Passed, "{found:?}");
    assert!(
        found[1].how.contains("read or run by the command, and changed by the turn: lib.sh"),
        "{found:?}"
    );
    // So is what the command reads.
    world.run("before", "echo false > a.txt");
    let expect = Expect { files: vec!["a.txt".to_owned()], ..expect };
    let base = world.base(&expect, &["grep", "-q", "true", "a.txt"]).await;
    world.run("turn", "echo true > a.txt");
    let found = world.check(&expect, &base).await;
    assert_eq!(said(&found[1]), Passed, "{found:?}");
    assert!(found[1].how.contains("read or run by the command, and changed by the turn: a.txt"), "{found:?}");
}

#[tokio::test]
async fn what_a_command_writes_is_no_part_of_it() {
    hold_commands(&["what it writes"]).await;
}

#[tokio::test]
async fn what_says_other_things_may_be_written() {
    let sections =
        ["scripts of a package", "sections of a project", "rules of make", "rules that are not read"];
    hold_commands(&sections).await;
}

#[tokio::test]
async fn a_test_that_was_there_stays() {
    hold(ROWS, "tests", "", &expect(), "").await;
    if has_git() {
        hold(
            ROWS,
            "tests",
            "",
            &expect(),
            "; git init -q .; echo '*.log' > .gitignore; git add .; git commit -qm x",
        )
        .await;
    }
}

#[tokio::test]
async fn a_test_that_was_there_stays_even_if_git_ignores_it() {
    if has_git() {
        hold_commands(&["tests that git ignores"]).await;
    }
}

#[tokio::test]
async fn a_program_is_not_taken_from_the_tree() {
    let plant = "mkdir -p t; printf '#!/bin/sh\\ntouch $D/ran\\n' > t/lint; chmod +x t/lint; cp t/lint lint";
    for (place, want, word) in [
        ("t", Failed, "which is in the agent's tree"),
        (".", Failed, "which is in the agent's tree"),
        ("", Failed, "which is in the agent's tree"),
        ("/w/t", Failed, "which is in the agent's tree"),
        ("/bin", Broken, "is not to be found"),
    ] {
        let mut world = World::new();
        let place = place
            .strip_prefix('/')
            .map_or_else(|| place.to_owned(), |name| world.at(name).display().to_string());
        world.ground.env.insert("PATH".to_owned(), format!("{place}:/usr/bin:/bin"));
        let base = world.base(&expect(), &["lint"]).await;
        world.run("plant", plant);
        let found = world.check(&expect(), &base).await;
        assert!(said(&found[0]) == want && found[0].how.contains(word), "{place}: {found:?}");
    }
    // Beside the agent's tree, in its workspace: the one that was there is meant, and no other.
    let mut world = World::new();
    world.run("tools", "mkdir tree tools; printf '#!/bin/sh\\n' > tools/lint; chmod +x tools/lint");
    world.ground.cwd = world.at("w/tree");
    world.ground.env.insert("PATH".to_owned(), format!("{}:/usr/bin:/bin", world.at("w/tools").display()));
    let base = world.base(&expect(), &["lint"]).await;
    assert_eq!(said(&world.check(&expect(), &base).await[0]), Passed);
    world.run("another", "echo true > tools/lint");
    assert!(
        world.check(&expect(), &base).await[0].how.contains("in the workspace, and was not there before")
    );
}

#[tokio::test]
async fn a_command_is_run_as_it_was_named() {
    hold_commands(&["words as they are", "the environment", "a signal", "input", "no program", "noise"])
        .await;
}

#[tokio::test]
async fn how_is_never_longer_than_there_is_room_for() {
    let many = "for i in $(seq 9999); do echo \"$i 長い行 長い行 長い行 長い行\"; done; exit 1";
    let world = World::new();
    let base = world.base(&expect(), &["sh", "-c", many]).await;
    let found = world.check(&expect(), &base).await;
    assert_eq!(said(&found[0]), Failed);
    assert!(found[0].how.len() <= crate::engine::evidence::HOW_BYTES_MAX && found[0].how.len() > 4_000);
    assert!(found[0].how.contains("9999 長い行"));
}
