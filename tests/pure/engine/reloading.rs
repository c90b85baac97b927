//! The team file is read again.

use crate::engine::make::{member, name, team};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::input::Input;
use tasuki::engine::team::Team;
use tasuki::engine::words::Digest;

fn without(own: &str) -> Team {
    let mut team = team();
    team.members.remove(&name(own));
    team.pools.values_mut().for_each(|members| members.retain(|member| *member != name(own)));
    team
}

fn change(world: &mut World, team: Team) -> String {
    world.step(Input::Team(Box::new(team)))
}

#[test]
fn a_new_member_is_started() {
    let mut world = World::new(team());
    let mut bigger = team();
    bigger.members.insert(name("new"), member("boss"));
    expect![[r#"
        new is launching
        > launch new
    "#]]
    .assert_eq(&change(&mut world, bigger));
}

#[test]
fn whoever_sent_something_to_a_member_that_is_gone_is_told() {
    let mut world = World::new(team());
    world.send("t1 user>eve\nt2 ann>eve\nt3 user>eve after=t1\nt4 user>eve hold after=t9\nt9 user>boss");
    world.give("eve");
    expect![[r#"
        t1 failed, error m1 from tasuki: eve ended while the message was working: it is no longer in the team file
        t3 failed, error m2 from tasuki: t1, on which it depends, was not completed
        eve is removed
        t2 failed, error m3 from tasuki: eve is no longer in the team file
        accepted m3 error tasuki>ann re t2 verified
        t4 failed, error m4 from tasuki: eve is no longer in the team file
        > unwatch eve
        > show finished t1
        > show finished t3
        > close eve
        > show finished t2
        > show finished t4
        > seek ann
    "#]].assert_eq(&change(&mut world, without("eve")));
}

#[test]
fn a_held_task_of_a_member_that_is_gone_fails_and_a_pools_task_goes_to_the_others() {
    let mut world = World::new(team());
    world.send("t1 user>ann hold\nt2 user>crew hold\nt3 user>crew");
    world.ready("ann");
    world.unconfirmed("ann");
    world.ready("ann");
    world.unconfirmed("ann");
    world.give("ann");
    let stages = |world: &World| ["t1", "t2", "t3"].map(|own| world.stage(own));
    assert_eq!(stages(&world), ["held", "held", "working"]);
    let mut text = change(&mut world, without("ann"));
    text += "-- a person decides about the held one\n";
    text += &world.retry("t2");
    text += &world.ready("bob");
    expect![[r#"
        t3 return +1000 ms (ann ended while the message was working: it is no longer in the team file)
        ann is removed
        t1 failed, error m1 from tasuki: ann is no longer in the team file
        > close ann
        > show finished t1
        -- a person decides about the held one
        t2 return at once (user lets it go on)
        > answer t2: t2 goes on
        t2 intent #1 task k00008 redelivered by bob
        > ring bob t2 #1 task k00008 redelivered
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pools_tasks_fail_with_the_pool() {
    let mut world = World::new(team());
    world.send("t1 user>crew\nt2 user>crew\nt3 user>ann");
    world.give("ann");
    let mut smaller = team();
    smaller.pools.clear();
    let text = change(&mut world, smaller);
    assert_eq!(world.stage("t1"), "working", "ann has it");
    expect![[r#"
        t2 failed, error m1 from tasuki: crew is no longer in the team file
        > show finished t2
    "#]]
    .assert_eq(&text);
}

#[test]
fn changed_settings_wait_until_the_agent_is_idle() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss");
    world.give("boss");
    let mut changed = team();
    changed.members.get_mut(&name("boss")).expect("a member").launch = Digest(1);
    changed.members.get_mut(&name("ann")).expect("a member").launch = Digest(1);
    let mut text = change(&mut world, changed.clone());
    text += "-- it is idle\n";
    text += &world.claim("boss");
    text += &world.start("boss");
    text += "-- once\n";
    text += &change(&mut world, changed);
    expect![[r#"
        ann is down as wanted (its settings changed)
        ann is launching
        > close ann
        > launch ann
        -- it is idle
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        boss is down as wanted (its settings changed)
        boss is launching
        > unwatch boss
        > show finished t1
        > close boss
        > launch boss
        boss is up in %2
        > seek boss
        -- once
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_failed_agent_is_started_when_its_settings_changed_and_a_stopped_one_is_not() {
    let mut world = World::new(team());
    for _ in 0..6 {
        world.exit("boss", "exit 1");
        world.pass(60_000);
        world.start("boss");
    }
    world.ask_stop("ann");
    let mut changed = team();
    changed.members.values_mut().for_each(|member| member.launch = Digest(1));
    let text = change(&mut world, changed);
    expect![[r#"
        boss is launching
        bob is down as wanted (its settings changed)
        bob is launching
        eve is down as wanted (its settings changed)
        eve is launching
        > launch boss
        > close bob
        > launch bob
        > close eve
        > launch eve
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_turn_is_a_new_one_if_its_agent_has_tokens_now_or_has_them_no_more() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.ready("boss");
    world.undelivered("boss");
    let mut weak = team();
    weak.members.get_mut(&name("boss")).expect("a member").token = false;
    change(&mut world, weak);
    world.pass(1_000);
    let mut text = world.ready("boss");
    text += &world.undelivered("boss");
    change(&mut world, team());
    world.pass(1_000);
    text += &world.ready("boss");
    expect![[r#"
        t1 intent #2 task by boss
        > ring boss t1 #2 task
        t1 retry +1000 ms (no echo)
        t1 intent #3 task k00007 by boss
        > ring boss t1 #3 task k00007
    "#]]
    .assert_eq(&text);
}

#[test]
fn whoever_left_the_team_and_comes_back_has_been_sent_nothing_yet() {
    let mut world = World::new(team());
    let limited = |mut team: Team| {
        team.limits.edge_per_minute = 2;
        team
    };
    change(&mut world, limited(team()));
    world.send("a ann>eve info: one\nb ann>eve info: two");
    let waits = world.send("c ann>eve info: three");
    assert!(waits.contains("accepted c info ann>eve not before"), "{waits}");
    change(&mut world, limited(without("eve")));
    change(&mut world, limited(team()));
    let sent = world.send("d ann>eve info: four\ne ann>eve info: five");
    assert!(sent.contains("accepted d") && !sent.contains("not before"), "{sent}");
}
