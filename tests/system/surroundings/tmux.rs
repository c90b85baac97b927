//! No tmux, or one that is too old.

use crate::house::House;
use crate::surroundings::said;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Every verb that needs tmux says so, and drops stay; with a good tmux they are done.
fn check(fake: Option<&str>, words: &str) {
    let mut house = House::plain("tmux");
    let programs = house.path("programs");
    fs::create_dir(&programs).expect("a folder");
    if let Some(says) = fake {
        script(&programs.join("tmux"), says);
    }
    let path = programs.to_str().expect("UTF-8").to_owned();
    fs::create_dir(house.path("queue")).expect("a queue");
    house.drop("early.yaml", "id: early\nto: worker\ncontent: early\n");
    for verb in ["daemon", "up"] {
        let text = said(house.tasuki().arg(verb).env("PATH", &path), 1);
        assert!(text.contains(words) && text.contains("apt-get install tmux"), "{text}");
        assert!(house.path("queue/early.yaml").exists(), "the drop was taken by a daemon that cannot run");
        assert!(!house.path(".tasuki/socket").exists(), "a socket is left behind");
    }
    let doctor = house.tasuki().arg("doctor").env("PATH", &path).output().expect("doctor");
    let told = String::from_utf8(doctor.stdout).expect("UTF-8");
    assert!(!doctor.status.success() && told.contains("BAD   tmux: "), "{told}");
    house.start();
    assert!(house.result("early").contains("answer to early"));
    house.end();
}

fn script(path: &Path, says: &str) {
    fs::write(path, format!("#!/bin/sh\necho '{says}'\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

#[test]
fn without_tmux_nothing_is_taken() {
    check(None, "tmux is not installed");
}

#[test]
fn an_old_tmux_is_refused() {
    check(Some("tmux 3.2a"), "tmux 3.2a is too old; 3.3a or newer is needed");
}
