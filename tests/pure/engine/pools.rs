//! A pool: whoever is free first gets it, and what becomes of it when that one is gone.

use crate::engine::make::{id, name, team};
use crate::engine::world::World;
use expect_test::expect;
use std::collections::BTreeSet;
use tasuki::engine::input::{Command, Input, Report};

#[test]
fn a_pools_task_goes_to_whoever_is_free_first() {
    let mut world = World::new(team());
    let mut text = world.send("t1 user>crew\nt2 user>crew\nt3 user>crew");
    text += &world.ready("bob");
    text += &world.ready("ann");
    text += &world.ready("ann");
    expect![[r#"
        accepted t1 task user>crew
        accepted t2 task user>crew
        accepted t3 task user>crew
        > answer accepted [t1, t2, t3]
        > seek ann
        > seek bob
        t1 intent #1 task k00005 by bob
        > ring bob t1 #1 task k00005
        t2 intent #1 task k00006 by ann
        > ring ann t2 #1 task k00006
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pool_is_for_those_who_may_task_each_of_its_members() {
    let mut team = team();
    team.routes.insert(name("eve"), BTreeSet::from([name("ann")]));
    let mut world = World::new(team.clone());
    let mut text = world.send("t1 eve>crew");
    team.routes.insert(name("eve"), BTreeSet::from([name("ann"), name("bob")]));
    world.step(Input::Team(Box::new(team)));
    text += &world.send("t1 eve>crew");
    expect![[r#"
        refused no-route from eve: eve may not task crew; they may task: ann
        > answer refused no-route at to in 0: eve may not task crew; they may task: ann
        accepted t1 task eve>crew
        > answer accepted [t1]
        > seek ann
        > seek bob
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_one_of_a_pool_could_not_be_typed_is_not_for_the_pool() {
    let mut team = team();
    team.members.get_mut(&name("bob")).expect("bob").delivery = tasuki::engine::team::Delivery::Inline;
    let mut world = World::new(team);
    let mut draft = crate::engine::make::draft("t1 user>crew");
    draft.body.content = "襷\ntwo lines".into();
    let text = world.send_drafts(vec![draft], None);
    assert!(text.starts_with("refused not-inline from user: "), "{text}");
}

#[test]
fn a_pools_task_that_was_not_typed_is_anybodys_again() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.ready("ann");
    let text = world.withdrawn("ann") + &world.ready("bob");
    expect![[r#"
        t1 withdraw (a person types)
        > seek ann
        t1 intent #1 task k00006 by bob
        > ring bob t1 #1 task k00006
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pools_task_that_was_not_typed_but_has_parts_stays_where_it_is() {
    let mut team = team();
    team.routes.insert(name("ann"), BTreeSet::from([name("bob")]));
    let mut world = World::new(team);
    world.send("t1 user>crew");
    world.ready("ann");
    let mut text = world.send("a ann>bob parent=t1");
    text += &world.withdrawn("ann");
    text += &world.give("bob");
    text += &world.ready("ann");
    expect![[r#"
        accepted a task ann>bob part of t1 hops 1
        > answer accepted [a]
        t1 withdraw (a person types)
        > seek ann
        a intent #1 task k00006 by bob
        > ring bob a #1 task k00006
        a submit due +60000 ms (read)
        a take due +60000 ms (read)
        t1 intent #1 task k00007 by ann
        > ring ann t1 #1 task k00007
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pools_task_whose_agent_died_goes_to_another_one() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.give("ann");
    let mut text = world.exit("ann", "exit 1");
    text += &world.pass(999);
    text += &world.ready("bob");
    text += &world.pass(1);
    text += &world.ready("bob");
    text += &world.delivered("bob");
    text += &world.claim("bob");
    expect![[r#"
        t1 return +1000 ms (ann ended while the message was working: exit 1)
        ann is down, again +1000 ms (exit 1)
        > close ann
        ann is launching
        t1 intent #1 task k00006 redelivered by bob
        > launch ann
        > ring bob t1 #1 task k00006 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from bob by marker: done by bob
        > unwatch bob
        > show finished t1
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pools_task_stays_with_an_agent_that_may_have_it() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.ready("ann");
    let mut text = world.unconfirmed("ann");
    text += &world.pass(1_000);
    text += &world.ready("bob");
    text += &world.ready("ann");
    expect![[r#"
        t1 doubt (no receipt)
        t1 retry +1000 ms redelivered (no receipt)
        > seek ann
        t1 intent #1 task k00005 redelivered by ann
        > ring ann t1 #1 task k00005 redelivered
    "#]]
    .assert_eq(&text);
}

#[test]
fn who_takes_up_a_task_from_another_one_is_given_the_task_and_no_reminder_of_it() {
    let mut team = team();
    let mut world = World::new(team.clone());
    world.send("t1 user>crew");
    world.give("ann");
    world.report("ann", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    let reminded = world.give("ann");
    assert!(reminded.contains("ring ann t1 #2 reminder"), "{reminded}");
    team.members.remove(&name("ann"));
    team.pools.values_mut().for_each(|members| members.retain(|member| *member != name("ann")));
    world.step(Input::Team(Box::new(team)));
    world.pass(1_000);
    let given = world.give("bob");
    assert!(given.contains("ring bob t1 #2 task"), "{given}");
}

#[test]
fn a_pools_held_task_goes_to_another_one_if_its_agent_is_gone() {
    let mut world = World::new(team());
    world.send("t1 user>crew hold");
    world.give("ann");
    world.exit("ann", "exit 1");
    assert_eq!(world.stage("t1"), "held");
    let text = world.retry("t1") + &world.ready("bob");
    expect![[r#"
        t1 return at once (user lets it go on)
        > answer t1: t1 goes on
        t1 intent #1 task k00006 redelivered by bob
        > ring bob t1 #1 task k00006 redelivered
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pools_task_that_has_begun_waits_for_its_agent_and_is_begun_anew_without_its_parts() {
    let mut team = team();
    team.routes.insert(name("bob"), BTreeSet::from([name("ann")]));
    let mut world = World::new(team.clone());
    world.send("t1 user>crew");
    world.give("bob");
    world.send("a bob>ann token=k00005");
    let mut text = world.exit("bob", "exit 1");
    text += "-- bob comes back; ann would wait for herself\n";
    text += &world.pass(1_000);
    text += "-- bob does not come back\n";
    team.members.remove(&name("bob"));
    team.pools.values_mut().for_each(|members| members.retain(|member| *member != name("bob")));
    text += &world.step(Input::Team(Box::new(team)));
    text += &world.pass(1_000);
    text += &world.give("ann");
    text += &world.claim("ann");
    expect![[r#"
        t1 retry +1000 ms redelivered (bob ended while the message was working: exit 1)
        bob is down, again +1000 ms (exit 1)
        > close bob
        -- bob comes back; ann would wait for herself
        bob is launching
        > launch bob
        -- bob does not come back
        a cancelled, error m1 from tasuki: t1, of which it was a part, is started again
        t1 return +1000 ms (bob ended while the message was retrying: it is no longer in the team file)
        bob is removed
        > show finished a
        > close bob
        t1 intent #1 task k00006 redelivered by ann
        > ring ann t1 #1 task k00006 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        t1 rest (its turn is over; there are answers to read)
        > unwatch ann
        > seek ann
    "#]]
    .assert_eq(&text);
}

#[test]
fn nobody_of_a_pool_gets_a_part_of_its_own_task() {
    let mut team = team();
    team.routes.insert(name("ann"), BTreeSet::from([name("bob"), name("crew")]));
    let mut world = World::new(team);
    world.send("t1 user>ann");
    world.ready("ann");
    let mut text = world.undelivered("ann");
    text += "-- it was read all the same\n";
    text += &world.send("a ann>crew token=k00005");
    text += "-- ann has its hands free, but for t1\n";
    text += &world.ready("ann");
    text += &world.ready("bob");
    expect![[r#"
        t1 retry +1000 ms (no echo)
        -- it was read all the same
        accepted a task ann>crew part of t1 hops 1 verified
        > answer accepted [a]
        > seek bob
        -- ann has its hands free, but for t1
        a intent #1 task k00007 by bob
        > ring bob a #1 task k00007
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_answer_of_a_pool_is_its_member_s_who_gave_it() {
    let mut team = team();
    team.routes.insert(name("eve"), BTreeSet::from([name("ann"), name("bob")]));
    let mut world = World::new(team);
    world.send("t1 eve>crew\nt2 user>crew");
    world.give("bob");
    let mut text = world.claim("bob");
    world.give("ann");
    text += &world.claim("ann");
    expect![[r#"
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from bob by marker: done by bob
        accepted m1 result bob>eve re t1 verified
        > unwatch bob
        > show finished t1
        > seek bob
        > seek eve
        t2 claim (marker)
        t2 verify (marker)
        t2 completed, result m2 from ann by marker: done by ann
        > unwatch ann
        > show finished t2
    "#]]
    .assert_eq(&text);
    for agent in ["ann", "bob"] {
        let counts = world.engine.state().agents[&name(agent)].counts;
        assert_eq!((counts.completed, counts.sent), (1, 1), "{agent}");
    }
}

/// Neither a reminder nor answers say what the task is: whoever has not read that yet is told it first.
#[test]
fn who_has_not_seen_a_task_is_given_the_task_and_no_later_turn_of_it() {
    let mut team = team();
    let mut world = World::new(team.clone());
    world.send("t1 user>crew");
    world.give("bob");
    world.report("bob", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    world.give("bob");
    let mut text = world.exit("bob", "exit 1");
    world.pass(1_000);
    world.start("bob");
    text += "-- the process of before was reminded, and this one is told what to do\n";
    text += &world.give("bob");
    text += "-- it falls silent, too, and is reminded of what it has read\n";
    text += &world.report("bob", Report::TurnOver { id: id("t1"), turn: 2, asks: false });
    text += &world.ready("bob");
    text += &world.undelivered("bob");
    text += &world.pass(1_000);
    text += &world.ready("bob");
    text += "-- bob does not come back\n";
    team.members.remove(&name("bob"));
    team.pools.values_mut().for_each(|members| members.retain(|member| *member != name("bob")));
    world.step(Input::Team(Box::new(team)));
    world.turn_segment();
    world.pass(2_000);
    text += &world.ready("ann");
    text += "-- an older token of bob's does not speak for ann\n";
    text += &world.reply(6, "too late");
    expect![[r#"
        t1 retry +1000 ms redelivered (bob ended while the message was working: exit 1)
        bob is down, again +1000 ms (exit 1)
        > close bob
        -- the process of before was reminded, and this one is told what to do
        t1 intent #2 task k00006 redelivered by bob
        > ring bob t1 #2 task k00006 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        -- it falls silent, too, and is reminded of what it has read
        t1 rest due +60000 ms (its turn ended without a claim; its agent is reminded)
        > seek bob
        t1 intent #3 reminder k00008 by bob
        > ring bob t1 #3 reminder k00008
        t1 retry +1000 ms (no echo)
        > seek bob
        t1 intent #3 reminder k00008 by bob
        > ring bob t1 #3 reminder k00008
        -- bob does not come back
        t1 intent #3 task k00010 redelivered by ann
        > ring ann t1 #3 task k00010 redelivered
        -- an older token of bob's does not speak for ann
        > answer refused bad-proof at token in 0: k00006 is not the token of a turn of an open task; one that went to another agent has a new one
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_new_process_is_given_the_task_also_if_the_turn_was_put_back_before_the_old_one_ended() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("a boss>ann token=k00005");
    world.claim("boss");
    world.give("ann");
    world.claim("ann");
    world.ready("boss");
    let mut text = world.undelivered("boss");
    text += &world.exit("boss", "exit 1");
    world.pass(1_000);
    world.start("boss");
    text += &world.ready("boss");
    expect![[r#"
        t1 retry +1000 ms (no echo)
        boss is down, again +1000 ms (exit 1)
        > close boss
        t1 intent #2 task k00007 redelivered by boss
        > ring boss t1 #2 task k00007 redelivered
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_new_process_is_given_the_task_also_if_the_old_one_s_last_word_was_that_its_turn_is_over() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("a boss>ann token=k00005");
    world.exit("boss", "exit 1");
    world.pass(1_000);
    world.start("boss");
    let mut text = world.reply(5, "handed on");
    world.give("ann");
    world.claim("ann");
    text += &world.ready("boss");
    expect![[r#"
        t1 said in turn 0: handed on
        t1 rest (its turn is over; 1 part is open)
        > answer t1: t1 waits for its parts; what you gave is its answer if you give no other when you are told theirs
        t1 intent #2 task k00007 redelivered by boss
        > ring boss t1 #2 task k00007 redelivered
    "#]]
    .assert_eq(&text);
}

/// It would be put down to whoever has the task by now, who knows nothing of it.
#[test]
fn what_comes_late_from_the_one_who_had_a_task_is_not_the_one_s_who_has_it() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.give("ann");
    world.exit("ann", "exit 1");
    world.pass(1_000);
    let mut text = world.give("bob");
    world.start("ann");
    text += "-- a program that the old ann left behind answers, by the socket and by a file, acknowledges and hands on\n";
    text += &world.reply(5, "too late");
    text += &world.drop_file("late.yaml", "r1 ann>user result re=t1 token=k00005");
    text += &world.ask(Command::Acknowledge { token: crate::engine::make::token(5) });
    text += &world.send("p1 ann>bob info token=k00005");
    world.turn_segment();
    text += &world.reply(5, "too late");
    text += &world.reply(6, "bob's own");
    expect![[r#"
        t1 intent #1 task k00006 redelivered by bob
        > ring bob t1 #1 task k00006 redelivered
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        -- a program that the old ann left behind answers, by the socket and by a file, acknowledges and hands on
        > answer refused bad-proof at token in 0: k00005 is not the token of a turn of an open task; one that went to another agent has a new one
        refused bad-proof from ann: k00005 is not the token of a turn of an open task; one that went to another agent has a new one
        accepted m1 error tasuki>ann verified
        > reject late.yaml bad-proof
        > answer refused bad-proof at token in 0: k00005 is not the token of a turn of an open task; one that went to another agent has a new one
        refused bad-proof from ann: k00005 is not the token of a turn of an open task; one that went to another agent has a new one
        > answer refused bad-proof at token in 0: k00005 is not the token of a turn of an open task; one that went to another agent has a new one
        > answer refused bad-proof at token in 0: k00005 is not the token of a turn of an open task; one that went to another agent has a new one
        t1 claim (reply)
        t1 verify (reply)
        t1 completed, result m2 from bob by reply: bob's own
        > unwatch bob
        > show finished t1
        > answer t1: t1 is done
    "#]].assert_eq(&text);
}

#[test]
fn a_late_answer_to_what_nobody_has_yet_ends_it_and_is_nobody_s() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.give("ann");
    world.exit("ann", "exit 1");
    let text = world.reply(5, "just in time");
    expect![[r#"
        t1 claim (reply)
        t1 verify (reply)
        t1 completed, result m1 from crew by reply: just in time
        > show finished t1
        > answer t1: t1 is done
    "#]]
    .assert_eq(&text);
}

/// One that is in the content, say, is withdrawn for another one; so is one that was made for who takes the task over.
#[test]
fn who_takes_a_task_over_has_another_token_until_one_was_typed_to_it() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.give("ann");
    world.exit("ann", "exit 1");
    world.pass(1_000);
    let mut text = world.ready("bob");
    text += &world.withdrawn("bob");
    text += &world.ready("bob");
    text += &world.undelivered("bob");
    world.pass(2_000);
    text += &world.ready("bob");
    text += &world.withdrawn("bob");
    text += &world.ready("bob");
    expect![[r#"
        t1 intent #1 task k00006 redelivered by bob
        > ring bob t1 #1 task k00006 redelivered
        t1 withdraw (a person types)
        > seek bob
        t1 intent #1 task k00007 redelivered by bob
        > ring bob t1 #1 task k00007 redelivered
        t1 retry +2000 ms redelivered (no echo)
        t1 intent #1 task k00007 redelivered by bob
        > ring bob t1 #1 task k00007 redelivered
        t1 withdraw (a person types)
        > seek bob
        t1 intent #1 task k00007 redelivered by bob
        > ring bob t1 #1 task k00007 redelivered
    "#]]
    .assert_eq(&text);
}
