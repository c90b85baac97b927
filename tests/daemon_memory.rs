//! Memory of a whole daemon with as many messages queued as may be open.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[path = "support/house.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod house;
#[path = "support/proc.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod proc;

use house::House;
use std::fmt::Write as _;
use std::time::Instant;

/// As many as may be open (durability, limits).
const MESSAGES: usize = 100_000;
/// Most documents that a file may hold.
const A_FILE: usize = 100;
/// What a daemon with all of them may take, in KiB.
const KIB_MAX: u64 = 150 << 10;

#[test]
fn a_hundred_thousand_queued_messages_fit_into_150_mb() {
    let mut house = House::plain("many");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP is there"));
    let empty = proc::rss_anon_kib(house.pid());
    let start = Instant::now();
    for file in 0..MESSAGES / A_FILE {
        let mut text = String::new();
        for number in 0..A_FILE {
            let id = file * A_FILE + number;
            write!(text, "id: q-{id}\nto: worker\ncontent: |\n  仕事 {id}\n---\n").expect("a document");
        }
        house.drop(&format!("{file}.yaml"), &text);
    }
    let open = || house.read("status/daemon.yaml").contains(&format!("open: {MESSAGES},"));
    house.until("all to be accepted", |_| open());
    let full = proc::rss_anon_kib(house.pid());
    println!("{empty} KiB, then {full} KiB with {MESSAGES} queued, after {:?}", start.elapsed());
    assert!(full < KIB_MAX, "{full} KiB");
}
