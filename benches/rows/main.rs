//! Rows of `docs/performance.md`, each against its limit program: `cargo bench --bench rows [-- ROW..] [--plot]`. `--plot`
//! draws those that say more as a curve into `docs/plots/`; `--redraw` draws all again from their figures.
//! `TASUKI_BENCH_ROUNDS` makes fewer rounds, for a first look. Without `--bench` (as `cargo test` runs it) each is run once with
//! next to nothing to do, so that it stays runnable.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on fails loudly")]

mod accept;
mod agent;
#[path = "../../tests/support/browser.rs"]
#[expect(dead_code, reason = "tests use the rest")]
#[expect(clippy::disallowed_methods, reason = "waits for a page with a deadline")]
mod browser;
mod burst;
mod crowd;
mod debates;
mod eyes;
#[path = "../../tests/support/house.rs"]
#[expect(dead_code, reason = "tests use the rest")]
#[expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
mod house;
mod idle;
#[path = "../limits/mod.rs"]
mod limits;
mod million;
mod notice;
#[path = "../../tests/support/opened.rs"]
mod opened;
#[path = "../peers/mod.rs"]
mod peers;
#[path = "../../tests/support/proc.rs"]
mod proc;
mod result;
mod sessions;
mod stream;
#[path = "../support/mod.rs"]
mod support;
mod tail;
mod team;
mod tree;
mod trip;
mod typing;
mod waiting;

use support::rounds::{ROUNDS, Scale};
use support::{figures, machine};

type Row = fn(Scale);

/// Numbers, what it is about, what runs it.
const ROWS: &[(&[&str], &str, Row)] = &[
    (&["1"], "drop → noticed and validated", notice::run),
    (&["2"], "bursts of drops → accepted", burst::run),
    (&["3"], "durable accept, one at a time", accept::run),
    (&["4"], "durable accept, 100 waiting", waiting::run),
    (&["5"], "flushes, counted", accept::count),
    (&["6"], "marker printed → result on disk", result::run),
    (&["7"], "whole trip: drop → typed → answer → result", trip::run),
    (&["8"], "typing a line", typing::run),
    (&["9"], "idle: processor, wake-ups, bytes to tmux", idle::run),
    (&["10"], "panes that print without end: processor, captures", stream::run),
    (&["11", "12", "13", "14"], "a million messages: memory, start, price, churn", million::run),
    (&["eyes", "list"], "lists over very many finished messages", eyes::list::run),
    (&["eyes", "page"], "an open page: the daemon's processor", eyes::page::run),
    (&["eyes", "event"], "event → read by a page", eyes::arrival::run),
    (&["eyes", "browser"], "the page in a browser: paint, arrival, frames, memory", eyes::browser::run),
    (&["eyes", "reconnect"], "a reader that comes back", eyes::reconnect::run),
    (&["debates"], "roles that speak at length: memory, and the time between rounds", debates::run),
    (&["sessions"], "dependent tasks over many agents, and sessions that have ended", sessions::run),
    (&["tree"], "three levels of agents: how busy they are", tree::run),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(agent::WORD) => return agent::live(&arguments[1..]),
        Some(stream::WORD) => return stream::live(&arguments[1..]),
        _ => {}
    }
    let given = |flag: &str| arguments.iter().any(|word| word == flag);
    if given("--redraw") {
        return figures::draw_again();
    }
    let tiny = !given("--bench");
    let told = std::env::var("TASUKI_BENCH_ROUNDS").ok().and_then(|word| word.parse().ok());
    let scale = Scale { rounds: if tiny { 1 } else { told.unwrap_or(ROUNDS) }, tiny };
    let asked = |numbers: &[&str]| arguments.iter().any(|word| numbers.contains(&word.as_str()));
    let any = ROWS.iter().any(|(numbers, ..)| asked(numbers));
    let graves = tempfile::tempdir().expect("a temporary folder");
    team::bury_in(graves.path());
    if tiny {
        figures::are_fresh();
        figures::draw_into(Some(graves.path()));
    } else if given("--plot") {
        figures::draw_into(None);
    }
    println!("{}", machine::facts(&std::env::temp_dir()));
    for (numbers, name, run) in ROWS {
        if !any || asked(numbers) {
            println!("row {}: {name}", numbers.join(", "));
            run(scale);
        }
    }
}
