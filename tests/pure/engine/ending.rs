//! Messages that end together: chains of dependants, parts of a cancelled task; and what a result brings.

use crate::engine::make::{START, draft, id, name, team};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::engine::Engine;
use tasuki::engine::input::{Command, Input, Moment};
use tasuki::engine::message::{Known, Outcome, Priority, RequestId, Source};
use tasuki::engine::words::Digest;

#[test]
fn a_dependant_begins_when_all_it_waits_for_is_completed() {
    let mut world = World::new(team());
    let mut text = world.send("c user>boss after=a,b\na user>ann\nb user>bob");
    text += &world.ready("boss");
    for agent in ["ann", "bob"] {
        world.give(agent);
        text += &world.claim(agent);
    }
    text += &world.ready("boss");
    expect![[r#"
        accepted c task user>boss after [a, b]
        accepted a task user>ann
        accepted b task user>bob
        > answer accepted [c, a, b]
        > seek ann
        > seek bob
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        > unwatch ann
        > show finished a
        b claim (marker)
        b verify (marker)
        b completed, result m2 from bob by marker: done by bob
        c intent #1 task k00005 by boss
        > unwatch bob
        > show finished b
        > ring boss c #1 task k00005
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_answer_that_is_sent_again_after_its_task_has_ended_is_known() {
    let mut world = World::new(team());
    world.send("t user>boss");
    world.give("boss");
    let token = world.engine.state().tokens.keys().next().expect("its token").to_string();
    let answer = format!("a boss>user result re=t token={token}: 襷 done");
    let mut text = world.send(&answer);
    text += "-- its sender heard nothing\n";
    text += &world.send(&answer);
    expect![[r#"
        accepted a result boss>user re t verified
        t claim (reply)
        t verify (reply)
        t completed, result a from boss by reply: 襷 done
        a completed
        > unwatch boss
        > show finished t
        > show finished a
        > answer accepted [a]
        -- its sender heard nothing
        duplicate a
        > answer accepted [a], known [a]
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_dependant_fails_with_what_it_waits_for_and_names_it() {
    let mut world = World::new(team());
    world.send(
        "a user>boss\nb user>ann after=a\nc user>bob after=b\nd user>eve after=a,c\ni user>ann info after=a",
    );
    let text = world.cancel("a");
    expect![[r#"
        a cancelled, error m1 from tasuki: cancelled by user
        b failed, error m2 from tasuki: a, on which it depends, was not completed
        d failed, error m3 from tasuki: a, on which it depends, was not completed
        i failed (a, on which it depends, was not completed)
        c failed, error m4 from tasuki: b, on which it depends, was not completed
        > show finished a
        > show finished b
        > show finished d
        > show finished i
        > show finished c
        > answer a: a is cancelled
    "#]]
    .assert_eq(&text);
    assert!(world.engine.state().open.is_empty() && world.engine.state().dependants.is_empty());
}

#[test]
fn a_dependant_that_was_cancelled_leaves_nothing_behind() {
    let mut world = World::new(team());
    world.send("a user>boss\nb user>ann after=a");
    world.cancel("b");
    assert!(world.engine.state().dependants.is_empty());
    world.give("boss");
    let text = world.claim("boss");
    expect![[r#"
        a claim (marker)
        a verify (marker)
        a completed, result m2 from boss by marker: done by boss
        > unwatch boss
        > show finished a
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_dependant_of_what_has_failed_already_fails_at_once() {
    let mut world = World::new(team());
    world.send("a user>boss");
    world.cancel("a");
    expect![[r#"
        accepted b task user>boss
        b failed, error m2 from tasuki: a, on which it depends, was not completed
        > show finished b
        > answer accepted [b]
    "#]]
    .assert_eq(&world.send("b user>boss after=a"));
}

#[test]
fn a_dependant_of_what_ended_long_ago_goes_by_what_the_archive_says() {
    for (outcome, stage) in
        [(Outcome::Completed, "queued"), (Outcome::Failed, "failed"), (Outcome::Cancelled, "failed")]
    {
        let mut world = World::new(team());
        let mut dependant = draft("b user>boss after=old");
        dependant.known_refs.push((id("old"), Known { digest: Digest(1), outcome }));
        world.send_drafts(vec![dependant], None);
        assert_eq!(world.stage("b"), stage, "{outcome:?}");
    }
}

#[test]
fn a_dependant_of_what_ends_in_the_same_file_is_not_left_waiting() {
    for lines in ["i1 boss>user info\nt1 user>boss after=i1", "t1 user>boss after=i1\ni1 boss>user info"] {
        let mut world = World::new(team());
        world.send(lines);
        assert!(world.ready("boss").contains("> ring boss t1"), "{lines}");
    }
    let mut world = World::new(team());
    world.send("i1 boss>user info");
    world.send("i1 boss>user info\nt1 user>boss after=i1");
    assert!(world.ready("boss").contains("> ring boss t1"), "what the file brings again has ended already");
}

#[test]
fn a_chain_of_any_length_ends_in_one_step() {
    let mut engine = Engine::new(team());
    let moment = Moment { now: START, wall: START, chance: 1 };
    let mut send = |line: String| {
        let source = Source::Request(RequestId(1));
        let step = engine.step(moment, Input::Drop { source, drafts: vec![draft(&line)], proof: None });
        assert_eq!(step.events.len(), 1);
    };
    let length = 50_000;
    send("c0 user>boss".to_owned());
    (1..length).for_each(|n| send(format!("c{n} user>boss after=c{}", n - 1)));
    let cancel = Command::cancel(crate::engine::make::id("c0"));
    let step = engine.step(moment, Input::Command { request: RequestId(2), by: None, command: cancel });
    assert_eq!(step.events.len(), length);
    assert!(engine.state().open.is_empty());
}

#[test]
fn a_result_drop_is_the_answer_and_is_delivered_once() {
    let mut world = World::new(team());
    world.send("t1 boss>ann");
    world.give("ann");
    let mut text = world.drop_file("r.yaml", "r1 ann>boss result re=t1 token=k00005: fertig ✅");
    text += &world.give("boss");
    expect![[r#"
        accepted r1 result ann>boss re t1 verified
        t1 claim (reply)
        t1 verify (reply)
        t1 completed, result r1 from ann by reply: fertig ✅
        > unwatch ann
        > show finished t1
        > forget r.yaml
        > seek boss
        r1 intent #1 info by boss
        > ring boss r1 #1 info
        r1 submit (read)
        r1 completed
        > show finished r1
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_answer_is_never_too_late_and_waits_for_nothing() {
    let mut world = World::new(team());
    world.send("t1 boss>ann");
    world.give("ann");
    world.send("r1 ann>boss result re=t1 token=k00005 deadline=1 after=t1");
    world.pass(1);
    world.crash(&["ann", "bob", "boss", "eve"]);
    assert!(world.ready("boss").contains("ring boss r1"));
}

#[test]
fn an_answer_on_the_screen_is_delivered_to_the_agent_that_asked() {
    let mut world = World::new(team());
    world.send("t1 boss>ann high");
    world.give("ann");
    let text = world.claim("ann") + &world.give("boss");
    expect![[r#"
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from ann by marker: done by ann
        accepted m1 result ann>boss re t1 verified
        > unwatch ann
        > show finished t1
        > seek boss
        m1 intent #1 info by boss
        > ring boss m1 #1 info
        m1 submit (read)
        m1 completed
        > show finished m1
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_answer_is_as_urgent_as_its_task_and_no_surer_than_its_proof() {
    let mut team = team();
    team.members.get_mut(&name("ann")).expect("a member").token = false;
    let mut world = World::new(team);
    world.send("t1 boss>ann high\nt2 boss>bob low");
    for agent in ["ann", "bob"] {
        world.give(agent);
        world.claim(agent);
    }
    let answer = |task: &str| {
        let open = world.engine.state().open.values();
        let mut answers = open.filter(|open| open.message.in_reply_to == Some(id(task)));
        let message = &answers.next().expect("an answer").message;
        (message.priority, message.verified)
    };
    assert_eq!(answer("t1"), (Priority::High, false), "its phrase alone");
    assert_eq!(answer("t2"), (Priority::Low, true));
}

#[test]
fn an_error_drop_fails_the_task_and_what_depends_on_it() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>ann after=t1");
    world.give("boss");
    expect![[r#"
        accepted e1 error boss>user re t1 verified
        t1 claim (reply)
        t1 verify (reply)
        t1 failed, error e1 from boss by reply: no
        t2 failed, error m1 from tasuki: t1, on which it depends, was not completed
        e1 completed
        > unwatch boss
        > show finished t1
        > show finished t2
        > show finished e1
        > answer accepted [e1]
    "#]]
    .assert_eq(&world.send("e1 boss>user error re=t1 token=k00005: no"));
    world.send("t3 user>boss");
    world.give("boss");
    expect![[r#"
        accepted e2 result boss>user re t3 verified
        t3 claim (reply)
        t3 verify (reply)
        t3 failed, error e2 from boss by reply: no
        e2 completed
        > unwatch boss
        > show finished t3
        > show finished e2
        > answer accepted [e2]
    "#]]
    .assert_eq(&world.send("e2 boss>user result failed re=t3 token=k00006: no"));
}

#[test]
fn an_agent_is_counted_for_what_it_did_itself() {
    let mut world = World::new(team());
    let counts = |world: &World| {
        let seen = world.engine.agent(&crate::engine::make::name("ann")).expect("a member");
        let counts = seen.counts;
        (counts.received, counts.sent, counts.completed, counts.failed)
    };
    world.send("t1 boss>ann timeout=5\nt2 boss>ann\nt3 boss>ann");
    world.give("ann");
    world.pass(5);
    assert_eq!(counts(&world), (1, 0, 0, 1), "a time-out is not its answer");
    world.give("ann");
    world.claim("ann");
    assert_eq!(counts(&world), (2, 1, 1, 1));
    world.give("ann");
    world.send("r3 ann>boss result re=t3 token=k00007");
    assert_eq!(counts(&world), (3, 2, 2, 1), "a result that is delivered on is one answer");
    world.send("i1 ann>boss info");
    assert_eq!(counts(&world), (3, 3, 2, 1));
}
