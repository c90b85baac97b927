//! Row 1: from the rename of a drop to the first byte of its acceptance in the journal: it was noticed, claimed, read, parsed,
//! checked, and is on its way to the disk. Both sides are seen by the same observer, who watches the file that is written.

use crate::limits;
use crate::support::numbers::median;
use crate::support::rounds::{self, Contest, Goal, Scale};
use crate::support::stamp::us;
use crate::support::wait::Watch;
use crate::team;

const CONTEST: Contest =
    Contest { name: "rename → accepted line written", unit: "µs", goal: Goal::AtMost(2.0) };

pub(crate) fn run(scale: Scale) {
    let drops = scale.pick(200, 5);
    rounds::run(CONTEST, scale, || tasuki(drops), || limits::notice::run(drops));
}

fn tasuki(drops: usize) -> f64 {
    let house = team::start_held();
    let file = house.path(".tasuki/journal/000001.jsonl");
    let (journal, active) = (Watch::writes(&file), Watch::arrivals(&house.path("queue/active")));
    let mut took = Vec::new();
    for number in 0..drops {
        let (id, name) = (format!("n-{number}"), format!("n-{number}.yaml"));
        let text = team::message(&id, "a0");
        journal.drain();
        let from = team::drop_file(&house, &name, &text);
        let seen = journal.next();
        took.push(us(from, seen[0].at));
        active.until(&name); // the next one finds a daemon at rest
    }
    let text = std::fs::read_to_string(&file).expect("the journal");
    for number in 0..drops {
        let accepted = format!("\"event\":\"accepted\",\"id\":\"n-{number}\"");
        assert_eq!(text.matches(&accepted).count(), 1, "n-{number} is accepted exactly once");
    }
    median(took)
}
