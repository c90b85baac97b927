//! The simulation: the real loop, engine, journal, mailbox and views on a disk, under a clock, before a tmux and among people
//! that are made up. One seed is one run: anything may die after any change to a file, and everything that was said to
//! anybody must be true afterwards.
//!
//! The same pieces, and the power cut after each change, are the model (`model/`).
//!
//! `scripts/simulate --seed N` runs one and writes down all that happened; `scripts/simulate --seeds N` runs many.

mod callers;
mod cut;
mod deeds;
mod ending;
mod flow_plans;
mod flow_rules;
mod flows;
mod flows_told;
mod hiring;
mod history;
mod jobs;
mod life;
mod looks;
mod model;
mod oracle;
mod outside;
mod pane;
mod peace;
mod people;
mod promises;
mod reader;
mod reading;
mod retention;
mod roster;
mod run;
mod state;
mod stop;
mod stopping;
mod team;
mod team_changes;
mod texts;
mod tmux;
mod told;
mod trace;
mod wrong;

use std::collections::BTreeMap;
use std::process::Command;

/// Seeds in `cargo test`.
const SEEDS: u64 = 120;

/// What these have to come by at least, or they prove little: about half of what they do.
const MET: [(&str, u64); 70] = [
    ("messages", 1_750),
    ("kills", 375),
    ("deaths in a change", 175),
    ("power cuts", 200),
    ("names that a cut took back", 400),
    ("views that a cut took back", 2_000),
    ("torn writes", 25),
    ("failing writes", 100),
    ("disk full", 60),
    ("loops that broke", 30),
    ("starts that failed", 45),
    ("rotation", 100),
    ("jumps of the wall clock", 110),
    ("sleeps of the machine", 10),
    ("tmux deaths", 50),
    ("agents that died", 5),
    ("lost Enter", 2),
    ("in doubt: Enter was missing", 1),
    ("in doubt: delivered", 2),
    ("in doubt: no trace", 14),
    ("turns typed again", 35),
    ("parts handed on", 75),
    ("turns without a claim", 150),
    ("answers of several turns", 125),
    ("answers that were read", 150),
    ("segments taken away", 30),
    ("segments kept for open work", 250),
    ("duplicates", 125),
    ("bad drops", 150),
    ("floods", 3),
    ("answers to callers", 1_250),
    ("deaths after an answer", 15),
    ("letters accepted", 175),
    ("letters accepted again", 10),
    ("letters refused", 38),
    ("letters with void keys", 35),
    ("awaited", 8),
    ("looks at what the loop knows", 10),
    ("shown open", 25),
    ("shown ended", 2),
    ("told: cancelled", 20),
    ("commands that were not theirs", 8),
    ("told: done", 1),
    ("told: goes on", 13),
    ("ends that were read", 3_000),
    ("files that agents read", 1_650),
    ("turns begun", 1_550),
    ("changes of the team", 125),
    ("team files that took a name", 5),
    ("agents hired", 50),
    ("agents dismissed", 12),
    ("hires refused", 100),
    ("hired agents that a start found", 180),
    ("STOP made", 115),
    ("STOP removed", 100),
    ("withdrawn for STOP", 5),
    ("bases recorded", 250),
    ("checks that passed", 150),
    ("checks that failed", 150),
    ("deaths after a job", 2),
    ("ends with the agents", 5),
    ("ends without the agents", 6),
    ("flows opened", 75),
    ("flows refused", 40),
    ("flows paused", 35),
    ("flows resumed", 40),
    ("flows cancelled", 7),
    ("steps tried again", 6),
    ("agents hired for steps", 55),
    ("agents of steps that were given up", 15),
];

#[test]
fn whatever_dies_nothing_is_lost_and_nothing_comes_twice() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("TASUKI_SEED") {
        let (trace, outcome) = run::run(seed, true);
        println!("{}", trace.text());
        println!("hash {:016x}", trace.hash());
        return outcome.unwrap();
    }
    let (from, count) = (number("TASUKI_FROM").unwrap_or(0), number("TASUKI_SEEDS").unwrap_or(SEEDS));
    let workers = std::thread::available_parallelism().map_or(2, usize::from) as u64;
    let threads: Vec<_> = (0..workers)
        .map(|worker| {
            let seeds = (from..from + count).filter(move |seed| seed % workers == worker);
            std::thread::spawn(move || run_all(seeds))
        })
        .collect();
    let (mut met, mut failed) = (BTreeMap::new(), Vec::new());
    for thread in threads {
        let (some, wrong) = thread.join().unwrap();
        some.into_iter().for_each(|(what, times)| *met.entry(what).or_insert(0) += times);
        failed.extend(wrong);
    }
    println!("{count} seeds: {met:#?}");
    failed.sort();
    let seeds: Vec<u64> = failed.iter().map(|(seed, _)| *seed).collect();
    if let Some((seed, wrong)) = failed.first() {
        panic!(
            "{} of {count} seeds failed: {seeds:?}\nscripts/simulate --seed {seed}\n{wrong}",
            failed.len()
        );
    }
    let rare = MET.iter().filter(|(what, least)| met.get(what).is_none_or(|times| times < least));
    // Of the seeds that are always run; of others some things may come seldom.
    let rare: Vec<_> = rare.filter(|_| from == 0 && count >= SEEDS).collect();
    assert!(rare.is_empty(), "never, or too rarely, met: {rare:?}");
}

type Outcome = (BTreeMap<&'static str, u64>, Vec<(u64, String)>);

fn run_all(seeds: impl Iterator<Item = u64>) -> Outcome {
    let (mut met, mut failed) = (BTreeMap::new(), Vec::new());
    for seed in seeds {
        let (trace, outcome) = run::run(seed, false);
        for (what, times) in &trace.met {
            *met.entry(*what).or_insert(0) += times;
        }
        if let Err(wrong) = outcome {
            println!("seed {seed}: {}", wrong.lines().next().unwrap_or_default());
            failed.push((seed, format!("{}{wrong}", trace.text())));
        }
    }
    (met, failed)
}

/// In programs of their own: what another test forks holds this one's files open until it is another program, which a lease
/// of the mailbox tells.
#[test]
fn the_same_seed_is_the_same_run() {
    for seed in ["3", "4"] {
        let [first, second] = [(); 2].map(|()| alone(seed));
        let differs = first.lines().zip(second.lines()).find(|(one, other)| one != other);
        assert!(hash(&first).is_some(), "{first}");
        assert_eq!(hash(&first), hash(&second), "seed {seed} differs first at {differs:#?}");
    }
}

/// What a program prints that runs this seed and nothing else.
fn alone(seed: &str) -> String {
    let test = "daemon::simulation::whatever_dies_nothing_is_lost_and_nothing_comes_twice";
    let mut program = Command::new(std::env::current_exe().unwrap());
    let printed = program.args(["--exact", "--nocapture", test]).env("TASUKI_SEED", seed).output().unwrap();
    String::from_utf8_lossy(&printed.stdout).into_owned()
}

fn hash(trace: &str) -> Option<&str> {
    trace.lines().find(|line| line.starts_with("hash "))
}
