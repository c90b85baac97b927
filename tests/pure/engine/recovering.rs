//! The daemon comes back: what the journal says, and what tmux shows.

use crate::engine::make::{id, name, team};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::input::{Command, FoundPane, Input};
use tasuki::engine::life::Stage;
use tasuki::engine::message::Outcome;
use tasuki::engine::words::{Digest, Nonce};

/// What tmux shows of `boss`.
#[derive(Debug, Clone, Copy)]
enum Pane {
    Alive,
    OtherProcess,
    Dead,
    OlderLaunch,
    Gone,
}

/// In which state `boss` was when the daemon ended.
fn world(phase: &str) -> World {
    let mut world = World::new(team());
    match phase {
        "launching" => drop(world.ask(Command::Restart(name("boss")))),
        "restarting" => drop(world.exit("boss", "exit 1")),
        "stopped" => drop(world.ask(Command::Stop(name("boss")))),
        "failed" => {
            for _ in 0..6 {
                world.exit("boss", "exit 1");
                world.pass(60_000);
                world.start("boss");
            }
        }
        "absent" => drop(world.step(Input::TmuxLost { why: "killed".to_owned() })),
        _ => {}
    }
    world
}

fn found(world: &World, pane: Pane) -> Vec<FoundPane> {
    let boss = world.pane("boss");
    let older = FoundPane { nonce: Nonce(7), ..boss.clone() };
    let other = boss.process.map(|process| tasuki::engine::words::ProcessKey { pid: 1, ..process });
    match pane {
        Pane::Alive => vec![boss],
        Pane::OtherProcess => vec![FoundPane { process: other, ..boss }],
        Pane::Dead => vec![FoundPane { process: None, ..boss }],
        Pane::OlderLaunch => vec![older],
        Pane::Gone => Vec::new(),
    }
}

