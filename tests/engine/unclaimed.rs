//! Turns that end without a claim: what was said in them belongs to the answer, whatever comes between.

use crate::make::{id, name, team};
use crate::world::World;
use tasuki::engine::event::{Event, Proof};
use tasuki::engine::input::{Command, Guard, Input, Report};
use tasuki::engine::life::CompletionSource;
use tasuki::engine::message::RequestId;
use tasuki::engine::team::blocker::NeedKind;
use tasuki::engine::words::Millis;

/// `boss` works on `t1`; its token is `k00005`.
fn world() -> World {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world
}

fn says(world: &mut World, turn: u16, text: &str) -> String {
    let (id, text) = (id("t1"), text.into());
    world.report("boss", Report::Said { id, turn, text, truncated: false, notice: false })
}

/// Its turn is over, and its program shows this in place of words.
fn fails(world: &mut World, turn: u16, text: &str) {
    let (of, text) = (id("t1"), text.into());
    world.report("boss", Report::Said { id: of, turn, text, truncated: false, notice: true });
    world.report("boss", Report::TurnOver { id: id("t1"), turn, asks: false });
}

/// Its turn is over, and this was said in it.
fn over(world: &mut World, turn: u16, text: &str) {
    says(world, turn, text);
    world.report("boss", Report::TurnOver { id: id("t1"), turn, asks: false });
}

fn claims(world: &mut World, turn: u16, text: &str) {
    let source = CompletionSource::Marker;
    let (id, text, line) = (id("t1"), text.into(), "".into());
    let token = world.token_of(&id);
    world.report("boss", Report::Claimed { id, turn, token, line, source, text, truncated: false });
}

fn done(world: &mut World, of: Option<&str>) -> String {
    world.ask(Command::Done { agent: name("boss"), of: of.map(id) })
}

/// The answer to `t1`, and what it is worth.
fn answer(world: &World) -> (String, Proof) {
    let answers = world.journal.iter().flat_map(|(_, _, events)| events).filter_map(|event| match event {
        Event::Ended { id: of, answer: Some(answer), .. } if of == &id("t1") => Some(answer),
        _ => None,
    });
    let answers: Vec<_> = answers.collect();
    assert_eq!(answers.len(), 1);
    (answers[0].body.content.to_string(), answers[0].proof())
}

fn text(world: &World) -> String {
    answer(world).0
}

/// The daemon dies and comes back; or its segment turns first.
fn away(world: &mut World, turns: bool) {
    if turns {
        world.turn_segment();
    }
    let found = world.names();
    world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn what_was_said_before_the_reminder_is_the_answer_though_the_daemon_died() {
    for turns in [false, true] {
        let mut world = world();
        over(&mut world, 1, "The answer is 42.");
        away(&mut world, turns);
        world.give("boss");
        claims(&mut world, 2, "");
        assert_eq!(answer(&world), ("The answer is 42.".to_owned(), Proof::Strong), "turns: {turns}");
    }
}

#[test]
fn what_a_program_shows_in_place_of_words_is_no_part_of_what_is_said_later() {
    for turns in [false, true] {
        for (later, wanted) in [("The answer is 42.", "The answer is 42."), ("", "API Error: 400")] {
            let mut world = world();
            fails(&mut world, 1, "API Error: 400");
            away(&mut world, turns);
            world.give("boss");
            claims(&mut world, 2, later);
            assert_eq!(text(&world), wanted, "turns: {turns}");
        }
        let mut world = world();
        fails(&mut world, 1, "API Error: 400");
        away(&mut world, turns);
        world.ask(Command::Cancel { id: id("t1"), let_finish: false });
        assert!(text(&world).ends_with("API Error: 400"), "{}", text(&world));
    }
}

#[test]
fn what_is_said_after_a_reminder_is_told_behind_it_and_of_each_turn_once() {
    let mut world = world();
    over(&mut world, 1, "The answer is 42.");
    world.give("boss");
    over(&mut world, 2, "You want more?");
    assert_eq!(says(&mut world, 2, "You want more?"), "", "nothing new");
    // A person talks to it by hand.
    says(&mut world, 2, "You want more?\nIt is 6 * 7.");
    claims(&mut world, 2, "You want more?\nIt is 6 * 7.\nThat is all.");
    assert_eq!(text(&world), "The answer is 42.\n\nYou want more?\nIt is 6 * 7.\nThat is all.");
}

#[test]
fn the_turn_of_answers_is_remembered_and_what_was_said_before_it_is_no_answer() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    over(&mut world, 1, "I ask ann.");
    world.give("ann");
    world.claim("ann");
    world.give("boss");
    over(&mut world, 2, "ann says 42.");
    away(&mut world, true);
    world.give("boss");
    claims(&mut world, 3, "");
    assert_eq!(text(&world), "ann says 42.");
}

