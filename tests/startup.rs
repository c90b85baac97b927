//! What a start reads: the newest segment and the lists of ids, however much was ever finished (performance, row 12).
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[path = "support/house.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod house;
#[path = "support/opened.rs"]
mod opened;

use house::House;
use opened::Opened;
use std::fs;

/// Bytes of a message: some ten of them fill a segment.
const LARGE: usize = 900_000;
/// Enough for three segments and more.
const MESSAGES: usize = 16;

/// Names in a folder, in order.
fn names(house: &House, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(house.path(folder)).expect(folder);
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_start_reads_one_segment_and_nothing_of_the_archive() {
    let mut house = House::plain("start");
    house.start();
    let large = "襷".repeat(LARGE / 3);
    for number in 0..MESSAGES {
        house.drop(
            &format!("{number}.yaml"),
            &format!("id: i-{number}\nto: user\ntype: info\ncontent: {large}\n"),
        );
        let there = |house: &House| {
            let days = names(house, "queue/done");
            days.iter().any(|day| house.path(&format!("queue/done/{day}/i-{number}.yaml")).exists())
        };
        house.until("the info", there);
    }
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: 一つ\n");
    house.result("t-1");
    house.end();
    let segments = names(&house, ".tasuki/journal").into_iter().filter(|name| name.ends_with(".jsonl"));
    let segments: Vec<String> = segments.collect();
    let (newest, closed) = segments.split_last().expect("segments");
    assert!(closed.len() >= 2, "a small archive: {segments:?}");

    let days = names(&house, "queue/done").into_iter().map(|day| format!("queue/done/{day}"));
    let archive = ["queue/done", "queue/results", ".tasuki/journal"].map(str::to_owned);
    let opened = Opened::within(&house.path(""), &days.chain(archive).collect::<Vec<_>>());
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    // Its views are written one after the other, so all that a start does with them is done when this one is.
    house.drop("u.yaml", "id: t-2\nto: worker\ncontent: 二つ\n");
    house.result("t-2");
    let names = opened.names();
    let of = |end: &str| names.iter().filter(|name| name.ends_with(end)).collect::<Vec<_>>();
    assert!(!of(newest).is_empty(), "the newest segment is read: {names:?}");
    for segment in closed {
        assert!(of(segment).is_empty(), "{segment} is not read: {names:?}");
    }
    let finished = |name: &&String| name.contains("queue/done/2") || name.contains("queue/results/");
    let finished: Vec<_> =
        names.iter().filter(finished).filter(|name| !name.contains("/t-2") && !name.contains("/.")).collect();
    assert!(finished.is_empty(), "nothing of the archive is read or listed: {finished:?}");
}
