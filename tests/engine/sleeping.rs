//! Agents that end well: whatever waits for them starts them, and nothing but that.

use crate::make::{id, name, team};
use crate::world::World;
use tasuki::engine::input::{Command, Input, Report};
use tasuki::engine::life::CompletionSource;
use tasuki::engine::message::Outcome;
use tasuki::engine::team::{Restart, Team};

fn state(world: &World, agent: &str) -> &'static str {
    world.engine.agent(&name(agent)).expect("a member").state
}

fn outcome(world: &World, message: &str) -> Option<Outcome> {
    world.engine.state().finished.get(&id(message)).map(|finished| finished.known.outcome)
}

fn with(restart: Restart) -> Team {
    let mut team = team();
    let boss = team.members.get_mut(&name("boss")).expect("a member");
    (boss.restart, boss.one_shot) = (restart, true);
    team
}

/// The program of `boss` does its task and ends.
fn end_with_task(world: &mut World, task: &str) {
    world.give("boss");
    let source = CompletionSource::ProcessExit;
    let (id, line, text) = (id(task), "".into(), "done".into());
    let claim = Report::Claimed { id, turn: 1, token: None, line, source, text, truncated: false };
    world.report("boss", claim);
    assert_eq!(outcome(world, task), Some(Outcome::Completed), "{task}");
    world.exit("boss", "exit 0");
}

#[test]
fn a_program_that_ends_after_each_task_is_started_for_each() {
    for restart in [Restart::OnFailure, Restart::Always] {
        let mut world = World::new(with(restart));
        let tasks: Vec<String> = (1..=8).map(|number| format!("t{number}")).collect();
        for task in &tasks {
            world.send(&format!("{task} user>boss"));
        }
        for (number, task) in tasks.iter().enumerate() {
            end_with_task(&mut world, task);
            let waits = restart == Restart::Always || number + 1 < tasks.len();
            let now = if waits { "starting" } else { "stopped" };
            assert_eq!(state(&world, "boss"), now, "{restart:?}, after {task}");
            world.turn_segment();
            if waits {
                world.start("boss");
            }
        }
        let counts = world.engine.agent(&name("boss")).expect("a member").counts;
        assert_eq!((counts.completed, counts.restarts), (8, 0), "{restart:?}: no end of these is a failure");
    }
}

#[test]
fn an_agent_that_ended_well_is_started_by_what_comes_for_it() {
    for later in
        ["t1 user>boss", "t1 user>boss info", "t0 user>ann\nt1 user>boss after=t0", "t1 user>boss high"]
    {
        let mut world = World::new(with(Restart::OnFailure));
        world.exit("boss", "exit 0");
        assert_eq!(state(&world, "boss"), "stopped");
        world.send(later);
        if later.contains("after") {
            assert_eq!(state(&world, "boss"), "stopped", "what it waits for is still to be done");
            world.give("ann");
            world.claim("ann");
        }
        assert_eq!(state(&world, "boss"), "starting", "{later}");
    }
}

#[test]
fn what_comes_while_nobody_can_be_started_starts_it_then() {
    for hindrance in ["stop", "connection", "daemon"] {
        let mut world = World::new(with(Restart::OnFailure));
        world.exit("boss", "exit 0");
        let others = ["ann", "bob", "eve"];
        let found: Vec<_> = others.iter().map(|agent| world.pane(agent)).collect();
        drop(match hindrance {
            "stop" => world.step(Input::Halt(true, None)),
            "connection" => world.step(Input::TmuxCut),
            _ => world.step(Input::TmuxLost { why: "killed".to_owned() }),
        });
        world.send("t1 user>boss");
        assert_eq!(state(&world, "boss"), "stopped", "{hindrance}");
        drop(match hindrance {
            "stop" => world.step(Input::Halt(false, None)),
            "connection" => world.step(Input::TmuxBack(found)),
            _ => {
                world.turn_segment();
                world.crash(&[])
            }
        });
        assert_eq!(state(&world, "boss"), "starting", "{hindrance}");
    }
}

#[test]
fn a_member_of_a_pool_that_ended_well_is_started_for_the_pool() {
    let mut world = World::new(team());
    world.exit("ann", "exit 0");
    world.exit("bob", "exit 0");
    world.send("t1 user>crew");
    assert_eq!((state(&world, "ann"), state(&world, "bob")), ("starting", "starting"));
}

#[test]
fn who_was_stopped_or_is_never_started_again_stays_down() {
    let mut world = World::new(with(Restart::OnFailure));
    world.exit("boss", "exit 0");
    world.ask(Command::Stop(name("boss")));
    world.send("t1 user>boss");
    assert_eq!(state(&world, "boss"), "stopped", "a person wanted it down");
    let mut world = World::new(with(Restart::Never));
    world.exit("boss", "exit 0");
    world.send("t1 user>boss");
    assert_eq!(state(&world, "boss"), "stopped", "it is never started again");
    let mut world = World::new(with(Restart::OnFailure));
    world.exit("boss", "exit 0");
    world.step(Input::Team(Box::new(with(Restart::Never))));
    world.send("t1 user>boss");
    assert_eq!(state(&world, "boss"), "stopped", "it is never started again since the team file changed");
    let waits = world.engine.waits_for(&id("t1")).expect("what it waits for");
    assert!(waits.contains("tasuki agent start boss"), "{waits}");
}

#[test]
fn who_ends_well_without_doing_anything_is_not_started_for_ever() {
    let mut world = World::new(with(Restart::OnFailure));
    world.send("t1 user>boss");
    let mut starts = 0;
    while world.exit("boss", "exit 0").contains("again") && state(&world, "boss") == "starting" {
        starts += 1;
        assert!(starts <= 5, "as often as after failures");
        world.pass(60_000);
        world.start("boss");
    }
    assert_eq!((starts, state(&world, "boss")), (5, "error"));
}
