//! Flushes are counted, not timed: what a lone message and a burst cost the disk (performance, row 5).

use crate::house::House;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::time::Duration;

/// What is accepted for a free agent is intended in the same step; then the result. Each has an outward effect that waits for it.
const LONE: u64 = 2;
/// A burst of a thousand may take this many to be accepted.
const BURST_MAX: u64 = 50;
const BURST: usize = 1_000;
/// `status/daemon.yaml` is written at most once a second: what is older than this tells all.
const SETTLED: Duration = Duration::from_millis(1_500);

/// Flushes of the journal so far, once nothing is going on.
fn flushes(house: &House) -> u64 {
    let path = house.path("status/daemon.yaml");
    house.until("the status to settle", |_| {
        let written = fs::metadata(&path).and_then(|meta| meta.modified());
        written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > SETTLED))
    });
    let text = house.read("status/daemon.yaml");
    let count = text.split_once("flushes: ").expect("a count of flushes").1;
    let digits = count.split(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).expect("a number")
}

fn send(house: &House, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(house.pid()).expect("a pid")).expect("a pid");
    kill_process(pid, signal).expect("a daemon that runs");
}

#[test]
fn a_lone_message_costs_two_flushes() {
    let mut house = House::plain("lone");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    for number in 0..3 {
        let before = flushes(&house);
        house.drop("a.yaml", &format!("id: f-{number}\nto: worker\ncontent: 一つ 🎽\n"));
        house.result(&format!("f-{number}"));
        assert_eq!(flushes(&house) - before, LONE, "message {number}");
    }
}

#[test]
fn a_burst_of_a_thousand_is_accepted_in_few_flushes() {
    let mut house = House::plain("burst");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    let before = flushes(&house);
    // All of it lies there when the daemon looks; else it would count how fast this test is.
    send(&house, Signal::STOP);
    for number in 0..BURST {
        house.drop(&format!("{number}.yaml"), &format!("id: b-{number}\nto: worker\ncontent: do {number}\n"));
    }
    send(&house, Signal::CONT);
    let active = || fs::read_dir(house.path("queue/active")).expect("active").flatten();
    let shown = || active().filter(|entry| !entry.file_name().to_string_lossy().starts_with('.')).count();
    house.until("all to be accepted", |_| shown() == BURST);
    let taken = flushes(&house) - before;
    println!("a burst of {BURST}: {taken} flushes");
    assert!((1..=BURST_MAX).contains(&taken), "{taken} flushes");
    let journal = house.read(".tasuki/journal/000001.jsonl");
    for number in 0..BURST {
        let accepted = journal.matches(&format!("\"event\":\"accepted\",\"id\":\"b-{number}\"")).count();
        assert_eq!(accepted, 1, "b-{number}");
    }
}
