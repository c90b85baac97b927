//! Random stories of the real engine in a journal that turns its segments, loses old ones, and starts anew after a failure: who
//! reads on at any moment has what a fresh reader has, and what the writer has.

use super::lists::{check, check_ended};
use super::writer::Writer;
use crate::engine_properties::{ops, world::World};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use tasuki::read::{Answers as _, Model};
use tasuki::wire::api::{NeedKindInfo, NeedsQuery};

/// Runs in `cargo test`; `PROPTEST_CASES` asks for more.
const CASES: u32 = 24;
/// How often so many are told at most, until all has happened.
const ROUNDS_MAX: u64 = 5;
/// What must have happened, or the stories prove little.
const MET: [&str; 7] =
    ["turned", "owed", "taken away", "undone", "undone and seen", "lists of several pages", "several failed"];

#[test]
fn who_reads_on_has_what_a_fresh_reader_has_and_lists_give_each_message_once() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("PROPTEST_RNG_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let cases = number("PROPTEST_CASES").map_or(CASES, |cases| u32::try_from(cases).unwrap());
    println!("to see these cases again: PROPTEST_RNG_SEED={seed}");
    let met: RefCell<BTreeMap<&str, u32>> = RefCell::default();
    let missed = || MET.into_iter().filter(|what| !met.borrow().contains_key(what)).collect::<Vec<_>>();
    // What comes seldom is not in all of them: then more are told.
    for more in 0..ROUNDS_MAX {
        tell(seed.wrapping_add(more), cases, &met);
        if missed().is_empty() {
            break;
        }
    }
    println!("{:?}", met.borrow());
    assert!(missed().is_empty(), "never met: {:?}", missed());
}

/// Tells so many stories from a seed.
fn tell(seed: u64, cases: u32, met: &RefCell<BTreeMap<&'static str, u32>>) {
    let mut config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::with_cases(cases) };
    config.failure_persistence = None;
    let story = (ops::story(), prop::collection::vec(any::<u8>(), 64));
    let outcome = TestRunner::new(config).run(&story, |(ops, choices)| {
        let mut world = World::recording();
        // Steps of flows name lines of the journal by their numbers, and the lines get others here.
        for op in ops.iter().filter(|op| !matches!(op, ops::Op::Retain | ops::Op::Open { .. })) {
            world.take(op).map_err(TestCaseError::fail)?;
        }
        let steps = world.recorded().to_vec();
        let mut story = Story { writer: Writer::new(), choices, at: 0, met };
        story.run(&steps).map_err(TestCaseError::fail)
    });
    if let Err(error) = outcome {
        panic!("PROPTEST_RNG_SEED={seed}\n{error}");
    }
}

struct Story<'m> {
    writer: Writer,
    choices: Vec<u8>,
    at: usize,
    met: &'m RefCell<BTreeMap<&'static str, u32>>,
}

impl Story<'_> {
    /// A number below this one.
    fn below(&mut self, most: usize) -> usize {
        self.at += 1;
        let choice =
            usize::from(self.choices[self.at % self.choices.len()]) + self.at / self.choices.len() * 7;
        choice % most
    }

    fn meet(&self, what: &'static str) {
        *self.met.borrow_mut().entry(what).or_default() += 1;
    }

    fn run(&mut self, steps: &[super::Happened]) -> Result<(), String> {
        let (mut eager, mut lazy) = (self.writer.model(), self.writer.model());
        let steps: Vec<_> = steps.iter().filter(|(_, events)| !events.is_empty()).cloned().collect();
        for (n, step) in steps.iter().enumerate() {
            self.writer.write(step);
            match self.below(12) {
                0 => {
                    let owe = self.below(4).saturating_sub(2);
                    self.writer.rotate(step.0, owe);
                    self.meet(if owe > 0 { "owed" } else { "turned" });
                }
                1 => {
                    let rest = &steps[n + 1..];
                    let vain = self.below(3).min(rest.len());
                    self.writer.write_in_vain(&rest[..vain]);
                    if vain > 0 && self.below(2) == 0 {
                        read_on(&self.writer, &mut eager)?;
                        self.meet("undone and seen");
                    }
                    self.writer.undo(step.0);
                    self.meet("undone");
                }
                2 => {
                    let oldest = self.writer.oldest;
                    self.writer.retain();
                    if self.writer.oldest > oldest {
                        self.meet("taken away");
                    }
                }
                _ => {}
            }
            if self.below(3) == 0 {
                self.look(&mut eager)?;
            }
            if self.below(24) == 0 {
                self.look(&mut lazy)?;
            }
        }
        self.look(&mut lazy)?;
        self.look(&mut eager)
    }

    fn look(&mut self, model: &mut Model) -> Result<(), String> {
        read_on(&self.writer, model)?;
        let (here, there, fresh) = (self.writer.engine.state(), model.state(), self.writer.fresh());
        if there != fresh.state() {
            return Err(format!("who read on has\n{there:#?}\nand a fresh reader\n{:#?}", fresh.state()));
        }
        let alike = here.open == there.open
            && here.finished == there.finished
            && here.queues == there.queues
            && here.agents == there.agents
            && here.halted == there.halted
            && here.tally == there.tally;
        if !alike {
            return Err(format!("the reader has\n{there:#?}\nand the writer\n{here:#?}"));
        }
        self.compare_failures(model)?;
        let (which, limit) = (self.below(usize::from(u8::MAX)), 1 + self.below(7));
        if self.writer.open().len() + self.writer.ended().len() > limit {
            self.meet("lists of several pages");
        }
        check(&self.writer, model, u8::try_from(which).unwrap(), limit)?;
        let ended = self.below(usize::from(u8::MAX));
        check_ended(&self.writer, model, ended)
    }
}

impl Story<'_> {
    /// Failed tasks are shown as a fresh reader shows them, but for those that were taken away since they were seen.
    fn compare_failures(&self, model: &mut Model) -> Result<(), String> {
        let (mut here, there) = (failures(model)?, failures(&mut self.writer.fresh())?);
        let ended = self.writer.ended();
        here.retain(|id| ended.iter().any(|ended| ended.finished.message.id.as_str() == id));
        if here != there {
            return Err(format!("who read on is shown {here:?} as failed, and a fresh reader {there:?}"));
        }
        if there.len() > 1 {
            self.meet("several failed");
        }
        Ok(())
    }
}

/// The failed tasks that wait for a person, in their order.
fn failures(model: &mut Model) -> Result<Vec<String>, String> {
    let needs = NeedsQuery {}.answer(model).map_err(|problem| problem.why)?.needs.into_iter();
    Ok(needs.filter(|need| need.kind == NeedKindInfo::Failed).filter_map(|need| need.message).collect())
}

fn read_on(writer: &Writer, model: &mut Model) -> Result<(), String> {
    let mut last = model.seq();
    let reached = writer.extents().written;
    let read = model.catch_up(Some(reached), &mut |seq, _, _| {
        assert!(seq > last, "each step once, in order");
        last = seq;
    });
    read.map_err(|error| error.to_string())?;
    if model.seq() == reached.seq {
        Ok(())
    } else {
        Err(format!("it has read to {:?}, and not to {reached:?}", model.seq()))
    }
}
