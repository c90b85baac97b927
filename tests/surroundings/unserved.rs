//! Verbs beside a daemon that they cannot ask as usual: one without its team file, one that stands still, one that must not be
//! disturbed.

use crate::house::House;
use crate::said;
use std::fs;

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
