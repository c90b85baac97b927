//! Power cuts: what the disk holds at a random moment is taken up by another daemon, as after a reboot. The workspace lies on
//! a file system of its own, on a loop device, whose image is what the disk holds: what is only in the page cache is not in
//! it. What was acknowledged before the cut, in whatever way, is there afterwards and ends once.
//!
//! `cargo test` makes a few cuts on ext4; `scripts/power-cuts` makes thousands. `POWER_CUTS` is their number for each file
//! system, `POWER_CUTS_FS` names those, `POWER_CUTS_SEED` makes the same choices again.
//!
//! A control shows that the means suffice: with all flushes turned into nothing (`strace`) losses must be found.

mod cut;
mod disk;
mod load;
mod round;

use crate::odds::Odds;
use disk::FileSystem;
use round::Round;
use std::io::Write as _;

/// Cuts that `cargo test` makes.
const FEW: usize = 8;
/// Cuts of one workspace before a new one is made.
const ROUND: usize = 8;
/// Rounds at once: they wait more than they work.
const LANES: usize = 3;
/// The control may take so many cuts to find its first loss.
const CONTROL: usize = 12;

fn not_tested(what: &str) {
    writeln!(std::io::stderr(), "NOT TESTED: {what}").expect("stderr");
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let wanted = std::env::var("POWER_CUTS_FS").unwrap_or_else(|_| "ext4".to_owned());
    let cuts = std::env::var("POWER_CUTS").ok().map(|text| text.parse().expect("POWER_CUTS is a number"));
    let seed = Odds::seed("POWER_CUTS_SEED");
    println!("to make these choices again: POWER_CUTS_SEED={seed}");
    let mut findings = Vec::new();
    for name in wanted.split(',') {
        let fs = FileSystem::named(name).expect("ext4, xfs or btrfs");
        if let Err(why) = fs.is_usable() {
            not_tested(&format!("power cuts on {name}: {why}"));
            continue;
        }
        let found = on(fs, cuts.unwrap_or(FEW), seed);
        println!("{name}: {} cuts, {} findings", cuts.unwrap_or(FEW), found.len());
        findings.extend(found);
    }
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}

#[test]
fn without_flushes_the_same_cuts_find_losses() {
    let fs = FileSystem::Ext4;
    if let Err(why) = fs.is_usable().and_then(|()| disk::may_trace()).and_then(|()| fs.loses()) {
        return not_tested(&format!("the control of the power cuts: {why}"));
    }
    let mut round = Round::without_flushes(fs, Odds::seed("POWER_CUTS_SEED"));
    let lost = (0..CONTROL).any(|_| round.cut().is_err_and(|why| why.contains("LOST")));
    if !lost && let Err(why) = fs.loses() {
        return not_tested(&format!("the control of the power cuts: {why}"));
    }
    assert!(
        lost,
        "this machine's setup cannot see a lost flush: none of {CONTROL} cuts without flushes lost anything"
    );
}

/// So many cuts, on several disks at once. What was found.
fn on(fs: FileSystem, cuts: usize, seed: u64) -> Vec<String> {
    let rounds = cuts.div_ceil(ROUND);
    let lane = |lane: usize| {
        let mut found = Vec::new();
        for number in (lane..rounds).step_by(LANES) {
            let mut round = Round::new(fs, seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
            for cut in 0..ROUND.min(cuts - number * ROUND) {
                let done = round.cut();
                if done.as_ref().is_err_and(|why| why == disk::NEVER_STILL) {
                    not_tested(&format!("power cuts from here on: {}", disk::NEVER_STILL));
                    break;
                }
                if let Err(why) = done {
                    println!("FOUND {fs:?} round {number} cut {cut}: {why}\n");
                    found.push(format!("{fs:?}, seed {seed}, round {number}, cut {cut}: {why}"));
                    break;
                }
            }
            if let Err(why) = round.shut_down() {
                println!("FOUND {fs:?} round {number} shut down: {why}\n");
                found.push(format!("{fs:?}, seed {seed}, round {number}, at its end: {why}"));
            }
        }
        found
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|number| scope.spawn(move || lane(number))).collect();
        lanes.into_iter().flat_map(|lane| lane.join().expect("a lane")).collect()
    })
}
