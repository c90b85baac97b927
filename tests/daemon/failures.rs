//! When the machine says no: a segment that cannot be turned, a disk that fails, an end in the middle of work.

use crate::house::{House, PLAIN_AGENT};
use std::fs;

/// Messages of this many bytes fill a segment of 16 MiB in about twenty.
const LARGE: usize = 900_000;

fn fill_a_segment(house: &House, prefix: &str) {
    let large = "襷".repeat(LARGE / 3);
    for number in 0..20 {
        let name = format!("{prefix}-{number}");
        house.drop(&format!("{name}.yaml"), &format!("id: {name}\nto: user\ntype: info\ncontent: {large}\n"));
        house.until("the info", |house| !house.path(&format!("queue/{name}.yaml")).exists());
    }
}

#[test]
fn a_segment_that_cannot_be_turned_goes_on_until_it_can() {
    let mut house = House::plain("no-turn");
    house.start();
    // A folder in the way stands for a disk that says no.
    let way = house.path(".tasuki/journal/000001.ids.tmp");
    fs::create_dir_all(way.join("x")).expect("a folder in the way");
    fill_a_segment(&house, "a");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("no new segment"));
    house.drop("t.yaml", "id: t\nto: worker\ncontent: go on\n");
    assert!(house.result("t").contains("answer to t"), "work goes on meanwhile");
    fs::remove_dir_all(&way).expect("the way to be free");
    house.drop("u.yaml", "id: u\nto: worker\ncontent: go on\n");
    house.until("the new segment", |house| house.path(".tasuki/journal/000002.jsonl").exists());
    house.until("the note to go", |house| {
        let status = house.read("status/daemon.yaml");
        !status.is_empty() && !status.contains("no new segment")
    });
    house.result("u");
    house.end();
}

#[test]
fn an_end_in_order_waits_for_what_is_being_typed_and_doubles_nothing() {
    // Without an echo there is no trace of a turn that was typed: only its receipt tells.
    let silent =
        format!("#!/bin/bash\nstty -echo\n{}", PLAIN_AGENT.replace("#!/bin/bash", "echo $$ >> pids"))
            .replace("sleep \"${DELAY:-0}\"", "echo \"$file\" >> did; sleep 0.2");
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, silent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("ends", list, &[("silent.sh", &silent)]);
    house.start();
    for number in 0..4 {
        house.drop(&format!("{number}.yaml"), &format!("id: e-{number}\nto: worker\ncontent: do {number}\n"));
        // At whichever moment of the typing that is.
        house.until("the turn", |house| {
            house.read("status/activity.log").contains(&format!("e-{number} is being typed"))
        });
        house.end();
        let status = house.read("status/daemon.yaml");
        assert!(status.contains("pid: null") && status.contains("socket: null"), "{status}");
        house.start();
    }
    for number in 0..4 {
        house.result(&format!("e-{number}"));
    }
    let did = house.read("did");
    assert_eq!(did.lines().count(), 4, "each once: {did}\n{}", house.read("status/activity.log"));
    assert_eq!(house.read("pids").lines().count(), 1, "by the same process");
    house.end();
}

#[test]
fn drops_beyond_the_open_messages_wait_for_room() {
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("room", list, &[("agent.sh", PLAIN_AGENT)]);
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &format!("{team}settings: {{max_open: 5}}\n"));
    house.start();
    house.write("queue/STOP", "");
    for number in 0..12 {
        house.drop(
            &format!("{number:02}.yaml"),
            &format!("id: r-{number}\nto: worker\ncontent: do {number}\n"),
        );
    }
    house.drop("many.yaml", "to: worker\ncontent: a\n---\nto: worker\ncontent: b\n");
    house.until("five to be open", |house| {
        fs::read_dir(house.path("queue/active")).map(Iterator::count).unwrap_or_default() == 5
    });
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    for number in 0..12 {
        house.result(&format!("r-{number}"));
    }
    house.until("all", |house| {
        fs::read_dir(house.path("queue/results")).map(Iterator::count).unwrap_or_default() >= 14
    });
    assert_eq!(fs::read_dir(house.path("queue/rejected")).map(Iterator::count).unwrap_or_default(), 0);
    house.end();
}

