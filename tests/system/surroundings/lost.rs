//! Files of open messages that outlive the journal, and files in `queue/` that nobody has taken: none is lost, and each is told.

use super::{said, works};
use crate::house::House;
use std::fs;
use std::process::{Command, Output};

/// What a command printed, in order of its streams, and whether it went well.
fn told(house: &House, words: &[&str]) -> (bool, String) {
    let Output { status, stdout, stderr } = house.ask(words);
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    println!("$ tasuki {}\n{text}", words.join(" "));
    (status.success(), text)
}

/// A held task, and the folder of the journal is removed under the daemon.
fn orphaned(name: &str) -> House {
    let mut house = House::plain(name);
    house.start();
    works(&house, "before");
    assert!(told(&house, &["stop", "worker"]).0 || told(&house, &["agent", "stop", "worker"]).0);
    assert!(told(&house, &["send", "worker", "important: 重要", "--id", "q1"]).0);
    house.until("its view", |house| house.path("queue/active/q1.yaml").exists());
    fs::remove_dir_all(house.path(".tasuki")).expect("to remove it");
    let _ = house.wait();
    assert!(house.read("queue/active/q1.yaml").contains("重要"));
    house
}

#[test]
fn an_open_message_that_a_new_journal_does_not_know_is_set_aside_and_not_removed() {
    let house = orphaned("orphans");
    let (_, status) = told(&house, &["status"]);
    assert!(status.contains(".tasuki") && status.contains("was removed while the daemon ran"), "{status}");
    house.write("queue/active/notes.yaml", "just: a note of somebody\n");
    let (_, up) = told(&house, &["up"]);
    assert!(up.contains("warning: queue/lost/q1.yaml"), "{up}");
    assert!(house.read("queue/lost/q1.yaml").contains("重要"));
    assert!(!house.path("queue/active/q1.yaml").exists() && !house.path("queue/results/q1.yaml").exists());
    house.until("the sweep", |house| !house.path("queue/active/notes.yaml").exists());
    let lines = |house: &House| house.read("status/activity.log").matches("queue/lost/q1.yaml").count();
    house.until("a line in the log", |house| lines(house) == 1);
    for words in [&["status"][..], &["doctor"], &["why", "q1"], &["log", "q1"]] {
        let (_, text) = told(&house, words);
        assert!(text.contains("queue/lost/q1.yaml"), "{words:?}: {text}");
    }
    // It is not told as lost anew, and what ended is not taken for lost.
    told(&house, &["down"]);
    told(&house, &["up"]);
    assert_eq!((lines(&house), house.files("queue/lost").len()), (1, 1));

    // The cure, also of one that was begun.
    let text =
        house.read("queue/lost/q1.yaml").replace("status: pending", "status: in_progress\ntoken: 81d3ij");
    let is_kept = |line: &&str| !line.starts_with("status:") && !line.starts_with("token:");
    let text: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    fs::remove_file(house.path("queue/lost/q1.yaml")).expect("it is taken away");
    house.drop("q1.yaml", &text);
    assert!(house.result("q1").contains("answer to q1"));
    let (_, status) = told(&house, &["status"]);
    assert!(!status.contains("queue/lost"), "{status}");
}

#[test]
fn an_open_message_that_an_older_journal_does_not_know_is_set_aside() {
    let mut house = House::plain("backup");
    house.start();
    works(&house, "before");
    house.end();
    let copy = |from: &str, to: &str| {
        let status = Command::new("cp").arg("-a").args([house.path(from), house.path(to)]).status();
        assert!(status.expect("cp").success());
    };
    copy(".tasuki/journal", "../kept");
    house.start();
    told(&house, &["agent", "stop", "worker"]);
    house.drop("late.yaml", "id: late\nto: worker\ncontent: later than the backup\n");
    house.until("its view", |house| house.path("queue/active/late.yaml").exists());
    house.kill();
    fs::remove_dir_all(house.path(".tasuki/journal")).expect("to remove it");
    let status =
        Command::new("cp").arg("-a").args([house.path("../kept"), house.path(".tasuki/journal")]).status();
    assert!(status.expect("cp").success());
    house.start();
    house.until("it to be set aside", |house| {
        house.read("queue/lost/late.yaml").contains("later than the backup")
    });
    assert_eq!(house.files("queue/lost").len(), 1, "what had ended before is known");
    house.end();
}

