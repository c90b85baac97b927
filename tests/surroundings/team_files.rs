//! A team file that is missing, broken, or says what cannot be.

use crate::house::House;
use crate::{neither_starts, said};
use std::fs;

const GOOD: &str = "  - {name: worker, provider: plain, command: [cat], marker: PLAIN OK}\n";

#[test]
fn a_broken_team_file_is_shown_with_its_line_and_the_cure() {
    let house = House::new("broken", GOOD, &[]);
    let good = house.read("tasuki.yaml");
    let plain = "provider: plain, command: [cat], marker: A OK";
    let cases: Vec<(&str, String, &str, &str, &str)> = vec![
        (
            "syntax",
            format!("agents:\n  - {{name: a, {plain}\n"),
            "2:5",
            "- {name: a,",
            "correct the YAML at the line shown",
        ),
        (
            "indent",
            format!("agents:\n  - {{name: a, {plain}}}\n settings: {{}}\n"),
            "3:2",
            " settings: {}",
            "correct the YAML",
        ),
        (
            "unknown key",
            format!("agents:\n  - {{name: a, {plain}, reprots_to: user}}\n"),
            "2:62",
            "reprots_to: user",
            "did you mean `reports_to`?",
        ),
        (
            "wrong type",
            format!("agents:\n  - {{name: a, {plain}}}\nsettings: {{max_hops: many}}\n"),
            "3:22",
            "max_hops: many",
            "docs/team-file.md",
        ),
        ("another type", "agents: worker\n".to_owned(), "1:9", "agents: worker", "docs/team-file.md"),
        (
            "twice",
            format!("agents:\n  - {{name: a, {plain}}}\n  - {{name: a, {plain}}}\n"),
            "3:12",
            "- {name: a,",
            "give one of the two another name",
        ),
        (
            "dangling",
            format!("agents:\n  - {{name: a, {plain}, reports_to: bos}}\n  - {{name: boss, {plain}}}\n"),
            "2:74",
            "reports_to: bos",
            "did you mean `boss`?",
        ),
        (
            "circle",
            format!(
                "agents:\n  - {{name: a, {plain}, reports_to: b}}\n  - {{name: b, {plain}, reports_to: a}}\n"
            ),
            "2:74",
            "reports_to: b",
            "let one of them report to `user`",
        ),
        (
            "key twice",
            format!("agents:\n  - {{name: a, {plain}}}\nagents: []\n"),
            "3:1",
            "agents: []",
            "keep one of the two",
        ),
        (
            "provider",
            "agents: [{name: a, provider: cluade}]\n".to_owned(),
            "1:30",
            "provider: cluade",
            "use one of: plain, scripted",
        ),
        ("empty", String::new(), "1:1", "", "`tasuki init`"),
        ("nobody", "agents: []\n".to_owned(), "1:9", "agents: []", "`tasuki init`"),
    ];
    for (what, text, place, line, cure) in cases {
        println!("== {what}");
        house.write("tasuki.yaml", &text);
        neither_starts(&house, 2, &[&format!("tasuki.yaml:{place}]"), line, cure]);
        assert!(!house.path(".tasuki/journal").exists() || house.read("status/daemon.yaml").is_empty());
    }
    fs::write(house.path("tasuki.yaml"), b"agents: [{name: \xff}]\n").expect("the team");
    neither_starts(&house, 2, &["tasuki.yaml:1:17]", "UTF-8"]);
    let mut house = house;
    house.write("tasuki.yaml", &good);
    house.start();
    house.end();
}

#[test]
fn without_a_team_file_it_says_how_to_make_one() {
    let house = House::new("missing", GOOD, &[]);
    fs::remove_file(house.path("tasuki.yaml")).expect("the team");
    let home = tempfile::tempdir().expect("a home");
    for verb in ["daemon", "up"] {
        let mut command = house.tasuki();
        let text = said(command.arg(verb).env("HOME", home.path()), 2);
        assert!(text.contains("no tasuki.yaml in ") && text.contains("`tasuki init`"), "{text}");
        let text = said(house.tasuki().args([verb, "--root", "."]), 2);
        assert!(text.contains("which has no tasuki.yaml; make one with `tasuki init --root"), "{text}");
        let text = said(house.tasuki().args([verb, "--root", "no/such/folder"]), 1);
        assert!(text.contains("no/such/folder") && text.contains("No such file or directory"), "{text}");
    }
    assert_eq!(
        fs::read_dir(house.path("")).expect("the folder").count(),
        0,
        "something was made all the same"
    );
}
