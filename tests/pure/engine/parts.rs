//! A task with parts: what an agent asks of others inside its turn, and when it may close.

use crate::engine::make::{id, name, team};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::input::{Command, Report};
use tasuki::engine::message::Outcome;

/// `boss` works on `t1`; its token is `k00005`.
fn world() -> World {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world
}

#[test]
fn a_task_waits_for_its_parts_reads_their_answers_and_closes() {
    let mut world = world();
    let mut text = world.send("a boss>ann token=k00005\nb boss>bob token=k00005");
    text += "-- its turn is over\n";
    text += &world.claim("boss");
    world.give("ann");
    text += "-- the first answer\n";
    text += &world.claim("ann");
    text += &world.give("boss");
    world.give("bob");
    text += "-- the second answer, while it reads the first\n";
    text += &world.claim("bob");
    text += &world.claim("boss");
    text += &world.give("boss");
    text += "-- all is read\n";
    text += &world.claim("boss");
    expect![[r#"
        accepted a task boss>ann part of t1 hops 1 verified
        accepted b task boss>bob part of t1 hops 1 verified
        > answer accepted [a, b]
        > seek ann
        > seek bob
        -- its turn is over
        t1 rest (its turn is over; 2 parts are open)
        > unwatch boss
        -- the first answer
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        > unwatch ann
        > show finished a
        > seek boss
        t1 intent #2 answers k00007 by boss
        > ring boss t1 #2 answers k00007
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        -- the second answer, while it reads the first
        b claim (marker)
        b verify (marker)
        b completed, result m2 from bob by marker: done by bob
        > unwatch bob
        > show finished b
        t1 rest (its turn is over; there are answers to read)
        > unwatch boss
        > seek boss
        t1 intent #3 answers k00009 by boss
        > ring boss t1 #3 answers k00009
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        -- all is read
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m3 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_waiting_agent_is_given_nothing_else() {
    let mut world = world();
    world.send("a boss>ann token=k00005\nh user>boss high");
    let mut text = world.claim("boss");
    text += &world.ready("boss");
    world.give("ann");
    text += &world.claim("ann");
    text += &world.ready("boss");
    text += "-- not even while the next turn waits for its next try\n";
    text += &world.undelivered("boss");
    text += &world.ready("boss");
    text += &world.pass(1_000);
    text += &world.ready("boss");
    expect![[r#"
        t1 rest (its turn is over; 1 part is open)
        > unwatch boss
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        t1 intent #2 answers k00006 by boss
        > unwatch ann
        > show finished a
        > ring boss t1 #2 answers k00006
        -- not even while the next turn waits for its next try
        t1 retry +1000 ms (no echo)
        t1 intent #2 answers k00006 by boss
        > ring boss t1 #2 answers k00006
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_older_token_closes_nothing() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    world.claim("boss");
    world.give("ann");
    world.claim("ann");
    world.give("boss");
    let mut text = world.reply(5, "old");
    text += &world.send("r1 boss>user result re=t1 token=k00005: old");
    text += &world.claim_of("boss", &id("t1"), 1);
    text += "-- though it still says who speaks\n";
    text += &world.send("b boss>ann token=k00005");
    expect![[r#"
        > answer refused not-yours at token in 0: k00005 is the token of an older turn of t1
        refused not-yours from boss: only the token of the newest turn closes t1
        > answer refused not-yours at token in 0: only the token of the newest turn closes t1
        -- though it still says who speaks
        accepted b task boss>ann part of t1 hops 1 verified
        > answer accepted [b]
        > seek ann
    "#]]
    .assert_eq(&text);
}

#[test]
fn parts_of_a_task_that_was_cancelled_are_cancelled_and_nobody_is_typed_to() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    world.give("ann");
    world.send("b ann>eve token=k00006");
    world.give("eve");
    expect![[r#"
        t1 cancelled, error m1 from tasuki: cancelled by user
        a cancelled, error m2 from tasuki: t1, of which it was a part, was cancelled
        b cancelled, error m3 from tasuki: a, of which it was a part, was cancelled
        > interrupt boss t1 #1
        > show finished t1
        > interrupt ann a #1
        > show finished a
        > interrupt eve b #1
        > show finished b
    "#]]
    .assert_eq(&world.cancel("t1"));
}

#[test]
fn parts_of_a_task_that_has_failed_are_cancelled_and_their_late_answers_close_nothing() {
    let mut world = World::new(team());
    world.send("t1 user>boss timeout=5");
    world.give("boss");
    world.send("a boss>ann token=k00005");
    world.give("ann");
    world.send("b ann>eve token=k00006");
    let mut text = world.pass(5);
    text += "-- late\n";
    text += &world.claim("ann");
    expect![[r#"
        t1 failed, error m1 from tasuki: timed out: boss has not answered within 1 s
        a cancelled, error m2 from tasuki: t1, of which it was a part, failed
        b cancelled, error m3 from tasuki: a, of which it was a part, was cancelled
        > interrupt boss t1 #1
        > show finished t1
        > interrupt ann a #1
        > show finished a
        > show finished b
        -- late
    "#]]
    .assert_eq(&text);
}

#[test]
fn parts_of_a_task_that_its_agent_gives_up_are_cancelled() {
    let mut world = world();
    world.send("a boss>ann token=k00005\nb boss>bob token=k00005");
    world.give("ann");
    expect![[r#"
        accepted r error boss>user re t1 verified
        t1 claim (reply)
        t1 verify (reply)
        t1 failed, error r from boss by reply: cannot
        a cancelled, error m1 from tasuki: t1, of which it was a part, failed
        b cancelled, error m2 from tasuki: t1, of which it was a part, failed
        r completed
        > unwatch boss
        > show finished t1
        > interrupt ann a #1
        > show finished a
        > show finished b
        > show finished r
        > answer accepted [r]
    "#]]
    .assert_eq(&world.send("r boss>user error re=t1 token=k00005: cannot"));
}

#[test]
fn a_cancelled_part_is_an_answer_too() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    world.claim("boss");
    let text = world.cancel("a") + &world.ready("boss");
    expect![[r#"
        a cancelled, error m1 from tasuki: cancelled by user
        > show finished a
        > answer a: a is cancelled
        > seek boss
        t1 intent #2 answers k00006 by boss
        > ring boss t1 #2 answers k00006
    "#]]
    .assert_eq(&text);
}

#[test]
fn who_asked_for_parts_is_told_how_each_of_them_ended() {
    let mut world = world();
    world.send("a boss>ann token=k00005\nb boss>bob token=k00005\nc boss>ann token=k00005");
    world.claim("boss");
    world.give("ann");
    world.claim("ann");
    world.give("bob");
    let token = world.engine.state().agents[&name("bob")].current.as_ref().and_then(|id| {
        let open = &world.engine.state().open[id];
        open.tokens.last().copied()
    });
    world.send(&format!("e bob>boss error re=b token={}", token.expect("its token")));
    world.cancel("c");
    let told = &world.engine.state().open[&id("t1")].answers;
    let told: Vec<_> =
        told.iter().map(|told| (told.child.as_str(), told.from.as_str(), told.outcome)).collect();
    let wanted = [
        ("a", "ann", Outcome::Completed),
        ("b", "bob", Outcome::Failed),
        ("c", "tasuki", Outcome::Cancelled),
    ];
    assert_eq!(told, wanted);
}

#[test]
fn an_agent_that_dies_while_it_waits_reads_all_answers_when_it_is_back() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    world.claim("boss");
    let mut text = world.exit("boss", "exit 1");
    world.give("ann");
    text += &world.claim("ann");
    text += &world.pass(1_000);
    text += &world.start("boss");
    text += &world.give("boss");
    text += &world.claim("boss");
    expect![[r#"
        t1 retry +1000 ms redelivered (boss ended while the message was waiting: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        > unwatch ann
        > show finished a
        boss is launching
        > launch boss
        boss is up in %2
        > seek boss
        t1 intent #1 task k00005 redelivered by boss
        > ring boss t1 #1 task k00005 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 rest (its turn is over; there are answers to read)
        > unwatch boss
        > seek boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_held_task_with_parts_may_rest() {
    let mut world = World::new(team());
    world.send("t1 user>boss hold");
    world.give("boss");
    world.send("a boss>ann token=k00005");
    world.exit("boss", "exit 1");
    assert_eq!(world.stage("t1"), "held");
    let mut text = world.reply(5, "my turn is over");
    text += "-- and when its agent is back\n";
    world.pass(1_000);
    world.start("boss");
    text += &world.reply(5, "my turn is over");
    expect![[r#"
        t1 said in turn 0: my turn is over
        > answer t1: t1 waits for its parts; what you gave is its answer if you give no other when you are told theirs
        -- and when its agent is back
        t1 rest (its turn is over; 1 part is open)
        > answer t1: t1 waits for its parts; what you gave is its answer if you give no other when you are told theirs
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_silent_agent_is_reminded_once_and_then_a_person_is_needed() {
    let mut world = world();
    let over =
        |world: &mut World, turn| world.report("boss", Report::TurnOver { id: id("t1"), turn, asks: false });
    let state = |world: &World| {
        let seen = world.engine.agent(&name("boss")).expect("a member");
        format!("{}: {}\n", seen.state, seen.why.unwrap_or_default())
    };
    let mut text = over(&mut world, 1) + &state(&world);
    text += &world.give("boss");
    text += &over(&mut world, 2);
    text += &state(&world);
    text += &world.ready("boss");
    assert_eq!(world.pass(59_999), "", "a person may help it, as long as it has time");
    text += "-- its claim still counts, even after the daemon was away\n";
    text += &world.crash(&["ann", "bob", "boss", "eve"]);
    text += &world.claim("boss");
    expect![[r#"
        t1 rest due +60000 ms (its turn ended without a claim; its agent is reminded)
        > seek boss
        waiting: 
        t1 intent #2 reminder k00006 by boss
        > ring boss t1 #2 reminder k00006
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 rest due +60000 ms (its turn ended without a claim: `tasuki answer boss done` takes what it said as the answer; look first with `tasuki attach boss`)
        waiting_input: its turn ended without a claim: `tasuki answer boss done` takes what it said as the answer; look first with `tasuki attach boss`
        -- its claim still counts, even after the daemon was away
        ann is adopted
        bob is adopted
        boss is adopted
        eve is adopted
        > await boss t1 #2 reminder k00006
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_silent_agent_has_no_more_time_than_another_one() {
    let mut world = world();
    world.pass(50_000);
    let mut text = world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    text += "-- nobody lets it be reminded\n";
    text += &world.pass(9_999);
    text += &world.pass(1);
    expect![[r#"
        t1 rest due +10000 ms (its turn ended without a claim; its agent is reminded)
        > seek boss
        -- nobody lets it be reminded
        t1 failed, error m1 from tasuki: timed out: boss has not answered within 60 s
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_silent_agent_with_parts_just_waits() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    let mut text = world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    world.give("ann");
    text += &world.claim("ann");
    text += &world.ready("boss");
    expect![[r#"
        t1 rest (its turn ended without a claim; it waits for answers)
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        > unwatch ann
        > show finished a
        > seek boss
        t1 intent #2 answers k00007 by boss
        > ring boss t1 #2 answers k00007
    "#]]
    .assert_eq(&text);
}

#[test]
fn answers_that_came_while_its_agent_was_dead_are_read_before_the_task_is_closed() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    let mut text = world.exit("boss", "exit 1");
    world.give("ann");
    world.claim("ann");
    world.pass(1_000);
    world.start("boss");
    text += "-- it is told the task anew, and says as before that its turn is over\n";
    text += &world.give("boss");
    text += &world.claim("boss");
    text += &world.give("boss");
    text += &world.claim("boss");
    expect![[r#"
        t1 retry +1000 ms redelivered (boss ended while the message was working: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        -- it is told the task anew, and says as before that its turn is over
        t1 intent #1 task k00005 redelivered by boss
        > ring boss t1 #1 task k00005 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 rest (its turn is over; there are answers to read)
        > unwatch boss
        > seek boss
        t1 intent #2 answers k00008 by boss
        > ring boss t1 #2 answers k00008
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m2 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_part_that_comes_in_one_file_with_the_answer_is_a_part_all_the_same() {
    let mut world = world();
    let mut text = world
        .drop_file("r.yaml", "r1 boss>user result re=t1 token=k00005\na boss>ann token=k00005\nb user>bob");
    world.give("ann");
    text += &world.claim("ann");
    text += "-- it says that it cannot be done, and hands on a part\n";
    world.give("boss");
    let file = "a2 boss>ann token=k00007\nr2 boss>user error token=k00007\na3 boss>ann token=k00007";
    text += &world.drop_file("s.yaml", file);
    expect![[r#"
        accepted a task boss>ann part of t1 hops 1 verified
        accepted b task user>bob
        accepted r1 result boss>user re t1 verified
        t1 said in turn 0: work
        t1 rest (its turn is over; 1 part is open)
        r1 completed
        > unwatch boss
        > show finished r1
        > forget r.yaml
        > seek ann
        > seek bob
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        > unwatch ann
        > show finished a
        > seek boss
        -- it says that it cannot be done, and hands on a part
        accepted a2 task boss>ann part of t1 hops 1 verified
        accepted a3 task boss>ann part of t1 hops 1 verified
        accepted r2 error boss>user re t1 verified
        t1 claim (reply)
        t1 verify (reply)
        t1 failed, error r2 from boss by reply: work
        a2 cancelled, error m2 from tasuki: t1, of which it was a part, failed
        a3 cancelled, error m3 from tasuki: t1, of which it was a part, failed
        r2 completed
        > unwatch boss
        > show finished t1
        > show finished a2
        > show finished a3
        > show finished r2
        > forget s.yaml
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_file_with_two_answers_to_one_task_is_refused() {
    let mut world = world();
    let file = "r1 boss>user result re=t1 token=k00005: one\nr2 boss>user result token=k00005: two";
    let text = world.drop_file("r.yaml", file);
    expect![[r#"
        refused duplicate-key from boss: an earlier document in the file already answers t1
        accepted m1 task boss>tasuki part of t1 verified
        m1 failed, error m2 from tasuki: r.yaml was refused: an earlier document in the file already answers t1 (duplicate-key). Cure: keep one of the two.
        > show finished m1
        > reject r.yaml duplicate-key
    "#]].assert_eq(&text);
}

#[test]
fn an_answer_that_comes_before_those_of_its_parts_counts_where_no_other_comes() {
    for last in ["", "In the end: 43."] {
        let mut world = World::new(team());
        world.send("t1 user>boss");
        world.give("boss");
        world.send("a boss>ann token=k00005");
        let text = world.ask(Command::Reply {
            token: crate::engine::make::token(5),
            text: "It is 42.".into(),
            failed: false,
            extra: "".into(),
            spent: None,
        });
        assert!(text.contains("what you gave is its answer if you give no other"), "{text}");
        world.give("ann");
        world.claim("ann");
        let found = world.names();
        world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
        world.give("boss");
        assert_eq!(world.stage("t1"), "working");
        let (id, turn) = (id("t1"), 2);
        let source = tasuki::engine::life::CompletionSource::Marker;
        let (token, line) = (world.token_of(&id), "".into());
        let text = last.into();
        world.report("boss", Report::Claimed { id, turn, token, line, source, text, truncated: false });
        assert_eq!(world.stage("t1"), "completed");
        let answers =
            world.journal.iter().flat_map(|(_, _, events)| events).filter_map(|event| match event {
                tasuki::engine::event::Event::Ended { id, answer: Some(answer), .. }
                    if id.as_str() == "t1" =>
                {
                    Some(answer.body.content.to_string())
                }
                _ => None,
            });
        let wanted = if last.is_empty() { "It is 42." } else { last };
        assert_eq!(answers.collect::<Vec<_>>(), [wanted]);
    }
}
