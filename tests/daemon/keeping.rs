//! What is kept and for how long, and what becomes of views that cannot be written: through the real binary.

use crate::house::House;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tasuki::daemon::memory;
use tasuki::engine::engine::Engine;
use tasuki::engine::team::Team;
use tasuki::engine::words::{Millis, Seq};
use tasuki::io::journal::{Journal, StepLine};

/// More than the 30 days that things are kept.
const OLD: Duration = Duration::from_secs(31 * 86_400);
/// Longer ago than that: 2020-09-13.
const LONG_AGO: Millis = Millis(1_600_000_000_000);

fn age(path: &Path) {
    let then = SystemTime::now() - OLD;
    fs::File::options().write(true).open(path).expect("the file").set_modified(then).expect("its time");
}

/// Three segments of a time long ago.
fn old_journal(folder: &Path) {
    fs::create_dir_all(folder).expect("the journal's folder");
    let nothing = || -> tasuki::io::journal::Walk { Box::new(|_, _| {}) };
    let (mut journal, _) = Journal::open(folder, "then", nothing, &mut |_| Ok(())).expect("a journal");
    let engine = Engine::new(Team::default());
    for _ in 0..3 {
        let seq: Seq = journal.next_seq();
        let events = r#"[{"event":"halted","since":null}]"#.into();
        journal.append(&[StepLine { seq, at: LONG_AGO, events }], true).expect("a step");
        let snapshot = memory::snapshot(&engine, &Default::default(), &Default::default());
        journal.turn(LONG_AGO, &snapshot, []).expect("a turn");
    }
    journal.close().expect("the end");
}

#[test]
fn what_is_old_goes_and_what_is_new_or_needed_stays() {
    let mut house = House::plain("retention");
    old_journal(&house.path(".tasuki/journal"));
    let segment =
        |house: &House, number: u32| house.path(&format!(".tasuki/journal/{number:06}.jsonl")).exists();
    assert!((1..=4).all(|number| segment(&house, number)));
    house.start();
    house.drop("new.yaml", "id: new\nto: worker\ncontent: do it\n");
    house.result("new");
    house.until("it to be done", |house| !house.path("queue/active/new.yaml").exists());
    house.end();
    assert!(segment(&house, 1), "after so long a silence it may be the clock that is wrong");
    let today = fs::read_dir(house.path("queue/done")).expect("done").next().expect("a day").expect("a day");
    let then = house.path("queue/done/2020-09-13");
    fs::create_dir(&then).expect("a day long ago");
    fs::copy(today.path().join("new.yaml"), then.join("old.yaml")).expect("an old message");
    fs::write(then.join("my notes.txt"), "mine").expect("somebody's own file");
    let result = house.path("queue/results/old.yaml");
    fs::copy(house.path("queue/results/new.yaml"), &result).expect("an old result");
    age(&result);
    house.start();
    house.until("old segments to go", |house| !(1..=3).any(|number| segment(house, number)));
    assert!(segment(&house, 4), "the one closed last stays, in case the next is damaged");
    house.until("old segments to go", |house| !(1..=3).any(|number| segment(house, number)));
    assert!(segment(&house, 4), "the one closed last stays, in case the next is damaged");
    house.until("the old to go", |_| !result.exists() && !then.join("old.yaml").exists());
    assert!(house.path("queue/results/new.yaml").exists() && today.path().join("new.yaml").exists());
    assert_eq!(
        fs::read_to_string(then.join("my notes.txt")).expect("it"),
        "mine",
        "what is not a view stays"
    );
    house.end();
    assert!(!house.read(".tasuki/daemon.log").contains("could not be removed"), "and is no trouble");
}

#[test]
fn a_result_that_cannot_be_written_is_written_when_it_can() {
    let mut house = House::plain("no-room");
    house.start();
    // A folder in the way stands for a disk that says no.
    let way = house.path("queue/results/late.yaml");
    fs::create_dir(&way).expect("a folder in the way");
    fs::write(way.join("x"), "").expect("a file in it");
    house.drop("a.yaml", "id: late\nto: worker\ncontent: do it\n");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("views cannot be written"));
    let shown = house.tasuki().arg("status").output().expect("tasuki status");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("views cannot be written") && shown.contains("late.yaml"), "{shown}");
    house.drop("b.yaml", "id: other\nto: worker\ncontent: do it\n");
    assert!(house.result("other").contains("answer to other"), "others do not wait for it");
    fs::remove_dir_all(&way).expect("the way to be free");
    house.until("the result", |house| house.read("queue/results/late.yaml").contains("answer to late"));
    house.until("the note to go", |house| {
        let status = house.read("status/daemon.yaml");
        !status.is_empty() && !status.contains("views cannot be written")
    });
}

#[test]
fn a_task_whose_view_cannot_be_written_waits_and_costs_no_try() {
    let mut house = House::plain("no-view");
    house.start();
    let way = house.path("queue/active/late.yaml");
    fs::create_dir(&way).expect("a folder in the way");
    fs::write(way.join("x"), "").expect("a file in it");
    house.drop("a.yaml", "id: late\nto: worker\ncontent: do it\n");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("views cannot be written"));
    assert!(
        !house.tmux(&["capture-pane", "-p", "-t", "worker"]).contains("late"),
        "nothing is typed before its view"
    );
    fs::remove_dir_all(&way).expect("the way to be free");
    let result = house.result("late");
    assert!(result.contains("answer to late") && result.contains("attempt: 1"), "{result}");
}
