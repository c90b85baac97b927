//! What people move, link or remove while the daemon runs: what it cannot know of any more, it does not promise.

use super::{said, works};
use crate::house::{House, PATIENCE};
use std::fs;
use std::process::Command;

/// Three messages that fill a segment.
fn fill_a_segment(house: &House) {
    for number in 0..3 {
        house.drop(
            &format!("large-{number}.yaml"),
            &format!("id: large-{number}\ntype: info\nto: user\ncontent: {}\n", "襷".repeat(340_000)),
        );
    }
    house.until("a new segment", |house| house.path(".tasuki/journal/000002.jsonl").exists());
}

/// How often the log tells that a message was accepted.
fn accepted(house: &House, id: &str) -> usize {
    house.read("status/activity.log").matches(&format!(" {id} accepted: ")).count()
}

#[test]
fn an_id_that_cannot_be_looked_up_waits_and_is_not_done_again() {
    let mut house = House::plain("linked");
    house.start();
    works(&house, "t-1");
    fill_a_segment(&house);
    works(&house, "t-2"); // the mailbox has heard of the new segment before

    // Somebody has moved the list of what ended to another disk, and linked it back: a link is not followed.
    let list = house.path(".tasuki/journal/000001.ids");
    fs::rename(&list, house.path("elsewhere")).expect("to move it");
    std::os::unix::fs::symlink(house.path("elsewhere"), &list).expect("a link");
    house.drop("again.yaml", "id: t-1\nto: worker\ncontent: 仕事 😀\n");
    house.until("the news", |house| {
        house
            .read("status/activity.log")
            .contains("drops wait, since the list of known messages cannot be read")
    });
    let sent = house.tasuki().args(["send", "--id", "t-1", "worker", "仕事 😀"]).output().expect("send");
    assert!(
        sent.status.success() && house.path("queue/send-t-1.yaml").exists(),
        "it waits as well: {sent:?}"
    );
    works(&house, "t-3"); // what has never been seen is held against the filters alone
    assert_eq!(accepted(&house, "t-1"), 1);
    assert!(!house.path("queue/rejected").join("again.yaml").exists());

    fs::rename(house.path("elsewhere"), &list).expect("to move it back");
    house.until("that it was known", |house| {
        house.read("status/activity.log").contains("is a duplicate of t-1")
    });
    assert!(house.read("status/activity.log").contains("the list of known messages can be read again"));
    assert_eq!(accepted(&house, "t-1"), 1);
    house.end();
}

/// Moves a folder of the workspace to another disk, as far as those who have it open can tell: it is copied and removed.
fn move_away(house: &House, folder: &str) {
    fs::rename(house.path(folder), house.path("../kept")).expect("it is moved");
    let copied = Command::new("cp").arg("-a").args([house.path("../kept"), house.path("../copy")]).status();
    let _ = copied.expect("cp"); // which may have met what the daemon just removed
    fs::remove_dir_all(house.path("../kept")).expect("it is removed");
}

/// How the daemon ends that has lost its ground: by itself, at once, and it says so where people look.
fn ends(house: &mut House, what: &str) -> String {
    let words = format!("{what} while the daemon ran");
    let status = ended(house);
    assert_eq!(status.code(), Some(1), "{}", house.output());
    let told = "the daemon has ended and left the agents running: ".to_owned();
    let log = house.read("status/activity.log");
    assert!(log.contains(&told) && log.contains(&words), "{log}");
    let shown = house.read("status/daemon.yaml");
    assert!(shown.contains("pid: null") && shown.contains(&words), "{shown}");
    let said = house.output();
    assert!(said.contains(&words) && said.contains("`tasuki down`"), "{said}");
    log
}

