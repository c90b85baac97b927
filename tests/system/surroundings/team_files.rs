//! A team file that is missing, broken, or says what cannot be.

use super::{neither_starts, said};
use crate::house::House;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

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
            "did you mean `claude`?",
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
        let text = said(house.tasuki().args([verb, "--root", "no/such/folder"]), 2);
        assert!(text.contains("no/such/folder, which is not a folder; make a workspace there"), "{text}");
    }
    assert_eq!(
        fs::read_dir(house.path("")).expect("the folder").count(),
        0,
        "something was made all the same"
    );
}

#[test]
fn what_is_no_file_in_its_place_is_told_as_such() {
    let house = House::new("no file", GOOD, &[]);
    let place = house.path("tasuki.yaml");
    fs::remove_file(&place).expect("the team");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    for what in ["folder", "pipe", "link"] {
        match what {
            "folder" => fs::create_dir(&place).expect(what),
            "pipe" => rustix::fs::mkfifoat(rustix::fs::CWD, &place, mode).expect(what),
            _ => std::os::unix::fs::symlink("nowhere", &place).expect(what),
        }
        neither_starts(&house, 2, &["tasuki.yaml is not a file; move it away"]);
        let text = said(house.tasuki().args(["status", "--root", "."]), 2);
        assert!(text.contains("is not a file") && !text.contains("has no tasuki.yaml"), "{what}: {text}");
        match what {
            "folder" => fs::remove_dir(&place).expect(what),
            _ => fs::remove_file(&place).expect(what),
        }
    }
}

#[test]
fn a_daemon_whose_team_file_is_gone_says_so_and_can_be_ended() {
    let mut house = House::plain("bereft");
    house.start();
    fs::remove_file(house.path("tasuki.yaml")).expect("the team");
    house.until("the note", |house| {
        let shown = house.read("status/daemon.yaml");
        shown.contains("tasuki.yaml: there is no such file") && !shown.contains("lint")
    });
    let refused = said(house.tasuki().args(["init", "--provider", "scripted"]), 2);
    assert!(
        refused.contains("a daemon is running here") && refused.contains("put its tasuki.yaml back"),
        "{refused}"
    );
    assert!(!house.path("tasuki.yaml").exists());
    for verb in [&["stop", "--all"][..], &["stop", "--off"], &["agent", "list"], &["log"]] {
        assert!(house.tasuki().args(verb).status().expect("tasuki").success(), "{verb:?}");
    }
    fs::create_dir(house.path("below")).expect("a folder");
    let ended = house.tasuki().arg("down").current_dir(house.path("below")).output().expect("down");
    let words = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success() && words.contains("the daemon and the agents have ended"), "{ended:?}");
    assert!(house.wait().success());
    // Where none runs it is as it always was.
    let home = tempfile::tempdir().expect("a home");
    let text = said(house.tasuki().arg("down").env("HOME", home.path()), 2);
    assert!(text.contains("no tasuki.yaml in "), "{text}");
}

#[test]
fn a_team_file_that_lint_finds_well_is_told_with_its_place_and_cure() {
    let mut house = House::plain("open");
    house.start();
    fs::set_permissions(house.path("tasuki.yaml"), fs::Permissions::from_mode(0o666)).expect("its mode");
    house.until("the note", |house| {
        let shown = house.read("status/daemon.yaml");
        shown.contains("tasuki.yaml; `chmod o-w` it") && !shown.contains("lint")
    });
    fs::set_permissions(house.path("tasuki.yaml"), fs::Permissions::from_mode(0o600)).expect("its mode");
    house.until("the note to go", |house| !house.read("status/daemon.yaml").contains("chmod"));
    house.end();
}

#[test]
fn a_folder_that_was_removed_and_one_that_plays_with_the_terminal_are_told_tamely() {
    let house = House::new("tame", GOOD, &[]);
    let tasuki = house.tasuki().get_program().to_owned();
    let mut gone = std::process::Command::new("bash");
    gone.args(["-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" status"]).arg(&tasuki);
    let text = said(gone.current_dir(house.path("")), 2);
    assert!(text.contains("/gone was removed; `cd` to one that exists"), "{text}");
    let odd = house.path("a\u{1b}[2Jb\u{202e}");
    fs::create_dir(&odd).expect("a folder");
    let home = tempfile::tempdir().expect("a home");
    for arguments in [["status", "--root", "."], ["status", "--root", "none"]] {
        let text = said(house.tasuki().args(arguments).current_dir(&odd), 2);
        assert!(text.contains("a\\u{1b}[2Jb\\u{202e}"), "{text}");
    }
    let bare = home.path().join("x\u{1b}[2Jy");
    fs::create_dir(&bare).expect("a folder");
    let text = said(house.tasuki().arg("status").env("HOME", home.path()).current_dir(&bare), 2);
    assert!(text.contains("no tasuki.yaml in ") && text.contains("x\\u{1b}[2Jy"), "{text}");
}

#[test]
fn each_agent_whose_program_is_missing_is_named_with_what_is_missing() {
    let plain = |name: &str, program: &str| {
        format!("  - {{name: {name}, provider: plain, command: [{program}], marker: {name} OK}}\n")
    };
    let agents = plain("good", "bash, ./agent.sh")
        + &plain("bad", "no-such-program")
        + &plain("worse", "./gone.sh")
        + &plain("worst", "/tmp");
    let house = House::new("missing", &agents, &[("agent.sh", "while read -r _; do :; done\n")]);
    let named = |text: &str, agent: &str, program: &str| {
        let why = match program {
            "/tmp" => "`/tmp` is a folder, not a program".to_owned(),
            _ => format!("there is no program `{program}`"),
        };
        let is_it = |line: &str| {
            let mut words = line.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word == agent) && line.contains("error") && line.contains(&why)
        };
        assert!(text.lines().any(is_it), "{agent} is not named with `{program}`:\n{text}");
    };
    let up = said(house.tasuki().arg("up"), 1);
    let (_, bad) = up.split_once("not all agents are ready").expect("it says so");
    let status = house.tasuki().arg("status").output().expect("a status");
    let status = String::from_utf8(status.stdout).expect("UTF-8");
    for (agent, program) in [("bad", "no-such-program"), ("worse", "./gone.sh"), ("worst", "/tmp")] {
        named(bad, agent, program);
        named(&status, agent, program);
        assert!(house.read(&format!("status/agents/{agent}.yaml")).contains(program), "{agent}");
    }
    assert!(!bad.contains("good"), "that one has no fault: {bad}");
    said(house.tasuki().arg("down"), 0);
}
