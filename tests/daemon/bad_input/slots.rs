//! Classes 4, 51 and 52: files that somebody is still writing.

use crate::bad_input::table::Town;
use std::fs;
use std::io::Write as _;

/// More than the daemon takes in one look, so that many are met half written.
const VERSIONS: usize = 300;

#[test]
fn a_file_is_taken_when_its_writer_is_done() {
    let town = Town::start("slow writers");
    let half = "id: slow\nto: neighbour\ncontent: the first ha";
    let mut slow = fs::File::create(town.house.path("queue/04-slow.yaml")).expect("a drop");
    slow.write_all(half.as_bytes()).expect("a half");
    // Looks enough at it while it is open: it parses, and nobody may take it all the same.
    (0..5).for_each(|number| town.goes_on(&format!("good-{number}")));
    assert_eq!(town.house.read("queue/04-slow.yaml"), half);
    assert!(!town.house.read("status/activity.log").contains("slow"));
    slow.write_all("lf and the second\nmetadata: {whole: true}\n".as_bytes()).expect("a half");
    drop(slow);
    assert!(town.house.result("slow").contains("answer to slow"));
    let seen = town.house.read("seen/slow.yaml");
    assert!(
        seen.contains("content: the first half and the second") && seen.contains("whole: true"),
        "{seen}"
    );
    town.end("end");
}

#[test]
fn a_slot_that_is_rewritten_is_always_whole() {
    let town = Town::start("slots");
    let slot = town.house.path("queue/boss_to_worker.yaml");
    let text = |number: usize| {
        let lines = format!("  line of {number}\n").repeat(1 + number % 50);
        format!(
            "id: slot-{number}\nfrom: user\nto: user\ntype: info\ncontent: |\n{lines}metadata: {{end: {number}}}\n"
        )
    };
    for number in 1..=VERSIONS {
        let text = text(number);
        let (first, second) = text.split_at(text.len() / 2);
        let mut file = fs::File::create(&slot).expect("the slot");
        file.write_all(first.as_bytes()).expect("a half");
        std::thread::yield_now();
        file.write_all(second.as_bytes()).expect("a half");
    }
    let last = format!("slot-{VERSIONS} accepted");
    town.house.until(&last, |house| house.read("status/activity.log").contains(&last));
    town.house.until("the slot to be empty", |_| !slot.exists());
    town.goes_on("good");
    let rejected: Vec<_> = fs::read_dir(town.house.path("queue/rejected")).expect("rejected").collect();
    assert!(rejected.is_empty(), "half a version was taken: {rejected:?}");
    let days = fs::read_dir(town.house.path("queue/done")).expect("done").flatten();
    let mut taken = 0;
    for done in days.flat_map(|day| fs::read_dir(day.path()).expect("a day").flatten()) {
        let name = done.file_name().into_string().expect("a name");
        let Some(number) = name.strip_prefix("slot-").and_then(|rest| rest.strip_suffix(".yaml")) else {
            continue;
        };
        let number: usize = number.parse().expect("a number");
        let view = fs::read_to_string(done.path()).expect("a view");
        assert_eq!(view.matches(&format!("line of {number}\n")).count(), 1 + number % 50, "{view}");
        assert!(view.contains(&format!("end: {number}\n")), "{view}");
        taken += 1;
    }
    println!("{taken} of {VERSIONS} versions were taken before the next one came");
    assert!(taken > 0);
    town.end("end");
}
