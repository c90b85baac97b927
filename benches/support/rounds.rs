//! Rounds: tasuki and its limit program take turns, who begins alternates, folders are new each time. What counts is the
//! median of the ratios; rounds with a slow disk are dropped and made again.

use super::machine::{self, FLUSH_US_MAX};
use super::numbers::{Spread, median, shown};

/// Odd, so that the median is one of them.
pub(crate) const ROUNDS: usize = 7;
/// Rounds that may be dropped for a slow disk before a row gives up.
const DROPPED_MAX: usize = 14;

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Rounds a row.
    pub(crate) rounds: usize,
    /// Whether this is only to see that everything still runs.
    pub(crate) tiny: bool,
}

impl Scale {
    /// As many as there should be, or as few as show that it runs.
    pub(crate) fn pick<T>(self, full: T, tiny: T) -> T {
        if self.tiny { tiny } else { full }
    }
}

/// What a row wants of its ratio (tasuki / limit).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    /// Times: not more than this.
    AtMost(f64),
    /// Rates: not less than this.
    AtLeast(f64),
}

/// Something that is measured on both sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contest {
    /// What, in words.
    pub(crate) name: &'static str,
    /// Of both figures.
    pub(crate) unit: &'static str,
    /// What the ratio should be.
    pub(crate) goal: Goal,
}

/// Runs a contest and prints what came of it.
pub(crate) fn run(
    contest: Contest,
    scale: Scale,
    mut ours: impl FnMut() -> f64,
    mut limit: impl FnMut() -> f64,
) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (mut ratios, mut ours_all, mut limits, mut flushes) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut dropped = 0;
    while ratios.len() < scale.rounds {
        let before = machine::flush_us(place.path());
        let (a, b) = if ratios.len() % 2 == 0 {
            let a = ours();
            (a, limit())
        } else {
            let b = limit();
            (ours(), b)
        };
        let flush = before.max(machine::flush_us(place.path()));
        if flush > FLUSH_US_MAX && dropped < DROPPED_MAX {
            dropped += 1;
            continue;
        }
        ratios.push(a / b);
        ours_all.push(a);
        limits.push(b);
        flushes.push(flush);
    }
    let ratio = Spread::of(ratios);
    let Contest { name, unit, goal } = contest;
    let (wanted, met) = match goal {
        Goal::AtMost(most) => (format!("at most {most}"), ratio.median <= most),
        Goal::AtLeast(least) => (format!("at least {least}"), ratio.median >= least),
    };
    println!(
        "  {name}: ratio {} ({} to {}), {wanted}: {}",
        shown(ratio.median),
        shown(ratio.low),
        shown(ratio.high),
        if met { "met" } else { "missed" }
    );
    println!(
        "    tasuki {} {unit}, limit {} {unit}; {} rounds, {dropped} dropped, fdatasync {} µs, load {}",
        shown(median(ours_all)),
        shown(median(limits)),
        scale.rounds,
        shown(median(flushes)),
        machine::load()
    );
}
