//! Agents that need a person, or time: nothing is typed, their clock is still, and they go on afterwards.

use crate::engine::make::{name, team};
use crate::engine::world::World;
use std::sync::Arc;
use tasuki::engine::history::tell;
use tasuki::engine::input::Report;
use tasuki::engine::screen::reading::Dialog;

use tasuki::engine::team::need::{AnsweredBy, Need, NeedKind};
use tasuki::engine::words::Millis;

fn needs(world: &mut World, kind: NeedKind, why: &str, until_in: Option<u64>) -> String {
    let until = until_in.map(|ms| Millis(world.now.0 + ms));
    world.report("boss", Report::Needs { kind, why: why.into(), asks: None, until, hidden: false })
}

/// A dialog at a limit.
fn asks() -> Option<Arc<Dialog>> {
    let choices = vec!["1. Stop and wait".to_owned(), "2. Upgrade".to_owned()];
    Some(Arc::new(Dialog { text: "What do you want to do?".to_owned(), choices, ..Dialog::default() }))
}

fn state(world: &World) -> String {
    world.engine.agent(&name("boss")).map(|seen| seen.state.to_owned()).unwrap_or_default()
}

#[test]
fn nothing_is_typed_to_one_that_asks_and_its_clock_stands_still() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.pass(50_000);
    needs(&mut world, NeedKind::Input, "Do you want to proceed?", None);
    assert_eq!(state(&world), "waiting_input");
    world.send("t2 user>boss");
    // A turn may take a minute.
    world.pass(3_600_000);
    assert_eq!(world.stage("t1"), "working", "{}", state(&world));
    world.turn_segment();
    world.report("boss", Report::NeedsNothing);
    assert_eq!(state(&world), "working");
    world.pass(5_000);
    assert_eq!(world.stage("t1"), "working");
    world.claim("boss");
    world.give("boss");
    assert_eq!(world.stage("t2"), "working");
    world.pass(61_000);
    assert_eq!(world.stage("t2"), "failed", "its own clock runs as before");
}

#[test]
fn a_limit_that_is_over_has_the_agent_told_to_go_on_however_often() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    for round in 0..3 {
        needs(&mut world, NeedKind::Limit, &format!("limit {round} · resets 3pm"), Some(7_200_000));
        assert_eq!(state(&world), "rate_limited");
        world.pass(7_100_000);
        assert_eq!(state(&world), "rate_limited", "{round}");
        let asked = world.pass(100_001);
        assert!(asked.contains(&format!("seek boss past limit {round} · resets 3pm")), "{round}: {asked}");
        let told = world.ready("boss");
        assert!(told.contains("reminder"), "{round}: {told}");
        world.submitted("boss");
        world.report("boss", Report::NeedsNothing);
        assert_eq!(state(&world), "working");
    }
    world.claim("boss");
    assert_eq!(world.stage("t1"), "completed");
}

#[test]
fn a_limit_that_a_new_daemon_reads_from_the_same_screen_is_not_one_of_another_day() {
    let mut world = World::new(team());
    needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
    world.pass(60_001);
    assert_eq!(state(&world), "idle");
    let found = world.names();
    world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
    needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(86_400_000));
    assert_ne!(state(&world), "rate_limited");
    world.send("t1 user>boss");
    world.give("boss");
    assert_eq!(world.stage("t1"), "working");
    // Its answer to what was typed says the same once more: the limit is not over after all.
    needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
    assert_eq!(state(&world), "rate_limited");
}

#[test]
fn a_limit_ends_over_a_restart_of_the_daemon_and_over_an_answer() {
    for answered in [false, true] {
        let mut world = World::new(team());
        world.send("t1 user>boss");
        world.give("boss");
        needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
        world.pass(20_000);
        if answered {
            world.report("boss", Report::Answered { choice: "1. Wait".into(), by: AnsweredBy::Person });
        } else {
            let found = world.names();
            world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
        }
        assert_eq!(state(&world), "rate_limited", "answered: {answered}");
        let asked = world.pass(40_001);
        assert!(asked.contains("seek boss"), "answered: {answered}: {asked}");
        assert!(world.ready("boss").contains("reminder"), "answered: {answered}");
    }
}

