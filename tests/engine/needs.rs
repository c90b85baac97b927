//! Agents that need a person, or time: nothing is typed, their clock stands still, and they go on afterwards.

use crate::make::{name, team};
use crate::world::World;
use tasuki::engine::input::Report;
use tasuki::engine::need::{AnsweredBy, NeedKind};
use tasuki::engine::words::Millis;

fn needs(world: &mut World, kind: NeedKind, why: &str, until_in: Option<u64>) -> String {
    let until = until_in.map(|ms| Millis(world.now.0 + ms));
    world.report("boss", Report::Needs { kind, why: why.into(), asks: None, until })
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
