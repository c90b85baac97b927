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

/// What a row wants of its ratio (the one / the other).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    /// Times: not more than this.
    AtMost(f64),
    /// Rates: not less than this.
    AtLeast(f64),
    /// Of our own figure, whatever the limit: not more than this.
    OursAtMost(f64),
    /// Nothing: it is shown beside the others.
    Shown,
}

/// Who is measured against whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides(pub(crate) &'static str, pub(crate) &'static str);

impl Default for Sides {
    fn default() -> Self {
        Self("tasuki", "limit")
    }
}

/// What came of a contest: the median and the spread over its rounds.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) ratio: Spread,
    pub(crate) ours: Spread,
    pub(crate) limit: Spread,
}

/// The same, and each single figure of all rounds.
#[derive(Debug)]
pub(crate) struct Pooled {
    pub(crate) outcome: Outcome,
    pub(crate) ours: Vec<f64>,
    pub(crate) limit: Vec<f64>,
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

/// Runs a contest of tasuki and its limit program and prints what came of it.
pub(crate) fn run(
    contest: Contest,
    scale: Scale,
    ours: impl FnMut() -> f64,
    limit: impl FnMut() -> f64,
) -> Outcome {
    between(Sides::default(), contest, scale, ours, limit)
}

/// The same between any two.
pub(crate) fn between(
    sides: Sides,
    contest: Contest,
    scale: Scale,
    mut ours: impl FnMut() -> f64,
    mut limit: impl FnMut() -> f64,
) -> Outcome {
    pooled(sides, contest, scale, || vec![ours()], || vec![limit()]).outcome
}

/// The same where a round gives many figures: it counts by their median.
pub(crate) fn pooled(
    sides: Sides,
    contest: Contest,
    scale: Scale,
    mut ours: impl FnMut() -> Vec<f64>,
    mut limit: impl FnMut() -> Vec<f64>,
) -> Pooled {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (mut rounds, mut flushes, mut dropped) = (Vec::new(), Vec::new(), 0);
    while rounds.len() < scale.rounds {
        let before = machine::flush_us(place.path());
        let round = if rounds.len() % 2 == 0 {
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
        rounds.push(round);
        flushes.push(flush);
    }
    let (ours, limit): (Vec<_>, Vec<_>) = rounds.into_iter().unzip();
    let medians = |all: &[Vec<f64>]| all.iter().cloned().map(median).collect::<Vec<_>>();
    let (a, b) = (medians(&ours), medians(&limit));
    let ratios = a.iter().zip(&b).map(|(a, b)| a / b).collect();
    let outcome = Outcome { ratio: Spread::of(ratios), ours: Spread::of(a), limit: Spread::of(b) };
    tell(sides, contest, &outcome);
    println!(
        "    {} rounds, {dropped} dropped, fdatasync {} µs, load {}",
        scale.rounds,
        shown(median(flushes)),
        machine::load()
    );
    Pooled { outcome, ours: ours.concat(), limit: limit.concat() }
}

fn tell(Sides(one, other): Sides, Contest { name, unit, goal }: Contest, outcome: &Outcome) {
    let Outcome { ratio, ours, limit } = outcome;
    let met = |met: bool| if met { "met" } else { "missed" };
    let judged = match goal {
        Goal::AtMost(most) => format!(", at most {most}: {}", met(ratio.median <= most)),
        Goal::AtLeast(least) => format!(", at least {least}: {}", met(ratio.median >= least)),
        Goal::OursAtMost(most) => format!("; {one} at most {most} {unit}: {}", met(ours.median <= most)),
        Goal::Shown => String::new(),
    };
    println!("  {name}: ratio {}{judged}", spread(ratio));
    println!("    {one} {} {unit}, {other} {} {unit}", spread(ours), spread(limit));
}

fn spread(Spread { low, median, high }: &Spread) -> String {
    format!("{} ({} to {})", shown(*median), shown(*low), shown(*high))
}
