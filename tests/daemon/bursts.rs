//! Bursts of drops: their views later, their files removed when there is time.

use crate::house::House;
use std::fs;
use std::time::{Duration, Instant};

const BURST: usize = 400;
/// Where inotify told nothing, a drop is found after 5 s.
const SWEPT: Duration = Duration::from_millis(4_500);

/// A workspace that is held, so that nothing but the burst goes on.
fn held(name: &str) -> House {
    let mut house = House::plain(name);
    fs::create_dir_all(house.path("queue")).expect("queue");
    house.write("queue/STOP", "");
    house.start();
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    house
}

/// Drops files that lie beside the queue, as fast as they can be renamed.
fn burst(house: &House, text: impl Fn(usize) -> String) {
    fs::create_dir_all(house.path("beside")).expect("a folder");
    for number in 0..BURST {
        house.write(&format!("beside/{number}.yaml"), &text(number));
    }
    for number in 0..BURST {
        let name = format!("{number}.yaml");
        fs::rename(house.path("beside").join(&name), house.path("queue").join(&name)).expect("a drop");
    }
}

fn accepted(house: &House) -> usize {
    house.read(".tasuki/journal/000001.jsonl").matches("\"event\":\"accepted\"").count()
}

fn is_empty(house: &House, folder: &str) -> bool {
    let mut left = fs::read_dir(house.path(folder)).expect(folder).flatten();
    !left.any(|entry| entry.file_name().to_string_lossy().ends_with(".yaml"))
}

#[test]
fn a_drop_after_a_burst_is_not_left_for_the_next_sweep() {
    const BURSTS: usize = 3;
    let house = held("after");
    let late = (0..BURSTS).filter(|at| {
        let before = at * (BURST + 1);
        burst(&house, |number| format!("id: b-{at}-{number}\nto: worker\ncontent: 一斉 {number} 🎆\n"));
        house.until("the burst to be accepted", |house| accepted(house) == before + BURST);
        let dropped = Instant::now();
        house.drop("after.yaml", &format!("id: after-{at}\nto: worker\ncontent: 後で\n"));
        house.until("the drop after it", |house| accepted(house) == before + BURST + 1);
        dropped.elapsed() > SWEPT
    });
    // A machine may stand still for a while.
    assert!(late.count() < BURSTS);
    house.until("all views", |house| {
        (0..BURST).all(|n| house.path(&format!("queue/active/b-0-{n}.yaml")).exists())
    });
    house.until("their files to go", |house| is_empty(house, ".tasuki/claim"));
}

/// Without ids, since a file with one would be known by it.
#[test]
fn a_burst_is_accepted_once_though_the_daemon_is_killed_before_its_files_are_removed() {
    let mut house = held("killed");
    burst(&house, |number| format!("to: worker\ncontent: 一度だけ {number}\n"));
    house.until("some to be accepted", |house| accepted(house) > 0);
    house.kill();
    house.start();
    house.until("all to be taken and removed", |house| {
        is_empty(house, "queue") && is_empty(house, ".tasuki/claim") && accepted(house) >= BURST
    });
    assert_eq!(accepted(&house), BURST);
    let journal = house.read(".tasuki/journal/000001.jsonl");
    for number in 0..BURST {
        let content = format!("\"content\":\"一度だけ {number}\"");
        assert_eq!(journal.matches(&content).count(), 1, "{content}");
    }
}
