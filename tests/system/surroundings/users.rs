//! Other users: what belongs to them is not run, whenever it came to be theirs, and the socket is not for them, whatever its
//! mode. Only root can be two users.

use super::{am_root, not_tested, said, works};
use crate::house::{House, PLAIN_AGENT, copy_program};
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

/// A user that owns nothing here.
const NOBODY: u32 = 65_534;
/// Set where this test is the other user.
const OTHER: &str = "TASUKI_TEST_OTHER_USER";

const FOREIGN: &str = "belongs to user 65534, and tasuki would run what it says; if you trust it, copy it into a folder of your own, or let root `chown` it to you";

#[test]
fn what_another_user_owns_is_not_run_however_it_is_named() {
    if !am_root() {
        return not_tested("files of another user, which only root can make");
    }
    let house = House::plain("foreign");
    let root = house.path("");
    let root = root.to_str().expect("UTF-8");
    let refused = |what: &str| {
        for arguments in [&["daemon"][..], &["up"], &["daemon", "--root", root], &["up", "--root", root]] {
            let text = said(house.tasuki().args(arguments), 2);
            assert!(text.contains(FOREIGN), "{what}, {arguments:?}: {text}");
        }
        assert!(!house.path(".tasuki/journal").exists() || house.read("status/daemon.yaml").is_empty());
    };
    let (team, other) = (house.path("tasuki.yaml"), house.path("other.yaml"));
    chown(&team, Some(NOBODY), None).expect("another owner");
    refused("the team file");
    fs::rename(&team, &other).expect("the other's");
    symlink(&other, &team).expect("a link");
    refused("a link to another's");
    chown(&other, Some(0), None).expect("ours");
    chown(house.path(""), Some(NOBODY), None).expect("another owner");
    refused("the folder");
    chown(house.path(""), Some(0), None).expect("ours");
    let prompt =
        "  - {name: worker, provider: plain, command: [cat], marker: PLAIN OK, system_prompt: prompt.md}\n";
    house.write("other.yaml", &format!("agents:\n{prompt}"));
    house.write("prompt.md", "say PLAIN OK");
    chown(house.path("prompt.md"), Some(NOBODY), None).expect("another owner");
    let text = said(house.tasuki().arg("daemon"), 2);
    assert!(text.contains("prompt.md belongs to user 65534"), "{text}");
    // A lock that somebody else may take away again is none.
    house.write("other.yaml", &format!("agents:\n{}", prompt.replace(", system_prompt: prompt.md", "")));
    house.write(".tasuki/lock", "");
    chown(house.path(".tasuki/lock"), Some(NOBODY), None).expect("another owner");
    let text = said(house.tasuki().arg("daemon"), 1);
    assert!(text.contains(".tasuki/lock") && text.contains("belongs to user 65534"), "{text}");
}

