//! What a part of a task may be: asked for by the agent that has the task, so many, so deep, and never in a circle.

use crate::engine::make::{member, name, team};
use crate::engine::world::World;
use expect_test::expect;
use std::collections::BTreeSet;
use tasuki::engine::input::Input;

/// `boss` works on `t1`; its token is `k00005`.
fn world() -> World {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world
}

#[test]
fn a_part_is_asked_for_by_the_agent_that_has_the_task() {
    let mut world = world();
    let mut text = world.send("x ann>eve parent=t1");
    text += &world.send("y ann>eve parent=nothing");
    text += "-- what a person writes only says what belongs together\n";
    text += &world.send("z user>ann parent=t1");
    text += &world.claim("boss");
    expect![[r#"
        refused not-yours from ann: t1 is not ann's task, so its answer would go to somebody else
        > answer refused not-yours at parent in 0: t1 is not ann's task, so its answer would go to somebody else
        refused not-open from ann: its parent nothing is not open
        > answer refused not-open at parent in 0: its parent nothing is not open
        -- what a person writes only says what belongs together
        accepted z task user>ann part of t1 hops 1
        > answer accepted [z]
        > seek ann
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]].assert_eq(&text);
}

#[test]
fn who_is_put_back_in_the_middle_of_a_task_comes_back_and_is_no_circle() {
    for how in ["it ended", "a person stopped it"] {
        let mut world = world();
        world.send("p1 boss>ann token=k00005");
        world.give("ann");
        world.send("q1 ann>eve");
        assert_eq!(world.stage("q1"), "queued");
        match how {
            "it ended" => drop(world.exit("ann", "exit 1")),
            _ => drop(world.ask_stop("ann")),
        }
        assert_eq!(world.stage("p1"), "retrying", "{how}");
        let text = world.send("p2 boss>ann token=k00005");
        assert!(text.starts_with("accepted p2 task boss>ann part of t1"), "{how}: {text}");
    }
}

