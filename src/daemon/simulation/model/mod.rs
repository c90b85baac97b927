//! The model: one, two and three messages, and a flow of two steps besides one, are accepted, delivered, answered and archived in
//! every order in which those who work on them may take turns, and the power is cut after each single change to the disk. Whatever of the changes that were
//! not flushed the disk then has, in order or in none, a start finds each message once, and knows all that anybody was told.
//!
//! The orders are those of the real loop, journal, mailbox and views; the start is the real one.

mod after;
mod hash;
mod story;

use crate::io::fake::{Keeps, World};
use after::Stage;
use hash::hash;
use std::collections::{BTreeMap, HashSet};
use story::{Inputs, Op, Promise, Story, WorkOrder};

/// Crash states that are to be looked at, at least.
const STATES_MIN: usize = 250_000;
/// Every how many orders is tried in the tests.
const ORDERED_STEP: usize = 120;
const ANY_STEP: usize = 144;
/// With a flow more files change between two flushes, of which such a disk keeps any, so that fewer orders are tried.
const FLOW_ORDERED_STEP: usize = 180;
const FLOW_ANY_STEP: usize = 720;

/// What was looked at.
#[derive(Debug, Default)]
struct Seen {
    stories: u64,
    /// Points at which the power was cut, each with what was promised there.
    points: HashSet<u64>,
    /// What a disk had after a cut, and what was promised before it.
    states: HashSet<u64>,
    wrong: Option<String>,
}

impl Seen {
    /// Cuts the power after each change of a story.
    fn cut(&mut self, story: &Story, stage: &mut Stage) {
        self.stories += 1;
        let mut world = World::new(story.keeps);
        let mut promises = Vec::new();
        self.cut_here(story, &world, &promises, stage);
        for op in &story.ops {
            match op {
                Op::Change(now_ms, change) => {
                    world.set_time(*now_ms);
                    world.apply(change, true);
                }
                Op::Told(promise) => promises.push(promise.clone()),
            }
            self.cut_here(story, &world, &promises, stage);
        }
    }

    fn cut_here(&mut self, story: &Story, world: &World, promises: &[Promise], stage: &mut Stage) {
        let told = hash(&promises);
        if !self.points.insert(hash(&(world.hash_of_all(), told))) {
            return;
        }
        world.every_cut(&mut |left| {
            let is_new = self.states.insert(hash(&(left.hash_of_files(""), told)));
            if !is_new || self.wrong.is_some() {
                return;
            }
            if let Err(wrong) = stage.check(left, story.inputs.messages, promises) {
                let disk: BTreeMap<&String, String> = (left.names().iter())
                    .map(|(name, file)| {
                        (name, String::from_utf8_lossy(left.content(*file)).trim_end().to_owned())
                    })
                    .collect();
                self.wrong = Some(format!("{wrong}\nafter {promises:#?}\non the disk {disk:#?}\n{story}"));
            }
        });
    }
}

/// Every how many of the 720 orders is tried; `TASUKI_ORDERS=all` tries each.
fn step(inputs: Inputs, keeps: Keeps) -> usize {
    match keeps {
        _ if std::env::var("TASUKI_ORDERS").is_ok_and(|orders| orders == "all") => 1,
        Keeps::Ordered if inputs.flow => FLOW_ORDERED_STEP,
        Keeps::Any if inputs.flow => FLOW_ANY_STEP,
        Keeps::Ordered => ORDERED_STEP,
        Keeps::Any => ANY_STEP,
    }
}

/// Stories of these inputs on such a disk. What was looked at, and how many starts were tried.
fn all_of(inputs: Inputs, keeps: Keeps) -> (Seen, [usize; 2]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _within = runtime.enter();
    let (mut seen, mut stage) = (Seen::default(), Stage::new());
    for order in WorkOrder::all(inputs.messages).into_iter().step_by(step(inputs, keeps)) {
        seen.cut(&Story::of(inputs, keeps, order), &mut stage);
        if seen.wrong.is_some() {
            break;
        }
    }
    let starts = stage.starts();
    (seen, starts)
}

#[test]
fn no_power_cut_loses_or_doubles_a_message() {
    let inputs = [(1, false), (2, false), (3, false), (1, true)];
    let inputs = inputs.map(|(messages, flow)| Inputs { messages, flow });
    let parts = inputs.map(|inputs| [Keeps::Ordered, Keeps::Any].map(|keeps| (inputs, keeps))).concat();
    let threads: Vec<_> = parts
        .into_iter()
        .map(|(inputs, keeps)| (inputs, keeps, std::thread::spawn(move || all_of(inputs, keeps))))
        .collect();
    let mut states = 0;
    for (inputs, keeps, thread) in threads {
        let (seen, [journals, mailboxes]) = thread.join().unwrap();
        println!(
            "{inputs:?}, {keeps:?}: {} orders, {} moments, {} crash states; {journals} journals and {mailboxes} mailboxes",
            seen.stories,
            seen.points.len(),
            seen.states.len(),
        );
        assert!(seen.wrong.is_none(), "{}", seen.wrong.unwrap_or_default());
        states += seen.states.len();
    }
    println!("{states} crash states");
    assert!(states >= STATES_MIN, "only {states}");
}
