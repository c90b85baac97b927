//! What is kept and for how long, and what becomes of views that cannot be written: through the real binary.

use crate::failures::fill_a_segment;
use crate::house::House;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tasuki::daemon::journal::snapshot;
use tasuki::engine::engine::Engine;
use tasuki::engine::input::{Input, Moment};
use tasuki::engine::message::{RequestId, Source};
use tasuki::engine::team::{Delivery, Member, Restart, Team};
use tasuki::engine::words::{AgentName, Digest, MessageId, Millis, Seq};
use tasuki::io::clock::Clock;
use tasuki::io::journal::{Journal, StepLine, Walk};
use tasuki::wire::events::encode;
use tasuki::wire::message::draft;

/// More than the 30 days that things are kept.
const OLD: Duration = Duration::from_secs(31 * 86_400);
/// Longer ago than that: 2020-09-13.
const LONG_AGO: Millis = Millis(1_600_000_000_000);

fn age(path: &Path) {
    let then = SystemTime::now() - OLD;
    fs::File::options().write(true).open(path).expect("the file").set_modified(then).expect("its time");
}

/// Closes a segment at each of these moments. In the one with this index `open` is accepted, for `worker`.
fn old_journal(folder: &Path, closed_at: &[Millis], opened_in: Option<usize>) {
    fs::create_dir_all(folder).expect("the journal's folder");
    let nothing = || -> Walk { Box::new(|_, _| {}) };
    let (mut journal, _) = Journal::open(folder, "then", nothing, &mut |_| Ok(())).expect("a journal");
    let mut engine = Engine::new(Team { members: [worker()].into(), ..Team::default() });
    let mut places = BTreeMap::new();
    for (index, at) in closed_at.iter().enumerate() {
        let halt = Input::Halt(engine.state().halted.is_none(), None);
        let input = if opened_in == Some(index) { an_open_task() } else { halt };
        let step = engine.step(Moment { now: *at, wall: *at, chance: 1 }, input);
        let events = encode(&step.events).into();
        let written = journal.append(&[StepLine { seq: step.seq, at: *at, events }], true);
        places.insert(step.seq, written.expect("a step")[0]);
        let shown = snapshot::encode(&engine, &places, &Default::default(), &BTreeSet::new());
        journal.turn(*at, &shown, []).expect("a turn");
        engine.segment_closed(Seq(step.seq.0 + 1));
    }
    journal.close().expect("the end");
}

fn worker() -> (AgentName, Member) {
    let name = AgentName::new("worker").expect("a name");
    let member = Member {
        reports_to: AgentName::user(),
        phrase: "PLAIN OK".to_owned(),
        token: true,
        delivery: Delivery::Doorbell,
        timeout_ms: 30_000,
        restart: Restart::OnFailure,
        one_shot: false,
        provider: "plain".to_owned(),
        launch: Digest(0),
    };
    (name, member)
}

fn an_open_task() -> Input {
    let text = b"id: open\nto: worker\ncontent: |\n  from long ago\n";
    let mut mint = || MessageId::new("never").expect("an id");
    let drafts = draft::read(text, None, &|_| true, &mut mint, LONG_AGO, &chrono::Utc).expect("a message");
    Input::Drop { source: Source::Request(RequestId(1)), drafts, proof: None }
}

#[test]
fn what_is_old_goes_and_what_is_new_stays() {
    let mut house = House::plain("retention");
    old_journal(&house.path(".tasuki/journal"), &[LONG_AGO; 3], None);
    let segment =
        |house: &House, number: u32| house.path(&format!(".tasuki/journal/{number:06}.jsonl")).exists();
    assert!((1..=4).all(|number| segment(&house, number)));
    house.start();
    house.drop("new.yaml", "id: new\nto: worker\ncontent: do it\n");
    house.result("new");
    house.until("it to be done", |house| !house.path("queue/active/new.yaml").exists());
    house.end();
    assert!(segment(&house, 1), "after so long a silence it may be the clock that is wrong");
    let today = fs::read_dir(house.path("queue/done")).expect("done").next().expect("a day").expect("a day");
    let then = house.path("queue/done/2020-09-13");
    fs::create_dir(&then).expect("a day long ago");
    fs::copy(today.path().join("new.yaml"), then.join("old.yaml")).expect("an old message");
    fs::write(then.join("my notes.txt"), "mine").expect("somebody's own file");
    let result = house.path("queue/results/old.yaml");
    fs::copy(house.path("queue/results/new.yaml"), &result).expect("an old result");
    age(&result);
    house.start();
    house.until("old segments to go", |house| !(1..=3).any(|number| segment(house, number)));
    assert!(segment(&house, 4), "the one closed last stays, in case the next is damaged");
    house.until("the old to go", |_| !result.exists() && !then.join("old.yaml").exists());
    assert!(house.path("queue/results/new.yaml").exists() && today.path().join("new.yaml").exists());
    assert_eq!(
        fs::read_to_string(then.join("my notes.txt")).expect("it"),
        "mine",
        "what is not a view stays"
    );
    house.end();
    assert!(!house.read(".tasuki/daemon.log").contains("could not be removed"), "and is no trouble");
}