#[test]
fn a_link_that_is_led_elsewhere_after_the_start_starts_nothing_of_another_users() {
    if !am_root() {
        return not_tested("files of another user, which only root can make");
    }
    let mut house = House::plain("repointed");
    let (team, own, other) = (house.path("tasuki.yaml"), house.path("own.yaml"), house.path("other.yaml"));
    fs::rename(&team, &own).expect("ours");
    symlink(&own, &team).expect("a link");
    house.start();
    works(&house, "before");
    let text = house.read("own.yaml").replace("[bash, ./agent.sh]", "[bash, ./theirs.sh]");
    house.write("other.yaml", &text);
    house.write("theirs.sh", &format!("touch started\n{}", PLAIN_AGENT.replace("#!/bin/bash", "")));
    chown(&other, Some(NOBODY), None).expect("another owner");
    let lead = |to: &Path| {
        symlink(to, house.path("link")).expect("a link");
        fs::rename(house.path("link"), &team).expect("it takes the team file's place");
    };
    lead(&other);
    house.until("the note", |house| house.read("status/daemon.yaml").contains("belongs to user 65534"));
    // Whoever is only in the folder is not let in by that file either; the daemon that runs is there for who names it.
    let root = house.path("").to_str().expect("UTF-8").to_owned();
    assert!(house.ask(&["--root", &root, "agent", "restart", "worker"]).status.success());
    works(&house, "after");
    assert!(!house.path("started").exists(), "another user's command was started");
    // Nor is a file of ours in a folder of theirs, who may put another there.
    lead(&own);
    house.until("the note to go", |house| !house.read("status/daemon.yaml").contains("belongs to"));
    let theirs = house.path("theirs");
    fs::create_dir(&theirs).expect("a folder");
    fs::write(theirs.join("t.yaml"), &text).expect("a team file");
    chown(&theirs, Some(NOBODY), None).expect("another owner");
    lead(&theirs.join("t.yaml"));
    house.until("the note", |house| house.read("status/daemon.yaml").contains("belongs to user 65534"));
    // The folder and the file itself are looked at each time, too.
    lead(&own);
    house.until("the note to go", |house| !house.read("status/daemon.yaml").contains("belongs to"));
    chown(house.path(""), Some(NOBODY), None).expect("another owner");
    house.write("own.yaml", &text);
    lead(&own);
    house.until("the note", |house| house.read("status/daemon.yaml").contains("belongs to user 65534"));
    chown(house.path(""), Some(0), None).expect("ours");
    house.write("own.yaml", &text.replace("./theirs.sh", "./agent.sh"));
    lead(&own);
    house.until("the note to go", |house| !house.read("status/daemon.yaml").contains("belongs to"));
    works(&house, "at-last");
    assert!(!house.path("started").exists(), "another user's command was started");
    house.end();
}

#[test]
fn a_memory_that_is_given_to_another_user_ends_the_daemon() {
    if !am_root() {
        return not_tested("files of another user, which only root can make");
    }
    for part in [".tasuki/lock", ".tasuki/journal"] {
        let mut house = House::plain("given away");
        house.start();
        works(&house, "before");
        chown(house.path(part), Some(NOBODY), None).expect("another owner");
        // It is looked at whenever something comes, and now and then.
        house.drop("t.yaml", "id: t-1\nto: worker\ncontent: x\n");
        let start = std::time::Instant::now();
        while house.ended().is_none() {
            assert!(start.elapsed() < crate::surroundings::PATIENCE, "it goes on: {}", house.output());
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let log = house.read("status/activity.log");
        assert!(log.contains(&format!("{part} was given to user 65534")), "{log}");
        assert!(house.path("queue/t.yaml").exists(), "{log}");
    }
}

/// What is answered to a question after the status, byte for byte.
fn asked(socket: &Path) -> String {
    let Ok(mut stream) = UnixStream::connect(socket) else { return "no connection".to_owned() };
    let _ = stream.write_all(b"GET /api/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn another_user_gets_no_word_from_a_socket_that_is_open_to_all() {
    if let Some(socket) = std::env::var_os(OTHER) {
        print!("[{}]", asked(Path::new(&socket)));
        return;
    }
    if !am_root() {
        return not_tested("another user at the socket, which only root can be");
    }
    let mut house = House::plain("two users");
    house.start();
    works(&house, "before");
    let socket = crate::surroundings::sockets::socket(&house);
    let open =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
    open(&socket, 0o666);
    let folder = socket.parent().expect("a folder");
    open(folder, 0o755);
    house.path("").ancestors().take(2).for_each(|folder| open(folder, 0o755));
    // The test itself plays the other, from where that one may run it.
    let place = tempfile::tempdir().expect("a folder");
    open(place.path(), 0o755);
    let program = place.path().join("other");
    copy_program(std::env::current_exe().expect("this test"), &program);
    open(&program, 0o755);
    let ask = |uid: u32| {
        let name = "surroundings::users::another_user_gets_no_word_from_a_socket_that_is_open_to_all";
        let mut other = Command::new(&program);
        other.args(["--exact", name, "--nocapture"]).env(OTHER, &socket).current_dir("/").uid(uid);
        let output = other.output().expect("the other");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(ask(0).contains("[HTTP/1.1 200 OK"), "we are answered");
    let other = ask(NOBODY);
    assert!(other.contains("[]"), "another user is told: {other}");
    house.until("what is said of it", |house| {
        house.read(".tasuki/daemon.log").contains("another user's process was turned away")
    });
    works(&house, "after");
    open(folder, 0o700);
    house.end();
}
