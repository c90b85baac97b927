//! What waits for its step, and what a batch brings back.

use super::*;
use crate::engine::input::Reply;
use crate::engine::message::RequestId;
use crate::engine::message::refusal::Code;
use std::sync::mpsc::sync_channel;

fn step(seq: u64) -> Step {
    let reply = Reply::Done { what: "done".to_owned(), id: None };
    Step {
        seq: Seq(seq),
        at: Millis(seq),
        events: vec![Event::Halted { since: Some(Millis(seq)), by: None }],
        effects: vec![Effect::Answer { request: RequestId(seq), reply }],
        faults: Vec::new(),
        warnings: Vec::new(),
    }
}

fn written(done: JobDone) -> Written {
    Written { done, wants_rotation: false, flushes: 1, archive: None }
}

fn told(text: &str) -> Vec<(Millis, HistoryLine)> {
    vec![(Millis(1), HistoryLine { id: None, agent: None, text: text.to_owned() })]
}

#[test]
fn effects_wait_for_their_step() {
    let (jobs, inbox) = sync_channel(1);
    let mut handle = JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new());
    handle.put(step(1), told("一"));
    handle.submit().unwrap();
    let first = handle.job();
    assert!(first.is_some(), "it works at the first");
    handle.put(step(2), told("二"));
    handle.submit().unwrap();
    assert_eq!(handle.job(), first, "it still does");
    let Ok(Job::Append { lines, durable: true }) = inbox.try_recv() else { panic!("a durable batch") };
    assert_eq!(lines.len(), 1, "the second step waits for the first batch");
    assert!(inbox.try_recv().is_err());
    let place = Location { segment: 1, offset: 0, len: 10 };
    let heard = handle.written(written(JobDone::Appended(vec![place])), Millis(1)).unwrap();
    let Heard::Appended(held) = heard else { panic!("{heard:?}") };
    let held_first = Held { effects: step(1).effects, told: told("一"), ended: Vec::new() };
    assert_eq!(held, held_first, "what waited for the first step alone");
    assert_eq!(handle.job(), None);
    handle.submit().unwrap();
    assert!(handle.job().is_some() && handle.job() != first, "another one");
    let failure = JobDone::Stopped(JournalError::NotStopped);
    assert!(handle.written(written(failure), Millis(1)).is_err(), "a failed batch gives no effects");
}

#[test]
fn an_end_is_not_told_before_it_is_written() {
    let (jobs, _inbox) = sync_channel(1);
    let mut handle = JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new());
    let id = MessageId::new("t-1").unwrap();
    let ended = Event::Ended {
        id: id.clone(),
        outcome: crate::engine::message::Outcome::Completed,
        answer: None,
        why: None,
    };
    handle.put(Step { events: vec![ended], ..step(1) }, told("一"));
    assert!(handle.is_ending(&id));
    handle.submit().unwrap();
    assert!(handle.is_ending(&id), "it is on its way");
    let place = Location { segment: 1, offset: 0, len: 10 };
    handle.written(written(JobDone::Appended(vec![place])), Millis(1)).unwrap();
    assert!(!handle.is_ending(&id));
}

#[test]
fn a_loop_that_was_told_to_wait_for_room_is_told_when_there_is_some() {
    let (jobs, _inbox) = sync_channel(1);
    let mut handle = JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new());
    let why =
        Event::Refused { name: None, from: None, code: Code::NoRoom, why: "x".repeat(WAITING_BYTES_MAX) };
    handle.put(Step { events: vec![why], ..step(1) }, told("一"));
    assert!(!handle.has_room());
    handle.submit().unwrap();
    assert!(handle.has_room(), "all of it is on its way");
}

#[test]
fn each_body_is_where_its_own_step_was_written() {
    let (jobs, _inbox) = sync_channel(1);
    let mut handle = JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new());
    let answered = events::decode(
        r#"[{"event":"ended","id":"t","outcome":"completed","answer":{"id":"a","type":"result","from":"w","at":2},"content":"襷"}]"#,
    );
    let answered = answered.unwrap();
    for (seq, events) in (1..).zip([answered.clone(), step(2).events, answered]) {
        handle.put(Step { events, ..step(seq) }, Vec::new());
    }
    handle.submit().unwrap();
    let places = [1, 2, 3].map(|offset| Location { segment: 1, offset, len: 1 });
    handle.written(written(JobDone::Appended(places.to_vec())), Millis(1)).unwrap();
    let offset = |seq| handle.place(BodyRef { seq: Seq(seq), index: 0 }).map(|place| place.at.offset);
    assert_eq!([1, 2, 3].map(offset), [Some(1), None, Some(3)]);
}

#[test]
fn a_turn_that_failed_is_tried_again_ever_later_and_old_segments_go_when_nothing_else_waits() {
    let (jobs, inbox) = sync_channel(1);
    let mut handle = JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new());
    let mut now = Millis(5);
    for wait_ms in [1_000, 2_000, 4_000] {
        handle.rotate(now, String::new(), Vec::new()).unwrap();
        inbox.try_recv().unwrap();
        let failed =
            Written { wants_rotation: true, ..written(JobDone::NotRotated(JournalError::NotStopped)) };
        handle.written(failed, now).unwrap();
        assert!(!handle.wants_rotation(now) && handle.rotate_again_at(now) == Some(now.plus(wait_ms)));
        now = now.plus(wait_ms);
        assert!(handle.wants_rotation(now));
    }
    handle.trim(Millis(3), 2);
    handle.submit().unwrap();
    assert!(matches!(inbox.try_recv(), Ok(Job::Trim { before: Millis(3), keep_from: 2 })));
}
