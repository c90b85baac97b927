//! The simulation: the real loop, engine, journal, mailbox and views on a disk, under a clock, before a tmux and among people
//! that are made up. One seed is one run: anything may die after any change to a file, and everything that was said to
//! anybody must be true afterwards.
//!
//! The same pieces, and the power cut after each change, are the model (`model/`).
//!
//! `scripts/simulate --seed N` runs one and writes down all that happened; `scripts/simulate --seeds N` runs many.

mod callers;
mod cut;
mod debate_rules;
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
use std::process::{Command, Output};

/// Seeds in `cargo test`.
const SEEDS: u64 = 70;
/// The first of them.
const FIRST: u64 = 25;

/// What these have to come by at least, or they prove little: about half of what they do.
const MET: [(&str, u64); 80] = [
    ("messages", 1_225),
    ("kills", 175),
    ("deaths in a change", 81),
    ("power cuts", 93),
    ("names that a cut took back", 186),
    ("views that a cut took back", 1_100),
    ("torn writes", 11),
    ("failing writes", 46),
    ("disk full", 28),
    ("loops that broke", 14),
    ("starts that failed", 21),
    ("rotation", 46),
    ("jumps of the wall clock", 51),
    ("sleeps of the machine", 4),
    ("tmux deaths", 23),
    ("agents that died", 2),
    ("lost Enter", 1),
    ("in doubt: Enter was missing", 1),
    ("in doubt: delivered", 1),
    ("in doubt: no trace", 6),
    ("turns typed again", 16),
    ("parts handed on", 35),
    ("turns without a claim", 70),
    ("answers of several turns", 58),
    ("answers that were read", 70),
    ("segments taken away", 14),
    ("segments kept for open work", 116),
    ("duplicates", 58),
    ("bad drops", 70),
    ("floods", 1),
    ("answers to callers", 875),
    ("deaths after an answer", 7),
    ("letters accepted", 81),
    ("letters accepted again", 4),
    ("letters refused", 17),
    ("letters with void keys", 16),
    ("awaited", 3),
    ("looks at what the loop knows", 4),
    ("shown open", 11),
    ("shown ended", 1),
    ("told: cancelled", 9),
    ("commands that were not theirs", 3),
    ("told: done", 1),
    ("told: goes on", 5),
    ("ends that were read", 2_100),
    ("files that agents read", 1_155),
    ("turns begun", 1_085),
    ("changes of the team", 58),
    ("team files that took a name", 2),
    ("agents hired", 23),
    ("agents dismissed", 5),
    ("hires refused", 46),
    ("hired agents that a start found", 84),
    ("STOP made", 53),
    ("STOP removed", 46),
    ("withdrawn for STOP", 1),
    ("bases recorded", 116),
    ("checks that passed", 70),
    ("checks that failed", 70),
    ("deaths after a job", 1),
    ("ends with the agents", 2),
    ("ends without the agents", 2),
    ("flows opened", 35),
    ("flows refused", 18),
    ("flows paused", 16),
    ("flows resumed", 18),
    ("flows cancelled", 2),
    ("steps tried again", 2),
    ("agents hired for steps", 25),
    ("agents of steps that were given up", 7),
    ("debates completed", 4),
    ("debates that failed", 2),
    ("debates that failed in a later round", 1),
    ("debates cancelled", 5),
    ("debates cancelled in a later round", 2),
    ("debates with nothing new", 1),
    ("speeches without a budget", 2),
    ("answers of whoever is asked alone", 1),
    ("worktrees of debates that are gone", 35),
    ("worktrees that went after another death", 1),
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
    let Some(count) = number("TASUKI_SEEDS") else {
        return by_itself();
    };
    let from = number("TASUKI_FROM").unwrap_or(0);
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
    let rare: Vec<_> = rare.filter(|_| from == FIRST && count >= SEEDS).collect();
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

const THIS: &str = "daemon::simulation::whatever_dies_nothing_is_lost_and_nothing_comes_twice";

/// The seeds that are always run, in a program of their own, so that every machine meets the same: what another test forks
/// holds this one's files open until it is another program, which a lease of the mailbox tells.
fn by_itself() {
    let printed = alone(&[("TASUKI_SEEDS", SEEDS), ("TASUKI_FROM", FIRST)]);
    println!("{}{}", String::from_utf8_lossy(&printed.stdout), String::from_utf8_lossy(&printed.stderr));
    assert!(printed.status.success(), "see above");
}

/// In programs of their own, for the same reason.
#[test]
fn the_same_seed_is_the_same_run() {
    for seed in [3, 4] {
        let [first, second] = [(); 2].map(|()| {
            let printed = alone(&[("TASUKI_SEED", seed)]);
            String::from_utf8_lossy(&printed.stdout).into_owned()
        });
        let differs = first.lines().zip(second.lines()).find(|(one, other)| one != other);
        assert!(hash(&first).is_some(), "{first}");
        assert_eq!(hash(&first), hash(&second), "seed {seed} differs first at {differs:#?}");
    }
}

/// What a program prints that runs these seeds and nothing else.
fn alone(seeds: &[(&str, u64)]) -> Output {
    let mut program = Command::new(std::env::current_exe().unwrap());
    let seeds = seeds.iter().map(|(name, number)| (name, number.to_string()));
    program.args(["--exact", "--nocapture", THIS]).envs(seeds).output().unwrap()
}

fn hash(trace: &str) -> Option<&str> {
    trace.lines().find(|line| line.starts_with("hash "))
}
