//! What is taken in, what is refused and why.

use crate::engine::make::{draft, id, name, team};
use crate::engine::world::World;
use expect_test::expect;
use std::collections::BTreeSet;
use tasuki::engine::event::Event;
use tasuki::engine::input::{Input, Moment};
use tasuki::engine::message::refusal::Code;
use tasuki::engine::message::{Known, Outcome, RequestId, Source};
use tasuki::engine::team::Delivery;
use tasuki::engine::words::{Digest, Seq};

#[test]
fn the_same_again_is_a_duplicate_and_something_else_a_conflict() {
    let mut world = World::new(team());
    let mut text = world.send("t1 user>boss: one");
    text += &world.send("t1 user>boss: one");
    text += &world.send("t1 user>boss: two");
    text += "-- and after it has ended\n";
    world.cancel("t1");
    text += &world.send("t1 user>boss: one");
    text += &world.send("t1 user>boss: two");
    expect![[r#"
        accepted t1 task user>boss
        > answer accepted [t1]
        > seek boss
        duplicate t1
        > answer accepted [t1], known [t1]
        refused id-conflict from user: t1 was accepted before with other content
        > answer refused id-conflict at id in 0: t1 was accepted before with other content
        -- and after it has ended
        duplicate t1
        > answer accepted [t1], known [t1]
        refused id-conflict from user: t1 was accepted before with other content
        > answer refused id-conflict at id in 0: t1 was accepted before with other content
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_a_closed_segment_knows_is_a_duplicate_too() {
    let mut world = World::new(team());
    world.send("t1 user>boss: one\nt2 user>boss");
    world.cancel("t1");
    world.turn_segment();
    let mut text = "-- a drop that was looked up before the segment turned\n".to_owned();
    text += &world.send("t1 user>boss: one");
    text += &world.send("t1 user>boss: two\nt3 user>boss after=t1");
    world.turn_segment();
    text += "-- and before it turned twice\n";
    text += &world.send("t1 user>boss: one");
    world.engine.keep_lately(1);
    text += "-- and one that the archive was asked about\n";
    let mut known = draft("t1 user>boss: one");
    known.known = Some(Known { digest: known.digest, outcome: Outcome::Cancelled });
    text += &world.send_drafts(vec![known.clone()], None);
    known.digest = Digest(7);
    text += &world.send_drafts(vec![known], None);
    let mut dependant = draft("t4 user>boss after=t1");
    dependant.known_refs = vec![(id("t1"), Known { digest: Digest(1), outcome: Outcome::Completed })];
    text += &world.send_drafts(vec![dependant], None);
    expect![[r#"
        -- a drop that was looked up before the segment turned
        duplicate t1
        > answer accepted [t1], known [t1]
        refused id-conflict from user: t1 was accepted before with other content
        > answer refused id-conflict at id in 0: t1 was accepted before with other content
        -- and before it turned twice
        duplicate t1
        > answer accepted [t1], known [t1]
        -- and one that the archive was asked about
        duplicate t1
        > answer accepted [t1], known [t1]
        refused id-conflict from user: t1 was accepted before with other content
        > answer refused id-conflict at id in 0: t1 was accepted before with other content
        accepted t4 task user>boss
        > answer accepted [t4]
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_the_archive_was_given_meanwhile_is_a_duplicate_too() {
    let mut world = World::new(team());
    world.send("t1 user>boss: one");
    world.cancel("t1");
    world.engine.forget(&BTreeSet::from([id("t1")]));
    assert_eq!(world.stage("t1"), "unknown");
    // This one was looked up before.
    let (source, drafts) = (Source::Request(RequestId(1)), vec![draft("t1 user>boss: one")]);
    let moment = Moment { now: world.now, wall: world.now, chance: 1 };
    let step = world.engine.step(moment, Input::Drop { source, drafts, proof: None });
    assert!(matches!(&step.events[..], [Event::Duplicate { .. }]), "{:?}", step.events);
}

#[test]
fn what_was_owed_when_its_segment_closed_is_known_and_hides_nothing_else() {
    let mut world = World::new(team());
    world.send("t1 user>boss: one\nt2 user>boss: two");
    world.cancel("t1");
    world.cancel("t2");
    let owed = BTreeSet::from([id("t1")]);
    let snapshot_seq = Seq(world.engine.state().seq.0 + 1);
    world.engine.segment_closed_but(snapshot_seq, &owed);
    let finished = |world: &World| world.engine.state().finished.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(finished(&world), owed, "it is shown as soon as it can be");
    world.engine.forget(&owed);
    assert_eq!(finished(&world), BTreeSet::new());
    // Whoever looks drops up has not heard of that segment yet.
    world.engine.keep_lately(1);
    assert!(world.engine.knows(&id("t1")) && world.engine.knows(&id("t2")));
}

#[test]
fn a_file_is_taken_whole_or_not_at_all() {
    let mut world = World::new(team());
    let mut text = world.drop_file("a.yaml", "t1 user>boss\nt2 user>nobody\nt3 user>boss");
    text += &world.send("t1 user>boss\nt1 user>ann");
    text += &world.send("t1 user>boss after=t3\nt2 user>boss after=t1\nt3 user>boss after=t2");
    text += &world.send("t1 user>boss after=t1");
    text += &world.send("t1 user>boss after=t9");
    assert!(world.engine.state().open.is_empty());
    text += &world.drop_file("b.yaml", "t1 user>boss\nt2 user>ann info after=t1");
    expect![[r#"
        refused unknown-agent from user: there is no agent or pool called nobody; the names are: ann, bob, boss, eve, crew, gb, user
        > reject a.yaml unknown-agent
        refused id-conflict from user: two documents of the file have the same id
        > answer refused id-conflict at id in 0: two documents of the file have the same id
        refused cycle from user: t1 waits for itself through `depends_on`
        > answer refused cycle at depends_on in 0: t1 waits for itself through `depends_on`
        refused cycle from user: t1 waits for itself through `depends_on`
        > answer refused cycle at depends_on in 0: t1 waits for itself through `depends_on`
        refused unknown-dependency from user: there is no message t9
        > answer refused unknown-dependency at depends_on in 0: there is no message t9
        accepted t1 task user>boss
        accepted t2 info user>ann after [t1]
        > forget b.yaml
        > seek boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn routes_go_down_the_team_and_answers_and_infos_both_ways() {
    let mut world = World::new(team());
    let mut text = String::new();
    for line in [
        "a user>eve",
        "b boss>ann",
        "c boss>crew",
        "d ann>eve",
        "e ann>boss info",
        "f ann>user info",
        "g eve>boss",
        "h ann>bob",
        "i ann>boss",
        "j eve>crew",
        "k boss>user",
        "l user>user info",
        "m nobody>boss",
        "n boss>boss",
        "o crew>boss",
    ] {
        let answer = world.send(line);
        text += answer.lines().last().unwrap_or_default();
        text += "\n";
    }
    expect![[r#"
        > seek eve
        > seek ann
        > seek bob
        > answer accepted [d]
        > seek boss
        > answer accepted [f]
        > answer refused no-route at to in 0: eve may not task boss; they may task: nobody
        > answer refused no-route at to in 0: ann may not task bob; they may task: eve
        > answer refused no-route at to in 0: ann may not task boss; they may task: eve
        > answer refused no-route at to in 0: eve may not task crew; they may task: nobody
        > answer refused no-route at to in 0: boss may not task user; they may task: ann, bob, crew
        > answer accepted [l]
        > answer refused unknown-agent at from in 0: there is no agent or pool called nobody; the names are: ann, bob, boss, eve, crew, gb, user
        > answer refused no-route at to in 0: boss may not task boss; they may task: ann, bob, crew
        > answer refused unknown-agent at from in 0: crew is a pool and cannot send anything; its members are: ann, bob
    "#]].assert_eq(&text);
}

#[test]
fn a_route_in_the_team_file_opens_the_way() {
    let mut team = team();
    team.routes.entry(name("eve")).or_default().insert(name("bob"));
    let mut world = World::new(team);
    expect![[r#"
        accepted t1 task eve>bob
        > answer accepted [t1]
        > seek bob
    "#]]
    .assert_eq(&world.send("t1 eve>bob"));
}

#[test]
fn what_cannot_be_typed_inline_is_refused_when_it_is_accepted() {
    let mut team = team();
    team.members.get_mut(&name("ann")).expect("a member").delivery = Delivery::Inline;
    let mut world = World::new(team);
    let mut text = world.send("a user>ann: /quit");
    text += &world.send("b user>crew: # a comment");
    text += &world.send("c user>boss: /quit");
    text += &world.send("d user>ann: やあ");
    expect![[r#"
        refused not-inline from user: the content begins with `/`, which programs take for a command: begin with a word
        > answer refused not-inline at content in 0: the content begins with `/`, which programs take for a command: begin with a word
        refused not-inline from user: the content begins with `#`, which programs take for a command: begin with a word
        > answer refused not-inline at content in 0: the content begins with `#`, which programs take for a command: begin with a word
        accepted c task user>boss
        > answer accepted [c]
        > seek boss
        accepted d task user>ann
        > answer accepted [d]
        > seek ann
    "#]].assert_eq(&text);
}

#[test]
fn who_sends_a_message_again_after_its_deadline_hears_that_it_is_there() {
    let mut world = World::new(team());
    let text = world.send("a user>boss deadline=60000")
        + &world.send("a user>boss deadline=60000 late")
        + &world.send("b user>boss deadline=60000 late");
    expect![[r#"
        accepted a task user>boss
        > answer accepted [a]
        > seek boss
        duplicate a
        > answer accepted [a], known [a]
        refused deadline-past from user: it is too late
        > answer refused deadline-past at deadline in 0: it is too late
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_is_too_late_is_refused() {
    let mut world = World::new(team());
    let text = world.send("a user>boss deadline=0");
    expect![[r#"
        refused deadline-past from user: the deadline has passed
        > answer refused deadline-past at deadline in 0: the deadline has passed
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_task_may_expect_what_the_team_can_check_and_nothing_else_may() {
    let mut world = World::new(team());
    let mut text = String::new();
    for line in [
        "a user>boss expect",
        "b user>boss run=test",
        "c user>boss run=cargo,test",
        "d user>boss run=tset",
        "e user>boss run=cargo,test,--all",
        "f user>boss run=rm,-rf,/",
        "g user>boss info expect",
        "h boss>user result re=a expect",
        "i boss>user error re=a expect",
        "j boss>user run=test",
    ] {
        text += &world.send(line);
    }
    expect![[r#"
        accepted a task user>boss
        > answer accepted [a]
        > job record what boss has before a
        > seek boss
        accepted b task user>boss
        > answer accepted [b]
        accepted c task user>boss
        > answer accepted [c]
        refused command-not-allowed from user: `tset` is not one of the team file's `commands:`; did you mean `test`?
        > answer refused command-not-allowed at expect in 0: `tset` is not one of the team file's `commands:`; did you mean `test`?
        refused command-not-allowed from user: `cargo test --all` is not one of the team file's `commands:`; did you mean `test`?
        > answer refused command-not-allowed at expect in 0: `cargo test --all` is not one of the team file's `commands:`; did you mean `test`?
        refused command-not-allowed from user: `rm -rf /` is not one of the team file's `commands:`; they are: test
        > answer refused command-not-allowed at expect in 0: `rm -rf /` is not one of the team file's `commands:`; they are: test
        refused expect-without-task from user: it is an info, and nobody checks what is no task
        > answer refused expect-without-task at expect in 0: it is an info, and nobody checks what is no task
        refused expect-without-task from boss: it is a result, and nobody checks what is no task
        > answer refused expect-without-task at expect in 0: it is a result, and nobody checks what is no task
        refused expect-without-task from boss: it is an error, and nobody checks what is no task
        > answer refused expect-without-task at expect in 0: it is an error, and nobody checks what is no task
        refused no-route from boss: boss may not task user; they may task: ann, bob, crew
        > answer refused no-route at to in 0: boss may not task user; they may task: ann, bob, crew
    "#]].assert_eq(&text);
    let kept = &world.engine.state().open[&id("c")].message.expect;
    let command = vec!["cargo".to_owned(), "test".to_owned()];
    assert_eq!(kept.as_deref().map(|expect| &expect.command), Some(&command), "as it was written");
}

#[test]
fn a_command_is_the_teams_or_none() {
    let mut team = team();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for (name, command) in [("lint", "./scripts/lint --all"), ("fmt", "cargo fmt"), ("make", "build")] {
        team.commands.insert(name.into(), words(command));
    }
    for (expected, found) in [
        ("test", "cargo test"),
        ("cargo test", "cargo test"),
        ("lint", "./scripts/lint --all"),
        // A list of one word that is nobody's name.
        ("build", "build"),
        ("", ""),
    ] {
        assert_eq!(team.command(&words(expected)), Ok(words(found)), "{expected}");
    }
    let mut told = String::new();
    let long = "襷".repeat(5_000);
    for expected in ["Test", "cargo fmt --all", "rm -rf /", "b\u{202e}x", &long] {
        let refusal = team.command(&words(expected)).unwrap_err();
        assert_eq!((refusal.code, refusal.field), (Code::CommandNotAllowed, Some("expect")));
        told += &format!("{}\n", refusal.why);
    }
    team.commands = (0..100).map(|number| (format!("c{number:02}"), words("true"))).collect();
    told += &format!("{}\n", team.command(&words("unheard-of")).unwrap_err().why);
    team.commands.clear();
    told += &format!("{}\n", team.command(&words("test")).unwrap_err().why);
    expect![[r#"
        `Test` is not one of the team file's `commands:`; did you mean `test`?
        `cargo fmt --all` is not one of the team file's `commands:`; did you mean `fmt`?
        `rm -rf /` is not one of the team file's `commands:`; they are: fmt, lint, make, test
        `b\u{202e}x` is not one of the team file's `commands:`; they are: fmt, lint, make, test
        `襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷` is not one of the team file's `commands:`; they are: fmt, lint, make, test
        `unheard-of` is not one of the team file's `commands:`; they are: c00, c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, …
        `test` is not one of the team file's `commands:`; it has none
    "#]].assert_eq(&told);
}

#[test]
fn a_full_workspace_takes_no_more_but_answers_and_what_it_knows() {
    let mut team = team();
    team.limits.open_max = 1;
    let mut world = World::new(team);
    let mut text = world.send("t1 user>boss");
    text += &world.send("t2 user>boss");
    text += &world.send("t1 user>boss");
    world.give("boss");
    text += &world.send("r1 boss>user result re=t1 token=k00005");
    text += &world.send("t2 user>boss\nt3 user>boss");
    text += &world.send("t2 user>boss");
    expect![[r#"
        accepted t1 task user>boss
        > answer accepted [t1]
        > seek boss
        refused no-room from user: 1 message already open
        > answer refused no-room in 0: 1 message already open
        duplicate t1
        > answer accepted [t1], known [t1]
        accepted r1 result boss>user re t1 verified
        t1 claim (reply)
        t1 verify (reply)
        t1 completed, result r1 from boss by reply: work
        r1 completed
        > unwatch boss
        > show finished t1
        > show finished r1
        > answer accepted [r1]
        refused too-many-documents from user: it has 2 messages, but `max_open` allows 1: it would wait forever
        > answer refused too-many-documents in 0: it has 2 messages, but `max_open` allows 1: it would wait forever
        accepted t2 task user>boss
        > answer accepted [t2]
        > seek boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_nearly_full_disk_takes_what_belongs_to_open_work_and_nothing_else() {
    let mut world = World::new(team());
    let mut text = world.send("t1 user>boss");
    world.give("boss");
    world.engine.disk_is_full(true);
    text += &world.drop_file("new.yaml", "t2 user>boss");
    text += &world.send("t2 user>boss");
    text += "-- known, a part, and a word to the user\n";
    text += &world.send("t1 user>boss");
    text += &world.drop_file("part.yaml", "p1 boss>ann token=k00005");
    text += &world.drop_file("said.yaml", "i1 boss>user info token=k00005");
    world.engine.disk_is_full(false);
    text += "-- there is room again\n";
    text += &world.send("t2 user>boss");
    expect![[r#"
        accepted t1 task user>boss
        > answer accepted [t1]
        > seek boss
        > defer new.yaml
        refused disk-full from user: the disk is nearly full
        > answer refused disk-full in 0: the disk is nearly full
        -- known, a part, and a word to the user
        duplicate t1
        > answer accepted [t1], known [t1]
        accepted p1 task boss>ann part of t1 hops 1 verified
        > forget part.yaml
        > seek ann
        accepted i1 info boss>user part of t1 hops 1 verified
        i1 completed
        > show finished i1
        > forget said.yaml
        -- there is room again
        accepted t2 task user>boss
        > answer accepted [t2]
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_file_that_could_never_have_room_is_refused() {
    let mut team = team();
    team.limits.open_max = 2;
    let mut world = World::new(team);
    let mut text = world.drop_file("a.yaml", "t1 user>boss\nt2 user>boss\nt3 user>boss");
    text += &world.send("t1 user>boss");
    text += &world.drop_file("b.yaml", "t2 user>boss\nt3 user>boss");
    text += "-- what is known needs no room\n";
    text += &world.drop_file("c.yaml", "t1 user>boss\nt4 user>boss");
    expect![[r#"
        refused too-many-documents from user: it has 3 messages, but `max_open` allows 2: it would wait forever
        > reject a.yaml too-many-documents
        accepted t1 task user>boss
        > answer accepted [t1]
        > seek boss
        > defer b.yaml
        -- what is known needs no room
        duplicate t1
        accepted t4 task user>boss
        > forget c.yaml
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_edge_carries_so_many_messages_a_minute_and_the_rest_waits() {
    let mut team = team();
    team.limits.edge_per_minute = 2;
    let mut world = World::new(team);
    let mut text =
        world.send("a boss>ann\nb boss>ann\nc boss>ann\nd boss>ann\ne boss>ann\nf boss>bob\ng user>ann");
    world.pass(59_999);
    text += "-- a moment before\n";
    text += &world.send("h boss>ann");
    world.pass(120_001);
    text += "-- when all is over\n";
    text += &world.send("i boss>ann");
    expect![[r#"
        accepted a task boss>ann
        accepted b task boss>ann
        accepted c task boss>ann not before +60000 ms
        accepted d task boss>ann not before +60000 ms
        accepted e task boss>ann not before +120000 ms
        accepted f task boss>bob
        accepted g task user>ann
        > answer accepted [a, b, c, d, e, f, g]
        > seek ann
        > seek bob
        -- a moment before
        accepted h task boss>ann not before +60001 ms
        > answer accepted [h]
        -- when all is over
        accepted i task boss>ann
        > answer accepted [i]
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_minute_on_an_edge_is_a_whole_minute() {
    for (passed, waits) in [(31_000, 29_000), (59_999, 1), (60_000, 0)] {
        let mut team = team();
        team.limits.edge_per_minute = 2;
        let mut world = World::new(team);
        world.send("a boss>ann\nb boss>ann");
        world.pass(passed);
        let sent = world.send("c boss>ann");
        assert_eq!(sent.contains(&format!("not before +{waits} ms")), waits > 0, "after {passed} ms: {sent}");
        assert_eq!(sent.contains("not before"), waits > 0, "after {passed} ms: {sent}");
    }
}

#[test]
fn a_failed_message_is_sent_again_as_a_new_one() {
    let mut world = World::new(team());
    world.send("t1 user>boss timeout=5\nt2 user>boss");
    let again = |world: &mut World, known: Option<Outcome>, line: &str| {
        let mut draft = draft(line);
        let known = known.map(|outcome| (id("old"), Known { digest: draft.digest, outcome }));
        draft.known_refs.extend(known);
        world.send_drafts(vec![draft], None)
    };
    let mut text = again(&mut world, None, "n1 user>boss timeout=5 again=t1");
    world.give("boss");
    world.pass(5);
    text += &again(&mut world, None, "n1 user>boss timeout=5 again=t1");
    text += &again(&mut world, None, "n1 user>boss timeout=5 again=t1");
    text += "-- the archive knows how older ones ended\n";
    text += &again(&mut world, None, "n2 user>boss again=old");
    text += &again(&mut world, Some(Outcome::Failed), "n2 boss>ann parent=gone again=old");
    text += &again(&mut world, Some(Outcome::Completed), "n3 user>boss again=old");
    text += &again(&mut world, Some(Outcome::Cancelled), "n3 user>boss again=old");
    expect![[r#"
        refused wrong-stage from user: t1 is queued; only a failed or cancelled message can be sent again
        > answer refused wrong-stage at retry_of in 0: t1 is queued; only a failed or cancelled message can be sent again
        accepted n1 task user>boss again for t1
        > answer accepted [n1]
        duplicate n1
        > answer accepted [n1], known [n1]
        -- the archive knows how older ones ended
        refused unknown-dependency from user: there is no message old
        > answer refused unknown-dependency at retry_of in 0: there is no message old
        accepted n2 task boss>ann again for old hops 1
        > answer accepted [n2]
        > seek ann
        refused wrong-stage from user: old is completed; only a failed or cancelled message can be sent again
        > answer refused wrong-stage at retry_of in 0: old is completed; only a failed or cancelled message can be sent again
        accepted n3 task user>boss again for old
        > answer accepted [n3]
    "#]].assert_eq(&text);
}

#[test]
fn the_same_content_that_comes_back_twice_is_stopped() {
    let mut world = World::new(team());
    let say = |world: &mut World, id: &str, from: &str, to: &str, content: &str| {
        let mut draft = draft(&format!("{id} {from}>{to} info"));
        draft.body.content = content.into();
        let text = world.send_drafts(vec![draft], None);
        text.lines()
            .filter(|line| line.starts_with("accepted") || line.starts_with("refused"))
            .collect::<Vec<_>>()
            .join("\n")
            + "\n"
    };
    let mut text = say(&mut world, "i1", "boss", "ann", "ping 襷");
    text += &say(&mut world, "i2", "boss", "ann", "ping 襷");
    text += &say(&mut world, "i3", "ann", "boss", " ping 襷\n");
    text += "-- nobody bounces alone\n";
    text += &say(&mut world, "i3b", "ann", "boss", "ping 襷");
    text += "-- the second time\n";
    text += &say(&mut world, "i4", "boss", "ann", "ping 襷");
    text += "-- other words, and others' words, are no bounce\n";
    text += &say(&mut world, "i5", "boss", "ann", "pong");
    text += &say(&mut world, "i6", "boss", "bob", "ping 襷");
    text += "-- nor is what comes much later\n";
    world.pass(600_000);
    text += &say(&mut world, "i7", "boss", "ann", "ping 襷");
    expect![[r#"
        accepted i1 info boss>ann
        accepted i2 info boss>ann
        accepted i3 info ann>boss
        -- nobody bounces alone
        accepted i3b info ann>boss
        -- the second time
        refused bounce from boss: boss and ann keep sending each other the same content
        -- other words, and others' words, are no bounce
        accepted i5 info boss>ann
        accepted i6 info boss>bob
        -- nor is what comes much later
        accepted i7 info boss>ann
    "#]]
    .assert_eq(&text);
}

#[test]
fn after_ten_minutes_the_same_content_may_come_and_go_as_at_first() {
    for (passed, accepted) in [(599_999, false), (600_000, true)] {
        let mut world = World::new(team());
        world.send("a1 boss>ann info: over to you");
        world.send("a2 ann>boss info: over to you");
        world.pass(passed);
        let sent = world.send("a3 boss>ann info: over to you");
        assert_eq!(sent.contains("accepted a3"), accepted, "{sent}");
        let back = world.send("a4 ann>boss info: over to you");
        assert!(back.contains("accepted a4"), "it comes back once: {back}");
    }
}

#[test]
fn a_content_that_sixteen_others_followed_is_a_new_thought() {
    for (others, accepted) in [(15, false), (16, true)] {
        let mut world = World::new(team());
        world.send("a1 boss>ann info: over to you");
        world.send("a2 ann>boss info: over to you");
        for number in 0..others {
            world.send(&format!("o{number} boss>ann info: note {number}"));
        }
        let sent = world.send("a3 boss>ann info: over to you");
        assert_eq!(sent.contains("accepted a3"), accepted, "after {others}: {sent}");
    }
}
