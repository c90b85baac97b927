//! Turns that are broken off: of what is called off or too late, and of its parts; and what whoever called it off is told.

use crate::engine::make::{id, name, team};
use crate::engine::world::World;
use tasuki::engine::input::{Command, Input, Report};
use tasuki::engine::life::interrupted::Interrupted;

fn broken_off(world: &mut World, agent: &str, message: &str, how: Interrupted) -> String {
    world.report(agent, Report::Interrupted { id: id(message), how })
}

fn let_finish(world: &mut World, message: &str) -> String {
    world.ask(Command::Cancel { id: id(message), let_finish: true })
}

fn state(world: &World, agent: &str) -> String {
    world.engine.agent(&name(agent)).map(|seen| seen.state.to_owned()).unwrap_or_default()
}

#[test]
fn a_cancel_is_answered_once_it_is_known_what_became_of_the_turn() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let asked = world.cancel("t1");
    assert!(asked.contains("> interrupt boss t1 #1") && !asked.contains("> answer"), "{asked}");
    assert_eq!(world.stage("t1"), "cancelled", "whatever its agent does");
    let told = broken_off(&mut world, "boss", "t1", Interrupted::Ended);
    assert!(told.contains("t1 is cancelled; boss was interrupted, and its turn has ended"), "{told}");
    assert!(told.contains("t1 broken off: Ended"), "{told}");
    let again = broken_off(&mut world, "boss", "t1", Interrupted::Ended);
    assert!(!again.contains("> answer"), "answered once: {again}");
}

#[test]
fn the_next_daemon_knows_who_may_be_at_what_was_called_off() {
    for (how, may) in [("cancelled", true), ("failed", true), ("completed", false), ("nothing", false)] {
        let mut world = World::new(team());
        if how != "nothing" {
            world.send("t1 user>boss");
            world.give("boss");
        }
        match how {
            "cancelled" => {
                world.cancel("t1");
                broken_off(&mut world, "boss", "t1", Interrupted::GoesOn { why: "no key".into() });
            }
            "failed" => drop(world.pass(24 * 60 * 60 * 1000)),
            "completed" => drop(world.claim("boss")),
            _ => {}
        }
        if how != "nothing" {
            assert_eq!(world.stage("t1"), how);
        }
        let told = world.crash(&["boss", "ann", "bob", "eve"]);
        assert_eq!(told.contains("> unwatch boss"), may, "{how}: {told}");
        assert_eq!(state(&world, "boss"), if may { "busy" } else { "idle" }, "{how}");
    }
}

#[test]
fn an_agent_that_ends_meanwhile_leaves_nobody_without_an_answer() {
    for how in ["exit", "stop", "crash"] {
        let mut world = World::new(team());
        world.send("t1 user>boss");
        world.give("boss");
        world.cancel("t1");
        let told = match how {
            "exit" => world.exit("boss", "exit 1"),
            _ => world.ask_stop("boss"),
        };
        assert!(told.contains("t1 is cancelled; boss has ended"), "{how}: {told}");
    }
}

#[test]
fn whoever_waits_is_answered_with_an_event_when_the_connection_to_tmux_ends() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.cancel("t1");
    let told = world.step(Input::TmuxCut);
    assert!(told.contains("t1 is cancelled; boss may go on with it: the connection to tmux ended"), "{told}");
    assert!(told.contains("t1 broken off: GoesOn"), "else the answer would not wait for the disk: {told}");
}

#[test]
fn what_waits_in_a_queue_or_rests_is_not_broken_off() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss");
    world.give("boss");
    let told = world.cancel("t2");
    assert!(told.contains("> answer t2: t2 is cancelled") && !told.contains("interrupt"), "{told}");
    world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    let told = world.cancel("t1");
    assert!(told.contains("> answer t1: t1 is cancelled") && !told.contains("interrupt"), "{told}");
}

#[test]
fn who_may_finish_is_not_broken_off_and_neither_are_the_parts() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("a boss>ann parent=t1");
    world.give("ann");
    let told = let_finish(&mut world, "t1");
    assert!(!told.contains("interrupt"), "{told}");
    assert!(told.contains("t1 is cancelled; boss may finish its turn"), "{told}");
    assert_eq!((world.stage("t1"), world.stage("a")), ("cancelled", "cancelled"));
    assert_eq!(state(&world, "boss"), "busy", "it works on something that is no open turn");
    world.report("boss", Report::Busy { is: false });
    assert_eq!(state(&world, "boss"), "idle");
}

#[test]
fn parts_of_what_is_called_off_are_broken_off_and_all_of_them_are_awaited() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("a boss>ann parent=t1\nb boss>bob parent=t1");
    world.give("ann");
    world.give("bob");
    world.claim("boss");
    let asked = world.cancel("t1");
    assert!(asked.contains("interrupt ann a") && asked.contains("interrupt bob b"), "{asked}");
    assert!(!asked.contains("interrupt boss"), "its own turn is over: {asked}");
    assert!(!broken_off(&mut world, "bob", "b", Interrupted::WasOver).contains("> answer"));
    let why = Interrupted::GoesOn { why: "no key".into() };
    let told = broken_off(&mut world, "ann", "a", why);
    assert!(told.contains("bob's turn was over already; ann may go on with it: no key"), "{told}");
}

#[test]
fn what_is_too_late_is_broken_off_by_its_time_and_by_its_deadline() {
    for line in ["t1 user>boss timeout=5000", "t1 user>boss deadline=5000"] {
        let mut world = World::new(team());
        world.send(line);
        world.give("boss");
        world.send("a boss>ann parent=t1");
        world.give("ann");
        let passed = world.pass(5_001);
        assert_eq!(world.stage("t1"), "failed", "{line}");
        assert!(
            passed.contains("interrupt boss t1") && passed.contains("interrupt ann a"),
            "{line}: {passed}"
        );
    }
}

#[test]
fn what_an_agent_says_is_done_breaks_off_its_parts_alone() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("a boss>ann parent=t1");
    world.give("ann");
    let token = world.engine.stage(&id("t1")).and_then(|stage| stage.turn()?.token).expect("a token");
    let told = world.ask(Command::Reply {
        token,
        text: "cannot".into(),
        failed: true,
        extra: "".into(),
        spent: None,
    });
    assert!(told.contains("unwatch boss") && told.contains("interrupt ann a"), "{told}");
    assert!(!told.contains("interrupt boss"), "{told}");
}
