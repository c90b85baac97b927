//! Commands that succeed, and others that only seem to.

use super::Said::{Broken, Failed, Passed};
use super::*;

fn expect() -> Expect {
    Expect { command: vec!["test".to_owned()], ..Expect::default() }
}

async fn hold(rows: &[Row], command: &[&str]) {
    let mut found = Vec::new();
    for row in rows {
        found.extend(wrong(row, "", &expect(), command).await);
    }
    complain(&found);
}

/// A program outside of the workspace that finds everything good.
const PROGRAMS: &str = "for p in make just npm cargo pytest; do printf '#!/bin/sh\\nexit 0\\n' > $D/bin/$p; chmod +x $D/bin/$p; done";
/// A test of more bytes than a move needs.
const SUITE: &str = "mkdir -p tests src; for i in 1 2 3 4 5 6 7 8 9; do echo \"assert $i\"; done > tests/あ.rs; cp tests/あ.rs src/x_test.go; echo y >> src/x_test.go; touch tests/empty";
const SCRIPT: &str = "printf '#!/bin/sh\\ngrep -q good result\\n' > check; chmod +x check";

#[tokio::test]
async fn the_script_of_a_command_is_not_the_turns_to_write() {
    let rows: &[Row] = &[
        ("bad work", SCRIPT, "echo bad > result", Failed, "exit 1; it printed nothing"),
        ("none", SCRIPT, "true", Failed, "exit 2; the end of what it printed:\ngrep: result"),
        ("good work", SCRIPT, "echo good > result", Passed, "exit 0"),
        ("the script touched", SCRIPT, "touch check; echo good > result", Passed, "exit 0"),
        (
            "another script",
            SCRIPT,
            "echo true > check",
            Failed,
            "not run: ./check, by which the command is defined, was changed",
        ),
        ("a longer script", SCRIPT, "echo good > result; echo exit 0 >> check", Failed, "was changed"),
        ("no script", SCRIPT, "rm check", Failed, "is gone"),
        ("a link to a program", SCRIPT, "rm check; ln -s /bin/true check", Failed, "was changed"),
        ("a script that may not be run", SCRIPT, "chmod -x check", Broken, "not to be run"),
        (
            "a script that is new",
            "true",
            "printf '#!/bin/sh\\n' > check; chmod +x check",
            Failed,
            "was not there before",
        ),
        ("never a script", "true", "true", Broken, "is not to be found"),
        ("a folder in its place", SCRIPT, "rm check; mkdir check", Failed, "is gone"),
    ];
    hold(rows, &["./check"]).await;
    let rows: &[Row] = &[
        ("another script", SCRIPT, "echo true > check", Failed, "check, by which"),
        ("a script that is new", "true", "echo true > check", Failed, "was not there before"),
        ("good work", SCRIPT, "echo good > result", Passed, "exit 0"),
    ];
    hold(rows, &["sh", "check"]).await;
    hold(rows, &["sh", "-c", "true && ./check || sh check"]).await;
    let rows: &[Row] = &[
        ("another list", "echo a > list", "echo b > list", Failed, "list, by which"),
        ("a list that is new", "true", "echo b > list", Passed, "not there before: list"),
        ("the same", "echo a > list", "true", Passed, "exit 0; the end of what it printed:\na"),
    ];
    hold(&rows[..1], &["cat", "list"]).await;
    hold(&rows[1..2], &["cat", "list"]).await;
    hold(&rows[2..], &["cat", "list"]).await;
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
    (&["pytest"], "tox.ini", "[tox]", "[tox]\\n[pytest]\\naddopts = --co"),
];