#[test]
fn parts_have_a_limit_also_within_one_file() {
    let mut team = team();
    team.limits.children_max = 2;
    let mut world = World::new(team);
    world.send("t1 user>boss");
    world.give("boss");
    let part = |id: &str| format!("{id} boss>ann token=k00005");
    let mut text = world.send(&[part("a"), part("b"), part("c")].join("\n"));
    text += &world.send(&[part("a"), part("b")].join("\n"));
    text += &world.send(&part("c"));
    text += &world.send("i boss>ann info token=k00005");
    expect![[r#"
        refused too-many from boss: t1 already has 2 open parts
        > answer refused too-many at parent in 2: t1 already has 2 open parts
        accepted a task boss>ann part of t1 hops 1 verified
        accepted b task boss>ann part of t1 hops 1 verified
        > answer accepted [a, b]
        > seek ann
        refused too-many from boss: t1 already has 2 open parts
        > answer refused too-many at parent in 0: t1 already has 2 open parts
        accepted i info boss>ann part of t1 hops 1 verified
        > answer accepted [i]
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_task_goes_through_eight_hands_at_most() {
    let mut team = team();
    let names: Vec<String> = (0..10).map(|n| format!("a{n}")).collect();
    let bosses = std::iter::once("user").chain(names.iter().map(String::as_str));
    team.members = bosses.zip(&names).map(|(boss, own)| (name(own), member(boss))).collect();
    team.pools.clear();
    let mut world = World::new(team);
    world.send("h0 user>a0");
    let mut text = String::new();
    for (hop, own) in names.iter().enumerate().take(9) {
        let token = world.fresh();
        world.give(own);
        text += &world.send(&format!("h{} a{hop}>a{} token={token}", hop + 1, hop + 1));
    }
    let last: Vec<&str> = text.lines().rev().take(4).collect();
    expect![[r#"
        > answer refused too-many-hops in 0: it has already gone through 8 hands
        refused too-many-hops from a8: it has already gone through 8 hands
        > seek a8
        > answer accepted [h8]"#]]
    .assert_eq(&last.join("\n"));
}

#[test]
fn a_wait_that_would_close_a_circle_is_refused() {
    let mut team = team();
    team.routes.insert(name("ann"), BTreeSet::from([name("bob"), name("boss")]));
    team.routes.insert(name("bob"), BTreeSet::from([name("ann")]));
    let mut world = World::new(team);
    world.send("t1 user>ann\nt2 user>bob\nt3 user>boss");
    world.give("ann");
    world.give("bob");
    world.give("boss");
    let mut text = world.send("a boss>ann token=k00007");
    text += "-- ann waits for bob behind t2, so bob must not wait for ann\n";
    text += &world.send("b ann>bob token=k00005");
    text += &world.send("c bob>ann token=k00006");
    text += "-- boss waits for ann, so ann must not wait for boss\n";
    text += &world.send("d ann>boss token=k00005");
    expect![[r#"
        accepted a task boss>ann part of t3 hops 1 verified
        > answer accepted [a]
        -- ann waits for bob behind t2, so bob must not wait for ann
        accepted b task ann>bob part of t1 hops 1 verified
        > answer accepted [b]
        refused wait-cycle from bob: ann waits for this task's parent; it could never begin
        > answer refused wait-cycle at to in 0: ann waits for this task's parent; it could never begin
        -- boss waits for ann, so ann must not wait for boss
        refused wait-cycle from ann: boss waits for this task's parent; it could never begin
        > answer refused wait-cycle at to in 0: boss waits for this task's parent; it could never begin
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_agent_that_died_while_it_waits_is_still_waited_for() {
    let mut team = team();
    team.routes.insert(name("ann"), BTreeSet::from([name("boss"), name("bob")]));
    team.routes.insert(name("bob"), BTreeSet::from([name("boss")]));
    let mut world = World::new(team);
    world.send("t1 user>boss\nh1 user>boss high\nt2 user>bob");
    world.give("boss");
    world.claim("boss");
    world.give("boss");
    world.send("a boss>ann token=k00006");
    world.claim("boss");
    world.give("ann");
    world.give("bob");
    let mut text = world.exit("boss", "exit 1");
    text += &world.send("b ann>boss token=k00007");
    text += "-- nor may another tree lean on it\n";
    text += &world.send("c ann>bob token=k00007");
    text += &world.send("d bob>boss token=k00008");
    text += "-- it goes on with that task and no other\n";
    world.send("h2 user>boss high");
    text += &world.pass(1_000);
    text += &world.start("boss");
    text += &world.ready("boss");
    expect![[r#"
        t1 retry +1000 ms redelivered (boss ended while the message was waiting: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        refused wait-cycle from ann: boss waits for this task's parent; it could never begin
        > answer refused wait-cycle at to in 0: boss waits for this task's parent; it could never begin
        -- nor may another tree lean on it
        accepted c task ann>bob part of a hops 2 verified
        > answer accepted [c]
        refused wait-cycle from bob: boss waits for this task's parent; it could never begin
        > answer refused wait-cycle at to in 0: boss waits for this task's parent; it could never begin
        -- it goes on with that task and no other
        boss is launching
        > launch boss
        boss is up in %2
        > seek boss
        t1 intent #1 task k00006 redelivered by boss
        > ring boss t1 #1 task k00006 redelivered
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_part_that_depends_on_its_own_whole_is_refused() {
    let mut world = world();
    world.send("u user>ann after=t1\nv user>boss");
    let mut text = world.send("a boss>ann token=k00005 after=t1");
    text += "-- nor through others\n";
    text += &world.send("a boss>ann token=k00005 after=u");
    text += "-- nor on what its own agent could only begin afterwards\n";
    text += &world.send("a boss>ann token=k00005 after=v");
    expect![[r#"
        refused cycle from boss: t1 can only end after t1, of which this is a part
        > answer refused cycle at depends_on in 0: t1 can only end after t1, of which this is a part
        -- nor through others
        refused cycle from boss: u can only end after t1, of which this is a part
        > answer refused cycle at depends_on in 0: u can only end after t1, of which this is a part
        -- nor on what its own agent could only begin afterwards
        refused cycle from boss: v can only end after t1, of which this is a part
        > answer refused cycle at depends_on in 0: v can only end after t1, of which this is a part
    "#]]
    .assert_eq(&text);
}

#[test]
fn nor_may_a_circle_close_through_what_others_depend_on() {
    let mut team = team();
    team.routes.insert(name("bob"), BTreeSet::from([name("boss")]));
    let mut world = World::new(team);
    world.send("t1 user>boss\nx user>bob low\ny user>bob");
    world.give("boss");
    let mut text = world.send("a boss>ann token=k00005 after=x");
    text += "-- bob has y first, and boss waits for ann, who waits for what bob has not begun\n";
    world.give("bob");
    text += &world.send("b bob>boss token=k00006");
    expect![[r#"
        accepted a task boss>ann part of t1 hops 1 verified after [x]
        > answer accepted [a]
        -- bob has y first, and boss waits for ann, who waits for what bob has not begun
        refused wait-cycle from bob: boss waits for this task's parent; it could never begin
        > answer refused wait-cycle at to in 0: boss waits for this task's parent; it could never begin
    "#]]
    .assert_eq(&text);
}

#[test]
fn nor_may_it_close_through_a_part_that_comes_in_the_same_file() {
    let mut team = team();
    team.routes.insert(name("ann"), BTreeSet::from([name("bob")]));
    team.routes.insert(name("bob"), BTreeSet::from([name("boss")]));
    let (first, second) = ("a ann>bob token=k00005", "b bob>boss token=k00006 after=t1");
    for (apart, turned) in [(true, false), (false, false), (false, true)] {
        let mut world = World::new(team.clone());
        world.send("t1 user>ann\nt2 user>bob");
        world.give("ann");
        world.give("bob");
        let text = match (apart, turned) {
            (true, _) => world.send(first) + &world.send(second),
            (_, false) => world.send(&format!("{first}\n{second}")),
            (_, true) => world.send(&format!("{second}\n{first}")),
        };
        // ann waits for what bob can only begin when t2 has ended, and that for what comes after t1.
        assert!(
            text.contains("refused wait-cycle") || text.contains("refused cycle"),
            "{apart} {turned}: {text}"
        );
        assert_eq!(text.contains("accepted"), apart, "{text}");
    }
}

#[test]
fn a_task_that_was_put_back_has_its_agents_hands_all_the_same() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss");
    world.ready("boss");
    let mut text = world.undelivered("boss");
    text += "-- boss has t2 while t1 waits for its next try\n";
    text += &world.ready("boss");
    text += &world.send("a boss>ann token=k00005 after=t2");
    expect![[r#"
        t1 retry +1000 ms (no echo)
        > seek boss
        -- boss has t2 while t1 waits for its next try
        t2 intent #1 task k00006 by boss
        > ring boss t2 #1 task k00006
        refused cycle from boss: t2 can only end after t1, of which this is a part
        > answer refused cycle at depends_on in 0: t2 can only end after t1, of which this is a part
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_only_those_are_left_for_who_wait_for_it_ends() {
    let mut team = team();
    team.routes.insert(name("eve"), BTreeSet::from([name("ann"), name("bob"), name("crew")]));
    team.routes.insert(name("ann"), BTreeSet::from([name("eve")]));
    let mut world = World::new(team.clone());
    world.send("t1 user>ann\nt2 user>bob");
    world.give("ann");
    world.give("bob");
    world.send("a ann>eve token=k00005");
    world.give("eve");
    let mut text = world.send("b eve>crew token=k00007");
    team.members.remove(&name("bob"));
    team.pools.values_mut().for_each(|members| members.retain(|member| *member != name("bob")));
    text += "-- bob leaves\n";
    text += &world.step(Input::Team(Box::new(team)));
    expect![[r#"
        accepted b task eve>crew part of a hops 2 verified
        > answer accepted [b]
        -- bob leaves
        t2 failed, error m1 from tasuki: bob ended while the message was working: it is no longer in the team file
        bob is removed
        b failed, error m2 from tasuki: the remaining members of its pool wait for the task of which it is a part
        > unwatch bob
        > show finished t2
        > close bob
        > show finished b
    "#]].assert_eq(&text);
}

#[test]
fn the_last_of_a_pool_may_not_wait_for_who_waits_for_the_pool() {
    let mut team = team();
    team.routes.insert(name("ann"), BTreeSet::from([name("boss")]));
    team.routes.insert(name("bob"), BTreeSet::from([name("boss")]));
    let mut world = World::new(team);
    world.send("t1 user>boss\nt2 user>ann\nt3 user>bob");
    world.give("boss");
    world.give("ann");
    world.give("bob");
    let mut text = world.send("a boss>crew token=k00005");
    text += "-- bob may still do what boss waits for\n";
    text += &world.send("b ann>boss token=k00006");
    text += "-- nobody could then\n";
    text += &world.send("c bob>boss token=k00007");
    expect![[r#"
        accepted a task boss>crew part of t1 hops 1 verified
        > answer accepted [a]
        -- bob may still do what boss waits for
        accepted b task ann>boss part of t2 hops 1 verified
        > answer accepted [b]
        -- nobody could then
        refused wait-cycle from bob: boss waits for this task's parent; it could never begin
        > answer refused wait-cycle at to in 0: boss waits for this task's parent; it could never begin
    "#]]
    .assert_eq(&text);
}

#[test]
fn nothing_is_a_part_of_itself() {
    let mut world = world();
    let mut text = world.send("x user>ann parent=x");
    text += &world.send("v user>ann\nx user>ann parent=y\ny user>ann parent=x");
    text += &world.send("v user>ann parent=x\nx user>ann parent=y\ny user>ann parent=x");
    text += &world.send("p boss>ann parent=p");
    text += "-- one below the other\n";
    text += &world.send("x user>ann parent=t1\ny user>ann parent=x\nz user>ann parent=y");
    expect![[r#"
        refused cycle from user: x is a part of itself through `parent`
        > answer refused cycle at parent in 0: x is a part of itself through `parent`
        refused cycle from user: x is a part of itself through `parent`
        > answer refused cycle at parent in 1: x is a part of itself through `parent`
        refused cycle from user: x is a part of itself through `parent`
        > answer refused cycle at parent in 1: x is a part of itself through `parent`
        refused cycle from boss: p is a part of itself through `parent`
        > answer refused cycle at parent in 0: p is a part of itself through `parent`
        -- one below the other
        accepted x task user>ann part of t1 hops 1
        accepted y task user>ann part of x hops 2
        accepted z task user>ann part of y hops 3
        > answer accepted [x, y, z]
        > seek ann
    "#]]
    .assert_eq(&text);
}
