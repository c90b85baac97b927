//! Every system call that changes something: the daemon is killed just before it and just after it, and it is told that
//! it failed, one at a time, through `strace`. Then a daemon without strace goes on, and nothing is lost or doubled.
//!
//! `cargo test` takes a few of these points, chosen by a seed that it prints. `scripts/every-syscall` takes all: it sets
//! `EVERY_SYSCALL=long`. `EVERY_SYSCALL_SEED` chooses the same few again, `EVERY_SYSCALL_ONLY` names one scene, and
//! `TASUKI_BIN` is another binary to be tried.

mod points;
mod scenes;
mod stop;
mod strace;
mod tally;
mod trial;

use crate::odds::Odds;
use points::Point;
use scenes::{SCENES, Scene};
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use tally::Tally;

/// Points a scene that `cargo test` takes.
const FEW: usize = 5;
/// Trials at once: they wait more than they work.
const LANES: usize = 3;

#[test]
fn a_kill_or_an_error_at_any_system_call_loses_and_doubles_nothing() {
    if let Err(why) = strace::is_usable() {
        writeln!(std::io::stderr(), "NOT TESTED: every system call: {why}").expect("stderr");
        return;
    }
    let long = std::env::var("EVERY_SYSCALL").is_ok_and(|form| form == "long");
    let only = std::env::var("EVERY_SYSCALL_ONLY").ok().filter(|name| !name.is_empty());
    let seed = Odds::seed("EVERY_SYSCALL_SEED");
    println!("to take these points again: EVERY_SYSCALL_SEED={seed}");
    let mut odds = Odds::of(seed);
    let scenes = SCENES.iter().filter(|scene| only.as_ref().is_none_or(|name| name == scene.name));
    let mut all = Vec::new();
    for (scene, mut points) in traced(scenes) {
        println!("{}: {} points", scene.name, points.len());
        odds.shuffle(&mut points);
        points.truncate(if long { usize::MAX } else { FEW });
        all.extend(points.into_iter().map(|point| (scene, point)));
    }
    let tally = try_all(&all, long);
    print!("{tally}");
    assert!(tally.findings().is_empty(), "{}", tally.findings().join("\n\n"));
    assert!(tally.reached() * 2 > all.len(), "most points were missed: what is traced is not what is run");
}

/// The points of each scene.
fn traced(scenes: impl Iterator<Item = &'static Scene>) -> Vec<(&'static Scene, Vec<Point>)> {
    std::thread::scope(|scope| {
        let points = |scene| move || (scene, points::of(scene, &strace::traced(scene)));
        let traces: Vec<_> = scenes.map(|scene| scope.spawn(points(scene))).collect();
        traces.into_iter().map(|trace| trace.join().expect("a trace")).collect()
    })
}

/// Tries each point, some at once.
fn try_all(points: &[(&Scene, Point)], talkative: bool) -> Tally {
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut tally = Tally::default();
        while let Some((scene, point)) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = trial::run(scene, point);
            if talkative && let Err(why) = &outcome.verdict {
                println!("FOUND {} {point}\n{why}\n", scene.name);
            }
            tally.add(scene.name, point, outcome);
        }
        tally
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(lane)).collect();
        let mut all = Tally::default();
        lanes.into_iter().for_each(|lane| all.merge(lane.join().expect("a lane")));
        all
    })
}
