//! Which views are handed out when, and what is made durable before a segment turns.

use super::*;
use crate::daemon::views::worker::Place;
use crate::engine::team::Team;
use crate::engine::words::Seq;
use crate::io::journal::Location;
use crate::wire::events;
use std::sync::mpsc::sync_channel;

/// A task with two parts, one of which was answered, whose agent is about to be shown that answer.
const WRITTEN: [&str; 4] = [
    r#"[{"event":"accepted","id":"p","from":"user","to":"boss","type":"task","accepted_at":1,"digest":"00000000000000000000000000000000","content":"go"}]"#,
    r#"[{"event":"moved","id":"p","to":"intent","agent":"boss","turn":{"number":1,"kind":"task","token":"a995l2"}},
        {"event":"moved","id":"p","to":"submitted","due":99,"receipt":"read"},{"event":"moved","id":"p","to":"working","due":99,"receipt":"read"},
        {"event":"accepted","id":"c1","from":"boss","to":"w1","type":"task","parent":"p","accepted_at":1,"hops":1,"digest":"00000000000000000000000000000001","content":"part"},
        {"event":"accepted","id":"c2","from":"boss","to":"w2","type":"task","parent":"p","accepted_at":1,"hops":1,"digest":"00000000000000000000000000000002","content":"part"},
        {"event":"moved","id":"p","to":"waiting","why":"2 parts"}]"#,
    r#"[{"event":"ended","id":"c1","outcome":"completed","answer":{"id":"c1.answer","type":"result","from":"w1","at":2},"content":"one"}]"#,
    r#"[{"event":"moved","id":"p","to":"intent","agent":"boss","turn":{"number":2,"kind":"answers","token":"b995l3"}}]"#,
];
const NOT_WRITTEN: &str = r#"[{"event":"ended","id":"c2","outcome":"completed","answer":{"id":"c2.answer","type":"result","from":"w2","at":3},"content":"two"}]"#;

/// The engine after all of these steps, and a journal into which the last one is not written.
fn world() -> (Engine, JournalHandle) {
    let mut engine = Engine::new(Team::default());
    for (number, step) in (1..).zip(WRITTEN.iter().chain([&NOT_WRITTEN])) {
        engine.replay(Seq(number), Millis(number), &events::decode(step).unwrap()).unwrap();
    }
    let (jobs, _inbox) = sync_channel(1);
    (
        engine,
        JournalHandle::new(jobs, mpsc::channel(1).1, (1..=4).map(|seq| (Seq(seq), place(seq))).collect()),
    )
}

fn place(seq: u64) -> Location {
    Location { segment: 1, offset: seq, len: 1 }
}

fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

#[test]
fn a_turn_does_not_wait_for_an_answer_that_is_not_written_yet() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    handle.mark_turn(MessageId::new("p").unwrap());
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    // Nothing else would send it later: a test that waited would hang, not fail.
    let job = shown.try_recv().unwrap();
    let [Item::Open(item)] = &job[..] else { panic!("the view of the turn alone: {job:?}") };
    let places: Vec<Place> = item.answers.iter().map(|(_, place)| *place).collect();
    assert!(item.turn && places == [Place { step: Seq(3), at: place(3), event: 0 }], "{item:?}");
}
#[test]
fn views_of_what_is_open_wait_while_a_burst_is_taken_in() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    handle.throttle_burst(true, Millis(0));
    handle.mark(Shown::Open(id("p")));
    handle.mark(Shown::Finished(id("c1")));
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    let job = shown.try_recv().unwrap();
    let [Item::Finished { .. }] = &job[..] else { panic!("what ended alone: {job:?}") };
    handle.done(Vec::new(), Millis(9));
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    assert!(shown.try_recv().is_err(), "the rest waits");
    let until = handle.again_at().expect("a time at which it waits no longer");
    handle.submit(&engine, &journal, until).unwrap();
    let job = shown.try_recv().unwrap();
    assert!(matches!(&job[..], [Item::Open(item)] if !item.turn), "{job:?}");

    handle.done(Vec::new(), until);
    handle.throttle_burst(false, until);
    handle.throttle_burst(true, until);
    handle.mark(Shown::Open(id("p")));
    handle.submit(&engine, &journal, until).unwrap();
    assert!(shown.try_recv().is_err(), "another burst");
    handle.hurry();
    handle.submit(&engine, &journal, until).unwrap();
    assert!(shown.try_recv().is_ok(), "the end is near");
}

#[test]
fn what_a_closed_segment_does_not_bring_back_is_made_durable_before_a_turn() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    let give = |handle: &mut ViewsHandle| {
        handle.submit(&engine, &journal, Millis(9)).unwrap();
        shown.try_recv().unwrap_or_default()
    };
    handle.throttle_burst(true, Millis(0));
    handle.mark(Shown::Open(id("p")));
    handle.sync();
    assert!(handle.is_settled(), "views of what is open are written again at every start");

    handle.mark(Shown::Finished(id("c1")));
    assert!(!handle.is_settled());
    assert!(matches!(&give(&mut handle)[..], [Item::Finished { .. }]));
    assert!(!handle.is_settled(), "it is being written");
    handle.done(Vec::new(), Millis(9));
    handle.sync();
    assert!(!handle.is_settled(), "it is not on the disk yet");
    assert!(matches!(&give(&mut handle)[..], [Item::Sync]));
    handle.done(vec![Item::Sync], Millis(9));
    assert!(handle.owes(), "the flush has failed");
    handle.sync();
    assert!(matches!(&give(&mut handle)[..], [Item::Sync]), "it is tried again");
    handle.done(Vec::new(), Millis(9));
    handle.sync();
    assert!(handle.is_settled(), "nothing has ended since");

    handle.throttle_burst(false, Millis(9));
    handle.set_rotating(true);
    assert!(give(&mut handle).is_empty(), "a turn does not wait for views of what is open");
    handle.set_rotating(false);
    assert!(matches!(&give(&mut handle)[..], [Item::Open(_)]));
    handle.done(Vec::new(), Millis(9));

    handle.removed();
    handle.sync();
    assert!(!handle.is_settled(), "a dropped file that comes back after a power cut would be unknown");
}

