//! Who speaks in a drop, what that one may answer, and who is told that a drop was refused.

use crate::engine::make::{draft, id, name, team, token};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::input::{Input, Report};
use tasuki::engine::life::CompletionSource;
use tasuki::engine::message::Source;
use tasuki::engine::message::refusal::{Code, Refusal};

#[test]
fn a_proof_says_who_speaks_and_a_wrong_one_is_refused() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>ann");
    world.give("boss");
    world.give("ann");
    let mut text = String::new();
    for (line, key) in [
        ("a ->bob token=k00005", None),
        ("b boss>bob token=k00005", Some("boss")),
        ("c ->bob", Some("boss")),
        ("d boss>bob token=k00006", None),
        ("e boss>bob token=k00005", Some("ann")),
        ("f user>bob", Some("boss")),
        ("g boss>bob token=k99999", None),
        ("h boss>bob", None),
        ("i ->bob", None),
    ] {
        let answer = world.send_drafts(vec![draft(line)], key);
        text += answer.lines().next().unwrap_or_default();
        text += "\n";
    }
    expect![[r#"
        accepted a task boss>bob part of t1 hops 1 verified
        accepted b task boss>bob part of t1 hops 1 verified
        accepted c task boss>bob part of t1 hops 1 inferred verified
        refused bad-proof from ann: the token is ann's, but the message says it is from boss
        refused bad-proof from ann: the key is ann's and the token is boss's
        refused bad-proof from boss: the key is boss's, but the message says it is from user
        refused bad-proof from boss: k99999 is not the token of a turn of an open task; one that went to another agent has a new one
        accepted h task boss>bob part of t1 hops 1 inferred
        accepted i task user>bob
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_answer_comes_from_the_one_who_was_asked() {
    let mut team = team();
    team.limits.accept_unverified_results = false;
    let mut world = World::new(team);
    world.send("t1 user>boss\nt2 user>boss\ni1 user>ann info");
    world.give("boss");
    let mut text = String::new();
    for (line, key) in [
        ("a boss>user result re=t1", None),
        ("b ann>user result re=t1", Some("ann")),
        ("c boss>user result re=t2", Some("boss")),
        ("d boss>user result re=nothing", None),
        ("e boss>user result", None),
        ("f ann>user result re=i1", Some("ann")),
        ("g boss>user result re=t1", Some("boss")),
        ("h boss>user result re=t1", Some("boss")),
    ] {
        let answer = world.send_drafts(vec![draft(line)], key);
        text += answer.lines().next().unwrap_or_default();
        text += "\n";
    }
    expect![[r#"
        refused not-yours from boss: only the token of the newest turn closes t1
        refused not-yours from ann: t1 is boss's, not ann's
        refused not-yours from boss: t2 is nobody's yet, not boss's
        refused unknown-reply from boss: there is no message nothing
        refused not-yours from boss: only the token of a turn of boss's closes a task
        refused unknown-reply from ann: i1 is of type info, which asks for no answer
        accepted g result boss>user re t1 verified
        refused not-open from boss: t1 has ended already
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_name_alone_answers_only_the_task_that_its_owner_has_now() {
    let mut world = World::new(team());
    world.send("t1 user>boss hold\nt2 user>boss");
    world.ready("boss");
    world.unconfirmed("boss");
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("held", "working"));
    let mut text = world.send("r1 boss>user result re=t1");
    text += &world.send("r2 boss>user result re=t2");
    expect![[r#"
        refused not-yours from boss: only the token of the newest turn closes t1
        > answer refused not-yours at token in 0: only the token of the newest turn closes t1
        accepted r2 result boss>user re t2
        t2 claim (reply)
        t2 verify (reply)
        t2 completed, result r2 from boss by reply weak: work
        r2 completed
        > unwatch boss
        > show finished t2
        > show finished r2
        > answer accepted [r2]
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_agent_is_told_that_its_drop_was_refused() {
    let mut world = World::new(team());
    let mut text = world.drop_file("a.yaml", "a boss>eve");
    text += &world.give("boss");
    text += "-- whom the token proves, not who it says it is\n";
    world.send("t1 user>ann");
    world.give("ann");
    text += &world.drop_file("b.yaml", "b boss>bob token=k00006");
    text += "-- what is no message at all\n";
    let refusal = Refusal::new(Code::Syntax, "not YAML");
    let source = Source::File { claim: "1-0".into(), name: "bob_to_boss.yaml".into() };
    text += &world.step(Input::BadDrop { source, from: Some(name("bob")), token: None, refusal });
    expect![[r#"
        refused no-route from boss: boss may not task eve; they may task: ann, bob, crew
        accepted m1 error tasuki>boss verified
        > reject a.yaml no-route
        > seek boss
        m1 intent #1 info by boss
        > ring boss m1 #1 info
        m1 submit (read)
        m1 completed
        > show finished m1
        -- whom the token proves, not who it says it is
        refused bad-proof from ann: the token is ann's, but the message says it is from boss
        accepted m2 task ann>tasuki part of t1 verified
        m2 failed, error m3 from tasuki: b.yaml was refused: the token is ann's, but the message says it is from boss (bad-proof). Cure: leave `from` out: a message is from whoever its key (`TASUKI_AGENT_KEY`), token or drop zone belongs to.
        > show finished m2
        > reject b.yaml bad-proof
        -- what is no message at all
        refused syntax from bob: not YAML
        accepted m4 error tasuki>bob verified
        > reject bob_to_boss.yaml syntax
        > seek bob
    "#]]
    .assert_eq(&text);
}

/// A file that is no YAML, with the number of the token that can be read in it.
fn rubbish(world: &mut World, number: u32) -> String {
    let refusal = Refusal::new(Code::Syntax, "not YAML");
    let source = Source::File { claim: "1-0".into(), name: "part.yaml".into() };
    world.step(Input::BadDrop { source, from: None, token: Some(token(number)), refusal })
}

#[test]
fn a_task_is_not_closed_before_its_agent_has_read_that_a_part_of_it_was_refused() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let mut text = rubbish(&mut world, 5);
    text += &world.claim("boss");
    text += &world.give("boss");
    text += "-- a good file with a wrong addressee, when it has said that its turn is over\n";
    world.send("a boss>ann token=k00005");
    world.claim("boss");
    text += &world.drop_file("b.yaml", "b boss>eve token=k00005");
    world.give("boss");
    world.cancel("a");
    world.claim("boss");
    world.give("boss");
    text += &world.claim("boss");
    expect![[r#"
        refused syntax from boss: not YAML
        accepted m1 task boss>tasuki part of t1 verified
        m1 failed, error m2 from tasuki: part.yaml was refused: not YAML (syntax). Cure: correct the YAML at the line shown: indent with spaces, not tabs; text with `: `, ` #` or a quote in it belongs in quotes or below `content: |`.
        > show finished m1
        > reject part.yaml syntax
        t1 rest (its turn is over; there are answers to read)
        > unwatch boss
        > seek boss
        t1 intent #2 answers k00006 by boss
        > ring boss t1 #2 answers k00006
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        -- a good file with a wrong addressee, when it has said that its turn is over
        refused no-route from boss: boss may not task eve; they may task: ann, bob, crew
        accepted m3 task boss>tasuki part of t1 verified
        m3 failed, error m4 from tasuki: b.yaml was refused: boss may not task eve; they may task: ann, bob, crew (no-route). Cure: send to one of the targets listed, or open a route in the team file.
        > show finished m3
        > reject b.yaml no-route
        > seek boss
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m6 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
    "#]].assert_eq(&text);
}

#[test]
fn who_drops_rubbish_in_each_turn_closes_its_task_in_the_end() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let mut turns = 1;
    while world.stage("t1") != "completed" {
        world.drop_file("a.yaml", "a boss>eve");
        world.claim("boss");
        world.give("boss");
        turns += 1;
        assert!(turns < 9, "it never ends");
    }
    assert_eq!(turns, 5, "three are told of, and the fourth is told when the task has ended");
}

#[test]
fn parts_that_came_to_nothing_are_no_refusals() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    for part in ["a", "b", "c"] {
        world.send(&format!("{part} boss>ann token=k00005"));
        world.cancel(part);
    }
    world.claim("boss");
    world.give("boss"); // it has read what came of them
    world.drop_file("d.yaml", "d boss>eve token=k00005");
    world.claim("boss");
    assert_ne!(world.stage("t1"), "completed", "what was refused is still to be read");
}

#[test]
fn nobody_is_told_who_is_no_agent_or_has_the_answer_already() {
    let mut world = World::new(team());
    let mut text = world.drop_file("a.yaml", "a user>nobody");
    text += &world.drop_file("b.yaml", "b nobody>boss");
    text += &world.send("c boss>eve");
    world.send("t1 user>boss");
    world.give("boss");
    world.claim("boss");
    text += &world.drop_file("d.yaml", "d boss>user result re=t1");
    assert!(!text.contains("error tasuki>"), "{text}");
    expect![[r#"
        refused unknown-agent from user: there is no agent or pool called nobody; the names are: ann, bob, boss, eve, crew, gb, user
        > reject a.yaml unknown-agent
        refused unknown-agent: there is no agent or pool called nobody; the names are: ann, bob, boss, eve, crew, gb, user
        > reject b.yaml unknown-agent
        refused no-route from boss: boss may not task eve; they may task: ann, bob, crew
        > answer refused no-route at to in 0: boss may not task eve; they may task: ann, bob, crew
        refused not-open from boss: t1 has ended already
        > reject d.yaml not-open
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_agent_that_keeps_dropping_rubbish_is_not_flooded() {
    let mut world = World::new(team());
    let mut told = Vec::new();
    for round in 0..100 {
        told.push(world.drop_file("a.yaml", "a boss>eve").matches("error tasuki>boss").count());
        if round >= 10 {
            world.give("boss"); // from here on it reads each at once
        }
    }
    assert_eq!(told.iter().take(10).sum::<usize>(), 1, "none before it has read the last");
    assert_eq!(told.iter().sum::<usize>(), 3, "three a minute");
    world.pass(60_000);
    assert!(world.drop_file("a.yaml", "a boss>eve").contains("error tasuki>boss"));
}

#[test]
fn what_is_only_to_be_read_has_no_parts() {
    let mut world = World::new(team());
    world.send("i1 user>boss info");
    world.ready("boss");
    assert_eq!(world.stage("i1"), "intent");
    let mut text = world.send_drafts(vec![draft("a ->ann")], Some("boss"));
    text += &world.send_drafts(vec![draft("b ->bob parent=i1")], Some("boss"));
    text += &world.send("c boss>bob parent=i1");
    text += "-- its end is no end of the task\n";
    world.cancel("i1");
    world.give("ann");
    text += &world.claim("ann");
    text += &world.give("boss");
    expect![[r#"
        accepted a task boss>ann hops 1 verified
        > answer accepted [a]
        > seek ann
        refused not-yours from boss: i1 is of type info, which has no parts
        > answer refused not-yours at parent in 0: i1 is of type info, which has no parts
        refused not-yours from boss: i1 is of type info, which has no parts
        > answer refused not-yours at parent in 0: i1 is of type info, which has no parts
        -- its end is no end of the task
        a claim (marker)
        a verify (marker)
        a completed, result m1 from ann by marker: done by ann
        accepted m1 result ann>boss re a hops 1 verified
        > unwatch ann
        > show finished a
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
fn an_answer_says_which_task_it_answers_though_only_its_token_does() {
    let mut world = World::new(team());
    world.send("t1 boss>ann");
    world.give("ann");
    let text = world.send("r1 ->user result token=k00005");
    expect![[r#"
        accepted r1 result ann>boss re t1 verified
        t1 claim (reply)
        t1 verify (reply)
        t1 completed, result r1 from ann by reply: work
        > unwatch ann
        > show finished t1
        > answer accepted [r1]
        > seek boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_answer_that_nobody_proved_is_weak() {
    let mut team = team();
    team.members.get_mut(&name("eve")).expect("a member").token = false;
    let mut world = World::new(team);
    let mut text = String::new();
    for (line, key) in [
        ("r1 boss>user result re=t1", None),
        ("r2 boss>user result re=t2", Some("boss")),
        ("r3 boss>user result re=t3 token=k00007", None),
    ] {
        let task = line.split_once("re=").map(|(_, rest)| rest.split(' ').next().unwrap_or_default());
        world.send(&format!("{} user>boss", task.unwrap_or_default()));
        world.give("boss");
        let answer = world.send_drafts(vec![draft(line)], key);
        text += answer.lines().find(|line| line.contains("completed, ")).unwrap_or_default();
        text += "\n";
    }
    world.send("t4 user>eve");
    world.give("eve");
    let (source, text_of) = (CompletionSource::ProcessExit, "its last words".into());
    let (id, line) = (id("t4"), "".into());
    let report = Report::Claimed { id, turn: 1, token: None, line, source, text: text_of, truncated: false };
    text += &world.report("eve", report);
    expect![[r#"
        t1 completed, result r1 from boss by reply weak: work
        t2 completed, result r2 from boss by reply: work
        t3 completed, result r3 from boss by reply: work
        t4 claim (process_exit)
        t4 verify (process_exit)
        t4 completed, result m1 from eve by process_exit weak: its last words
        > unwatch eve
        > show finished t4
    "#]]
    .assert_eq(&text);
}

#[test]
fn whoever_has_not_read_of_its_newest_refusal_is_not_told_of_another() {
    let mut world = World::new(team());
    let told = |world: &mut World| world.drop_file("a.yaml", "a boss>eve").contains("error tasuki>boss");
    assert!(told(&mut world), "the first");
    world.give("boss");
    assert!(told(&mut world), "it has read that");
    assert!(!told(&mut world), "the second lies there unread");
    world.give("boss");
    assert!(told(&mut world), "it has read both");
}

#[test]
fn a_refusal_is_told_to_nobody_where_no_message_has_room() {
    for (open_max, told) in [(2, true), (1, false)] {
        let mut team = team();
        team.limits.open_max = open_max;
        let mut world = World::new(team);
        world.send("t1 user>boss");
        let mut text = world.drop_file("a.yaml", "a ann>eve task hold after=b");
        text += &world.drop_file("b.yaml", "b ann>boss task");
        assert!(text.contains("reject b.yaml"), "it is refused all the same: {text}");
        assert_eq!(text.contains("error tasuki>ann"), told, "{text}");
        assert!(world.engine.state().open.len() <= open_max as usize, "{text}");
    }
}

#[test]
fn what_was_refused_without_a_proof_is_no_proven_part() {
    let mut team = team();
    team.limits.open_max = 1; // it ends at once, and needs no room
    let mut world = World::new(team);
    world.send("t1 user>boss");
    world.give("boss");
    let refused = |token, file: &str| {
        let source = Source::File { claim: "1-0".into(), name: file.into() };
        let refusal = Refusal::new(Code::Syntax, "not YAML");
        Input::BadDrop { source, from: Some(name("boss")), token, refusal }
    };
    let unproven = world.step(refused(None, "a.yaml"));
    assert!(unproven.contains("task boss>tasuki part of t1\n"), "{unproven}");
    let proven = world.step(refused(Some(token(5)), "b.yaml"));
    assert!(proven.contains("task boss>tasuki part of t1 verified\n"), "{proven}");
}
