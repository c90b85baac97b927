//! Who is free, by the word of its worker, is given what comes in the very step that accepts it; each word is good for one turn.

use super::world::World;
use crate::engine::make::{id, name, team, token};
use expect_test::expect;
use tasuki::engine::input::{Guard, Input, Report};
use tasuki::engine::life::interrupted::Interrupted;
use tasuki::engine::team::need::NeedKind;
use tasuki::engine::words::Digest;

#[test]
fn who_is_free_gets_its_turn_in_the_step_that_accepts_it() {
    let mut world = World::free(team());
    let mut text = world.send("t1 user>boss\nt2 user>boss high");
    text += &world.delivered("boss");
    text += &world.claim("boss");
    text += &world.ready("boss");
    expect![[r#"
        accepted t1 task user>boss
        accepted t2 task user>boss
        t2 intent #1 task k00003 by boss
        > answer accepted [t1, t2]
        > ring boss t2 #1 task k00003
        t2 submit due +60000 ms (read)
        t2 take due +60000 ms (read)
        t2 claim (marker)
        t2 verify (marker)
        t2 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t2
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_word_that_came_before_a_turn_or_in_it_is_not_good_for_the_next() {
    let mut world = World::free(team());
    world.send("t1 user>boss");
    for step in ["intent", "submitted", "working"] {
        assert_eq!(world.stage("t1"), step);
        world.ready("boss"); // it was on its way when the turn was given
        match step {
            "intent" => drop(world.submitted("boss")),
            "submitted" => drop(world.report("boss", Report::Taken { id: id("t1"), turn: 1 })),
            _ => {}
        }
    }
    world.claim("boss");
    let text = world.send("t2 user>boss");
    assert!(text.contains("> seek boss") && !text.contains("> ring"), "{text}");
    assert!(world.ready("boss").contains("> ring boss t2"));
    // Called off at once: the word is used up all the same.
    world.cancel("t2");
    world.report("boss", Report::Interrupted { id: id("t2"), how: Interrupted::NotGiven });
    assert!(world.send("t3 user>boss").contains("> seek boss"));
}

#[test]
fn what_speaks_against_it_takes_the_word_back() {
    let need =
        || Report::Needs { kind: NeedKind::Input, why: "?".into(), asks: None, until: None, hidden: false };
    for (what, report) in [
        ("print", Report::Unready),
        ("guard", Report::NotReady { guard: Guard::CopyMode }),
        ("busy", Report::Busy { is: true }),
        ("need", need()),
    ] {
        let mut world = World::free(team());
        world.report("boss", report);
        if what == "need" {
            assert!(!world.send("t1 user>boss").contains("boss t1"), "nothing is asked of one that asks");
            assert!(world.report("boss", Report::NeedsNothing).contains("> seek boss"));
        } else {
            let text = world.send("t1 user>boss");
            assert!(text.contains("> seek boss") && !text.contains("> ring"), "{what}: {text}");
        }
    }
}

#[test]
fn a_turn_that_was_withdrawn_goes_when_its_agent_is_free_again_and_counts_as_no_try() {
    let mut world = World::free(team());
    world.send("t1 user>boss");
    for _ in 0..20 {
        let text = world.withdrawn("boss");
        assert!(text.contains("> seek boss") && !text.contains("> ring"), "{text}");
        assert_eq!((world.stage("t1"), world.attempts("t1")), ("retrying", 0));
        let text = world.report("boss", Report::NotReady { guard: Guard::PersonTyping });
        assert_eq!(text, "", "nothing is asked twice");
        let seen = world.engine.agent(&name("boss")).and_then(|seen| seen.why);
        assert_eq!(seen.as_deref(), Some(Guard::PersonTyping.words()));
        assert!(world.ready("boss").contains("> ring boss t1 #1"));
    }
    world.delivered("boss");
    assert_eq!((world.stage("t1"), world.attempts("t1")), ("working", 1));
}

#[test]
fn a_new_launch_and_a_new_connection_begin_without_a_word() {
    let everybody = ["boss", "ann", "bob", "eve"];
    for what in ["crash", "cut", "restart", "settings"] {
        let mut world = World::free(team());
        match what {
            "crash" => drop(world.crash(&everybody)),
            "cut" => {
                world.step(Input::TmuxCut);
                let found = everybody.map(|agent| world.pane(agent)).to_vec();
                world.step(Input::TmuxBack(found));
            }
            "restart" => {
                world.exit("boss", "exit 1");
                world.pass(5_000);
                world.start("boss");
            }
            _ => {
                let mut team = team();
                team.members.get_mut(&name("boss")).expect("a member").launch = Digest(9);
                world.step(Input::Team(Box::new(team)));
                world.start("boss");
            }
        }
        let text = world.send("t1 user>boss");
        assert!(!text.contains("> ring"), "{what}: {text}");
        assert!(world.ready("boss").contains("> ring boss t1"), "{what}");
    }
}

#[test]
fn while_all_is_stopped_nothing_is_given_and_the_word_stays() {
    let mut world = World::free(team());
    world.step(Input::Halt(true, None));
    let text = world.send("t1 user>boss");
    assert!(!text.contains("> ring") && !text.contains("> seek"), "it is only accepted: {text}");
    assert!(world.step(Input::Halt(false, None)).contains("> ring boss t1"));
}

#[test]
fn a_token_that_is_in_use_is_given_to_nobody_else() {
    let mut world = World::new(team());
    world.report("boss", Report::Ready { fresh: token(77) });
    world.report("ann", Report::Ready { fresh: token(77) });
    assert!(world.send("t1 user>boss").contains("k00077"));
    let text = world.send("t2 user>ann");
    assert!(text.contains("> seek ann") && !text.contains("> ring"), "{text}");
}

#[test]
fn the_free_members_of_a_pool_share_what_comes_at_once() {
    let mut world = World::free(team());
    let text = world.send("t1 user>crew\nt2 user>crew\nt3 user>crew");
    assert!(text.contains("> ring ann t1") && text.contains("> ring bob t2"), "{text}");
    assert_eq!(world.stage("t3"), "queued");
}

#[test]
fn whoever_has_had_as_many_turns_as_it_may_makes_room_for_the_next_in_the_same_step() {
    let mut team = team();
    team.limits.turns_max = 1;
    let mut world = World::new(team);
    world.send("t1 user>boss");
    world.give("boss");
    world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    world.send("t2 user>boss");
    let text = world.ready("boss");
    assert!(text.contains("t1 failed") && text.contains("> ring boss t2"), "{text}");
}
