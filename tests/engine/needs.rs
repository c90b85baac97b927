//! Agents that need a person, or time: nothing is typed, their clock stands still, and they go on afterwards.

use crate::make::{name, team};
use crate::world::World;
use std::sync::Arc;
use tasuki::engine::input::Report;
use tasuki::engine::need::{AnsweredBy, NeedKind};
use tasuki::engine::reading::Dialog;
use tasuki::engine::words::Millis;

fn needs(world: &mut World, kind: NeedKind, why: &str, until_in: Option<u64>) -> String {
    let until = until_in.map(|ms| Millis(world.now.0 + ms));
    world.report("boss", Report::Needs { kind, why: why.into(), asks: None, until, hidden: false })
}

/// A dialog at a limit.
fn asks() -> Option<Arc<Dialog>> {
    let choices = vec!["1. Stop and wait".to_owned(), "2. Upgrade".to_owned()];
    Some(Arc::new(Dialog { text: "What do you want to do?".to_owned(), choices, ..Dialog::default() }))
}

fn state(world: &World) -> String {
    world.engine.agent(&name("boss")).map(|seen| seen.state.to_owned()).unwrap_or_default()
}

#[test]
fn nothing_is_typed_to_one_that_asks_and_its_clock_stands_still() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.pass(50_000);
    needs(&mut world, NeedKind::Input, "Do you want to proceed?", None);
    assert_eq!(state(&world), "waiting_input");
    world.send("t2 user>boss");
    // A turn may take a minute.
    world.pass(3_600_000);
    assert_eq!(world.stage("t1"), "working", "{}", state(&world));
    world.turn_segment();
    world.report("boss", Report::NeedsNothing);
    assert_eq!(state(&world), "working");
    world.pass(5_000);
    assert_eq!(world.stage("t1"), "working");
    world.claim("boss");
    world.give("boss");
    assert_eq!(world.stage("t2"), "working");
    world.pass(61_000);
    assert_eq!(world.stage("t2"), "failed", "its own clock runs as before");
}

#[test]
fn a_limit_that_is_over_has_the_agent_told_to_go_on_however_often() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    for round in 0..3 {
        needs(&mut world, NeedKind::Limit, &format!("limit {round} · resets 3pm"), Some(7_200_000));
        assert_eq!(state(&world), "rate_limited");
        world.pass(7_100_000);
        assert_eq!(state(&world), "rate_limited", "{round}");
        let asked = world.pass(100_001);
        assert!(asked.contains(&format!("seek boss past limit {round} · resets 3pm")), "{round}: {asked}");
        let told = world.ready("boss");
        assert!(told.contains("reminder"), "{round}: {told}");
        world.submitted("boss");
        world.report("boss", Report::NeedsNothing);
        assert_eq!(state(&world), "working");
    }
    world.claim("boss");
    assert_eq!(world.stage("t1"), "completed");
}

#[test]
fn a_limit_that_a_new_daemon_reads_from_the_same_screen_is_not_one_of_another_day() {
    let mut world = World::new(team());
    needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
    world.pass(60_001);
    assert_eq!(state(&world), "idle");
    let found = world.names();
    world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
    needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(86_400_000));
    assert_ne!(state(&world), "rate_limited");
    world.send("t1 user>boss");
    world.give("boss");
    assert_eq!(world.stage("t1"), "working");
    // Its answer to what was typed says the same once more: the limit is not over after all.
    needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
    assert_eq!(state(&world), "rate_limited");
}

#[test]
fn a_limit_ends_over_a_restart_of_the_daemon_and_over_an_answer() {
    for answered in [false, true] {
        let mut world = World::new(team());
        world.send("t1 user>boss");
        world.give("boss");
        needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
        world.pass(20_000);
        if answered {
            world.report("boss", Report::Answered { choice: "1. Wait".into(), by: AnsweredBy::Person });
        } else {
            let found = world.names();
            world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
        }
        assert_eq!(state(&world), "rate_limited", "answered: {answered}");
        let asked = world.pass(40_001);
        assert!(asked.contains("seek boss"), "answered: {answered}: {asked}");
        assert!(world.ready("boss").contains("reminder"), "answered: {answered}");
    }
}

#[test]
fn a_limit_that_is_shown_as_a_dialog_waits_for_somebody_once_its_time_has_come() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let limit = |world: &mut World, asks, until_in| {
        let until = Some(Millis(world.now.0 + until_in));
        world.report(
            "boss",
            Report::Needs { kind: NeedKind::Limit, why: "resets 3pm".into(), asks, until, hidden: false },
        )
    };
    limit(&mut world, asks(), 60_000);
    assert_eq!(state(&world), "rate_limited");
    world.pass(60_001);
    assert_eq!(state(&world), "waiting_input", "the dialog stands there yet");
    // What its screen says is nothing new, for the next daemon as well.
    let found = world.names();
    world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
    limit(&mut world, asks(), 86_400_000);
    world.pass(3_600_000);
    assert_eq!((state(&world).as_str(), world.stage("t1")), ("waiting_input", "working"));
    world.report("boss", Report::Answered { choice: "1. Stop and wait".into(), by: AnsweredBy::Person });
    // Without a dialog it is another limit, which ends by itself; so it is where the dialog goes before.
    limit(&mut world, asks(), 60_000);
    world.report("boss", Report::NeedsNothing);
    limit(&mut world, asks(), 60_000);
    limit(&mut world, None, 60_000);
    assert_eq!(state(&world), "rate_limited");
    let asked = world.pass(60_001);
    assert!(asked.contains("seek boss past resets 3pm"), "{asked}");
}

#[test]
fn one_without_tokens_is_given_its_task_again_after_a_limit() {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").token = false;
    let mut world = World::new(team);
    world.send("t1 user>boss");
    world.give("boss");
    for round in 0..5 {
        needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
        let asked = world.pass(60_001);
        assert!(asked.contains("seek boss past limit"), "{round}: {asked}");
        let told = world.give("boss");
        assert!(told.contains("ring boss t1 #1 task redelivered"), "{round}: {told}");
        assert_eq!((state(&world).as_str(), world.stage("t1")), ("working", "working"), "{round}");
    }
    world.claim("boss");
    assert_eq!(world.stage("t1"), "completed");
}