#[test]
fn an_info_that_was_read_leaves_its_folder_when_its_reader_is_stopped() {
    let mut house = House::plain("info");
    house.start();
    house.drop("hint.yaml", "id: hint\ntype: info\nto: worker\ncontent: only to be read\n");
    let is_done = |house: &House| told(house, &["why", "hint"]).1.contains("completed");
    house.until("it to be done", |house| is_done(house));
    house.until("its view", |house| house.path("queue/active/hint.yaml").exists());
    let (_, status) = told(&house, &["status"]);
    assert!(status.contains("messages: 0 open"), "{status}");
    // Killed: the view is still there, and it is counted as what it is.
    house.kill();
    assert!(house.path("queue/active/hint.yaml").exists());
    let (_, status) = told(&house, &["status"]);
    assert!(status.contains("messages: 0 open"), "{status}");
    house.start();
    told(&house, &["down"]);
    assert!(!house.path("queue/active/hint.yaml").exists(), "nobody reads it any more");
    assert!(house.files("queue/lost").is_empty());
}

#[test]
fn files_that_are_never_taken_and_drops_that_were_refused_are_told() {
    let mut house = House::plain("names");
    house.start();
    for name in ["x.yml", "X.YAML", "noext"] {
        house.drop(name, "to: worker\ncontent: x\n");
    }
    house.drop("bad.yaml", "to: nobody\ncontent: x\n");
    house.write("queue/half.yaml.tmp", "to: wor");
    house.write("queue/empty", "");
    house.write("queue/README.md", "the page that `init` writes");
    std::fs::create_dir(house.path("queue/mine")).expect("a folder");
    std::fs::create_dir(house.path("queue/empty-folder")).expect("a folder");
    house.write("queue/mine/a.yaml", "to: worker\ncontent: x\n");
    house.write("queue/mine/b.yaml", "to: worker\ncontent: x\n");
    house.write("queue/mine/notes.txt", "to: worker\ncontent: x\n");
    house.until("the refusal", |house| house.path("queue/rejected/bad.yaml").exists());
    house.until("the log", |house| {
        let log = house.read("status/activity.log");
        ["x.yml", "X.YAML", "noext"].iter().all(|name| {
            log.matches(&format!("queue/{name} is not taken: its name must end in .yaml")).count() == 1
        })
    });
    for words in ["status", "doctor"] {
        let (_, text) = told(&house, &[words]);
        for name in ["x.yml", "X.YAML", "noext"] {
            assert!(
                text.contains(&format!("queue/{name} is not taken: its name must end in .yaml")),
                "{text}"
            );
        }
        assert!(!text.contains("half") && !text.contains("queue/empty"), "{text}");
        assert!(!text.contains("README") && !text.contains("empty-folder"), "{text}");
        let folder =
            "queue/mine/ has 2 files that are not taken: only files directly in queue/ are; `mv` them there";
        assert_eq!(text.matches(folder).count(), 1, "{text}");
    }
    let (_, status) = told(&house, &["status"]);
    assert!(status.contains("queue/rejected/: 1 drop was refused"), "{status}");
    house.end();
}

#[test]
fn why_and_log_tell_where_a_message_lies_that_no_daemon_has_taken() {
    let mut house = House::plain("offline");
    house.start();
    house.end();
    assert!(told(&house, &["send", "worker", "x", "--id", "off1"]).0);
    house.drop("mine.yaml", "id: off2\nto: worker\ncontent: x\n");
    for (id, file) in [("off1", "queue/send-off1.yaml"), ("off2", "queue/mine.yaml")] {
        for verb in ["why", "log"] {
            let (well, text) = told(&house, &[verb, id]);
            assert!(well && text.contains(file) && text.contains("`tasuki up`"), "{verb} {id}: {text}");
        }
    }
    said(house.tasuki().args(["why", "off3"]), 2);
}