#[test]
fn a_turn_that_met_limits_is_remembered_over_each_reminder() {
    let mut world = world();
    for (turn, part) in [(1, "Part one."), (2, "Part two."), (3, "Part three.")] {
        says(&mut world, turn, part);
        let until = Some(Millis(world.now.0 + 10_000));
        let need =
            Report::Needs { kind: NeedKind::Limit, why: "limit".into(), asks: None, hidden: false, until };
        world.report("boss", need);
        world.pass(10_001);
        assert!(world.ready("boss").contains("reminder"), "turn {turn}");
        world.submitted("boss");
        world.report("boss", Report::NeedsNothing);
    }
    claims(&mut world, 4, "The end.");
    assert_eq!(text(&world), "Part one.\n\nPart two.\n\nPart three.\n\nThe end.");
}

#[test]
fn whoever_begins_anew_says_all_of_it_anew() {
    let mut world = world();
    over(&mut world, 1, "The answer of a process that died.");
    world.exit("boss", "exit 1");
    world.pass(1_000);
    world.start("boss");
    world.give("boss");
    let turn = world.engine.state().open[&id("t1")].stage.turn().expect("a turn");
    claims(&mut world, turn.number, "The whole answer.");
    assert_eq!(text(&world), "The whole answer.");
}

#[test]
fn a_person_takes_what_was_said_for_the_answer() {
    let mut world = world();
    let refused = done(&mut world, None);
    assert!(refused.contains("t1 is in stage `working`"), "{refused}");
    over(&mut world, 1, "The answer");
    world.give("boss");
    over(&mut world, 2, "is 42.");
    let seen = world.engine.agent(&name("boss")).expect("a member");
    assert_eq!(seen.state, "waiting_input");
    assert!(seen.why.is_some_and(|why| why.contains("`tasuki answer boss done`")));
    let other = done(&mut world, Some("t2"));
    assert!(other.contains("boss is not working on t2 now"), "{other}");
    let by_key = Input::Command {
        request: RequestId(3),
        by: Some(name("boss")),
        command: Command::Done { agent: name("boss"), of: None },
    };
    let refused = world.step(by_key);
    assert!(refused.contains("not-yours") && world.stage("t1") == "waiting", "{refused}");
    away(&mut world, true);
    done(&mut world, Some("t1"));
    assert_eq!(answer(&world), ("The answer\n\nis 42.".to_owned(), Proof::Person));
    assert_eq!(world.stage("t1"), "completed");
}

#[test]
fn a_person_does_not_close_a_task_over_its_parts() {
    let mut world = world();
    world.send("a boss>ann token=k00005");
    over(&mut world, 1, "I ask ann.");
    let refused = done(&mut world, None);
    assert!(refused.contains("it has parts") && world.stage("t1") == "waiting", "{refused}");
}

#[test]
fn what_was_said_is_not_lost_with_a_task_that_is_called_off_or_timed_out() {
    for times_out in [false, true] {
        let mut world = world();
        over(&mut world, 1, "The answer is 42.");
        world.give("boss");
        over(&mut world, 2, "");
        away(&mut world, true);
        if times_out {
            world.pass(600_000)
        } else {
            world.cancel("t1")
        };
        let (text, proof) = answer(&world);
        let why = if times_out { "timed out" } else { "cancelled by user" };
        assert!(text.starts_with(why) && text.ends_with("\n\nThe answer is 42."), "{text}");
        assert_eq!(proof, Proof::Strong, "an error of tasuki's own");
    }
}

#[test]
fn an_agent_that_asks_for_something_is_not_reminded_and_somebody_is_needed() {
    for asks in [false, true] {
        let mut world = world();
        says(&mut world, 1, "Shall I take the first one?");
        world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks });
        let told = world.ready("boss");
        assert_eq!(told.contains("reminder"), !asks, "{told}");
        if asks {
            away(&mut world, true);
            let told = world.ready("boss");
            assert!(!told.contains("reminder"), "{told}");
            done(&mut world, None);
            assert_eq!(answer(&world), ("Shall I take the first one?".to_owned(), Proof::Person));
        }
    }
}

#[test]
fn what_holds_its_next_turn_back_is_told_with_its_words() {
    for answers in [false, true] {
        let mut world = world();
        if answers {
            world.send("p1 boss>ann token=k00005");
        }
        over(&mut world, 1, "done, I think");
        if answers {
            world.give("ann");
            world.claim("ann");
        }
        let words = Some("please do not".into());
        world.report("boss", Report::NotReady { guard: Guard::Draft });
        world.report("boss", Report::Unsent { words, boxed: false });
        let seen = world.engine.agent(&name("boss")).unwrap();
        let why = world.engine.waits_for(&id("t1")).unwrap_or_default();
        for told in [&seen.why.unwrap_or_default(), &why] {
            assert!(
                told.contains("`please do not`") && told.contains("clear-line boss"),
                "{answers}: {told}"
            );
        }
        let what = if answers { "answers to read" } else { "reminded" };
        assert!(seen.state == "waiting" && why.contains(what), "{} {why}", seen.state);
    }
    // Once it was reminded in vain, what a person can do is told.
    let mut world = world();
    over(&mut world, 1, "done, I think");
    let free = world.engine.waits_for(&id("t1"));
    world.give("boss");
    over(&mut world, 2, "");
    let why = world.engine.waits_for(&id("t1"));
    let words = Some("please do not".into());
    world.report("boss", Report::Unsent { words, boxed: false });
    assert!(why != free && world.engine.waits_for(&id("t1")) == why, "{free:?} {why:?}");
}
