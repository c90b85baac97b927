//! Whatever goes round comes to an end, though nobody in it shows a token or names a task.

use crate::engine::make::team;
use crate::engine::world::World;

/// Messages that boss and ann send one another, each when the last one was given, until one is refused.
fn rounds(world: &mut World, kind: &str) -> (usize, String) {
    for round in 1..100 {
        let (from, to) = if round % 2 == 1 { ("boss", "ann") } else { ("ann", "boss") };
        let text = world.send(&format!("m{round} {from}>{to} {kind}: round {round}"));
        if text.starts_with("refused") {
            return (round, text.lines().next().unwrap_or_default().to_owned());
        }
        world.give(to);
    }
    (100, String::new())
}

#[test]
fn infos_that_answer_infos_end_and_a_persons_word_begins_anew() {
    let mut world = World::new(team());
    world.send("i0 user>boss info");
    world.give("boss");
    let (round, text) = rounds(&mut world, "info");
    assert_eq!(round, 9, "{text}");
    assert_eq!(text, "refused too-many-hops from boss: it has already gone through 8 hands");
    world.crash(&["boss", "ann", "bob", "eve"]);
    world.turn_segment();
    assert!(world.send("x boss>ann info: again").starts_with("refused too-many-hops"), "it is kept");
    // Nor does it begin anew with what tasuki tells of a refusal, while that is typed and afterwards.
    assert!(world.drop_file("x.yaml", "x2 boss>ann info: again").contains("refused too-many-hops"));
    assert!(world.ready("boss").contains(" info"));
    assert!(world.send("x3 boss>ann info: more").starts_with("refused too-many-hops"));
    world.delivered("boss");
    assert!(world.send("x4 boss>ann info: and more").starts_with("refused too-many-hops"));
    world.send("i1 user>boss info");
    world.ready("boss");
    world.give("boss");
    assert!(world.send("y boss>ann info: anew").starts_with("accepted y info boss>ann hops 1"));
}

#[test]
fn tasks_that_are_done_before_the_next_is_sent_end_too() {
    let mut team = team();
    team.limits.hops_max = 4;
    team.routes
        .entry(crate::engine::make::name("ann"))
        .or_default()
        .insert(crate::engine::make::name("boss"));
    let mut world = World::new(team);
    world.send("t0 user>boss");
    world.give("boss");
    world.claim("boss");
    for round in 1..=4 {
        let (from, to) = if round % 2 == 1 { ("boss", "ann") } else { ("ann", "boss") };
        let text = world.send(&format!("m{round} {from}>{to}: round {round}"));
        assert!(text.contains(&format!("hops {round}\n")), "{text}");
        world.give(to);
        if world.stage(&format!("m{round}")) == "queued" {
            world.give(to); // it was told of an answer first
        }
        world.claim(to);
    }
    let text = world.send("m5 boss>ann: round 5");
    assert!(text.starts_with("refused too-many-hops from boss"), "{text}");
    assert!(world.send("p user>ann: a person's").starts_with("accepted p task user>ann\n"));
}

#[test]
fn a_task_that_makes_a_part_in_each_turn_has_so_many_turns_and_fails() {
    let mut team = team();
    team.limits.turns_max = 3;
    let mut world = World::new(team);
    world.send("t user>boss");
    world.give("boss");
    for turn in 1..=3 {
        world.send(&format!("p{turn} boss>ann: part {turn}"));
        world.claim("boss");
        assert_eq!(world.stage("t"), "waiting");
        world.give("ann");
        world.claim("ann");
        if turn < 3 {
            world.give("boss");
        }
    }
    let text = world.ready("boss");
    assert!(text.contains("t failed, error m"), "{text}");
    assert!(
        text.contains("it has had 3 turns, and no task may have more (`turns_max` in the team file)"),
        "{text}"
    );
    // A turn that is tried again is no new one.
    world.send("u user>bob");
    for _ in 0..3 {
        world.ready("bob");
        world.undelivered("bob");
        world.pass(4_000);
    }
    world.give("bob");
    assert_eq!(world.stage("u"), "working");
}