#[test]
fn segments_stay_while_they_are_young_or_needed() {
    let mut house = House::plain("needed");
    let lately = Millis(Clock::start().now().0 - 3_600_000);
    let closed_at = [LONG_AGO, LONG_AGO, LONG_AGO, lately, lately];
    old_journal(&house.path(".tasuki/journal"), &closed_at, Some(1));
    let segments = |house: &House| {
        (1..=7).filter(|n| house.path(&format!(".tasuki/journal/{n:06}.jsonl")).exists()).collect::<Vec<_>>()
    };
    fs::create_dir(house.path("queue")).expect("queue");
    house.write("queue/STOP", "");
    house.start();
    house.until("what nobody needs to go", |house| segments(house)[0] != 1);
    house.end();
    assert_eq!(segments(&house), [2, 3, 4, 5, 6], "one that is needed stays, and those after it");
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    house.start();
    assert!(house.result("open").contains("from long ago"));
    // What ended in the newest segment may be shown again.
    fill_a_segment(&house, "l");
    house.until("a turn", |house| segments(house).contains(&7));
    house.end();
    house.start();
    house.until("what was needed to go", |house| segments(house)[0] == 4);
    house.end();
    assert_eq!(segments(&house), [4, 5, 6, 7], "what is young stays");
}

/// When the steps of the newest segment were, in their order.
fn times(house: &House) -> Vec<Millis> {
    let nothing = || -> Walk { Box::new(|_, _| {}) };
    let mut times = Vec::new();
    let read = &mut |entry: &tasuki::io::journal::Entry<'_>| {
        times.push(entry.at);
        Ok(())
    };
    Journal::open(&house.path(".tasuki/journal"), "after", nothing, read).expect("a journal");
    times
}

#[test]
fn a_clock_that_was_set_back_costs_nothing() {
    for (name, ahead_ms, is_followed) in [("an-hour", 3_600_000, true), ("a-year", 365 * 86_400_000, false)] {
        let mut house = House::plain(name);
        let wall = Clock::start().now();
        old_journal(&house.path(".tasuki/journal"), &[wall.plus(ahead_ms)], None);
        for id in ["first", "second"] {
            house.start();
            house.drop("a.yaml", &format!("id: {id}\nto: worker\ncontent: do it\n"));
            assert!(house.result(id).contains(&format!("answer to {id}")));
            house.end();
        }
        let times = times(&house);
        assert!(times.len() > 10, "{times:?}");
        let newest = *times.last().expect("a time");
        // One that was all wrong is left where it was, and what was written by it with it.
        assert_eq!(newest > wall.plus(ahead_ms), is_followed, "{name}: {newest:?} after {wall:?}");
        let since = if is_followed { 0 } else { 1 };
        assert!(times[since..].is_sorted(), "{name}: they go back: {times:?}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_written_when_it_can() {
    let mut house = House::plain("no-room");
    house.start();
    // A folder in the way stands for a disk that says no.
    let way = house.path("queue/results/late.yaml");
    fs::create_dir(&way).expect("a folder in the way");
    fs::write(way.join("x"), "").expect("a file in it");
    house.drop("a.yaml", "id: late\nto: worker\ncontent: do it\n");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("views cannot be written"));
    let shown = house.tasuki().arg("status").output().expect("tasuki status");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("views cannot be written") && shown.contains("late.yaml"), "{shown}");
    house.drop("b.yaml", "id: other\nto: worker\ncontent: do it\n");
    assert!(house.result("other").contains("answer to other"), "others do not wait for it");
    fs::remove_dir_all(&way).expect("the way to be free");
    house.until("the result", |house| house.read("queue/results/late.yaml").contains("answer to late"));
    house.until("the note to go", |house| {
        let status = house.read("status/daemon.yaml");
        !status.is_empty() && !status.contains("views cannot be written")
    });
}

#[test]
fn a_task_whose_view_cannot_be_written_waits_and_costs_no_try() {
    let mut house = House::plain("no-view");
    house.start();
    let way = house.path("queue/active/late.yaml");
    fs::create_dir(&way).expect("a folder in the way");
    fs::write(way.join("x"), "").expect("a file in it");
    house.drop("a.yaml", "id: late\nto: worker\ncontent: do it\n");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("views cannot be written"));
    assert!(
        !house.tmux(&["capture-pane", "-p", "-t", "worker"]).contains("late"),
        "nothing is typed before its view"
    );
    fs::remove_dir_all(&way).expect("the way to be free");
    let result = house.result("late");
    assert!(result.contains("answer to late") && result.contains("attempt: 1"), "{result}");
}
