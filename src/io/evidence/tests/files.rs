//! Files and reports that are there, and others that only seem so.

use super::Said::{Broken, Failed, Passed};
use super::*;

const PATH: &str = "docs/計画.md";

async fn hold(rows: &[Row], expect: &Expect) {
    let mut found = Vec::new();
    for (name, before, turn, said, word) in rows {
        let with = |script: &str| script.replace("$F", &format!("'{PATH}'"));
        let (before, turn) = (format!("mkdir docs; {}", with(before)), with(turn));
        let row = (*name, &*before.leak(), &*turn.leak(), *said, *word);
        found.extend(wrong(&row, "", expect, &[]).await);
    }
    complain(&found);
}

/// What is neither a file nor a report.
const LIES: &[Row] = &[
    ("nothing", "true", "true", Failed, "is not there"),
    ("an empty file", "true", "touch $F", Failed, "is empty"),
    ("blanks", "true", r"printf ' \n\t\r\n' > $F", Failed, "nothing but blanks"),
    (
        "blanks of other scripts",
        "true",
        r"printf '\357\273\277\343\200\200\342\200\213' > $F",
        Failed,
        "nothing but blanks",
    ),
    ("a hole", "true", "truncate -s 1M $F", Failed, "nothing but blanks"),
    ("a large hole", "true", "truncate -s 30G $F", Failed, "nothing but blanks"),
    ("a folder", "true", "mkdir $F", Failed, "is a folder"),
    ("a pipe", "true", "mkfifo $F", Failed, "is a pipe"),
    ("a link to a file outside", "true", "ln -s /etc/passwd $F", Failed, "leads out of"),
    ("a link to a file beside", "echo x > $D/x", "ln -s ../../x $F", Failed, "leads out of"),
    (
        "a folder that is a link outside",
        "true",
        "mkdir $D/o; echo x > $D/o/計画.md; rmdir docs; ln -s $D/o docs",
        Failed,
        "leads out of",
    ),
    ("a device", "true", "ln -s /dev/zero $F", Failed, "leads out of"),
    (
        "a link through the system's own",
        "true",
        "ln -s /proc/self/cwd/x $F; echo x > x",
        Failed,
        "leads out of",
    ),
    ("a link to nothing", "true", "ln -s nothing $F", Failed, "is not there"),
    ("a circle", "true", "ln -s 計画.md $F", Failed, "a circle of links"),
    ("a folder that is a file", "true", "rmdir docs; echo x > docs", Failed, "is not there"),
    ("another name", "true", "echo x > docs/計画.txt", Failed, "is not there"),
    ("one that was removed", "echo x > $F", "rm $F", Failed, "is not there"),
    ("one that was emptied", "echo x > $F", ": > $F", Failed, "is empty"),
    (
        "no records",
        "true",
        "echo x > $F; rm -r .tasuki",
        Broken,
        "the record of what was there before is missing",
    ),
    (
        "a record that was altered",
        "true",
        "echo x > $F; for r in .tasuki/evidence/*; do echo '{}' > $r; done",
        Broken,
        "the record of what was there before is damaged",
    ),
    (
        "a record that is a pipe",
        "true",
        "echo x > $F; for r in .tasuki/evidence/*; do rm $r; mkfifo $r; done",
        Broken,
        "cannot read the record",
    ),
];

const HONEST: &[Row] = &[
    ("a new one", "true", "echo x > $F", Passed, "new"),
    ("one that was changed", "echo x > $F", "echo y > $F", Passed, "was changed"),
    ("a link within", "true", "echo x > x; ln -s ../x $F", Passed, "2 bytes"),
    ("one letter", "true", "printf 襷 > $F", Passed, "3 bytes"),
    ("no text", "true", r"printf '\377\376\000\001' > $F", Passed, "4 bytes"),
    (
        "a folder that is a link within",
        "true",
        "rmdir docs; mkdir d; ln -s d docs; echo x > $F",
        Passed,
        "new",
    ),
    (
        "a name in a folder that was moved",
        "echo x > $F",
        "mv docs d; mkdir docs; echo y > $F",
        Passed,
        "was changed",
    ),
];

#[tokio::test]
async fn a_file_is_there_and_says_something() {
    let expect = Expect { files: vec![PATH.to_owned()], ..Expect::default() };
    hold(LIES, &expect).await;
    hold(HONEST, &expect).await;
    let more: &[Row] =
        &[("one that was there", "echo x > $F", "true", Passed, "it was there before, unchanged")];
    hold(more, &expect).await;
}

#[tokio::test]
async fn a_report_is_written_by_its_task() {
    let expect = Expect { report: Some(PATH.to_owned()), ..Expect::default() };
    hold(LIES, &expect).await;
    hold(HONEST, &expect).await;
    let more: &[Row] = &[
        ("the earlier one", "echo x > $F", "true", Failed, "is as it was before the task"),
        ("touched", "echo x > $F", "touch $F", Failed, "is as it was"),
        ("written again", "echo x > $F", "rm $F; echo x > $F", Failed, "is as it was"),
        ("moved away, with a link", "echo x > $F", "mv $F x; ln -s ../x $F", Failed, "is as it was"),
        ("with blanks", "echo x > $F", r"printf ' x\n\n' > $F", Failed, "differs in blanks alone"),
        ("more than a report", "true", "yes | head -c 17000000 > $F", Failed, "is to be read"),
        ("a long one", "true", "yes | head -c 16000000 > $F", Passed, "new"),
        (
            "a long one with another end",
            "yes | head -c 9000000 > $F",
            "echo end >> $F",
            Passed,
            "was changed",
        ),
    ];
    hold(more, &expect).await;
}

#[tokio::test]
async fn a_path_stays_beneath_the_folder() {
    let world = World::new();
    world.run("files", "mkdir -p a b; echo x > a/x; echo x > b/x; echo x > $D/x");
    let mut world = world;
    world.ground.cwd = world.at("w/a");
    for (path, want) in [
        ("x", Passed),
        ("./x", Passed),
        ("../a/x", Failed),
        ("../b/x", Failed),
        ("../../x", Failed),
        ("/etc/passwd", Failed),
        ("", Failed),
        (".", Failed),
        ("x/", Failed),
        ("x\0y", Failed),
        ("\u{1b}[31m", Failed),
    ] {
        let expect = Expect { files: vec![path.to_owned()], ..Expect::default() };
        let base = world.base(&expect, &[]).await;
        let found = world.check(&expect, &base).await;
        assert_eq!(said(&found[0]), want, "{path:?}: {found:?}");
        assert!(!found[0].check.contains(char::is_control) && !found[0].how.contains('\u{1b}'), "{found:?}");
    }
}

#[tokio::test]
async fn one_evidence_is_given_for_each_in_order() {
    let world = World::new();
    let expect = Expect {
        commit: true,
        files: vec!["b".to_owned(), "a".to_owned()],
        report: Some("r".to_owned()),
        command: vec!["test".to_owned()],
    };
    let base = world.base(&expect, &["true"]).await;
    let checks: Vec<String> =
        world.check(&expect, &base).await.into_iter().map(|found| found.check).collect();
    assert_eq!(checks, ["commit", "file b", "file a", "report r", "command test"]);
    assert_eq!(world.check(&Expect::default(), &base).await, []);
}