fn ended(house: &mut House) -> std::process::ExitStatus {
    let start = std::time::Instant::now();
    loop {
        match house.ended() {
            Some(status) => return status,
            None if start.elapsed() > PATIENCE => panic!("it goes on: {}", house.output()),
            None => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    }
}

fn agent_lives(house: &House) -> bool {
    house.tmux(&["list-panes", "-a", "-F", "#{window_name} #{pane_dead}"]).contains("worker 0")
}

#[test]
fn a_daemon_whose_journal_was_removed_ends_and_promises_nothing() {
    let mut house = House::plain("removed");
    house.start();
    works(&house, "before");
    move_away(&house, ".tasuki/journal");
    ends(&mut house, ".tasuki/journal was removed");
    house.drop("t-1.yaml", "id: t-1\nto: worker\ncontent: x\n");
    let sent = house.tasuki().args(["send", "worker", "x"]).output().expect("send");
    assert!(sent.status.success(), "{sent:?}");
    assert_eq!(house.files("queue").len(), 2, "both are found there");
    assert!(agent_lives(&house));

    fs::rename(house.path("../copy"), house.path(".tasuki/journal")).expect("it is put back");
    house.start();
    assert!(house.result("t-1").contains("answer to t-1"));
    house.until("both to be done", |house| house.files("queue/results").len() == 3);
    assert_eq!(accepted(&house, "before"), 1);
    assert!(house.read("status/agents/worker.yaml").contains("restarts: 0"), "it was taken up");
    house.end();
}

#[test]
fn a_drop_waits_in_the_queue_while_all_that_the_daemon_keeps_is_gone() {
    let mut house = House::plain("gone");
    house.start();
    works(&house, "before");
    let id = house.path(".tasuki");
    move_away(&house, ".tasuki");
    house.drop("t-1.yaml", "id: t-1\nto: worker\ncontent: x\n");
    ends(&mut house, ".tasuki was removed");
    assert!(house.path("queue/t-1.yaml").exists() && !id.exists(), "nothing is made anew");

    fs::rename(house.path("../copy"), house.path(".tasuki")).expect("it is put back");
    house.start();
    assert!(house.result("t-1").contains("answer to t-1"));
    house.end();
}

#[test]
fn whatever_of_its_lock_and_its_journal_is_replaced_ends_the_daemon() {
    type Replace = fn(&House);
    let cases: [(&str, Replace); 4] = [
        (".tasuki was replaced", |house| {
            let (memory, other) = (house.path(".tasuki"), house.path("../other"));
            let copied = Command::new("cp").arg("-a").args([&memory, &other]).status();
            let _ = copied.expect("cp"); // the socket cannot be
            rustix::fs::renameat_with(
                rustix::fs::CWD,
                &other,
                rustix::fs::CWD,
                &memory,
                rustix::fs::RenameFlags::EXCHANGE,
            )
            .expect("to exchange them");
        }),
        (".tasuki/lock was replaced", |house| {
            fs::write(house.path("other"), "").expect("a file");
            fs::rename(house.path("other"), house.path(".tasuki/lock")).expect("it takes the lock's place");
        }),
        (".tasuki/journal was removed", |house| {
            fs::rename(house.path(".tasuki/journal"), house.path("journal")).expect("to move it");
        }),
        (".tasuki/journal was replaced", |house| {
            fs::rename(house.path(".tasuki/journal"), house.path("journal")).expect("to move it");
            fs::create_dir(house.path(".tasuki/journal")).expect("another one");
        }),
    ];
    for (what, replace) in cases {
        println!("== {what}");
        let mut house = House::plain("replaced");
        house.start();
        works(&house, "before");
        replace(&house);
        let status = ended(&mut house);
        assert_eq!(status.code(), Some(1), "{}", house.output());
        let log = house.read("status/activity.log");
        assert!(log.contains(".tasuki") && log.contains("left the agents running"), "{what}: {log}");
        assert!(agent_lives(&house));
    }
}

#[test]
fn another_workspace_in_its_place_ends_the_daemon_and_is_left_alone_by_it() {
    let mut house = House::plain("place");
    house.start();
    works(&house, "before");
    let moved = house.path("").with_file_name("elsewhere");
    fs::rename(house.path(""), &moved).expect("to move it");
    house.write("queue/README.md", "another one");
    assert_eq!(ended(&mut house).code(), Some(1));
    let log = fs::read_to_string(moved.join("status/activity.log")).expect("its log");
    assert!(log.contains("was replaced while the daemon ran"), "{log}");
    let names: Vec<_> = fs::read_dir(house.path("")).expect("the folder").flatten().collect();
    assert!(names.len() == 1 && house.files("queue").len() == 1, "{names:?}");
    assert!(agent_lives(&house));
}

#[test]
fn a_second_daemon_does_not_start_while_the_first_still_has_the_agents() {
    let mut house = House::plain("twice");
    house.start();
    works(&house, "before");
    let first = house.pid();
    // It is still, and cannot notice.
    signal(&house, rustix::process::Signal::STOP);
    fs::remove_dir_all(house.path(".tasuki")).expect("to remove it");
    house.drop("t-1.yaml", "id: t-1\nto: worker\ncontent: x\n");
    for verb in ["daemon", "up"] {
        let said = said(house.tasuki().arg(verb), 1);
        let words = format!("another daemon (process {first}) still has the agents of this workspace");
        assert!(said.contains(&words) && said.contains(&format!("`kill {first}`")), "{said}");
    }
    assert!(house.path("queue/t-1.yaml").exists(), "it took something");
    signal(&house, rustix::process::Signal::CONT);
    assert_eq!(ended(&mut house).code(), Some(1));
    house.start();
    assert!(house.result("t-1").contains("answer to t-1"));
    assert!(!house.path("queue/results/t-1.yaml.2").exists());
    house.end();
}

#[test]
fn a_second_daemon_does_not_start_while_the_first_still_listens() {
    let mut house = House::plain("listens");
    let sockets = tempfile::tempdir().expect("a folder");
    fs::set_permissions(sockets.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("a mode");
    house.surround("XDG_RUNTIME_DIR", sockets.path().as_os_str());
    house.start();
    works(&house, "before");
    let first = house.pid();
    signal(&house, rustix::process::Signal::STOP);
    fs::remove_dir_all(house.path(".tasuki")).expect("to remove it");
    let words = format!("another daemon (process {first}) still responds for this workspace");
    let text = said(house.tasuki().arg("daemon"), 1);
    assert!(text.contains(&words), "{text}");
    signal(&house, rustix::process::Signal::CONT);
    assert_eq!(ended(&mut house).code(), Some(1));
}

fn signal(house: &House, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(house.pid()).expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, signal).expect("a signal");
}

#[test]
fn a_pipe_in_the_place_of_a_log_holds_nothing_up() {
    let mut house = House::plain("pipe");
    house.start();
    works(&house, "before");
    for log in ["activity.log", "agents/worker.log"] {
        let pipe = house.path("../fifo");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        fs::rename(pipe, house.path("status").join(log)).expect("it takes the log's place");
    }
    works(&house, "after");
    house.end();
    house.start();
    works(&house, "at-last");
    house.end();
}
