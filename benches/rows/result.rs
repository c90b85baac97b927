//! Row 6: from the moment at which an agent prints its claim to the result in `queue/results/`, with no time to settle; and
//! how much later it is with it.

use crate::agent::Stamps;
use crate::limits;
use crate::support::numbers::{Spread, median, shown};
use crate::support::rounds::{self, Contest, Goal, Scale};
use crate::support::stamp::us;
use crate::support::wait::Watch;
use crate::team::{self, Settle};

const CONTEST: Contest =
    Contest { name: "claim printed → result, no settle time", unit: "µs", goal: Goal::AtMost(1.5) };

pub(crate) fn run(scale: Scale) {
    let turns = scale.pick(50, 3);
    rounds::run(CONTEST, scale, || tasuki(Settle::None, turns), || limits::control::results(turns));
    let normal: Vec<f64> = (0..scale.rounds).map(|_| tasuki(Settle::Normal, scale.pick(10, 2))).collect();
    let Spread { low, median, high } = Spread::of(normal);
    println!(
        "  with the settle time of 100 ms: {} ms ({} to {})",
        shown(median / 1e3),
        shown(low / 1e3),
        shown(high / 1e3)
    );
}

fn tasuki(settle: Settle, turns: usize) -> f64 {
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
    median(took)
}
