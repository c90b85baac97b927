//! Two daemons for one workspace, and two workspaces side by side.

use super::{neither_starts, said, works};
use crate::house::{House, PLAIN_AGENT};
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixListener;
use tasuki::engine::words::Millis;
use tasuki::io::lock::Lock;

const WORKER: &str =
    "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";

#[test]
fn the_second_daemon_says_who_holds_the_workspace() {
    let mut house = House::plain("held");
    house.start();
    let holder = format!("another daemon (process {}, started 2", house.pid());
    let text = said(house.tasuki().arg("daemon"), 1);
    assert!(text.contains(&holder) && text.contains("`tasuki down`"), "{text}");
    let text = said(house.tasuki().arg("up"), 0);
    assert!(text.contains(&format!("daemon {} is already running", house.pid())), "{text}");
    // Whoever removes the lock's file gets in no more than before.
    fs::remove_file(house.path(".tasuki/lock")).expect("the lock");
    let text = said(house.tasuki().arg("daemon"), 1);
    assert!(text.contains("another daemon") && text.contains("`tasuki down`"), "{text}");
    works(&house, "one");
    house.end();
}

#[test]
fn two_workspaces_do_not_touch_each_other() {
    let (mut one, mut two) = (House::plain("same"), House::plain("same"));
    one.start();
    two.start();
    for house in [&one, &two] {
        for number in 0..3 {
            house.drop(
                &format!("{number}.yaml"),
                &format!("id: t-{number}\nto: worker\ncontent: do {number}\n"),
            );
        }
    }
    for house in [&one, &two] {
        (0..3).for_each(|number| assert!(house.result(&format!("t-{number}")).contains("answer to")));
        let panes = house.tmux(&["list-panes", "-a", "-F", "#{window_name}"]);
        assert_eq!(panes.lines().collect::<Vec<_>>(), ["tasuki", "worker"]);
        assert_eq!(house.read("status/activity.log").matches(" accepted: ").count(), 3);
    }
    one.end();
    works(&two, "after");
    two.end();
}

#[test]
fn a_session_has_one_workspace() {
    let mut one = House::plain("first");
    one.start();
    works(&one, "before");
    let mut two = House::new("second", WORKER, &[("agent.sh", PLAIN_AGENT)]);
    let socket = one.read("tasuki.yaml").lines().next().expect("the socket").to_owned();
    let team = |session: &str| format!("{socket}\n{session}agents:\n{WORKER}");
    two.write("tasuki.yaml", &team(""));
    fs::create_dir(two.path("queue")).expect("a queue");
    two.drop("early.yaml", "id: early\nto: worker\ncontent: early\n");
    let owner = one.path("").canonicalize().expect("its root");
    let owner = format!("it belongs to {}", owner.display());
    let words = [
        "the tmux session \"tasuki\" on ",
        "is not this workspace's",
        "set another `session:` or `tmux_socket:`",
    ];
    neither_starts(&two, 1, &words);
    let text = said(two.tasuki().arg("daemon"), 1);
    assert!(text.contains(&owner), "{text}\n{owner}");
    assert!(two.path("queue/early.yaml").exists());
    works(&one, "meanwhile");
    // The agents of the first go on without their daemon, so the session is still theirs.
    one.end();
    neither_starts(&two, 1, &words);
    // With a session of its own it may live on the same server.
    two.write("tasuki.yaml", &team("session: other\n"));
    two.start();
    assert!(two.result("early").contains("answer to early"));
    one.start();
    works(&one, "again");
    works(&two, "again");
    let status = one.read("status/agents/worker.yaml");
    assert!(status.contains("restarts: 0"), "the first one's agent was disturbed: {status}");
    two.end();
    one.end();
}

/// Plays a daemon that listens, and ends in the middle of what it is asked second.
fn play_one_that_ends(house: &House) -> std::thread::JoinHandle<()> {
    fs::DirBuilder::new().mode(0o700).create(house.path(".tasuki")).expect("the memory");
    let lock = Lock::take(&house.path(".tasuki/lock"), Millis(0)).expect("the lock");
    let path = house.path(".tasuki/socket");
    let listener = UnixListener::bind(&path).expect("a socket");
    std::thread::spawn(move || {
        let health = r#"{"ok":true,"daemon":{"pid":1,"version":"0","started_at":"1970-01-01T00:00:00Z","socket":"x"}}"#;
        for answer in [health, ""] {
            let (mut asked, _) = listener.accept().expect("a request");
            let _ = asked.read(&mut [0; 4096]).expect("its head");
            if !answer.is_empty() {
                write!(asked, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{answer}", answer.len())
                    .expect("heard");
            }
        }
        fs::remove_file(path).expect("the socket");
        drop((listener, lock));
    })
}

#[test]
fn a_daemon_that_is_ending_is_waited_for_and_another_one_started() {
    let house = House::plain("ending");
    let ending = play_one_that_ends(&house);
    let text = said(house.tasuki().arg("up"), 0);
    assert!(text.contains("daemon 1 is ending") && text.contains(" started\n"), "{text}");
    ending.join().expect("it was asked twice");
    works(&house, "one");
    said(house.tasuki().arg("down"), 0);
}

#[test]
fn down_does_not_wait_for_the_daemon_that_comes_next() {
    let house = House::plain("next");
    let memory = house.path(".tasuki");
    fs::DirBuilder::new().mode(0o700).create(&memory).expect("the memory");
    let take = move |at| Lock::take(&memory.join("lock"), Millis(at)).expect("the lock");
    let ending = take(0);
    let listener = UnixListener::bind(house.path(".tasuki/socket")).expect("a socket");
    let next = std::thread::spawn(move || {
        drop(listener.accept().expect("a request"));
        drop(ending);
        take(1)
    });
    let text = said(house.tasuki().arg("down"), 0);
    assert_eq!(text, "");
    drop(next.join().expect("it was asked"));
}