#[test]
fn a_limit_that_is_shown_as_a_dialog_waits_for_somebody_once_its_time_has_come() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let limit = |world: &mut World, asks, until_in| {
        let until = Some(Millis(world.now.0 + until_in));
        world.report(
            "boss",
            Report::Needs { kind: NeedKind::Limit, why: "resets 3pm".into(), asks, until, hidden: false },
        )
    };
    limit(&mut world, asks(), 60_000);
    assert_eq!(state(&world), "rate_limited");
    world.pass(60_001);
    assert_eq!(state(&world), "waiting_input", "the dialog stands there yet");
    // What its screen says is nothing new, for the next daemon as well.
    let found = world.names();
    world.crash(&found.iter().map(String::as_str).collect::<Vec<_>>());
    limit(&mut world, asks(), 86_400_000);
    world.pass(3_600_000);
    assert_eq!((state(&world).as_str(), world.stage("t1")), ("waiting_input", "working"));
    world.report("boss", Report::Answered { choice: "1. Stop and wait".into(), by: AnsweredBy::Person });
    // Without a dialog it is another limit, which ends by itself; so it is where the dialog goes before.
    limit(&mut world, asks(), 60_000);
    world.report("boss", Report::NeedsNothing);
    limit(&mut world, asks(), 60_000);
    limit(&mut world, None, 60_000);
    assert_eq!(state(&world), "rate_limited");
    let asked = world.pass(60_001);
    assert!(asked.contains("seek boss past resets 3pm"), "{asked}");
}

#[test]
fn one_without_tokens_is_given_its_task_again_after_a_limit() {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").token = false;
    let mut world = World::new(team);
    world.send("t1 user>boss");
    world.give("boss");
    for round in 0..5 {
        needs(&mut world, NeedKind::Limit, "limit · resets 3pm", Some(60_000));
        let asked = world.pass(60_001);
        assert!(asked.contains("seek boss past limit"), "{round}: {asked}");
        let told = world.give("boss");
        assert!(told.contains("ring boss t1 #1 task redelivered"), "{round}: {told}");
        assert_eq!((state(&world).as_str(), world.stage("t1")), ("working", "working"), "{round}");
    }
    world.claim("boss");
    assert_eq!(world.stage("t1"), "completed");
}

/// A team whose boss has hours for a turn.
fn patient_team() -> tasuki::engine::team::Team {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").timeout_ms = 10 * 3_600_000;
    team
}

fn broken(world: &mut World, hidden: bool) -> String {
    let why = "API Error: 401 → log in".into();
    world.report("boss", Report::Needs { kind: NeedKind::Repair, why, asks: None, until: None, hidden })
}

#[test]
fn an_error_whose_end_nobody_knows_is_looked_at_again_ever_less_often() {
    for kind in [NeedKind::Repair, NeedKind::Limit] {
        let mut world = World::new(patient_team());
        world.send("t1 user>boss");
        world.give("boss");
        for minutes in [1, 2, 5, 10, 10, 10] {
            needs(&mut world, kind, "exceeded retry limit, last status: 429", None);
            assert_eq!(state(&world), kind.state());
            world.turn_segment();
            world.pass(minutes * 60_000 - 1);
            assert_eq!(state(&world), kind.state(), "{minutes}");
            let asked = world.pass(1);
            assert!(asked.contains("seek boss past exceeded retry limit"), "{minutes}: {asked}");
            let told = world.ready("boss");
            assert!(told.contains("ring boss t1") && told.contains("reminder"), "{minutes}: {told}");
            world.submitted("boss");
        }
        world.claim("boss");
        world.send("t2 user>boss");
        world.give("boss");
        needs(&mut world, kind, "exceeded retry limit, last status: 429", None);
        assert!(world.pass(60_000).contains("seek boss past"), "it got something done: it begins anew");
    }
}

/// What was told of an agent's needs, in all.
fn told(world: &World) -> Vec<String> {
    let events = world.journal.iter().flat_map(|(_, _, events)| events);
    let lines = events.filter_map(|event| tell(event, None)).map(|line| line.text);
    let words = ["rate_limited:", "error:", "no longer needs attention"];
    lines.filter(|line| words.iter().any(|word| line.contains(word))).collect()
}

