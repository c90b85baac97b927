//! Row 11: memory that is the daemon's own, with a hundred panes and after ever more finished messages.

use crate::house::House;
use crate::proc::rss_anon_kib;
use crate::support::rounds::Scale;
use crate::support::stamp;
use crate::team::{self, Settle};
use std::fmt::Write as _;

/// Messages to finish, unless `TASUKI_BENCH_MESSAGES` says otherwise.
const MESSAGES: usize = 200_000;
/// Most documents that a file may hold.
const A_FILE: usize = 100;

pub(crate) fn run(scale: Scale) {
    let panes = scale.pick(100, 2);
    let told = std::env::var("TASUKI_BENCH_MESSAGES").ok().and_then(|word| word.parse().ok());
    let messages = scale.pick(told.unwrap_or(MESSAGES), 200);
    let house = team::start(panes, Settle::Normal, None);
    println!("  {panes} panes, nothing finished: {} (at most 20 MB)", megabytes(&house));
    let (from, mut done) = (stamp::now(), 0);
    for share in [1, 10, 25, 50, 100] {
        let until = messages * share / 100;
        let mut most = 0;
        while done < until {
            done += finish(&house, done, 50_usize.min((until - done).div_ceil(A_FILE)));
            most = most.max(rss_anon_kib(house.pid()));
        }
        let seconds = stamp::seconds_since(from);
        println!(
            "  {done} finished after {seconds:.0} s: {}, at most {:.1} MB between",
            megabytes(&house),
            most as f64 / 1e3
        );
    }
}

/// Sends as many files of infos for `user`, which end when they are accepted, and waits until all are in `queue/done/`.
fn finish(house: &House, first: usize, files: usize) -> usize {
    for file in 0..files {
        let mut text = String::new();
        for number in 0..A_FILE {
            let id = first + file * A_FILE + number;
            write!(text, "id: i-{id}\nto: user\ntype: info\ncontent: 済み {id}\n---\n").unwrap();
        }
        team::drop_file(house, &format!("{}.yaml", first + file * A_FILE), &text);
    }
    let count = files * A_FILE;
    let last = first + count - 1;
    house.until("the last to be done", |house| {
        let days = std::fs::read_dir(house.path("queue/done")).expect("done").flatten();
        let there = |id: usize| days_have(days_of(house), id);
        days.count() > 0 && there(last) && there(first)
    });
    count
}

fn days_of(house: &House) -> Vec<std::path::PathBuf> {
    let days = std::fs::read_dir(house.path("queue/done")).expect("done").flatten();
    days.map(|day| day.path()).collect()
}

fn days_have(days: Vec<std::path::PathBuf>, id: usize) -> bool {
    days.iter().any(|day| day.join(format!("i-{id}.yaml")).exists())
}

fn megabytes(house: &House) -> String {
    format!("{:.1} MB", rss_anon_kib(house.pid()) as f64 / 1e3)
}