#[test]
fn each_agent_is_compared_with_its_pane() {
    let mut text = String::new();
    for phase in ["up", "launching", "restarting", "stopped", "failed", "absent"] {
        for pane in [Pane::Alive, Pane::OtherProcess, Pane::Dead, Pane::OlderLaunch, Pane::Gone] {
            let mut world = world(phase);
            let found = found(&world, pane);
            world.reload();
            let did = world.recover(&found);
            let lines = did.lines().filter(|line| line.contains("boss")).collect::<Vec<_>>();
            text += &format!("{phase}, {pane:?}: {}\n", lines.join("; "));
        }
    }
    expect![[r#"
        up, Alive: boss is adopted
        up, OtherProcess: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > see off boss; > launch boss; > close boss
        up, Dead: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > see off boss; > launch boss; > close boss
        up, OlderLaunch: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > see off boss; > launch boss; > close boss
        up, Gone: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > see off boss; > launch boss
        launching, Alive: boss is up in %2; > seek boss
        launching, OtherProcess: boss is up in %2; > seek boss
        launching, Dead: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > launch boss; > close boss
        launching, OlderLaunch: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > launch boss; > close boss
        launching, Gone: boss is lost (it ended with the last daemon, or while none was running); boss is launching; > launch boss
        restarting, Alive: > close boss
        restarting, OtherProcess: > close boss
        restarting, Dead: > close boss
        restarting, OlderLaunch: > close boss
        restarting, Gone: 
        stopped, Alive: > close boss
        stopped, OtherProcess: > close boss
        stopped, Dead: > close boss
        stopped, OlderLaunch: > close boss
        stopped, Gone: 
        failed, Alive: > close boss
        failed, OtherProcess: > close boss
        failed, Dead: > close boss
        failed, OlderLaunch: > close boss
        failed, Gone: 
        absent, Alive: boss is launching; > launch boss; > close boss
        absent, OtherProcess: boss is launching; > launch boss; > close boss
        absent, Dead: boss is launching; > launch boss; > close boss
        absent, OlderLaunch: boss is launching; > launch boss; > close boss
        absent, Gone: boss is launching; > launch boss
    "#]].assert_eq(&text);
}

#[test]
fn each_agent_is_compared_with_its_pane_when_only_the_connection_was_lost() {
    let mut text = String::new();
    for phase in ["up", "launching", "restarting", "stopped", "failed", "absent"] {
        for pane in [Pane::Alive, Pane::OtherProcess, Pane::Dead, Pane::OlderLaunch, Pane::Gone] {
            let mut world = world(phase);
            let found = found(&world, pane);
            assert_eq!(world.step(Input::TmuxCut), "");
            let did = world.step(Input::TmuxBack(found));
            let lines = did.lines().filter(|line| line.contains("boss")).collect::<Vec<_>>();
            text += &format!("{phase}, {pane:?}: {}\n", lines.join("; "));
        }
    }
    expect![[r#"
        up, Alive: boss is adopted
        up, OtherProcess: boss is lost (it was gone when the connection to tmux came back); boss is launching; > see off boss; > launch boss; > close boss
        up, Dead: boss is lost (it was gone when the connection to tmux came back); boss is launching; > see off boss; > launch boss; > close boss
        up, OlderLaunch: boss is lost (it was gone when the connection to tmux came back); boss is launching; > see off boss; > launch boss; > close boss
        up, Gone: boss is lost (it was gone when the connection to tmux came back); boss is launching; > see off boss; > launch boss
        launching, Alive: boss is up in %2; > seek boss
        launching, OtherProcess: boss is up in %2; > seek boss
        launching, Dead: boss is lost (it was gone when the connection to tmux came back); boss is launching; > launch boss; > close boss
        launching, OlderLaunch: boss is lost (it was gone when the connection to tmux came back); boss is launching; > launch boss; > close boss
        launching, Gone: boss is lost (it was gone when the connection to tmux came back); boss is launching; > launch boss
        restarting, Alive: > close boss
        restarting, OtherProcess: > close boss
        restarting, Dead: > close boss
        restarting, OlderLaunch: > close boss
        restarting, Gone: 
        stopped, Alive: > close boss
        stopped, OtherProcess: > close boss
        stopped, Dead: > close boss
        stopped, OlderLaunch: > close boss
        stopped, Gone: 
        failed, Alive: > close boss
        failed, OtherProcess: > close boss
        failed, Dead: > close boss
        failed, OlderLaunch: > close boss
        failed, Gone: 
        absent, Alive: boss is launching; > launch boss; > close boss
        absent, OtherProcess: boss is launching; > launch boss; > close boss
        absent, Dead: boss is launching; > launch boss; > close boss
        absent, OlderLaunch: boss is launching; > launch boss; > close boss
        absent, Gone: boss is launching; > launch boss
    "#]].assert_eq(&text);
}

#[test]
fn a_turn_goes_on_when_only_the_connection_to_tmux_was_lost() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>ann\nt3 user>bob");
    world.give("boss");
    world.ready("ann");
    let panes: Vec<FoundPane> = world.names().iter().map(|name| world.pane(name)).collect();
    let mut text = world.step(Input::TmuxCut);
    text += "-- nothing is asked of a pane meanwhile\n";
    text += &world.send("t4 user>eve");
    text += "-- it is back\n";
    text += &world.step(Input::TmuxBack(panes));
    text += &world.claim("boss");
    expect![[r#"
        -- nothing is asked of a pane meanwhile
        accepted t4 task user>eve
        > answer accepted [t4]
        -- it is back
        ann is adopted
        t2 doubt (the connection to tmux ended between the intent and the receipt)
        bob is adopted
        boss is adopted
        eve is adopted
        > await boss t1 #1 task k00005
        > settle ann t2 #1 task k00006
        > seek bob
        > seek eve
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_was_closed_while_the_connection_was_lost_is_closed_then() {
    let mut world = World::new(team());
    let panes: Vec<FoundPane> = world.names().iter().map(|name| world.pane(name)).collect();
    world.step(Input::TmuxCut);
    world.ask(Command::Restart(name("boss")));
    world.ask_stop("ann");
    let text = world.step(Input::TmuxBack(panes));
    expect![[r#"
        bob is adopted
        boss is launching
        eve is adopted
        > close ann
        > launch boss
        > close boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn panes_of_strangers_are_closed() {
    let mut world = World::new(team());
    let stranger = FoundPane { agent: name("stranger"), ..world.pane("boss") };
    world.reload();
    let text = world.recover(&[stranger]);
    assert!(text.contains("> close stranger"), "{text}");
}

#[test]
fn a_turn_that_became_overdue_while_nobody_looked_is_looked_at_first() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>ann");
    world.give("boss");
    world.give("ann");
    world.now = world.now.plus(3_600_000);
    world.crash(&["boss", "ann", "bob", "eve"]);
    assert_eq!(world.pass(9_999), "");
    let text = world.claim("boss") + &world.pass(1);
    expect![[r#"
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
        t2 failed, error m2 from tasuki: timed out: ann has not answered within 60 s
        > interrupt ann t2 #1
        > show finished t2
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_turn_has_the_time_that_it_had_left_however_often_the_daemon_starts_anew() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    for _ in 0..3 {
        world.pass(10_000);
        world.crash(&["boss", "ann", "bob", "eve"]);
    }
    let early = world.pass(29_999);
    assert!(early.is_empty(), "{early}");
    assert!(world.pass(1).contains("t1 failed, error m1 from tasuki: timed out"), "a minute has passed");
}

#[test]
fn what_a_clock_that_was_a_year_ahead_put_off_does_not_wait_for_a_year() {
    let mut world = World::new(team());
    let right = world.now;
    world.now = right.plus(365 * 24 * 3_600_000);
    for _ in 0..5 {
        world.exit("eve", "exit 1");
        world.pass(60_000);
        world.start("eve");
    }
    // For a retry, for an answer, to be started.
    world.send("t1 user>boss\nt2 user>ann\nt3 user>bob\nt4 user>eve");
    world.ready("boss");
    world.undelivered("boss");
    world.give("ann");
    world.exit("bob", "exit 1");
    world.now = right.plus(500);
    let mut text = world.crash(&["boss", "ann", "bob", "eve"]);
    text += "-- and once more, which changes nothing\n";
    text += &world.crash(&["boss", "ann", "bob", "eve"]);
    text += "-- time passes\n";
    text += &world.pass(1_000);
    text += &world.ready("boss");
    text += &world.pass(60_000);
    text += "-- restarts of that year are not counted any more\n";
    text += &world.exit("eve", "exit 1");
    expect![[r#"
        t1 retry +1000 ms (it was delayed by a clock that was ahead)
        ann is adopted
        bob is launching
        boss is adopted
        eve is adopted
        > await ann t2 #1 task k00006
        > close bob
        > launch bob
        > seek eve
        -- and once more, which changes nothing
        ann is adopted
        bob is up in %1
        boss is adopted
        eve is adopted
        > await ann t2 #1 task k00006
        > seek bob
        > seek eve
        -- time passes
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        t2 failed, error m1 from tasuki: timed out: ann has not answered within 60 s
        > interrupt ann t2 #1
        > show finished t2
        -- restarts of that year are not counted any more
        eve is down, again +1000 ms (exit 1)
        > close eve
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_an_agent_has_begun_does_not_wait_for_a_year_either() {
    let mut world = World::new(team());
    let right = world.now;
    world.now = right.plus(365 * 24 * 3_600_000);
    world.send("t1 user>boss");
    world.give("boss");
    world.exit("boss", "exit 1");
    world.pass(1_000);
    world.start("boss");
    world.now = right.plus(500);
    let text = world.crash(&["boss"]) + "-- time passes\n" + &world.pass(1_000) + &world.ready("boss");
    expect![[r#"
        t1 retry +1000 ms (it was delayed by a clock that was ahead)
        ann is lost (it ended with the last daemon, or while none was running)
        ann is launching
        bob is lost (it ended with the last daemon, or while none was running)
        bob is launching
        boss is adopted
        eve is lost (it ended with the last daemon, or while none was running)
        eve is launching
        > see off ann
        > launch ann
        > see off bob
        > launch bob
        > see off eve
        > launch eve
        -- time passes
        > seek boss
        t1 intent #1 task k00005 redelivered by boss
        > ring boss t1 #1 task k00005 redelivered
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_expired_while_nobody_looked_is_not_typed() {
    let mut world = World::new(team());
    world.send("t1 user>boss deadline=5000\nt2 user>boss");
    world.now = world.now.plus(5_000);
    let text = world.crash(&["boss", "ann", "bob", "eve"]) + &world.ready("boss");
    expect![[r#"
        ann is adopted
        bob is adopted
        boss is adopted
        eve is adopted
        t1 failed, error m1 from tasuki: its deadline passed while it was queued
        > show finished t1
        > seek boss
        t2 intent #1 task k00005 by boss
        > ring boss t2 #1 task k00005
    "#]]
    .assert_eq(&text);
}

#[test]
fn nobody_lets_a_turn_go_on_whose_pane_is_being_looked_at() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.ready("boss");
    world.crash(&["boss", "ann", "bob", "eve"]);
    // What is found then would be taken for news of the new try: its agent would be typed to in the midst of it.
    let mut text = world.retry("t1");
    text += &world.undelivered("boss");
    text += &world.ready("boss");
    text += &world.pass(1_000);
    text += &world.ready("boss");
    expect![[r#"
        > answer refused wrong-stage in 0: it is being checked whether t1 was typed; it goes on by itself in a moment
        t1 retry +1000 ms redelivered (no echo)
        t1 intent #1 task k00005 redelivered by boss
        > ring boss t1 #1 task k00005 redelivered
    "#]].assert_eq(&text);
}

#[test]
fn a_turn_in_doubt_is_settled_by_evidence() {
    let settled = |words: &str, settle: &dyn Fn(&mut World) -> String| {
        let mut world = World::new(team());
        world.send(&format!("t1 user>boss {words}"));
        world.ready("boss");
        world.crash(&["boss", "ann", "bob", "eve"]);
        settle(&mut world) + &format!("   {}, try {}\n", world.stage("t1"), world.attempts("t1"))
    };
    let mut text = String::new();
    for words in ["", "hold", "info"] {
        text += &format!("## {words}\n");
        text += &settled(words, &|world| world.delivered("boss"));
        text += &settled(words, &|world| world.submitted("boss"));
        text += &settled(words, &|world| world.unconfirmed("boss"));
        text += &settled(words, &|world| world.undelivered("boss"));
        text += &settled(words, &|world| world.withdrawn("boss"));
    }
    expect![[r#"
        ## 
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
           working, try 1
        t1 submit due +60000 ms (enter_only)
           submitted, try 1
        t1 retry +1000 ms redelivered (no receipt)
           retrying, try 1
        t1 retry +1000 ms redelivered (no echo)
           retrying, try 1
        t1 withdraw (a person types)
        > seek boss
           retrying, try 0
        ## hold
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
           working, try 1
        t1 submit due +60000 ms (enter_only)
           submitted, try 1
        t1 hold (no receipt; on_doubt is hold: `tasuki retry t1` or `tasuki cancel t1`)
           held, try 1
        t1 hold (no echo; on_doubt is hold: `tasuki retry t1` or `tasuki cancel t1`)
           held, try 1
        t1 withdraw (a person types)
        > seek boss
           retrying, try 0
        ## info
        t1 submit (read)
        t1 completed
        > show finished t1
           completed, try 1
        t1 submit (enter_only)
        t1 completed
        > show finished t1
           completed, try 1
        t1 retry +1000 ms redelivered (no receipt)
           retrying, try 1
        t1 retry +1000 ms redelivered (no echo)
           retrying, try 1
        t1 withdraw (a person types)
        > seek boss
           retrying, try 0
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_team_that_changed_while_nobody_looked_is_put_right() {
    let mut world = World::new(team());
    world.send("a user>crew\nb user>eve\nc user>boss\nd user>bob");
    world.give("ann");
    world.give("bob");
    let found: Vec<FoundPane> = world.names().iter().map(|own| world.pane(own)).collect();
    let mut smaller = team();
    for own in ["ann", "eve"] {
        smaller.members.remove(&name(own));
        smaller.pools.values_mut().for_each(|members| members.retain(|member| *member != name(own)));
    }
    for member in smaller.members.values_mut() {
        member.launch = Digest(1);
    }
    world.change_while_away(smaller);
    expect![[r#"
        a return +1000 ms (ann ended while the message was working: it is no longer in the team file)
        ann is removed
        eve is removed
        bob is adopted
        boss is adopted
        b failed, error m1 from tasuki: eve is no longer in the team file
        boss is down as wanted (its settings changed)
        boss is launching
        > close ann
        > close eve
        > await bob d #1 task k00006
        > show finished b
        > close boss
        > launch boss
    "#]]
    .assert_eq(&world.recover(&found));
}

#[test]
fn a_segment_may_turn_at_any_time() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss after=t1\nt3 user>crew hold\nt4 user>eve deadline=9000");
    let steps: [&dyn Fn(&mut World) -> String; 9] = [
        &|world| world.ready("boss"),
        &|world| world.delivered("boss"),
        &|world| world.send("p boss>ann token=k00005"),
        &|world| world.claim("boss"),
        &|world| world.ready("bob") + &world.unconfirmed("bob"),
        &|world| world.exit("eve", "exit 1"),
        &|world| world.step(Input::Halt(true, None)),
        &|world| world.step(Input::Halt(false, None)) + &world.give("ann"),
        &|world| world.claim("ann") + &world.ready("boss"),
    ];
    for step in steps {
        step(&mut world);
        world.turn_segment();
        world.reload();
        let found: Vec<FoundPane> = world.names().iter().map(|own| world.pane(own)).collect();
        world.recover(&found);
    }
    assert!(matches!(world.engine.state().open[&id("t1")].stage, Stage::InDoubt(turn) if turn.number == 2));
    world.claim_of("boss", &id("t1"), 2);
    assert_eq!(world.engine.stage(&id("t1")).map(Stage::status), Some(Outcome::Completed.status()));
    assert!(world.ready("boss").contains("ring boss t2"));
}