fn waits_since(world: &World) -> Option<Millis> {
    let need = world.engine.state().agents[&name("boss")].need();
    need.map(Need::first_seen)
}

#[test]
fn a_wait_counts_from_its_first_sight_and_a_look_that_finds_it_again_tells_nothing() {
    for kind in [NeedKind::Repair, NeedKind::Limit] {
        let mut world = World::new(patient_team());
        world.send("t1 user>boss");
        world.give("boss");
        let first = world.now;
        for (round, minutes) in [1, 2, 5, 10].into_iter().enumerate() {
            needs(&mut world, kind, &format!("retry limit, {round} left"), None);
            assert_eq!(waits_since(&world), Some(first), "{minutes}");
            world.pass(minutes * 60_000);
            world.ready("boss");
            world.pass(2_000);
            // The program tries, and shows no limit until it is refused.
            match round % 2 {
                0 => world.report("boss", Report::NeedsNothing),
                _ => world.submitted("boss"),
            };
            assert_eq!(state(&world), "working");
            world.pass(60_000);
        }
        assert_eq!(told(&world).len(), 1, "{:#?}", told(&world));
        // What it meets after it has worked is another one.
        world.submitted("boss");
        world.pass(200_000);
        needs(&mut world, kind, "retry limit, 0 left", None);
        assert_eq!((waits_since(&world), told(&world).len()), (Some(world.now), 2), "{:#?}", told(&world));
        world.claim("boss");
        world.send("t2 user>boss");
        world.give("boss");
        needs(&mut world, kind, "retry limit, 0 left", None);
        assert_eq!(waits_since(&world), Some(world.now), "it got something done between them");
    }
}

#[test]
fn a_limit_of_which_other_words_are_found_is_told_and_has_lasted_since_the_first() {
    let mut world = World::new(patient_team());
    world.send("t1 user>boss");
    world.give("boss");
    let first = world.now;
    needs(&mut world, NeedKind::Limit, "session limit · resets 3pm", Some(60_000));
    world.pass(60_001);
    world.ready("boss");
    world.submitted("boss");
    needs(&mut world, NeedKind::Limit, "session limit · resets 3pm", Some(60_000));
    assert_eq!(
        (waits_since(&world), told(&world).len()),
        (Some(first), 2),
        "its time had come, and it is not over"
    );
    world.pass(60_001);
    world.ready("boss");
    world.submitted("boss");
    needs(&mut world, NeedKind::Limit, "weekly limit", None);
    assert_eq!((waits_since(&world), told(&world).len()), (Some(first), 3), "{:#?}", told(&world));
    world.pass(60_001);
    world.ready("boss");
    world.submitted("boss");
    needs(&mut world, NeedKind::Repair, "log in", None);
    assert_eq!(waits_since(&world), Some(world.now), "an error is no limit");
}

#[test]
fn the_time_of_a_task_runs_on_where_nobody_knows_an_end() {
    for kind in [NeedKind::Repair, NeedKind::Limit] {
        let mut world = World::new(team());
        world.send("t1 user>boss timeout=100000");
        world.give("boss");
        world.pass(10_000);
        needs(&mut world, kind, "no more", None);
        world.pass(60_000);
        assert!(world.ready("boss").contains("reminder"));
        world.delivered("boss");
        needs(&mut world, kind, "no more", None);
        world.pass(29_999);
        assert_eq!(world.stage("t1"), "working", "{kind:?}");
        let told = world.pass(2);
        assert!(
            told.contains("timed out: boss has not answered within 100 s; its screen says: no more"),
            "{told}"
        );
        assert_eq!(state(&world), kind.state(), "what waits is not thrown after it at once");
        world.send("t2 user>boss");
        assert!(world.pass(120_000).contains("seek boss past no more"), "but in its turn");
    }
}

