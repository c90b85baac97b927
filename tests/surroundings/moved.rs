//! What people move, link or remove while the daemon runs: what it cannot know of any more, it does not promise.

use crate::house::House;
use crate::works;
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
            .contains("drops wait, since it cannot be read which messages are known")
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
    house.until("that it was known", |house| house.read("status/activity.log").contains("brought t-1 again"));
    assert!(house.read("status/activity.log").contains("it can be read again which messages are known"));
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

#[test]
fn nothing_is_promised_by_a_journal_that_was_removed() {
    let mut house = House::plain("removed");
    house.start();
    works(&house, "before");
    move_away(&house, ".tasuki/journal");
    let sent = house.tasuki().args(["send", "worker", "x"]).output().expect("send");
    assert!(sent.status.success(), "{sent:?}");
    assert_eq!(house.files("queue").len(), 1, "it is found there");
    house.drop("t-1.yaml", "id: t-1\nto: worker\ncontent: x\n");
    house.until("what is wrong", |house| {
        house.read(".tasuki/daemon.log").contains("removed or moved to another disk")
    });

    house.kill();
    fs::rename(house.path("../copy"), house.path(".tasuki/journal")).expect("it is put back");
    house.start();
    assert!(house.result("t-1").contains("answer to t-1"));
    house.until("both to be done", |house| house.files("queue/results").len() == 3);
    assert_eq!(accepted(&house, "before"), 1);
    house.end();
}

#[test]
fn a_drop_waits_in_the_queue_while_all_that_the_daemon_keeps_is_gone() {
    let mut house = House::plain("gone");
    house.start();
    works(&house, "before");
    move_away(&house, ".tasuki");
    house.drop("t-1.yaml", "id: t-1\nto: worker\ncontent: x\n");
    house.until("what is wrong", |house| {
        house.read("status/activity.log").contains("t-1.yaml is left where it is")
    });
    assert!(house.path("queue/t-1.yaml").exists());

    house.kill();
    fs::rename(house.path("../copy"), house.path(".tasuki")).expect("it is put back");
    house.start();
    assert!(house.result("t-1").contains("answer to t-1"));
    house.end();
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
