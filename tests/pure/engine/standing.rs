//! Whether anything can still happen by itself, and what is said if nothing can.

use crate::engine::make::{id, team};
use crate::engine::world::World;
use expect_test::expect;
use std::fmt::Write as _;
use tasuki::engine::input::{Command, Input, Report};

#[test]
fn what_waits_for_a_person_or_for_who_was_stopped_is_said_once_nothing_else_moves() {
    let mut text = String::new();
    let mut world = World::new(team());
    let mut say = |world: &World, when: &str| {
        writeln!(text, "{when}: {}", world.engine.stalled().unwrap_or_default()).expect("a line");
    };
    say(&world, "nothing is open");
    world.send("t1 user>boss hold\nt2 user>boss");
    say(&world, "about to be typed");
    world.give("boss");
    say(&world, "at work");
    world.ask_stop("ann");
    world.send("a boss>ann token=k00005\nb boss>ann token=k00005 after=a");
    world.claim("boss");
    say(&world, "whoever has the part was stopped");
    world.send("c user>bob");
    say(&world, "somebody else has something to do");
    world.give("bob");
    world.claim("bob");
    world.step(Input::Halt(true, None));
    say(&world, "STOP is said elsewhere");
    world.step(Input::Halt(false, None));
    world.ask(Command::Start(None));
    say(&world, "it is started again");
    world.start("ann");
    world.give("ann");
    world.claim("ann");
    say(&world, "an answer is to be read, and the next part to be typed");
    world.cancel("b");
    world.exit("boss", "exit 1");
    say(&world, "its agent is started again");
    world.pass(1_000);
    world.start("boss");
    say(&world, "the other task may begin");
    world.cancel("t1");
    world.give("boss");
    world.report("boss", Report::TurnOver { id: id("t2"), turn: 1, asks: false });
    say(&world, "to be reminded");
    world.give("boss");
    world.report("boss", Report::TurnOver { id: id("t2"), turn: 2, asks: false });
    say(&world, "silent");
    world.cancel("t2");
    say(&world, "nothing is left");
    world.send("t3 user>boss hold");
    world.give("boss");
    world.exit("boss", "exit 1");
    world.pass(2_000);
    world.start("boss");
    say(&world, "held");
    expect![[r#"
        nothing is open: 
        about to be typed: 
        at work: 
        whoever has the part was stopped: nothing moves: t1 waits for a, which waits for ann: `tasuki agent start ann` starts it
        somebody else has something to do: 
        STOP is said elsewhere: 
        it is started again: 
        an answer is to be read, and the next part to be typed: 
        its agent is started again: 
        the other task may begin: 
        to be reminded: 
        silent: nothing moves: t2 waits for its agent or a person (its turn ended without a claim: `tasuki answer boss done` takes what it said as the answer; look first with `tasuki attach boss`)
        nothing is left: 
        held: nothing moves: t3: boss ended while the message was working: exit 1; on_doubt is hold: `tasuki retry t3` or `tasuki cancel t3`
    "#]].assert_eq(&text);
}

#[test]
fn of_a_long_chain_both_ends_are_named() {
    let mut world = World::new(team());
    world.ask_stop("boss");
    let mut lines = "t9 user>boss".to_owned();
    for number in (0..9).rev() {
        write!(lines, "\nt{number} user>boss after=t{}", number + 1).expect("a line");
    }
    world.send(&lines);
    expect!["nothing moves: t0 waits for t1, which waits for t2, which waits for others, which waits for t7, which waits for t8, which waits for t9, which waits for boss: `tasuki agent start boss` starts it"].assert_eq(&world.engine.stalled().unwrap_or_default());
}