#[test]
fn a_limit_that_names_its_end_after_all_stops_the_clock_from_then_on() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    needs(&mut world, NeedKind::Limit, "no more", None);
    world.pass(30_000);
    needs(&mut world, NeedKind::Limit, "no more until 3pm", Some(7_200_000));
    world.pass(7_200_000);
    assert_eq!(world.stage("t1"), "waiting", "it is told to go on");
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    needs(&mut world, NeedKind::Limit, "no more until 3pm", Some(7_200_000));
    world.pass(50_000);
    needs(&mut world, NeedKind::Repair, "log in", None);
    world.pass(59_000);
    assert_eq!(world.stage("t1"), "working");
    world.pass(2_000);
    assert_eq!(world.stage("t1"), "failed", "and runs from then on");
}

#[test]
fn one_who_is_given_the_same_again_without_a_token_has_no_more_time_for_it() {
    let mut team = team();
    team.members.get_mut(&name("boss")).expect("a member").token = false;
    let mut world = World::new(team);
    world.send("t1 user>boss timeout=100000");
    world.give("boss");
    needs(&mut world, NeedKind::Limit, "no more", None);
    world.pass(60_000);
    assert!(world.give("boss").contains("ring boss t1 #1 task redelivered"));
    needs(&mut world, NeedKind::Limit, "no more", None);
    world.pass(40_001);
    assert_eq!(world.stage("t1"), "failed");
}

#[test]
fn what_is_called_off_frees_its_agent_and_what_cannot_be_typed_past_does_not() {
    for (hidden, freed) in [(false, true), (true, false)] {
        let mut world = World::new(patient_team());
        world.send("t1 user>boss\nt2 user>boss");
        world.give("boss");
        broken(&mut world, hidden);
        let told = world.cancel("t1");
        assert_eq!(told.contains("seek boss past API Error: 401"), freed, "{told}");
        assert_eq!(state(&world), if freed { "idle" } else { "error" });
    }
    let mut world = World::new(patient_team());
    world.send("t1 user>boss\nt2 user>boss");
    world.give("boss");
    needs(&mut world, NeedKind::Limit, "resets 3pm", Some(7_200_000));
    world.cancel("t1");
    assert_eq!(state(&world), "rate_limited", "an end that is known is waited for");
}

#[test]
fn a_person_has_it_tried_again_at_once() {
    let mut world = World::new(patient_team());
    world.send("t1 user>boss");
    world.give("boss");
    assert!(world.retry("t1").contains("refused wrong-stage"));
    broken(&mut world, false);
    let told = world.retry("t1");
    assert!(told.contains("t1 goes on: boss is typed to again"), "{told}");
    assert!(world.ready("boss").contains("reminder"));
    world.submitted("boss");
    broken(&mut world, true);
    assert!(world.retry("t1").contains("refused wrong-stage"), "nothing can be typed there");
}

#[test]
fn where_nothing_can_be_typed_it_is_told_again_and_nothing_else() {
    let mut world = World::new(patient_team());
    world.send("t1 user>boss");
    world.give("boss");
    broken(&mut world, true);
    for minutes in [1, 2, 5, 10, 10] {
        let told = world.pass(minutes * 60_000);
        assert!(told.contains("error (API Error: 401") && !told.contains("seek"), "{minutes}: {told}");
        assert_eq!((state(&world).as_str(), world.stage("t1")), ("error", "working"));
    }
    let standing = world.engine.standing(world.now);
    let text = &standing.first().expect("it is told").1;
    for words in [
        "nothing has been typed to boss since",
        "`tasuki cancel t1`",
        "`tasuki pane send --force boss",
        "restart boss",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn what_waits_for_minutes_is_told_with_its_reason_and_its_cure() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.report("boss", Report::NotReady { guard: tasuki::engine::input::Guard::Working });
    world.pass(60_000);
    world.report("boss", Report::NotReady { guard: tasuki::engine::input::Guard::Draft });
    assert!(world.engine.standing(world.now).is_empty());
    assert_eq!(world.engine.more_standing_at(world.now), Some(world.now.plus(60_000)));
    world.pass(60_000);
    let standing = world.engine.standing(world.now);
    let text = &standing.first().expect("it is told").1;
    assert!(
        text.contains("since 22:13:20Z: draft: somebody's unsent words are in its input (1 message waits)")
            && text.contains("`tasuki pane clear-line boss`"),
        "{text}"
    );
    world.give("boss");
    assert!(world.engine.standing(world.now).is_empty());
}
