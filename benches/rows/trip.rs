//! Row 7: whole trips a second, drop → typed → answer → result, at 1 to 100 panes with an instant agent.

use crate::limits::{self, control::Typed};
use crate::support::figures::{self, Axis, Line, Mark, Panel, Point};
use crate::support::numbers::Spread;
use crate::support::rounds::{self, Contest, Goal, Outcome, Scale};
use crate::support::stamp;
use crate::support::wait::Watch;
use crate::team::{self, SETTLE_S, Settle};
use std::collections::BTreeSet;

/// Panes, and turns of each in one round without and with the settle time.
const SIZES: [(usize, usize, usize); 4] = [(1, 60, 3), (10, 20, 3), (50, 8, 3), (100, 5, 2)];
const NAMES: [[&str; 3]; 4] = [
    [
        "1 pane, no settle time, the limit types the task",
        "1 pane, no settle time, it types the doorbell",
        "1 pane, settle time",
    ],
    [
        "10 panes, no settle time, the limit types the task",
        "10 panes, no settle time, it types the doorbell",
        "10 panes, settle time",
    ],
    [
        "50 panes, no settle time, the limit types the task",
        "50 panes, no settle time, it types the doorbell",
        "50 panes, settle time",
    ],
    [
        "100 panes, no settle time, the limit types the task",
        "100 panes, no settle time, it types the doorbell",
        "100 panes, settle time",
    ],
];

/// What came of one number of panes: the task typed, the doorbell typed, with the settle time.
type Outcomes = [Outcome; 3];

pub(crate) fn run(scale: Scale) {
    let sizes = scale.pick(4, 1);
    let mut all = Vec::new();
    for ((panes, turns, slow), [whole, bare, settled]) in SIZES.into_iter().zip(NAMES).take(sizes) {
        let (turns, slow) = (scale.pick(turns, 3), scale.pick(slow, 1));
        let contest = |name| Contest { name, unit: "/s", goal: Goal::AtLeast(0.7) };
        let [task, bell] = [(whole, Typed::Task), (bare, Typed::Doorbell)].map(|(name, typed)| {
            let limit = || limits::control::trips(panes, turns, typed);
            rounds::run(contest(name), scale, || tasuki(panes, turns, Settle::None), limit)
        });
        // The limit with the same waits: they pass in all panes at once.
        let limit = || {
            panes as f64 / (SETTLE_S + panes as f64 / limits::control::trips(panes, turns, Typed::Doorbell))
        };
        let settled = rounds::run(contest(settled), scale, || tasuki(panes, slow, Settle::Normal), limit);
        all.push((panes, [task, bell, settled]));
    }
    draw(&all);
}

fn draw(all: &[(usize, Outcomes)]) {
    let line = |name: &str, of: &dyn Fn(&Outcomes) -> Spread| {
        Line::of(name, all.iter().map(|(panes, outcomes)| Point::of(*panes as f64, of(outcomes))).collect())
    };
    let panel = |y, lines, goal| Panel { x: Axis::log("panes"), y, lines, goal };
    let ratios = vec![
        line("no settle time, the limit types the task", &|[task, ..]| task.ratio),
        line("no settle time, it types the doorbell", &|[_, bell, _]| bell.ratio),
        line("settle time of 300 ms, on both sides", &|[.., settled]| settled.ratio),
    ];
    let rates = vec![
        line("tasuki, no settle time", &|[task, ..]| task.ours),
        line("limit, types the task", &|[task, ..]| task.limit),
        line("tasuki, settle time of 300 ms", &|[.., settled]| settled.ours),
        line("limit, settle time of 300 ms", &|[.., settled]| settled.limit),
    ];
    let goal = Mark::at(0.7, "goal: at least 0.7 from 10 panes");
    let panels = vec![
        panel(Axis::even("tasuki / limit"), ratios, Some(goal)),
        panel(Axis::log("whole trips a second"), rates, None),
    ];
    figures::keep("row-07-trips", "Row 7: whole trips, by the number of panes", panels);
}

fn tasuki(panes: usize, turns: usize, settle: Settle) -> f64 {
    let house = team::start(panes, settle, None);
    let results = Watch::arrivals(&house.path("queue/results"));
    let from = stamp::now();
    for turn in 0..turns {
        for pane in 0..panes {
            let id = format!("t-{pane}-{turn}");
            team::drop_file(&house, &format!("{id}.yaml"), &team::message(&id, &format!("a{pane}")));
        }
    }
    let mut done = BTreeSet::new();
    while done.len() < panes * turns {
        for seen in results.next() {
            assert!(done.insert(seen.name.clone()), "{} came twice", seen.name);
        }
    }
    let rate = done.len() as f64 / stamp::seconds_since(from);
    for name in done {
        let text = house.read(&format!("queue/results/{name}"));
        let id = name.trim_end_matches(".yaml");
        assert!(
            text.lines()
                .any(|line| line.trim() == format!("did {id}") || line.ends_with(&format!(" did {id}"))),
            "{text}"
        );
    }
    rate
}
