//! What closes a task is its turn's token, which the engine itself holds against the claim.

use crate::make::{id, name, team, token};
use crate::world::World;
use tasuki::engine::input::{Command, Report};
use tasuki::engine::life::CompletionSource;
use tasuki::engine::words::Token;

/// A worker says that the turn of `t1` is done, and read this beside the phrase.
fn claim(world: &mut World, token: Option<Token>, source: CompletionSource) -> String {
    let turn = world.engine.state().open[&id("t1")].stage.turn().expect("a turn").number;
    let line = token.map_or_else(|| "OK".to_owned(), |token| format!("● OK {token}")).into();
    let (id, text) = (id("t1"), "done".into());
    world.report("boss", Report::Claimed { id, turn, token, line, source, text, truncated: false })
}

/// `boss` was reminded of `t1`: it has its second turn with the third token. The first one is its first turn's, the second one that of
/// `ann`'s task.
fn reminded() -> World {
    let mut world = World::new(team());
    let first = world.fresh();
    world.send("t1 user>boss\nt2 user>ann");
    world.give("boss");
    let others = world.fresh();
    world.give("ann");
    world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks: false });
    let own = world.fresh();
    world.give("boss");
    assert_eq!((first, others, own), (token(5), token(6), token(7)));
    world
}

#[test]
fn a_claim_without_its_turns_token_closes_nothing_and_is_told() {
    let (marker, exit) = (CompletionSource::Marker, CompletionSource::ProcessExit);
    for (shown, source, told) in [
        (Some(token(5)), marker, "with a token that is not its turn's (`● OK …`)"),
        (Some(token(6)), marker, "with a token that is not its turn's (`● OK …`)"),
        (Some(token(99)), marker, "with a token that is not its turn's (`● OK …`)"),
        (None, marker, "without the token of its turn"),
        (None, CompletionSource::Hook, "without the token of its turn"),
        (None, exit, "without the token of its turn"),
    ] {
        let mut world = reminded();
        let text = claim(&mut world, shown, source);
        assert_eq!(
            text,
            format!("warning: boss reported t1 as done {told}: nothing is closed\n"),
            "{shown:?}"
        );
        assert_eq!((world.stage("t1"), world.stage("t2")), ("working", "working"));
        claim(&mut world, Some(token(7)), marker);
        assert_eq!((world.stage("t1"), world.stage("t2")), ("completed", "working"));
    }
}

#[test]
fn the_token_of_a_try_that_somebody_else_was_given_closes_nothing() {
    let mut world = World::new(team());
    world.send("t1 user>crew");
    world.ready("ann");
    world.withdrawn("ann");
    world.give("bob");
    let turn = world.engine.state().open[&id("t1")].stage.turn().expect("a turn");
    assert_eq!((turn.number, turn.token), (1, Some(token(6))));
    let (source, text) = (CompletionSource::Marker, "done".into());
    let (id, shown, line) = (id("t1"), Some(token(5)), "OK".into());
    let text = world
        .report("bob", Report::Claimed { id, turn: 1, token: shown, line, source, text, truncated: false });
    assert!(text.starts_with("warning: bob reported t1 as done with a token"), "{text}");
    assert_eq!(world.stage("t1"), "working");
}

#[test]
fn where_no_token_was_given_none_is_asked_for() {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").token = false;
    for shown in [None, Some(token(99))] {
        let mut world = World::new(team.clone());
        world.send("t1 user>boss");
        world.give("boss");
        claim(&mut world, shown, CompletionSource::Marker);
        assert_eq!(world.stage("t1"), "completed", "{shown:?}");
    }
}

#[test]
fn the_good_end_of_a_program_counts_where_its_program_ends_after_each_task() {
    for (one_shot, changes, stage) in
        [(true, false, "completed"), (false, false, "working"), (true, true, "completed")]
    {
        let mut team = team();
        team.members.get_mut(&name("boss")).expect("a member").one_shot = one_shot;
        let mut world = World::new(team.clone());
        world.send("t1 user>boss");
        world.give("boss");
        if changes {
            // It goes on as it was started until its task is done.
            let boss = team.members.get_mut(&name("boss")).expect("a member");
            (boss.one_shot, boss.launch) = (false, tasuki::engine::words::Digest(7));
            world.step(tasuki::engine::input::Input::Team(Box::new(team)));
        }
        claim(&mut world, None, CompletionSource::ProcessExit);
        assert_eq!(world.stage("t1"), stage, "{one_shot} {changes}");
        if stage == "working" {
            world.ask(Command::cancel(id("t1")));
        }
    }
}
