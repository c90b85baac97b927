//! Row 6: from the moment at which an agent prints its claim to the result in `queue/results/`, with no time to settle; and
//! how much later it is with it.

use crate::agent::Stamps;
use crate::limits;
use crate::support::figures::{self, Axis, Line, Mark, Panel};
use crate::support::numbers::{Spread, median, shown};
use crate::support::rounds::{self, Contest, Goal, Pooled, Scale, Sides};
use crate::support::stamp::us;
use crate::support::wait::Watch;
use crate::team::{self, Settle};

const CONTEST: Contest =
    Contest { name: "claim printed → result, no settle time", unit: "µs", goal: Goal::AtMost(1.5) };

/// As the profile asks for.
const SETTLES: &str = "with the settle time of 100 ms";

pub(crate) fn run(scale: Scale) {
    let turns = scale.pick(50, 3);
    let ours = || tasuki(Settle::None, turns);
    let pooled = rounds::pooled(Sides::default(), CONTEST, scale, ours, || limits::control::results(turns));
    for (who, values) in [("tasuki", &pooled.ours), ("limit", &pooled.limit)] {
        let at = |percent: usize| shown(percentile(values, percent));
        println!("    {who}: p50 {}, p90 {}, p99 {} µs of {} turns", at(50), at(90), at(99), values.len());
    }
    let slow = (0..scale.rounds).flat_map(|_| tasuki(Settle::Normal, scale.pick(10, 2)));
    let slow: Vec<f64> = slow.map(|took| took / 1e3).collect();
    let Spread { low, median, high } = Spread::of(slow.clone());
    println!("  {SETTLES}: {} ms ({} to {})", shown(median), shown(low), shown(high));
    draw(pooled, slow);
}

fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * percent / 100]
}

fn draw(pooled: Pooled, slow: Vec<f64>) {
    let ms = |values: Vec<f64>| values.into_iter().map(|took| took / 1e3).collect::<Vec<_>>();
    let (ours, limit) = (ms(pooled.ours), ms(pooled.limit));
    let goal = 1.5 * median(limit.clone());
    let panel = |lines, goal| Panel {
        x: Axis::even("share of the turns (%)"),
        y: Axis::log("claim printed to result on disk (ms)"),
        lines,
        goal,
    };
    let bare = vec![
        Line::distribution("tasuki, no settle time", ours),
        Line::distribution("limit: %output, capture, fdatasync, rename", limit),
    ];
    let goal = Mark::at(goal, "goal for the median: 1.5 times the limit's");
    let settled = vec![Line::distribution(&format!("tasuki, {SETTLES}"), slow)];
    let panels = vec![panel(bare, Some(goal)), panel(settled, None)];
    figures::keep("row-06-result", "Row 6: from the claim to the result, distribution", panels);
}

fn tasuki(settle: Settle, turns: usize) -> Vec<f64> {
    let stamps = Stamps::new();
    let house = team::start(1, settle, Some(stamps.path()));
    let results = Watch::arrivals(&house.path("queue/results"));
    let mut took = Vec::new();
    for turn in 0..turns {
        let id = format!("m-{turn}");
        team::drop_file(&house, &format!("{id}.yaml"), &team::message(&id, "a0"));
        let seen = results.until(&format!("{id}.yaml"));
        took.push(us(stamps.of(&id), seen));
        let text = house.read(&format!("queue/results/{id}.yaml"));
        assert!(text.contains(&format!("did {id}")), "the answer to {id}: {text}");
    }
    took
}
