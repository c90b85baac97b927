//! A power cut undoes the renames of files that the journal has: they lie in `queue/` again, and are not taken twice.

use crate::house::House;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use tasuki::engine::engine::Engine;
use tasuki::engine::input::{Input, Moment};
use tasuki::engine::message::Source;
use tasuki::engine::team::Team;
use tasuki::engine::words::{MessageId, Millis};
use tasuki::io::clock::Clock;
use tasuki::io::journal::{Journal, StepLine, Walk};
use tasuki::io::wire::draft;
use tasuki::io::wire::events::encode;

/// A segment that is older than a day is turned as soon as there is something to write.
const TWO_DAYS_MS: u64 = 2 * 86_400_000;
const DROP: &str = "to: user\ntype: info\ncontent: only once\n";

/// The name of the claim that is made of a file.
fn claim(file: &Path, name: &str) -> String {
    let meta = fs::symlink_metadata(file).expect("the drop");
    let changed_ns = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
    format!("{changed_ns:016x}{:016x}-0-{name}", meta.ino())
}

/// A journal in which this file was accepted two days ago.
fn accepted(folder: &Path, file: &Path, name: &str) {
    fs::create_dir_all(folder).expect("the journal's folder");
    let nothing = || -> Walk { Box::new(|_, _| {}) };
    let (mut journal, _) = Journal::open(folder, "then", nothing, &mut |_| Ok(())).expect("a journal");
    let at = Millis(Clock::start().now().0 - TWO_DAYS_MS);
    let mut mint = || MessageId::new("msg-000000000001").expect("an id");
    let drafts = draft::read(DROP.as_bytes(), None, &|_| true, &mut mint, at).expect("a message");
    let source = Source::File { claim: claim(file, name).into(), name: name.into() };
    let mut engine = Engine::new(Team::default());
    let step = engine.step(Moment { now: at, chance: 1 }, Input::Drop { source, drafts, proof: None });
    let events = encode(&step.events).into();
    journal.append(&[StepLine { seq: step.seq, at, events }], true).expect("a step");
    journal.close().expect("the end");
}

#[test]
fn a_drop_that_a_power_cut_put_back_is_not_taken_again_after_a_turn_of_the_segment() {
    let mut house = House::plain("put-back");
    fs::create_dir(house.path("queue")).expect("the queue");
    house.drop("once.yaml", DROP);
    let file = house.path("queue/once.yaml");
    accepted(&house.path(".tasuki/journal"), &file, "once.yaml");
    // It cannot be taken while somebody has it open for writing.
    let open = fs::File::options().append(true).open(&file).expect("the drop");
    house.start();
    house.until("a turn", |house| house.path(".tasuki/journal/000002.jsonl").exists());
    house.kill();
    assert!(file.exists(), "somebody has it open");
    drop(open);
    house.start();
    house.until("the drop to go", |_| !file.exists());
    house.drop("after.yaml", "id: after\nto: user\ntype: info\ncontent: later\n");
    house.until("what came after it", |house| house.read("status/activity.log").contains("after completed"));
    let journal = house.read(".tasuki/journal/000001.jsonl") + &house.read(".tasuki/journal/000002.jsonl");
    assert_eq!(journal.matches("only once").count(), 1, "{journal}");
    house.end();
}
