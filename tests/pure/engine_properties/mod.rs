//! Random inputs, hostile ones among them, against what must always hold (`rules.rs`), and then a world that means well:
//! every message that was accepted must end, exactly once.

mod circles;
mod debates;
pub(crate) mod ops;
mod rules;
mod shelf;
mod texts;
pub(crate) mod world;

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use world::World;

/// Runs in `cargo test`; `PROPTEST_CASES` asks for more.
const CASES: u32 = 500;
/// So many times as many are told until each station came by: some come seldom.
const ROUNDS: u64 = 4;
/// What the stories must have come by, or they prove little: moves, turns, orders, and ends.
const STATIONS: [&str; 39] = [
    " intent ",
    " submit",
    " take",
    " withdraw",
    " retry ",
    " return ",
    " doubt",
    " hold",
    " rest (",
    " claim",
    " completed",
    " failed",
    " cancelled",
    " answers ",
    " reminder ",
    " info ",
    "redelivered",
    "> settle ",
    "> await ",
    "> unwatch ",
    "duplicate ",
    "again for ",
    "part of ",
    " error tasuki>",
    " is adopted",
    "not before ",
    " said in turn ",
    "answered with what was said before",
    "a person took what was said",
    "failed with what was said",
    "taken away",
    "known no more",
    "an answer that came too early",
    "claimed with another's token",
    "claimed with a wrong token",
    "claimed with no token",
    "a debate is completed",
    "a debate has failed",
    "a debate is called off",
];

#[test]
fn whatever_comes_each_message_ends_exactly_once() {
    let seed = RandomState::new().build_hasher().finish();
    let mut config = Config { cases: CASES, rng_seed: RngSeed::Fixed(seed), ..Config::with_cases(CASES) };
    config.failure_persistence = None;
    config.max_shrink_iters = 20_000;
    if let Some(cases) = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()) {
        config.cases = cases;
    }
    if let Some(seed) = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|text| text.parse().ok()) {
        config.rng_seed = RngSeed::Fixed(seed);
    }
    let seen: RefCell<BTreeMap<&str, usize>> = RefCell::default();
    let missed = || -> Vec<&str> {
        let seen = seen.borrow();
        STATIONS.into_iter().filter(|station| !seen.contains_key(station)).collect()
    };
    for round in 0..ROUNDS {
        let seed = RngSeed::Fixed(say_seed(config.rng_seed).wrapping_add(round));
        println!("to see these cases again: PROPTEST_RNG_SEED={}", say_seed(seed));
        let outcome =
            TestRunner::new(Config { rng_seed: seed, ..config.clone() }).run(&ops::story(), |ops| {
                let mut world = World::new();
                let done = ops.iter().try_for_each(|op| world.take(op)).and_then(|()| world.see_it_through());
                for station in STATIONS.iter().filter(|station| world.told.contains(**station)) {
                    *seen.borrow_mut().entry(station).or_default() += 1;
                }
                done.map_err(|why| TestCaseError::fail(format!("{why}\n{}", world.told)))
            });
        if let Err(error) = outcome {
            panic!("{error}");
        }
        if missed().is_empty() {
            break;
        }
    }
    println!("stories that came by: {:?}", seen.borrow());
    assert!(missed().is_empty(), "never came by {:?}", missed());
}

fn say_seed(seed: RngSeed) -> u64 {
    match seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => 0,
    }
}
