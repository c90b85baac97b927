//! What is written comes back as it was, bodies by themselves too, and what a newer version adds does no harm.

use crate::arbitrary;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tasuki::engine::engine::Engine;
use tasuki::engine::event::Event;
use tasuki::engine::message::Body;
use tasuki::engine::state::State;
use tasuki::engine::team::Team;
use tasuki::engine::words::{Millis, Seq};
use tasuki::wire::events::{body_of, decode, decode_snapshot, encode, encode_snapshot};

proptest! {
    #[test]
    fn events_come_back_as_they_were(events in arbitrary::events()) {
        let line = encode(&events);
        prop_assert!(line.bytes().all(|byte| byte >= b' '), "{line:?}");
        prop_assert_eq!(decode(&line).unwrap(), &events[..], "{}", line);
        let line = encode_snapshot(&events);
        prop_assert!(line.bytes().all(|byte| byte >= b' '), "{line:?}");
        prop_assert_eq!(decode_snapshot(&line).unwrap(), events, "{}", line);
    }

    #[test]
    fn a_snapshot_holds_all_that_is_in_a_state(events in arbitrary::events()) {
        let is_kept = |event: &Event| {
            matches!(
                event,
                Event::KeptOpen(_)
                    | Event::KeptHired { .. }
                    | Event::KeptAgent { .. }
                    | Event::Halted { since: Some(_), .. }
            )
        };
        let kept: Vec<Event> = events.into_iter().filter(is_kept).collect();
        let state = replayed(&kept);
        let snapshot = state.snapshot().collect::<Vec<_>>();
        for event in &kept {
            // Of two of one name the later one counts.
            let stays = match event {
                Event::KeptOpen(open) => state.open.get(&open.message.id) == Some(open),
                Event::KeptHired { name, hired } => state.hired.get(name) == Some(&**hired),
                Event::KeptAgent { name, agent } => state.agents.get(name) == Some(&**agent),
                _ => false,
            };
            prop_assert!(!stays || snapshot.contains(event), "{:?} is not in {:?}", event, snapshot);
        }
        let written = decode_snapshot(&encode_snapshot(&snapshot)).unwrap();
        prop_assert_eq!(&replayed(&written), &state);
    }

    #[test]
    fn a_body_is_found_by_its_place_alone(events in arbitrary::events()) {
        let line = encode(&events);
        for (index, event) in (0..).zip(&events) {
            prop_assert_eq!(body_of(&line, index), body(event), "{} of {}", index, line);
        }
        prop_assert_eq!(body_of(&line, u32::try_from(events.len()).unwrap()), None);
    }

    #[test]
    fn what_a_newer_version_adds_is_passed_over(events in arbitrary::events()) {
        let line = encode(&events);
        // This test goes through `Value`, which an `extra` with odd numbers does not survive.
        let value = serde_json::from_str::<Value>(&line);
        let again = value.as_ref().map(Value::to_string);
        prop_assume!(again.is_ok_and(|again| again == line));
        let mut value = value.unwrap();
        grow(&mut value);
        prop_assert_eq!(decode(&value.to_string()).unwrap(), events, "{}", value);
    }
}

#[test]
fn every_event_is_drawn_and_has_its_name() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..800 {
        let event = arbitrary::event().new_tree(&mut runner).unwrap().current();
        let line = encode(std::slice::from_ref(&event));
        assert!(line.starts_with(&format!(r#"[{{"event":"{}""#, name(&event))), "{line}");
        seen.insert(name(&event));
    }
    assert_eq!(seen.len(), 26, "{seen:?}");
}

/// What these events make of an empty state.
fn replayed(events: &[Event]) -> State {
    let mut engine = Engine::new(Team::default());
    engine.replay(Seq(1), Millis(1), events).unwrap();
    engine.state().clone()
}

/// Adds an unknown member to every object that is not the user's own, in front of the others and behind them.
fn grow(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(grow),
        Value::Object(map) => {
            let new = json!({"since": "v9", "list": [1, {"id": null}]});
            let old = std::mem::take(map);
            map.insert("zzz_before".to_owned(), new.clone());
            for (key, mut inner) in old {
                if key != "extra" && key != "env" {
                    grow(&mut inner);
                }
                map.insert(key, inner);
            }
            map.insert("zzz_after".to_owned(), new);
        }
        _ => {}
    }
}

fn body(event: &Event) -> Option<Body> {
    match event {
        Event::Accepted { body, .. }
        | Event::FlowOpened { body, .. }
        | Event::StepPlanned { body, .. }
        | Event::StepImported { body, .. }
        | Event::StepWorked { body, .. } => Some(body.clone()),
        Event::Said { text, .. } => Some(Body { content: text.clone(), extra: "".into() }),
        Event::Ended { answer, .. } => answer.as_ref().map(|answer| answer.body.clone()),
        _ => None,
    }
}

/// Total, so that a new event cannot be left out of the tests.
fn name(event: &Event) -> &'static str {
    match event {
        Event::Accepted { .. } => "accepted",
        Event::Duplicate { .. } => "duplicate",
        Event::Refused { .. } => "refused",
        Event::Moved { .. } => "moved",
        Event::Said { .. } => "said",
        Event::Based { .. } => "based",
        Event::Claimed { .. } => "claimed",
        Event::Checked { .. } => "checked",
        Event::Ended { .. } => "ended",
        Event::Agent { .. } => "agent",
        Event::Halted { .. } => "halted",
        Event::KeptOpen(_) => "kept_open",
        Event::KeptFinished(_) => "kept_finished",
        Event::KeptHired { .. } => "kept_hired",
        Event::KeptAgent { .. } => "kept_agent",
        Event::FlowOpened { .. } => "flow_opened",
        Event::StepPlanned { .. } => "step_planned",
        Event::FlowPlanned { .. } => "flow_planned",
        Event::StepMoved { .. } => "step_moved",
        Event::StepImported { .. } => "step_imported",
        Event::TreeMoved { .. } => "tree_moved",
        Event::StepWorked { .. } => "step_worked",
        Event::StepPulled { .. } => "step_pulled",
        Event::MergeMoved { .. } => "merge_moved",
        Event::FlowMoved { .. } => "flow_moved",
        Event::KeptFlow(_) => "kept_flow",
    }
}
