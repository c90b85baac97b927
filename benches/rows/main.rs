//! Rows of `docs/performance.md`, each against its limit program: `cargo bench --bench rows [-- ROW..]`. Without `--bench`
//! (as `cargo test` runs it) each is run once with next to nothing to do, so that it stays runnable.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on fails loudly")]

mod accept;
mod agent;
#[path = "../../tests/support/house.rs"]
#[expect(dead_code, reason = "tests use the rest")]
#[expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
mod house;
mod idle;
#[path = "../limits/mod.rs"]
mod limits;
mod memory;
mod notice;
#[path = "../../tests/support/proc.rs"]
mod proc;
mod result;
#[path = "../support/mod.rs"]
mod support;
mod team;
mod trip;

use support::machine;
use support::rounds::{ROUNDS, Scale};

type Row = fn(Scale);

/// Number, what it is about, what runs it.
const ROWS: &[(&str, &str, Row)] = &[
    ("1", "drop → noticed and validated", notice::run),
    ("3", "durable accept, one at a time", accept::run),
    ("5", "flushes, counted", accept::count),
    ("6", "marker printed → result on disk", result::run),
    ("7", "whole trip: drop → typed → answer → result", trip::run),
    ("9", "idle: processor, wake-ups, bytes to tmux", idle::run),
    ("11", "memory", memory::run),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == agent::WORD) {
        return agent::live(&arguments[1..]);
    }
    let tiny = !arguments.iter().any(|word| word == "--bench");
    let scale = Scale { rounds: if tiny { 1 } else { ROUNDS }, tiny };
    let asked = |number: &str| arguments.iter().any(|word| word == number);
    let any = ROWS.iter().any(|(number, ..)| asked(number));
    let graves = tempfile::tempdir().expect("a temporary folder");
    team::bury_in(graves.path());
    println!("{}", machine::facts(&std::env::temp_dir()));
    for (number, name, run) in ROWS {
        if !any || asked(number) {
            println!("row {number}: {name}");
            run(scale);
        }
    }
}
