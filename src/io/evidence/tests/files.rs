//! Files and reports that are there, and others that only seem so.

use super::Said::{Failed, Passed};
use super::*;

const PATH: &str = "docs/計画.md";
const ROWS: &str = include_str!("files.txt");

#[tokio::test]
async fn a_file_is_there_and_says_something() {
    let expect = Expect { files: vec![PATH.to_owned()], ..Expect::default() };
    for section in ["lies", "honest", "files"] {
        hold(ROWS, section, "", &expect, "").await;
    }
}

#[tokio::test]
async fn a_report_is_written_by_its_task() {
    let expect = Expect { report: Some(PATH.to_owned()), ..Expect::default() };
    for section in ["lies", "honest", "reports"] {
        hold(ROWS, section, "", &expect, "").await;
    }
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
