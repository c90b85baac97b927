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
use tasuki::wire::events::encode;
use tasuki::wire::message::draft;

/// A segment that is older than a day is turned as soon as there is something to write.
const TWO_DAYS_MS: u64 = 2 * 86_400_000;
const DROP: &str = "to: user\ntype: info\ncontent: only once\n";

/// When a file was changed last, in ns.
fn changed_ns(file: &Path) -> i128 {
    let meta = fs::symlink_metadata(file).expect("the drop");
    i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec())
}

/// The name of the claim that is made of a file that was changed then.
fn claim(file: &Path, name: &str, changed_ns: i128) -> String {
    format!("{changed_ns:016x}{:016x}-0-{name}", fs::symlink_metadata(file).expect("the drop").ino())
}

/// A journal in which a drop of this name was accepted two days ago under this claim.
fn accepted(folder: &Path, boot: &str, claim: &str, name: &str) {
    fs::create_dir_all(folder).expect("the journal's folder");
    let nothing = || -> Walk { Box::new(|_, _| {}) };
    let (mut journal, _) = Journal::open(folder, boot, nothing, &mut |_| Ok(())).expect("a journal");
    let at = Millis(Clock::start().now().0 - TWO_DAYS_MS);
    let mut mint = || MessageId::new("msg-000000000001").expect("an id");
    let drafts =
        draft::read(DROP.as_bytes(), None, &|_| true, &mut mint, at, &chrono::Utc).expect("a message");
    let source = Source::File { claim: claim.into(), name: name.into() };
    let mut engine = Engine::new(Team::default());
    let step =
        engine.step(Moment { now: at, wall: at, chance: 1 }, Input::Drop { source, drafts, proof: None });
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
    let claim = claim(&file, "once.yaml", changed_ns(&file));
    accepted(&house.path(".tasuki/journal"), "then", &claim, "once.yaml");
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

/// Drops a file that the journal knows, claimed under the change time that `claimed` makes of its own; then it is changed once
/// more, as a rename does. How often the journal tells of its content when a later drop was done.
fn told_of(name: &str, boot: &str, claimed: impl Fn(i128) -> i128) -> usize {
    let mut house = House::plain(name);
    fs::create_dir(house.path("queue")).expect("the queue");
    house.drop("once.yaml", DROP);
    let file = house.path("queue/once.yaml");
    let was = changed_ns(&file);
    accepted(&house.path(".tasuki/journal"), boot, &claim(&file, "once.yaml", claimed(was)), "once.yaml");
    house.until("another change time", |house| {
        fs::rename(&file, house.path("moved")).expect("away");
        fs::rename(house.path("moved"), &file).expect("and back");
        changed_ns(&file) > was
    });
    house.start();
    house.until("the drop to go", |_| !file.exists());
    house.drop("after.yaml", "id: after\nto: user\ntype: info\ncontent: later\n");
    house.until("what came after it", |house| house.read("status/activity.log").contains("after completed"));
    house.end();
    let segments = house.files(".tasuki/journal");
    let segments = segments.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    segments.map(|path| fs::read_to_string(path).expect("a segment").matches("only once").count()).sum()
}

#[test]
fn a_drop_that_comes_back_under_another_change_time_is_the_same_if_it_is_older_than_its_claim() {
    let was = |was| was;
    let told = told_of("back-changed", "then-1", was);
    assert_eq!(told, 1, "the file of after the claim under the name of before it");
    // A file system gives the inode number of one that is gone to the next one.
    assert_eq!(told_of("back-another", "then-1", |was| was - 1_000_000_000), 2, "made after the claim");
    let now = format!("{}-1", tasuki::io::clock::boot_id().expect("the start of the machine"));
    assert_eq!(told_of("back-brought", &now, was), 2, "no power was cut");
}