#[tokio::test]
async fn what_a_program_reads_its_work_from_is_not_the_turns_to_write() {
    let mut found = Vec::new();
    for (command, file, before, turn) in DEFINED {
        let write = |text: &str| match text {
            "" => format!("rm -f {file}"),
            text => format!("mkdir -p .cargo sub; printf '{text}\n' > {file}"),
        };
        let (before, turn) = (format!("{PROGRAMS}; mkdir sub; {}", write(before)), write(turn));
        let row: Row = (file, before.leak(), turn.leak(), Failed, "by which the command is defined");
        found.extend(wrong(&row, "", &expect(), command).await);
        let row: Row = (
            "removed",
            row.2,
            "git init -q .; rm -r $(ls -A | grep -v -e .git -e .tasuki); mkdir sub",
            Failed,
            "is gone",
        );
        if has_git() {
            found.extend(wrong(&row, "", &expect(), command).await);
        }
    }
    complain(&found);
    // As seen from a folder of the repository.
    let before = format!("{PROGRAMS}; git init -q .; mkdir sub");
    let row: Row = (
        "above",
        before.leak(),
        "mkdir .cargo; echo x > .cargo/config.toml",
        Failed,
        "../.cargo/config.toml",
    );
    if has_git() {
        complain(&wrong(&row, "sub", &expect(), &["cargo", "test"]).await.into_iter().collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn what_says_other_things_may_be_written() {
    let with = |file: &str, text: &str| -> &'static str { format!("printf '{text}' > {file}").leak() };
    let package = "{\"scripts\": {\"test\": \"jest\", \"build\": \"x\"}, \"version\": \"1\"}";
    let other =
        "{\"version\": \"2\",\\n \"scripts\": {\"build\": \"x\", \"test\": \"jest\"}, \"dependencies\": {}}";
    let before = |file, text| -> &'static str { format!("{PROGRAMS}; {}", with(file, text)).leak() };
    hold(
        &[("package.json", before("package.json", package), with("package.json", other), Passed, "exit 0")],
        &["npm", "test"],
    )
    .await;
    let (old, new) =
        ("[a]\\nx = 1\\n[tool.pytest]\\ny = 1\\n", "[a]\\nx = 2\\n\\n[tool.pytest]\\ny = 1\\n[z]\\n");
    hold(
        &[("pyproject", before("pyproject.toml", old), with("pyproject.toml", new), Passed, "exit 0")],
        &["pytest"],
    )
    .await;
    hold(&[("Makefile", before("Makefile", "x"), with("Makefile", "x"), Passed, "exit 0")], &["make"]).await;
    hold(
        &[("another's", before("Makefile", "x"), with("Makefile", "y"), Passed, "exit 0")],
        &["cargo", "test"],
    )
    .await;
}

#[tokio::test]
async fn a_test_that_was_there_stays() {
    let rows: &[Row] = &[
        ("one removed", SUITE, "rm tests/あ.rs", Failed, "not run: the test file tests/あ.rs is gone"),
        ("all removed", SUITE, "rm -r tests src", Failed, "src/x_test.go is gone"),
        ("one emptied", SUITE, ": > tests/あ.rs", Failed, "tests/あ.rs is empty"),
        ("one of blanks", SUITE, "printf '\\n \\n' > src/x_test.go", Failed, "src/x_test.go is empty"),
        ("moved to where it is none", SUITE, "mv tests/あ.rs src/あ.rs", Failed, "is gone"),
        ("a folder renamed", SUITE, "mv tests old", Failed, "tests/あ.rs is gone"),
        ("moved and gutted", SUITE, "head -n 1 tests/あ.rs > tests/b.rs; rm tests/あ.rs", Failed, "is gone"),
        ("a small one moved", "mkdir tests; echo x > tests/a", "mv tests/a tests/b", Failed, "is gone"),
        ("a folder in its place", SUITE, "rm tests/あ.rs; mkdir tests/あ.rs", Failed, "not to be read"),
        ("a link outside", SUITE, "mv tests/あ.rs $D/x; ln -s $D/x tests/あ.rs", Failed, "not to be read"),
        (
            "one of two that were alike",
            "mkdir tests; yes | head -n 99 > tests/a; cp tests/a tests/b",
            "rm tests/a",
            Failed,
            "tests/a is gone",
        ),
        ("a pipe in its place", SUITE, "rm tests/あ.rs; mkfifo tests/あ.rs", Failed, "not to be read"),
        ("moved", SUITE, "mkdir tests/deep; mv tests/あ.rs tests/deep/い.rs", Passed, "exit 0"),
        ("moved to another folder", SUITE, "mkdir spec; mv tests/あ.rs spec/", Passed, "exit 0"),
        ("changed", SUITE, "echo more >> tests/あ.rs", Passed, "test files changed by the turn: tests/あ.rs"),
        ("a new one", SUITE, "echo x > tests/new.rs", Passed, "exit 0; it printed nothing"),
        ("an empty one removed", SUITE, "rm tests/empty", Passed, "exit 0"),
        (
            "what is no test removed",
            "mkdir src testdata; echo x > src/a; echo x > testdata/b",
            "rm -r src testdata",
            Passed,
            "exit 0",
        ),
        ("a link within", SUITE, "mv tests/あ.rs real; ln -s ../real tests/あ.rs", Passed, "exit 0"),
    ];
    hold(rows, &["true"]).await;
    if !has_git() {
        return;
    }
    let within: Vec<(String, &Row)> = rows
        .iter()
        .map(|row| {
            (
                format!(
                    "{}; git init -q .; printf '*.log\\n' > .gitignore; git add .; git commit -qm x",
                    row.1
                ),
                row,
            )
        })
        .collect();
    let rows: Vec<Row> =
        within.into_iter().map(|(before, row)| (row.0, &*before.leak(), row.2, row.3, row.4)).collect();
    hold(&rows, &["true"]).await;
    let ignored: &[Row] = &[(
        "an ignored one",
        "git init -q .; echo tests > .gitignore; mkdir tests; echo x > tests/a",
        "rm -r tests",
        Passed,
        "exit 0",
    )];
    hold(ignored, &["true"]).await;
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
        let place = if place.starts_with('/') {
            world.at(&place[1..]).display().to_string()
        } else {
            place.to_owned()
        };
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
    let rows: &[Row] =
        &[("its words", "true", "true", Passed, "exit 0; the end of what it printed:\n$HOME; rm -r x|a  b")];
    hold(rows, &["printf", "%s|%s\\n", "$HOME; rm -r x", "a  b"]).await;
    let env: &[Row] = &[("its environment", "true", "true", Passed, "printed:\nHOME PATH TASUKI_CHECK ")];
    hold(
        env,
        &["sh", "-c", "tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort | tr '\\n' ' '; echo; echo"],
    )
    .await;
    let rest: &[Row] = &[("a signal", "true", "true", Failed, "ended by signal SEGV")];
    hold(rest, &["sh", "-c", "kill -SEGV $$"]).await;
    let input: &[Row] = &[("no input", "true", "true", Passed, "exit 0; the end of what it printed:\n0")];
    hold(input, &["wc", "-c"]).await;
    let none: &[Row] = &[
        ("no program", "true", "true", Broken, "is not to be found"),
        ("no records", "true", "rm -r .tasuki", Broken, "is missing"),
        ("no folder", "true", "cd ..; mv w v", Broken, "cannot enter"),
    ];
    hold(none, &["no-such-program"]).await;
    let noise: &[Row] =
        &[("noise", "true", "true", Failed, "exit 3; the end of what it printed:\n\u{fffd}red\nlast")];
    hold(noise, &["sh", "-c", "printf '\\377\\033[31mred\\033[0m\\n'; echo last >&2; exit 3"]).await;
}

#[tokio::test]
async fn a_definition_that_changes_while_it_runs_is_seen() {
    let before = "printf '#!/bin/sh\\necho x >> check\\nexit 0\\n' > check; chmod +x check";
    let row: Row = ("itself", before, "true", Failed, "while it ran: ./check, by which");
    complain(&wrong(&row, "", &expect(), &["./check"]).await.into_iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn how_is_never_longer_than_there_is_room_for() {
    let row: Row = ("long", "true", "true", Failed, "exit 1");
    let many = "for i in $(seq 9999); do echo \"$i 長い行 長い行 長い行 長い行\"; done; exit 1";
    complain(&wrong(&row, "", &expect(), &["sh", "-c", many]).await.into_iter().collect::<Vec<_>>());
    let world = World::new();
    let base = world.base(&expect(), &["sh", "-c", many]).await;
    let found = world.check(&expect(), &base).await;
    assert!(found[0].how.len() <= crate::engine::evidence::HOW_BYTES_MAX && found[0].how.len() > 4_000);
    assert!(found[0].how.contains("9999 長い行"));
}
