//! Programs that end after each task: one process is given one message, and what follows waits for the next.

use crate::engine::make::{name, team};
use crate::engine::world::World;
use tasuki::engine::message::Outcome;
use tasuki::engine::team::Team;

fn once() -> Team {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").one_shot = true;
    team
}

fn why(world: &World) -> String {
    world.engine.agent(&name("boss")).and_then(|seen| seen.why).unwrap_or_default()
}

/// Its process takes nothing more, says so, and the next one takes `t2`.
fn waits_for_its_end(world: &mut World, what: &str) {
    let text = world.ready("boss");
    assert_eq!((world.stage("t2"), text.contains("ring")), ("queued", false), "{what}: {text}");
    assert!(why(world).contains("has not ended yet"), "{what}: {:?}", why(world));
    world.exit("boss", "exit 0");
    assert_eq!(world.stage("t2"), "queued", "{what}");
    world.pass(10_000); // one whose last word another daemon heard is started after a while
    world.start("boss");
    world.give("boss");
    assert_eq!(world.stage("t2"), "working", "{what}");
}

#[test]
fn a_process_whose_task_has_ended_is_given_no_other() {
    for what in ["claim", "reply", "cancel", "late cancel", "time", "info"] {
        let mut world = World::new(once());
        world.send(if what == "info" { "t1 user>boss info" } else { "t1 user>boss" });
        let token = world.fresh();
        match what {
            "late cancel" => drop(world.ready("boss")),
            _ => drop(world.give("boss")),
        }
        match what {
            "claim" => drop(world.claim("boss")),
            "reply" => {
                let command = tasuki::engine::input::Command::Reply {
                    token,
                    text: "x".into(),
                    failed: false,
                    extra: "".into(),
                    spent: None,
                };
                drop(world.ask(command));
            }
            "time" => drop(world.pass(60_000)),
            "info" => {}
            _ => drop(world.cancel("t1")),
        }
        assert_ne!(world.stage("t1"), "working", "{what}");
        world.send("t2 user>boss");
        if what != "time" {
            world.turn_segment();
            let found: Vec<String> = world.names();
            world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
        }
        waits_for_its_end(&mut world, what);
    }
}

#[test]
fn later_turns_of_its_message_are_typed_to_it() {
    let mut world = World::new(once());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("t2 user>boss high");
    world.send("p1 boss>ann parent=t1");
    world.claim("boss");
    assert_eq!(world.stage("t1"), "waiting");
    world.give("ann");
    world.claim("ann");
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("working", "queued"), "its answers come to it");
    world.claim("boss");
    waits_for_its_end(&mut world, "answers");
}

#[test]
fn what_was_perhaps_typed_is_typed_again_before_anything_else() {
    let mut world = World::new(once());
    world.send("t1 user>boss");
    world.ready("boss");
    world.unconfirmed("boss");
    world.send("t2 user>boss high");
    assert!(!world.ready("boss").contains("ring boss t2"), "its process may know of the other one");
    world.pass(60_000);
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("working", "queued"));
}

#[test]
fn what_was_not_typed_keeps_nothing_else_from_it() {
    for verdict in ["withdrawn", "undelivered"] {
        let mut world = World::new(once());
        world.send("t1 user>boss");
        world.ready("boss");
        match verdict {
            "withdrawn" => drop(world.withdrawn("boss")),
            _ => drop(world.undelivered("boss")),
        }
        world.cancel("t1");
        world.send("t2 user>boss");
        world.give("boss");
        assert_eq!(world.stage("t2"), "working", "{verdict}");
    }
}

#[test]
fn agents_that_go_on_are_given_the_next_at_once() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss");
    world.give("boss");
    world.claim("boss");
    world.give("boss");
    assert_eq!(world.stage("t2"), "working");
    let first = &world.engine.state().finished[&crate::engine::make::id("t1")];
    assert_eq!(first.outcome, Outcome::Completed);
}
