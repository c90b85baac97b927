//! What a message belongs to that shows no proof and names no task: the one that its sender has begun.

use crate::engine::make::{draft, team};
use crate::engine::world::World;
use expect_test::expect;

#[test]
fn what_names_no_task_belongs_to_the_one_that_its_sender_has_begun() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    let mut text = "-- nothing is begun\n".to_owned();
    let first = |answer: String| answer.lines().next().unwrap_or_default().to_owned() + "\n";
    text += &first(world.send("a boss>ann"));
    text += &first(world.send("b boss>user result"));
    world.ready("boss");
    text += "-- it is being typed, then worked on, then rests\n";
    text += &first(world.send("c boss>bob"));
    world.delivered("boss");
    text += &first(world.send("d boss>bob"));
    text += &first(world.send("e boss>bob info"));
    world.claim("boss");
    assert_eq!(world.stage("t1"), "waiting");
    text += &first(world.send("f boss>bob"));
    text += "-- a person's is nobody's part, and what is sent again was none\n";
    text += &first(world.send("g user>bob"));
    world.cancel("a");
    text += &first(world.send("h boss>ann again=a"));
    text += "-- answers\n";
    world.give("bob");
    text += &first(world.send("r1 bob>boss result"));
    world.give("bob");
    text += &first(world.send("r2 bob>boss error"));
    expect![[r#"
        -- nothing is begun
        accepted a task boss>ann
        refused reply-missing from boss: a result must say which task it answers
        -- it is being typed, then worked on, then rests
        accepted c task boss>bob part of t1 hops 1 inferred
        accepted d task boss>bob part of t1 hops 1 inferred
        accepted e info boss>bob part of t1 hops 1 inferred
        accepted f task boss>bob part of t1 hops 1 inferred
        -- a person's is nobody's part, and what is sent again was none
        accepted g task user>bob
        accepted h task boss>ann again for a hops 1
        -- answers
        accepted r1 result bob>boss re c inferred
        accepted r2 error bob>boss re d inferred
    "#]]
    .assert_eq(&text);
}

#[test]
fn with_several_tasks_begun_it_has_to_say_which_one_is_meant() {
    let mut world = World::new(team());
    world.send("t1 user>boss hold\nt2 user>boss");
    world.ready("boss");
    world.unconfirmed("boss");
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("held", "working"));
    let mut text = String::new();
    let first = |answer: String| answer.lines().next().unwrap_or_default().to_owned() + "\n";
    text += &first(world.send("a boss>bob"));
    text += &first(world.send("b boss>bob info"));
    text += &first(world.send("c boss>user result"));
    text += &first(world.send("d boss>bob parent=t1"));
    text += &first(world.send_drafts(vec![draft("e ->bob")], Some("boss")));
    text += "-- its new process knows nothing of what was held\n";
    world.exit("boss", "exit 1");
    world.pass(1_000);
    world.start("boss");
    world.pass(1_000);
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("held", "working"));
    text += &first(world.send("f boss>bob"));
    expect![[r#"
        refused parent-missing from boss: boss has begun several tasks: t1, t2, and it does not say which one it is a part of
        accepted b info boss>bob hops 1
        refused reply-missing from boss: a result must say which task it answers; boss has begun several tasks: t1, t2
        accepted d task boss>bob part of t1 hops 1
        accepted e task boss>bob part of t2 hops 1 inferred verified
        -- its new process knows nothing of what was held
        accepted f task boss>bob part of t2 hops 1 inferred
    "#]].assert_eq(&text);
}

#[test]
fn a_name_alone_means_nothing_where_the_team_says_so() {
    let mut team = team();
    team.limits.accept_unverified_results = false;
    let mut world = World::new(team);
    world.send("t1 user>boss");
    world.give("boss");
    let mut text = String::new();
    let first = |answer: String| answer.lines().next().unwrap_or_default().to_owned() + "\n";
    text += &first(world.send("a boss>bob"));
    text += &first(world.send("b boss>user result"));
    text += &first(world.send("c boss>user result re=t1"));
    text += &first(world.send_drafts(vec![draft("d ->bob")], Some("boss")));
    text += &first(world.send_drafts(vec![draft("e ->user error")], Some("boss")));
    expect![[r#"
        accepted a task boss>bob hops 1
        refused not-yours from boss: only the token of a turn of boss's closes a task
        refused not-yours from boss: only the token of the newest turn closes t1
        accepted d task boss>bob part of t1 hops 1 inferred verified
        accepted e error boss>user re t1 inferred verified
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_answer_in_a_pools_name_is_that_of_the_member_that_was_asked() {
    let mut world = World::new(team());
    world.send("t2 user>crew");
    let mut text = String::new();
    let first = |answer: String| answer.lines().next().unwrap_or_default().to_owned() + "\n";
    text += &first(world.send("a crew>user result"));
    world.give("ann");
    assert_eq!(world.stage("t2"), "working");
    text += &first(world.send("b crew>ann task"));
    text += &first(world.send("c crew>user result"));
    world.send("t3 user>crew\nt4 user>crew");
    world.give("ann");
    world.give("bob");
    text += &first(world.send("d crew>user result"));
    expect![[r#"
        refused unknown-agent: no member of the pool crew was asked for anything
        refused unknown-agent: crew is a pool and cannot send anything; its members are: ann, bob
        accepted c result ann>user re t2 inferred
        refused unknown-agent: several members of the pool crew were asked for something: ann (t3), bob (t4)
    "#]]
    .assert_eq(&text);
}