#[test]
fn a_turn_whose_view_could_not_be_written_is_tried_again_as_a_turn() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    handle.mark_turn(id("p"));
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    handle.done(shown.try_recv().unwrap(), Millis(9));
    let again = handle.again_at().expect("a time at which it is tried again");
    handle.wake(again);
    handle.submit(&engine, &journal, again).unwrap();
    let job = shown.try_recv().unwrap();
    assert!(matches!(&job[..], [Item::Open(item)] if item.turn), "nobody else would type it: {job:?}");
}

#[test]
fn nothing_is_made_durable_before_all_that_ended_is_written() {
    const ENDED: u64 = BATCH_MAX as u64 + 1;
    let mut engine = Engine::new(Team::default());
    for number in 1..=ENDED {
        let step = format!(
            r#"[{{"event":"accepted","id":"t{number}","from":"user","to":"w","type":"info","accepted_at":1,"digest":"00000000000000000000000000000000","content":"襷"}},
                {{"event":"ended","id":"t{number}","outcome":"completed"}}]"#
        );
        engine.replay(Seq(number), Millis(number), &events::decode(&step).unwrap()).unwrap();
    }
    let (jobs, _inbox) = sync_channel(1);
    let journal =
        JournalHandle::new(jobs, mpsc::channel(1).1, (1..=ENDED).map(|seq| (Seq(seq), place(seq))).collect());
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, true);
    (1..=ENDED).for_each(|number| handle.mark(Shown::Finished(id(&format!("t{number}")))));
    handle.sync();
    let mut written = 0;
    while !handle.is_settled() {
        handle.submit(&engine, &journal, Millis(9)).unwrap();
        for item in shown.try_recv().unwrap() {
            match item {
                Item::Finished { .. } => written += 1,
                Item::Sync => assert_eq!(written, ENDED, "the rest would not be on the disk"),
                other => panic!("{other:?}"),
            }
        }
        handle.done(Vec::new(), Millis(9));
    }
    assert_eq!(written, ENDED);
}

#[test]
fn lines_that_could_not_be_written_come_before_newer_ones_and_those_left_out_are_told() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    let texts = |job: Job| -> Vec<String> {
        let text = |item| if let Item::Log { text, .. } = item { text } else { panic!("{item:?}") };
        job.into_iter().map(text).collect()
    };
    handle.tell(Millis(1), None, "一".to_owned());
    handle.tell(Millis(1), None, "二".to_owned());
    assert!(!handle.is_settled(), "a closed segment does not bring them back");
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    handle.tell(Millis(2), None, "三".to_owned());
    handle.done(shown.try_recv().unwrap(), Millis(9));
    handle.tell(Millis(2), None, "四".to_owned());
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    assert!(shown.try_recv().is_err(), "newer ones wait with them");
    assert!(handle.is_settled(), "a history that cannot be written holds nothing up");
    handle.wake(handle.again_at().unwrap());
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    assert_eq!(texts(shown.try_recv().unwrap()), ["一", "二", "三", "四"]);
    handle.done(Vec::new(), Millis(9));

    (0..5_000).for_each(|number| handle.tell(Millis(3), None, number.to_string()));
    let mut said = Vec::new();
    while !handle.is_idle() {
        handle.submit(&engine, &journal, Millis(9)).unwrap();
        said.extend(texts(shown.try_recv().unwrap()));
        handle.done(Vec::new(), Millis(9));
    }
    let left_out =
        said.iter().find_map(|text| text.strip_suffix(" lines were left out here; the journal has them"));
    let left_out: usize = left_out.expect("it says so").parse().unwrap();
    assert_eq!(said.len() - 1 + left_out, 5_000);
}

#[test]
fn views_of_what_is_neither_open_nor_in_the_team_are_swept() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    handle.sweep();
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    let job = shown.try_recv().unwrap();
    let [Item::Sweep { open, members }] = &job[..] else { panic!("{job:?}") };
    assert!(open.contains(&id("p")) && !open.contains(&id("c1")) && members.is_empty());
}

#[test]
fn an_agents_log_that_cannot_be_written_holds_no_other_up() {
    let (engine, journal) = world();
    let (jobs, shown) = sync_channel(1);
    let mut handle = ViewsHandle::new(jobs, mpsc::channel(1).1, false);
    handle.tell(Millis(1), AgentName::new("w1").ok(), "一".to_owned());
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    let half_told = shown.try_recv().unwrap().into_iter().map(|item| match item {
        Item::Log { at, agent, text, .. } => Item::Log { at, agent, text, told: true },
        item => item,
    });
    handle.done(half_told.collect(), Millis(9));
    handle.tell(Millis(2), None, "二".to_owned());
    handle.submit(&engine, &journal, Millis(9)).unwrap();
    assert!(matches!(&shown.try_recv().unwrap()[..], [Item::Log { text, told: false, .. }] if text == "二"));
}
