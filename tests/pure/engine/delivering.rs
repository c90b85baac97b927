//! A task is typed: what became of the doorbell, the tries, and what the agent is given next.

use crate::engine::make::{id, name, team, token};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::input::{Guard, Input, Report, Verdict};
use tasuki::engine::life::Receipt;

#[test]
fn a_task_goes_all_the_way() {
    let mut world = World::new(team());
    let mut text = world.drop_file("hello.yaml", "t1 user>gb: こんにちは 🎐");
    text += &world.ready("boss");
    text += &world.submitted("boss");
    text += &world.report("boss", Report::Taken { id: id("t1"), turn: 1 });
    text += &world.claim("boss");
    expect![[r#"
        accepted t1 task user>boss
        > forget hello.yaml
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        t1 submit due +60000 ms (enter_only)
        t1 take due +60000 ms (read)
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_info_is_done_when_it_is_delivered() {
    let mut world = World::new(team());
    let text = world.send("i1 boss>ann info") + &world.ready("ann") + &world.submitted("ann");
    expect![[r#"
        accepted i1 info boss>ann
        > answer accepted [i1]
        > seek ann
        i1 intent #1 info by ann
        > ring ann i1 #1 info
        i1 submit (enter_only)
        i1 completed
        > show finished i1
    "#]]
    .assert_eq(&text);
    expect![[r#"
        accepted i2 info boss>user
        i2 completed
        > show finished i2
        > answer accepted [i2]
    "#]]
    .assert_eq(&world.send("i2 boss>user info"));
}

#[test]
fn each_verdict_has_its_consequence() {
    let why = || "because".to_owned();
    let verdicts = [
        Verdict::Delivered(Receipt::EnterOnly),
        Verdict::Delivered(Receipt::Echoed),
        Verdict::Delivered(Receipt::Read),
        Verdict::Delivered(Receipt::Acknowledged),
        Verdict::Unconfirmed { why: why() },
        Verdict::Left { why: why() },
        Verdict::NotDelivered { why: why() },
        Verdict::Withdrawn { why: why() },
    ];
    let mut text = String::new();
    for verdict in verdicts {
        for words in ["", "hold", "info"] {
            let mut world = World::new(team());
            world.send(&format!("t1 user>boss {words}"));
            world.ready("boss");
            let did = world.rung("boss", verdict.clone());
            text += &format!("## {verdict:?} {words}-> {}\n{did}", world.stage("t1"));
        }
    }
    expect![[r###"
        ## Delivered(EnterOnly) -> submitted
        t1 submit due +60000 ms (enter_only)
        ## Delivered(EnterOnly) hold-> submitted
        t1 submit due +60000 ms (enter_only)
        ## Delivered(EnterOnly) info-> completed
        t1 submit (enter_only)
        t1 completed
        > show finished t1
        ## Delivered(Echoed) -> submitted
        t1 submit due +60000 ms (echoed)
        ## Delivered(Echoed) hold-> submitted
        t1 submit due +60000 ms (echoed)
        ## Delivered(Echoed) info-> completed
        t1 submit (echoed)
        t1 completed
        > show finished t1
        ## Delivered(Read) -> working
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        ## Delivered(Read) hold-> working
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        ## Delivered(Read) info-> completed
        t1 submit (read)
        t1 completed
        > show finished t1
        ## Delivered(Acknowledged) -> working
        t1 submit due +60000 ms (acknowledged)
        t1 take due +60000 ms (acknowledged)
        ## Delivered(Acknowledged) hold-> working
        t1 submit due +60000 ms (acknowledged)
        t1 take due +60000 ms (acknowledged)
        ## Delivered(Acknowledged) info-> completed
        t1 submit (acknowledged)
        t1 completed
        > show finished t1
        ## Unconfirmed { why: "because" } -> retrying
        t1 doubt (because)
        t1 retry +1000 ms redelivered (because)
        ## Unconfirmed { why: "because" } hold-> held
        t1 doubt (because)
        t1 hold (because; on_doubt is hold: `tasuki retry t1` or `tasuki cancel t1`)
        ## Unconfirmed { why: "because" } info-> retrying
        t1 doubt (because)
        t1 retry +1000 ms redelivered (because)
        ## Left { why: "because" } -> held
        t1 doubt (because)
        t1 hold (because; it has no token, so it is not typed twice: what its agent still says counts, else `tasuki retry t1` or `tasuki cancel t1`)
        ## Left { why: "because" } hold-> held
        t1 doubt (because)
        t1 hold (because; it has no token, so it is not typed twice: what its agent still says counts, else `tasuki retry t1` or `tasuki cancel t1`)
        ## Left { why: "because" } info-> held
        t1 doubt (because)
        t1 hold (because; it has no token, so it is not typed twice: what its agent still says counts, else `tasuki retry t1` or `tasuki cancel t1`)
        ## NotDelivered { why: "because" } -> retrying
        t1 retry +1000 ms (because)
        ## NotDelivered { why: "because" } hold-> retrying
        t1 retry +1000 ms (because)
        ## NotDelivered { why: "because" } info-> retrying
        t1 retry +1000 ms (because)
        ## Withdrawn { why: "because" } -> retrying
        t1 withdraw (because)
        > seek boss
        ## Withdrawn { why: "because" } hold-> retrying
        t1 withdraw (because)
        > seek boss
        ## Withdrawn { why: "because" } info-> retrying
        t1 withdraw (because)
        > seek boss
    "###]]
    .assert_eq(&text);
}

#[test]
fn a_task_that_cannot_be_delivered_is_tried_four_times_and_its_sender_told() {
    let mut world = World::new(team());
    let mut text = world.send("t1 user>boss");
    for wait in [0, 1_000, 2_000, 4_000] {
        assert_eq!(world.pass(wait.max(1) - 1), "", "not before its moment");
        text += &world.pass(1);
        text += &world.ready("boss");
        text += &world.undelivered("boss");
    }
    expect![[r#"
        accepted t1 task user>boss
        > answer accepted [t1]
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        t1 retry +1000 ms (no echo)
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        t1 retry +2000 ms (no echo)
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        t1 retry +4000 ms (no echo)
        > seek boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        t1 failed, error m1 from tasuki: given up after 4 tries; the last failure: no echo
        > unwatch boss
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn tries_are_counted_over_restarts_of_the_daemon_and_over_segments() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.ready("boss");
    let mut text = String::new();
    for attempt in 1..=4 {
        assert_eq!((world.attempts("t1"), world.stage("t1")), (attempt, "intent"));
        text = world.crash(&["ann", "bob", "eve"]);
        world.turn_segment();
        world.pass(4_000);
        world.start("boss");
        world.ready("boss");
    }
    assert!(text.contains("given up after 4 tries"), "{text}");
}

#[test]
fn a_call_back_is_no_try_and_gets_another_token() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    let mut text = String::new();
    for _ in 0..9 {
        world.ready("boss");
        world.withdrawn("boss");
        assert_eq!(world.attempts("t1"), 0);
    }
    text += &world.ready("boss");
    text += &world.undelivered("boss");
    text += "-- from here on it may have been seen: the same token\n";
    text += &world.pass(1_000);
    text += &world.ready("boss");
    text += &world.withdrawn("boss");
    text += &world.ready("boss");
    expect![[r#"
        t1 intent #1 task k00014 by boss
        > ring boss t1 #1 task k00014
        t1 retry +1000 ms (no echo)
        -- from here on it may have been seen: the same token
        > seek boss
        t1 intent #1 task k00014 by boss
        > ring boss t1 #1 task k00014
        t1 withdraw (a person types)
        > seek boss
        t1 intent #1 task k00014 by boss
        > ring boss t1 #1 task k00014
    "#]]
    .assert_eq(&text);
    assert_eq!(world.attempts("t1"), 2);
    let open = &world.engine.state().open[&id("t1")];
    assert_eq!(open.tokens.len(), 1, "tokens that were never typed prove nothing");
}

#[test]
fn a_turn_that_takes_too_long_fails_and_is_not_tried_again() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss timeout=5000");
    world.give("boss");
    let mut text = world.pass(60_000);
    text += &world.give("boss");
    text += &world.pass(5_000);
    expect![[r#"
        t1 failed, error m1 from tasuki: timed out: boss has not answered within 60 s
        > interrupt boss t1 #1
        > show finished t1
        > seek boss
        t2 intent #1 task k00006 by boss
        > ring boss t2 #1 task k00006
        t2 submit due +5000 ms (read)
        t2 take due +5000 ms (read)
        t2 failed, error m2 from tasuki: timed out: boss has not answered within 5 s
        > interrupt boss t2 #1
        > show finished t2
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_turn_without_any_time_ends_at_once() {
    let mut world = World::new(team());
    world.send("t0 user>ann timeout=5");
    world.give("ann");
    world.send("t1 user>boss timeout=0");
    world.pass(5); // the moment in which it begins is one at which time was looked at
    world.give("boss");
    world.pass(1);
    assert_eq!(world.stage("t1"), "failed");
}

#[test]
fn a_held_task_goes_on_when_a_person_says_so() {
    let mut world = World::new(team());
    world.send("t1 user>boss hold");
    world.ready("boss");
    let mut text = world.unconfirmed("boss");
    text += &world.retry("t1");
    text += &world.give("boss");
    expect![[r#"
        t1 doubt (no receipt)
        t1 hold (no receipt; on_doubt is hold: `tasuki retry t1` or `tasuki cancel t1`)
        t1 retry at once redelivered (user lets it go on)
        > answer t1: t1 goes on
        > seek boss
        t1 intent #1 task k00005 redelivered by boss
        > ring boss t1 #1 task k00005 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_was_accepted_first_goes_first_within_a_priority() {
    let mut world = World::new(team());
    world.send("l1 user>boss low\nn1 user>boss\nn2 user>boss\nh1 user>boss high");
    world.send("h2 user>boss high\nl2 user>boss low");
    let mut order = String::new();
    for _ in 0..6 {
        order += &world.ready("boss").lines().filter(|line| line.starts_with("> ring")).collect::<String>();
        order += "\n";
        world.delivered("boss");
        world.claim("boss");
    }
    expect![[r#"
        > ring boss h1 #1 task k00005
        > ring boss h2 #1 task k00006
        > ring boss n1 #1 task k00007
        > ring boss n2 #1 task k00008
        > ring boss l1 #1 task k00009
        > ring boss l2 #1 task k00010
    "#]]
    .assert_eq(&order);
}

#[test]
fn a_task_that_was_put_back_keeps_its_place() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss\nt3 user>boss");
    world.ready("boss");
    world.undelivered("boss");
    let mut text = world.give("boss"); // t2, while t1 waits for its moment
    world.claim("boss");
    world.pass(1_000);
    text += &world.ready("boss");
    expect![[r#"
        t2 intent #1 task k00006 by boss
        > ring boss t2 #1 task k00006
        t2 submit due +60000 ms (read)
        t2 take due +60000 ms (read)
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_token_in_use_is_not_given_again() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>ann");
    world.give("boss");
    let text = world.report("ann", Report::Ready { fresh: token(5) });
    expect![[r#"
        > seek ann
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_closed_guard_is_shown_once_and_forgotten_when_it_opens() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.report("boss", Report::NotReady { guard: Guard::PersonTyping });
    let why = |world: &World| world.engine.waits_for(&id("t1")).unwrap_or_default();
    assert_eq!(why(&world), "boss: a person is typing in its pane");
    world.ready("boss");
    assert_eq!(why(&world), "");
}

#[test]
fn an_agent_without_tokens_gets_none_and_its_phrase_alone_is_weak() {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").token = false;
    let mut world = World::new(team);
    let mut text = world.send("t1 user>boss\nt2 user>boss");
    text += &world.ready("boss");
    text += &world.undelivered("boss");
    text += "-- a phrase alone does not say which try it ends\n";
    text += &world.claim("boss");
    text += &world.pass(1_000);
    text += &world.give("boss");
    text += &world.claim("boss");
    expect![[r#"
        accepted t1 task user>boss
        accepted t2 task user>boss
        > answer accepted [t1, t2]
        > seek boss
        t1 intent #1 task by boss
        > ring boss t1 #1 task
        t1 retry +1000 ms (no echo)
        > seek boss
        -- a phrase alone does not say which try it ends
        t1 intent #1 task by boss
        > ring boss t1 #1 task
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker weak: done by boss
        > unwatch boss
        > show finished t1
        > seek boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_late_receipt_is_of_no_use_once_its_agent_has_something_else() {
    let mut world = World::new(team());
    world.send("t1 user>ann hold\nt2 user>ann");
    world.ready("ann");
    world.unconfirmed("ann");
    world.give("ann");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("held", "working"));
    world.late("ann", &id("t1"), 1);
    assert_eq!((world.stage("t1"), world.stage("t2")), ("held", "working"), "it waits for its person");
    world.claim_of("ann", &id("t2"), 1);
    world.late("ann", &id("t1"), 1);
    assert_eq!(world.stage("t1"), "working", "now it can be told");
}

#[test]
fn a_turn_that_was_about_to_be_typed_waits_for_the_stop_file_to_go() {
    let mut world = World::new(team());
    assert!(world.send("t1 user>boss").contains("> seek boss"));
    world.step(Input::Halt(true, None));
    let text = world.ready("boss");
    assert!(!text.contains("> ring"), "{text}");
    assert_eq!(world.stage("t1"), "queued");
    assert!(world.step(Input::Halt(false, None)).contains("> ring boss t1"), "it was free all the time");
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.step(Input::Halt(true, None));
    world.step(Input::Halt(false, None));
    assert!(world.ready("boss").contains("> ring boss t1"), "it was asked for before");
}

#[test]
fn a_line_is_looked_for_from_when_it_may_have_been_typed_first() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    let typed_at = |world: &World| world.engine.state().open[&id("t1")].typed_at;
    world.ready("boss");
    let first = world.now;
    assert_eq!(typed_at(&world), Some(first));
    world.pass(500);
    world.unconfirmed("boss");
    world.pass(1_000);
    world.ready("boss");
    assert_eq!(typed_at(&world), Some(first), "it may have been read from its first try on");
    world.exit("boss", "exit 1");
    world.pass(3_000);
    world.start("boss");
    world.ready("boss");
    assert_eq!(typed_at(&world), Some(world.now), "this process has seen nothing of it");
}

#[test]
fn a_line_that_may_not_be_typed_twice_waits_for_a_person_and_its_late_answer_counts() {
    for answers in [false, true] {
        let mut world = World::new(team());
        world.send("t1 user>boss");
        world.ready("boss");
        world.rung("boss", Verdict::Left { why: "its line left the input box".to_owned() });
        assert_eq!(world.stage("t1"), "held");
        assert_eq!(world.pass(600_000), "", "nothing is typed by itself");
        if answers {
            world.claim("boss")
        } else {
            world.retry("t1")
        };
        assert_eq!(world.stage("t1"), if answers { "completed" } else { "retrying" });
    }
}
