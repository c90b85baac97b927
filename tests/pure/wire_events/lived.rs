//! A journal that was lived. `tests/fixtures/journal/lived.jsonl` was written by the version before the events had their form
//! from their types: a team of scripted agents, a task that is handed on, a drop that is refused and one that comes twice, a task
//! that is called off, STOP, a turn of the segment in the middle of the work, a daemon that leaves its agents and comes back, one
//! that is killed, an agent that is stopped and one that is started again. Left out of it are 36 steps of an info each, 61 KB long,
//! which brought the turn about.

use expect_test::expect;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tasuki::engine::engine::Engine;
use tasuki::engine::team::Team;
use tasuki::engine::words::{Millis, Seq};
use tasuki::wire::events::{FinishedScan, decode, decode_snapshot, encode};

const JOURNAL: &str = include_str!("../../fixtures/journal/lived.jsonl");

#[derive(Deserialize)]
struct Line<'a> {
    seq: u64,
    at: u64,
    #[serde(borrow)]
    events: Option<&'a RawValue>,
    #[serde(borrow)]
    snapshot: Option<&'a RawValue>,
}

fn lines() -> impl Iterator<Item = Line<'static>> {
    JOURNAL.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// What is in the snapshot as its state.
fn state_of(snapshot: &RawValue) -> &str {
    #[derive(Deserialize)]
    struct Snapshot<'a> {
        #[serde(borrow)]
        state: &'a RawValue,
    }
    serde_json::from_str::<Snapshot<'_>>(snapshot.get()).unwrap().state.get()
}

#[test]
fn it_is_replayed_and_would_be_written_the_same() {
    let mut engine = Engine::new(Team::default());
    for line in lines() {
        let events = match (line.events, line.snapshot) {
            (Some(events), None) => {
                let found = decode(events.get()).unwrap();
                assert_eq!(encode(&found), events.get());
                found
            }
            (None, Some(snapshot)) => {
                let found = decode_snapshot(snapshot.get()).unwrap();
                assert_eq!(encode(&found), state_of(snapshot));
                let lived = encode(&engine.state().snapshot().collect::<Vec<_>>());
                assert_eq!(lived, state_of(snapshot), "what the steps before it come to");
                engine = Engine::new(Team::default());
                found
            }
            _ => panic!("line {} is neither", line.seq),
        };
        engine.replay(Seq(line.seq), Millis(line.at), &events).unwrap();
    }
    let state = engine.state();
    let ended: Vec<String> =
        state.finished.iter().map(|(id, finished)| format!("{id} {}", finished.outcome.word())).collect();
    let open: Vec<String> =
        state.open.iter().map(|(id, open)| format!("{id} {}", open.stage.word())).collect();
    let agents: Vec<String> =
        state.agents.iter().map(|(name, agent)| format!("{name} {:?}", agent.counts)).collect();
    expect![[r#"
        demo-1 completed
        demo-1.plan completed
        demo-1.plan.research.progress completed
        demo-1.plan.test completed
        dep-1 completed
        dep-1.progress completed
        dup-1.plan.code completed
        dup-1.plan.research completed
        held-1 completed
        held-1.progress completed
        msg-11588e2c047c completed
        msg-924d17d79bb4 completed
        msg-93b1ec2427b1 completed
        dup-1 waiting
        dup-1.plan waiting
        dup-1.plan.research.progress queued
        dup-1.plan.test queued
        last-1 queued
        coding_writing_specialist Counts { completed: 2, failed: 0, sent: 2, received: 2, restarts: 0 }
        grand_boss Counts { completed: 1, failed: 0, sent: 3, received: 3, restarts: 0 }
        middle_manager Counts { completed: 1, failed: 0, sent: 7, received: 7, restarts: 0 }
        research_analysis_specialist Counts { completed: 4, failed: 0, sent: 8, received: 4, restarts: 0 }
        testing_specialist Counts { completed: 1, failed: 0, sent: 1, received: 2, restarts: 0 }"#]]
    .assert_eq(&[ended, open, agents].concat().join("\n"));
}

#[test]
fn what_ended_in_its_segments_is_found_without_replaying_them() {
    let mut engine = Engine::new(Team::default());
    let (mut scan, mut found) = (FinishedScan::default(), BTreeMap::new());
    for line in lines() {
        if let Some(snapshot) = line.snapshot {
            engine = Engine::new(Team::default());
            (scan, found) = (FinishedScan::default(), BTreeMap::new());
            scan.snapshot(snapshot.get()).unwrap();
            engine.replay(Seq(line.seq), Millis(line.at), &decode_snapshot(snapshot.get()).unwrap()).unwrap();
        }
        if let Some(events) = line.events {
            scan.step(events.get(), |id, known| _ = found.insert(id, known)).unwrap();
            engine.replay(Seq(line.seq), Millis(line.at), &decode(events.get()).unwrap()).unwrap();
        }
    }
    assert_eq!(scan.strangers(), 0);
    let finished = engine.state().finished.iter().map(|(id, finished)| (id.clone(), finished.known()));
    assert_eq!(found, finished.collect());
}