#[test]
fn a_journal_that_fails_again_and_again_loses_nothing() {
    let mut house = House::plain("efbig");
    // Each file may have 3 MiB: every third large message fails in the middle of its line.
    house.start_by("trap '' XFSZ; ulimit -f 3072; exec \"$0\" \"$@\"");
    let large = "襷".repeat(LARGE / 3);
    for number in 0..12 {
        let info = format!("id: l-{number}\nto: user\ntype: info\ncontent: {large}\n");
        house.drop(&format!("l-{number}.yaml"), &info);
        house.drop(
            &format!("t-{number}.yaml"),
            &format!("id: t-{number}\nto: worker\ncontent: do {number}\n"),
        );
    }
    for number in 0..12 {
        assert!(house.result(&format!("t-{number}")).contains(&format!("answer to t-{number}")));
        house.until("the info to be done", |house| {
            let days = fs::read_dir(house.path("queue/done")).into_iter().flatten().flatten();
            days.map(|day| day.path().join(format!("l-{number}.yaml"))).any(|path| path.exists())
        });
    }
    let log = house.read(".tasuki/daemon.log");
    assert!(log.contains("starting anew"), "no write has failed: {log}");
    let threads = fs::read_dir(format!("/proc/{}/task", house.pid())).expect("its threads").flatten();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    let mailboxes = names.filter(|name| name == "mailbox\n").count();
    assert_eq!(mailboxes, 1, "one mailbox at a time");
    house.until("no claim to be left", |house| {
        fs::read_dir(house.path(".tasuki/claim")).map(Iterator::count).unwrap_or_default() == 0
    });
    house.end();
    let fsck = house.tasuki().arg("fsck").output().expect("tasuki fsck");
    assert!(fsck.status.success(), "{}", String::from_utf8_lossy(&fsck.stdout));
}

#[test]
fn a_second_life_owes_what_the_first_could_not_show_and_knows_what_ended_in_it() {
    let mut house = House::plain("owed");
    house.start_by("trap '' XFSZ; ulimit -f 3072; exec \"$0\" \"$@\"");
    let way = house.path("queue/results/late.yaml");
    fs::create_dir(&way).expect("a folder in the way");
    fs::write(way.join("x"), "").expect("a file in it");
    let late = "id: late\nto: worker\ncontent: do it\n";
    house.drop("late.yaml", late);
    house.until("the note", |house| house.read("status/daemon.yaml").contains("views cannot be written"));
    let fail = |house: &House, prefix: &str| {
        let before = house.read(".tasuki/daemon.log").matches("starting anew").count();
        let large = "襷".repeat(LARGE / 3);
        for number in 0..5 {
            let name = format!("{prefix}-{number}");
            house.drop(
                &format!("{name}.yaml"),
                &format!("id: {name}\nto: user\ntype: info\ncontent: {large}\n"),
            );
        }
        house.until("another life", |house| {
            house.read(".tasuki/daemon.log").matches("starting anew").count() > before
        });
    };
    fail(&house, "a");
    let task = "id: second\nto: worker\ncontent: do it\n";
    house.drop("second.yaml", task);
    house.result("second");
    fs::remove_dir_all(&way).expect("the way to be free");
    house.until("the result", |house| house.read("queue/results/late.yaml").contains("answer to late"));
    fail(&house, "b");
    fail(&house, "c");
    for (id, text) in [("late", late), ("second", task)] {
        house.drop(&format!("{id}-again.yaml"), text);
        house.until("the note", |house| {
            house.read("status/activity.log").contains(&format!("{id}-again.yaml brought {id} again"))
        });
    }
    house.end();
}
