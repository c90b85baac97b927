//! Row 2: bursts of drops until the last one is accepted. They lie there when the daemon starts; or they are renamed in while
//! it runs; or that happens while it is held, so that inotify's queue of 16,384 events overflows and the listing alone tells.

use crate::house::House;
use crate::limits;
use crate::support::figures::{self, Axis, Line, Mark, Panel, Point};
use crate::support::numbers::Spread;
use crate::support::rounds::{self, Contest, Goal, Outcome, ROUNDS, Scale};
use crate::support::stamp;
use crate::tail::Tail;
use crate::team;
use rustix::process::{Pid, Signal, kill_process};

/// How many, and how often that is measured.
const SIZES: [(usize, usize); 3] = [(1_000, ROUNDS), (10_000, ROUNDS), (100_000, 3)];

/// When they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comes {
    BeforeTheStart,
    WhileItRuns,
    WhileItIsHeld,
}

const WAYS: [(Comes, &str); 3] = [
    (Comes::BeforeTheStart, "lying there at start → accepted"),
    (Comes::WhileItRuns, "renamed in while it runs → accepted"),
    (Comes::WhileItIsHeld, "renamed in while it is held, inotify overflows → accepted"),
];

pub(crate) fn run(scale: Scale) {
    let mut outcomes: [Vec<(usize, Outcome)>; 3] = Default::default();
    for (drops, rounds) in scale.pick(&SIZES[..], &[(50, 1)]) {
        for ((comes, name), outcomes) in WAYS.into_iter().zip(&mut outcomes) {
            println!("  {drops} drops");
            let contest = Contest { name, unit: "/s", goal: Goal::AtLeast(0.8) };
            let scale = Scale { rounds: scale.rounds.min(*rounds), ..scale };
            let outcome =
                rounds::run(contest, scale, || tasuki(*drops, comes), || limits::burst::run(*drops));
            outcomes.push((*drops, outcome));
        }
    }
    draw(&outcomes);
}

fn draw(outcomes: &[Vec<(usize, Outcome)>; 3]) {
    let line = |(outcomes, (_, name)): (&Vec<(usize, Outcome)>, (Comes, &str)),
                of: fn(&Outcome) -> Spread| {
        let points = outcomes.iter().map(|(drops, outcome)| Point::of(*drops as f64, of(outcome)));
        Line::of(name, points.collect())
    };
    let lines = |of| outcomes.iter().zip(WAYS).map(|way| line(way, of)).collect::<Vec<_>>();
    let mut rates = lines(|outcome| outcome.ours);
    rates.push(line((&outcomes[0], (Comes::BeforeTheStart, "limit")), |outcome| outcome.limit));
    let panel = |y, lines, goal| Panel { x: Axis::log("drops in the burst"), y, lines, goal };
    let panels = vec![
        panel(
            Axis::even("tasuki / limit"),
            lines(|outcome| outcome.ratio),
            Some(Mark::at(0.8, "goal: at least 0.8")),
        ),
        panel(Axis::even("drops accepted a second"), rates, None),
    ];
    figures::keep("row-02-burst", "Row 2: bursts of drops, by their size", panels);
}

/// Drops accepted a second.
fn tasuki(drops: usize, comes: Comes) -> f64 {
    let mut house = team::start_held();
    let stage = house.path("stage");
    std::fs::create_dir(&stage).expect("a folder");
    for number in 0..drops {
        let text = team::message(&format!("s-{number}"), "a0");
        std::fs::write(stage.join(format!("{number}.yaml")), text).expect("a drop");
    }
    let mut tail = Tail::new(&house, drops);
    let queue = house.path("queue");
    let come = || {
        for number in 0..drops {
            let name = format!("{number}.yaml");
            std::fs::rename(stage.join(&name), queue.join(&name)).expect("the drop");
        }
    };
    let from = match comes {
        Comes::BeforeTheStart => {
            house.end();
            come();
            let from = stamp::now();
            house.spawn();
            from
        }
        Comes::WhileItRuns => {
            let from = stamp::now();
            come();
            from
        }
        Comes::WhileItIsHeld => {
            send(&house, Signal::STOP);
            come();
            let from = stamp::now();
            send(&house, Signal::CONT);
            from
        }
    };
    let at = tail.until_all_are_accepted();
    let rate = drops as f64 / (stamp::us(from, at) / 1e6);
    tail.exactly_once(&house);
    rate
}

fn send(house: &House, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(house.pid()).expect("a pid")).expect("a pid");
    kill_process(pid, signal).expect("a daemon that runs");
}
