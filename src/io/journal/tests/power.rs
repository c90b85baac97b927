//! Power cuts, kills and failing flushes at random moments of random runs: nothing that was acknowledged is ever missing, what is
//! read is what was written, in order and without a hole, and no power cut is mistaken for damage.

use std::collections::BTreeMap;

use super::super::fsck;
use super::*;
use crate::io::fake::{World, lay_out};

/// Runs in `cargo test`, of five deaths each; `TASUKI_RUNS` asks for more.
const RUNS: u64 = 250;

#[test]
fn what_was_acknowledged_survives_every_power_cut() {
    let mut seen = Seen::default();
    let runs = std::env::var("TASUKI_RUNS").map_or(RUNS, |runs| runs.parse().unwrap());
    for seed in 0..runs {
        run(seed, &mut seen);
    }
    println!("{runs} runs: {seen:?}");
    // The model reaches what it is for.
    assert!(seen.cuts > runs && seen.torn > runs / 20 && seen.holes > runs / 20, "{seen:?}");
    assert!(seen.turns > runs / 2 && seen.failures > runs / 4, "{seen:?}");
}

#[derive(Debug, Default)]
struct Seen {
    cuts: u64,
    torn: u64,
    holes: u64,
    turns: u64,
    failures: u64,
    lists_made_again: u64,
}

/// What must hold after a death.
#[derive(Debug, Default)]
struct Promise {
    /// All steps that were written, in order.
    written: Vec<u64>,
    /// How many of them were acknowledged.
    acknowledged: usize,
}

/// One life of the journal, from a start to its death.
struct Life<'a> {
    journal: Journal,
    toy: Toy,
    promise: Promise,
    chance: &'a mut Chance,
    seen: &'a mut Seen,
}

fn run(seed: u64, seen: &mut Seen) {
    let mut chance = Chance::new(seed);
    let (mut files, mut world) = (BTreeMap::new(), World::default());
    let mut promise = Promise::default();
    for death in 0..5 {
        let dir = scratch();
        lay_out(dir.path(), &files);
        let (tap, gate, ops) = Tap::gate();
        let mut disk = Disk::make(dir.path()).unwrap();
        disk.tap = tap;
        gate.die_after(chance.below(if death % 2 == 1 { 12 } else { 120 }));
        if let Ok((journal, toy, report)) = try_open(disk) {
            promise.check(seed, &toy, &report, seen);
            let mut life = Life { journal, toy, promise, chance: &mut chance, seen };
            life.knows_the_finished(seed);
            while !gate.is_dead() {
                life.act(&gate);
            }
            promise = life.promise;
        }
        for (op, done) in ops.try_iter() {
            world.apply(&op, done);
        }
        if death < 4 && chance.one_in(2) {
            // Only the process dies: what it wrote is still there, though not on the disk.
            files = world.view();
        } else {
            files = world.crash(&mut chance);
            world = World::of(&files);
            seen.cuts += 1;
        }
    }
    let dir = scratch();
    lay_out(dir.path(), &files);
    let (journal, toy, report) = open(dir.path());
    promise.check(seed, &toy, &report, seen);
    Life { journal, toy, promise, chance: &mut chance, seen }.knows_the_finished(seed);
    let report = fsck(dir.path()).unwrap();
    assert!(report.is_sound() && report.torn.is_none(), "seed {seed}: {report:?}");
}

impl Promise {
    /// What a start found: from now on all of it is promised.
    fn check(&mut self, seed: u64, toy: &Toy, report: &ScanReport, seen: &mut Seen) {
        assert!(report.damaged.is_empty() && report.gaps.is_empty(), "seed {seed}: {report:?}");
        let count = toy.steps.len();
        assert!(
            count >= self.acknowledged,
            "seed {seed}: {} were acknowledged, {count} left",
            self.acknowledged
        );
        assert!(count <= self.written.len(), "seed {seed}: {count} steps of {}", self.written.len());
        self.written.truncate(count);
        assert_eq!(toy.steps, listed(self.written.iter().copied()), "seed {seed}");
        self.acknowledged = count;
        seen.torn += u64::from(report.torn.is_some());
        seen.holes += u64::from(report.torn.as_ref().is_some_and(|torn| torn.lines > 0));
        seen.lists_made_again += report.ids.len() as u64;
    }
}

impl Life<'_> {
    fn act(&mut self, gate: &Gate) {
        match self.chance.below(12) {
            0 => {
                let before = self.promise.written.len();
                if rotate(&mut self.journal, &mut self.toy).is_ok() {
                    self.promise.acknowledged = before;
                    self.seen.turns += 1;
                }
            }
            1 => gate.refuse_after(self.chance.below(9)),
            2 => {
                if self.journal.sync().is_ok() {
                    self.promise.acknowledged = self.promise.written.len();
                }
            }
            _ => self.append(),
        }
        if self.journal.has_stopped() && !gate.is_dead() {
            self.go_on();
        }
    }

    fn append(&mut self) {
        let batch = steps(&self.journal, 1 + self.chance.below(12));
        let durable = !self.chance.one_in(3);
        // Whatever comes of it, these may be found later.
        self.promise.written.extend(batch.iter().map(|step| step.seq.0));
        if self.journal.append(&batch, durable).is_err() {
            return;
        }
        for step in &batch {
            self.toy.steps.push((step.seq.0, text(step.seq.0)));
            self.toy.finished.push(fingerprint(step.seq.0));
        }
        if durable {
            self.promise.acknowledged = self.promise.written.len();
        }
    }

    fn go_on(&mut self) {
        self.seen.failures += 1;
        let mut again = Toy::default();
        if self.journal.reread(&mut |entry| again.take(entry)).is_err() {
            return;
        }
        let count = again.steps.len();
        assert!(count >= self.promise.acknowledged);
        assert_eq!(again.steps, listed(self.promise.written[..count].iter().copied()));
        if self.journal.start_new_segment(AT, again.snapshot(), again.finished.clone()).is_ok() {
            // What was written behind it never was.
            self.promise.written.truncate(count);
            self.promise.acknowledged = count;
            again.finished.clear();
            self.toy = again;
        }
    }

    /// Each message that a step finished is known, and no other.
    fn knows_the_finished(&mut self, seed: u64) {
        for seq in 1..self.journal.next_seq().0 {
            let here = self.toy.finished.contains(&fingerprint(seq));
            let known = self.journal.archive().known(&id(seq)).unwrap().map(|known| known.seq);
            let expected = self.promise.written.contains(&seq);
            assert_eq!(here || known == Some(Seq(seq)), expected, "seed {seed}: message {seq}, {known:?}");
        }
    }
}
