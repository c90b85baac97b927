//! Verbs beside a daemon that they cannot ask as usual: one without its team file, one that is still, one that must not be
//! disturbed.

use super::{said, works};
use crate::house::{House, signal};
use rustix::process::Signal;
use std::fs;
use std::time::{Duration, Instant};

#[test]
fn a_daemon_whose_team_file_was_moved_away_is_shown_and_ended_all_the_same() {
    for words in [&["down"][..], &["--root", ".", "down"]] {
        let mut house = House::plain("bereft");
        house.start();
        works(&house, "before");
        fs::rename(house.path("tasuki.yaml"), house.path("away.yaml")).expect("to move it");
        for words in [&["status"][..], &["--root", ".", "status"]] {
            let output = house.ask(words);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{words:?}: {output:?}");
            assert!(text.contains("worker") && text.contains("tasuki.yaml is gone"), "{text}");
        }
        let output = house.ask(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        assert!(house.wait().success());
        fs::rename(house.path("away.yaml"), house.path("tasuki.yaml")).expect("to put it back");
    }
}

#[test]
fn a_daemon_that_stands_still_is_told_after_seconds_with_what_the_files_say() {
    let mut house = House::plain("frozen");
    house.start();
    works(&house, "before");
    let pid = house.pid().to_string();
    signal(&pid, Signal::STOP).expect("to stop it");
    let start = Instant::now();
    let output = house.ask(&["status"]);
    let took = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        text.contains("the daemon does not answer") && text.contains(&format!("kill -CONT {pid}")),
        "{text}"
    );
    assert!(text.contains("worker") && took < Duration::from_secs(20), "{took:?}: {text}");
    let up = said(house.tasuki().arg("up"), 4);
    assert!(up.contains("does not answer") && up.contains(&format!("kill -CONT {pid}")), "{up}");
    signal(&pid, Signal::CONT).expect("to let it go on");
    house.end();
}

#[test]
fn init_leaves_the_team_of_a_daemon_that_runs_alone() {
    let mut house = House::plain("again");
    house.start();
    let team = house.read("tasuki.yaml");
    let init = ["init", "--provider", "scripted", "--force"];
    let text = said(house.tasuki().args(init), 2);
    assert!(text.contains("a daemon is running") && text.contains("`tasuki down`"), "{text}");
    let root = house.path("");
    let mut by_agent = house.tasuki();
    by_agent
        .args(init)
        .env("TASUKI_ROOT", root.canonicalize().expect("a folder"))
        .env("TASUKI_AGENT_KEY", "x");
    let text = said(&mut by_agent, 2);
    assert!(text.contains("let a person do it"), "{text}");
    assert_eq!(house.read("tasuki.yaml"), team);
    let text = said(house.tasuki().args(["init", "--provider", "scripted"]), 2);
    assert!(text.contains("`tasuki init --force`"), "{text}");
    assert_eq!(house.read("tasuki.yaml"), team);
    house.end();
    assert!(house.ask(&init).status.success());
    assert_ne!(house.read("tasuki.yaml"), team);
    assert_eq!(house.read("tasuki.yaml.old"), team);
    fs::rename(house.path("tasuki.yaml.old"), house.path("tasuki.yaml")).expect("to put it back");
}
