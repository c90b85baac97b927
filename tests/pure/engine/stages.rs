//! One thing happens to a message in each stage: what it means, stage by stage.

use crate::engine::make::{id, name, team, token};
use crate::engine::world::World;
use expect_test::{Expect, expect};
use tasuki::engine::input::{Command, Input, Report};
use tasuki::engine::words::Nonce;

/// Every stage that lasts longer than a step.
pub(crate) const STAGES: [&str; 8] =
    ["queued", "intent", "submitted", "working", "in_doubt", "retrying", "held", "waiting"];

/// A world in which `t1`, a task of the user for `boss`, is in this stage; its token is `k00005`.
pub(crate) fn world(stage: &str) -> World {
    world_with(stage, "")
}

/// The same, with these words in the draft of `t1`.
fn world_with(stage: &str, words: &str) -> World {
    let mut world = World::new(team());
    let hold = if stage == "held" { "hold" } else { "" };
    if stage == "queued" {
        world.send("t0 user>boss");
        world.give("boss"); // something else is being done
    }
    world.send(&format!("t1 user>boss {hold} {words}"));
    if stage == "queued" {
        return world;
    }
    world.ready("boss");
    match stage {
        "submitted" => world.submitted("boss"),
        "working" => world.delivered("boss"),
        "in_doubt" => world.crash(&["boss", "ann", "bob", "eve"]),
        "retrying" => world.undelivered("boss"),
        "held" => world.unconfirmed("boss"),
        "waiting" => {
            world.delivered("boss");
            world.send("t2 boss>ann token=k00005");
            world.claim("boss")
        }
        _ => String::new(),
    };
    assert_eq!(world.stage("t1"), stage);
    world
}

/// What one thing does to a message in each stage.
fn check(thing: impl Fn(&mut World) -> String, expected: Expect) {
    let lines = STAGES.iter().map(|stage| {
        let mut world = world(stage);
        let text = thing(&mut world);
        format!("## {stage} -> {}\n{}", world.stage("t1"), about_boss(&text))
    });
    expected.assert_eq(&lines.collect::<String>());
}

/// Without the lines that only say that the others come and go.
fn about_boss(text: &str) -> String {
    let others = ["ann is", "bob is", "eve is", "> launch ann", "> launch bob", "> launch eve"];
    let lines = text.lines().filter(|line| !others.iter().any(|other| line.starts_with(other)));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_cancelled_task_is_called_off_in_any_stage() {
    check(
        |world| world.cancel("t1"),
        expect![[r#"
            ## queued -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > show finished t1
            > answer t1: t1 is cancelled
            ## intent -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > interrupt boss t1 #1
            > show finished t1
            ## submitted -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > interrupt boss t1 #1
            > show finished t1
            ## working -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > interrupt boss t1 #1
            > show finished t1
            ## in_doubt -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > interrupt boss t1 #1
            > show finished t1
            ## retrying -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > show finished t1
            > answer t1: t1 is cancelled
            ## held -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            > show finished t1
            > answer t1: t1 is cancelled
            ## waiting -> cancelled
            t1 cancelled, error m1 from tasuki: cancelled by user
            t2 cancelled, error m2 from tasuki: t1, of which it was a part, was cancelled
            > show finished t1
            > show finished t2
            > answer t1: t1 is cancelled
        "#]],
    );
}

#[test]
fn a_task_whose_agent_dies_is_tried_again() {
    check(
        |world| world.exit("boss", "exit 1"),
        expect![[r#"
        ## queued -> queued
        t0 retry +1000 ms redelivered (boss ended while the message was working: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## intent -> retrying
        t1 retry +1000 ms redelivered (boss ended while the message was intent: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## submitted -> retrying
        t1 retry +1000 ms redelivered (boss ended while the message was submitted: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## working -> retrying
        t1 retry +1000 ms redelivered (boss ended while the message was working: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## in_doubt -> retrying
        t1 retry +1000 ms redelivered (boss ended while the message was in_doubt: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## retrying -> retrying
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## held -> held
        boss is down, again +1000 ms (exit 1)
        > close boss
        ## waiting -> retrying
        t1 retry +1000 ms redelivered (boss ended while the message was waiting: exit 1)
        boss is down, again +1000 ms (exit 1)
        > close boss
    "#]],
    );
}

#[test]
fn a_task_whose_agent_is_stopped_waits_for_it() {
    check(
        |world| world.ask(Command::Stop(name("boss"))),
        expect![[r#"
            ## queued -> queued
            t0 retry at once redelivered (boss ended while the message was working: stopped by user)
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## intent -> retrying
            t1 retry at once redelivered (boss ended while the message was intent: stopped by user)
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## submitted -> retrying
            t1 retry at once redelivered (boss ended while the message was submitted: stopped by user)
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## working -> retrying
            t1 retry at once redelivered (boss ended while the message was working: stopped by user)
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## in_doubt -> retrying
            t1 retry at once redelivered (boss ended while the message was in_doubt: stopped by user)
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## retrying -> retrying
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## held -> held
            boss is down as wanted (stopped by user)
            > close boss
            > answer boss is stopped; its messages wait
            ## waiting -> retrying
            t1 retry at once redelivered (boss ended while the message was waiting: stopped by user)
            boss is down as wanted (stopped by user)
            > close boss
            > answer t1: boss is stopped; its messages wait
        "#]],
    );
}

#[test]
fn a_claim_on_the_screen_closes_what_was_typed() {
    check(
        |world| world.claim_of("boss", &id("t1"), 1),
        expect![[r#"
        ## queued -> queued
        ## intent -> completed
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
        ## submitted -> completed
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
        ## working -> completed
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
        ## in_doubt -> completed
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > unwatch boss
        > show finished t1
        ## retrying -> completed
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > show finished t1
        ## held -> completed
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from boss by marker: done by boss
        > show finished t1
        ## waiting -> waiting
    "#]],
    );
}

#[test]
fn a_claim_of_an_older_launch_is_no_news() {
    let old = |world: &mut World| {
        let report = world.claim_report("boss", &id("t1"), 1);
        world.step(Input::Report { agent: name("boss"), nonce: Nonce(7), report })
    };
    for stage in STAGES {
        let mut world = world(stage);
        assert_eq!(old(&mut world), "", "{stage}");
        assert_eq!(world.stage("t1"), stage);
    }
}

#[test]
fn a_claim_in_another_agents_pane_is_no_news() {
    for stage in STAGES {
        let mut world = world(stage);
        assert_eq!(world.claim_of("bob", &id("t1"), 1), "", "{stage}");
        assert_eq!(world.claim_of("boss", &id("t1"), 2), "", "{stage}: a turn that never was");
        assert_eq!(world.stage("t1"), stage);
    }
}

#[test]
fn a_reply_with_the_newest_token_closes_what_was_typed() {
    check(
        |world| world.reply(5, "here it is"),
        expect![[r#"
            ## queued -> queued
            t0 claim (reply)
            t0 verify (reply)
            t0 completed, result m1 from boss by reply: here it is
            > unwatch boss
            > show finished t0
            > answer t0: t0 is done
            > seek boss
            ## intent -> completed
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result m1 from boss by reply: here it is
            > unwatch boss
            > show finished t1
            > answer t1: t1 is done
            ## submitted -> completed
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result m1 from boss by reply: here it is
            > unwatch boss
            > show finished t1
            > answer t1: t1 is done
            ## working -> completed
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result m1 from boss by reply: here it is
            > unwatch boss
            > show finished t1
            > answer t1: t1 is done
            ## in_doubt -> completed
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result m1 from boss by reply: here it is
            > unwatch boss
            > show finished t1
            > answer t1: t1 is done
            ## retrying -> completed
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result m1 from boss by reply: here it is
            > show finished t1
            > answer t1: t1 is done
            ## held -> completed
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result m1 from boss by reply: here it is
            > show finished t1
            > answer t1: t1 is done
            ## waiting -> waiting
            t1 said in turn 0: here it is
            > answer t1: t1 waits for its parts; what you gave is its answer if you give no other when you are told theirs
        "#]],
    );
}

#[test]
fn a_failed_reply_fails_the_task() {
    let failed = Command::Reply {
        token: token(5),
        text: "cannot".into(),
        failed: true,
        extra: "".into(),
        spent: None,
    };
    check(
        |world| world.ask(failed.clone()),
        expect![[r#"
            ## queued -> queued
            t0 claim (reply)
            t0 verify (reply)
            t0 failed, error m1 from boss by reply: cannot
            > unwatch boss
            > show finished t0
            > answer t0: t0 has failed
            > seek boss
            ## intent -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            > unwatch boss
            > show finished t1
            > answer t1: t1 has failed
            ## submitted -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            > unwatch boss
            > show finished t1
            > answer t1: t1 has failed
            ## working -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            > unwatch boss
            > show finished t1
            > answer t1: t1 has failed
            ## in_doubt -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            > unwatch boss
            > show finished t1
            > answer t1: t1 has failed
            ## retrying -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            > show finished t1
            > answer t1: t1 has failed
            ## held -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            > show finished t1
            > answer t1: t1 has failed
            ## waiting -> failed
            t1 claim (reply)
            t1 verify (reply)
            t1 failed, error m1 from boss by reply: cannot
            t2 cancelled, error m2 from tasuki: t1, of which it was a part, failed
            > show finished t1
            > show finished t2
            > answer t1: t1 has failed
        "#]],
    );
}

#[test]
fn an_acknowledgement_settles_every_doubt() {
    check(
        |world| world.ask(Command::Acknowledge { token: token(5) }),
        expect![[r#"
            ## queued -> queued
            > answer t0: t0 is acknowledged
            ## intent -> working
            t1 take due +60000 ms (acknowledged)
            > answer t1: t1 is acknowledged
            ## submitted -> working
            t1 take due +60000 ms (acknowledged)
            > answer t1: t1 is acknowledged
            ## working -> working
            > answer t1: t1 is acknowledged
            ## in_doubt -> working
            t1 take due +60000 ms (acknowledged)
            > answer t1: t1 is acknowledged
            ## retrying -> working
            t1 take due +60000 ms (acknowledged)
            > await boss t1 #1 task k00005
            > answer t1: t1 is acknowledged
            ## held -> working
            t1 take due +60000 ms (acknowledged)
            > await boss t1 #1 task k00005
            > answer t1: t1 is acknowledged
            ## waiting -> waiting
            > answer t1: t1 is acknowledged
        "#]],
    );
}

#[test]
fn a_result_without_a_token_closes_the_one_task_that_its_sender_has() {
    check(
        |world| world.send("r1 boss>user result re=t1: here it is"),
        expect![[r#"
            ## queued -> queued
            refused not-yours from boss: t1 is nobody's yet, not boss's
            > answer refused not-yours at in_reply_to in 0: t1 is nobody's yet, not boss's
            ## intent -> completed
            accepted r1 result boss>user re t1
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result r1 from boss by reply weak: here it is
            r1 completed
            > unwatch boss
            > show finished t1
            > show finished r1
            > answer accepted [r1]
            ## submitted -> completed
            accepted r1 result boss>user re t1
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result r1 from boss by reply weak: here it is
            r1 completed
            > unwatch boss
            > show finished t1
            > show finished r1
            > answer accepted [r1]
            ## working -> completed
            accepted r1 result boss>user re t1
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result r1 from boss by reply weak: here it is
            r1 completed
            > unwatch boss
            > show finished t1
            > show finished r1
            > answer accepted [r1]
            ## in_doubt -> completed
            accepted r1 result boss>user re t1
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result r1 from boss by reply weak: here it is
            r1 completed
            > unwatch boss
            > show finished t1
            > show finished r1
            > answer accepted [r1]
            ## retrying -> retrying
            refused not-yours from boss: only the token of the newest turn closes t1
            > answer refused not-yours at token in 0: only the token of the newest turn closes t1
            ## held -> completed
            accepted r1 result boss>user re t1
            t1 claim (reply)
            t1 verify (reply)
            t1 completed, result r1 from boss by reply weak: here it is
            r1 completed
            > show finished t1
            > show finished r1
            > answer accepted [r1]
            ## waiting -> waiting
            accepted r1 result boss>user re t1
            t1 said in turn 0: here it is
            r1 completed
            > show finished r1
            > answer accepted [r1]
        "#]],
    );
}

#[test]
fn a_late_proof_of_delivery_saves_a_second_typing() {
    check(
        |world| world.late("boss", &id("t1"), 1),
        expect![[r#"
        ## queued -> queued
        ## intent -> working
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        ## submitted -> submitted
        ## working -> working
        ## in_doubt -> working
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        ## retrying -> working
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        > await boss t1 #1 task k00005
        ## held -> working
        t1 submit due +60000 ms (read)
        t1 take due +60000 ms (read)
        > await boss t1 #1 task k00005
        ## waiting -> waiting
    "#]],
    );
}

#[test]
fn a_turn_that_is_over_without_a_claim_is_reminded_of() {
    check(
        |world| world.report("boss", Report::TurnOver { id: id("t1"), turn: 1, asks: false }),
        expect![[r#"
            ## queued -> queued
            ## intent -> intent
            ## submitted -> waiting
            t1 rest due +60000 ms (its turn ended without a claim; its agent is reminded)
            > seek boss
            ## working -> waiting
            t1 rest due +60000 ms (its turn ended without a claim; its agent is reminded)
            > seek boss
            ## in_doubt -> in_doubt
            ## retrying -> retrying
            ## held -> held
            ## waiting -> waiting
        "#]],
    );
}

#[test]
fn only_what_waits_for_a_person_is_let_go_on_by_one() {
    check(
        |world| world.retry("t1"),
        expect![[r#"
            ## queued -> queued
            > answer refused wrong-stage in 0: t1 is in stage `queued`; only a held or failed message can be retried, and one whose agent met a limit or an error
            ## intent -> intent
            > answer refused wrong-stage in 0: t1 is in stage `intent`; only a held or failed message can be retried, and one whose agent met a limit or an error
            ## submitted -> submitted
            > answer refused wrong-stage in 0: t1 is in stage `submitted`; only a held or failed message can be retried, and one whose agent met a limit or an error
            ## working -> working
            > answer refused wrong-stage in 0: t1 is in stage `working`; only a held or failed message can be retried, and one whose agent met a limit or an error
            ## in_doubt -> in_doubt
            > answer refused wrong-stage in 0: it is being checked whether t1 was typed; it goes on by itself in a moment
            ## retrying -> retrying
            > answer refused wrong-stage in 0: t1 is tried again by itself in a moment
            ## held -> retrying
            t1 retry at once redelivered (user lets it go on)
            > answer t1: t1 goes on
            > seek boss
            ## waiting -> waiting
            > answer refused wrong-stage in 0: t1 is in stage `waiting`; only a held or failed message can be retried, and one whose agent met a limit or an error
        "#]],
    );
}

#[test]
fn a_task_goes_on_when_the_daemon_comes_back_and_its_agent_still_runs() {
    check(
        |world| world.crash(&["boss", "ann", "bob", "eve"]),
        expect![[r#"
        ## queued -> queued
        boss is adopted
        > await boss t0 #1 task k00005
        ## intent -> in_doubt
        boss is adopted
        t1 doubt (the daemon ended between the intent and the receipt)
        > settle boss t1 #1 task k00005
        ## submitted -> submitted
        boss is adopted
        > await boss t1 #1 task k00005
        ## working -> working
        boss is adopted
        > await boss t1 #1 task k00005
        ## in_doubt -> in_doubt
        boss is adopted
        > settle boss t1 #1 task k00005
        ## retrying -> retrying
        boss is adopted
        ## held -> held
        boss is adopted
        ## waiting -> waiting
        boss is adopted
        > seek ann
    "#]],
    );
}

#[test]
fn a_task_is_tried_again_when_the_daemon_comes_back_and_its_agent_is_gone() {
    check(
        |world| world.crash(&["ann", "bob", "eve"]),
        expect![[r#"
            ## queued -> queued
            t0 retry at once redelivered (boss ended while the message was working: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## intent -> retrying
            t1 retry at once redelivered (boss ended while the message was intent: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## submitted -> retrying
            t1 retry at once redelivered (boss ended while the message was submitted: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## working -> retrying
            t1 retry at once redelivered (boss ended while the message was working: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## in_doubt -> retrying
            t1 retry at once redelivered (boss ended while the message was in_doubt: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## retrying -> retrying
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## held -> held
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            ## waiting -> retrying
            t1 retry at once redelivered (boss ended while the message was waiting: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > seek ann
        "#]],
    );
}

#[test]
fn a_task_is_tried_again_when_the_daemon_comes_back_and_another_process_is_in_its_pane() {
    check(
        |world| world.crash_with_other_process("boss"),
        expect![[r#"
            ## queued -> queued
            t0 retry at once redelivered (boss ended while the message was working: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## intent -> retrying
            t1 retry at once redelivered (boss ended while the message was intent: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## submitted -> retrying
            t1 retry at once redelivered (boss ended while the message was submitted: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## working -> retrying
            t1 retry at once redelivered (boss ended while the message was working: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## in_doubt -> retrying
            t1 retry at once redelivered (boss ended while the message was in_doubt: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## retrying -> retrying
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## held -> held
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            ## waiting -> retrying
            t1 retry at once redelivered (boss ended while the message was waiting: it ended with the last daemon, or while none was running)
            boss is lost (it ended with the last daemon, or while none was running)
            boss is launching
            > see off boss
            > launch boss
            > close boss
            > seek ann
        "#]],
    );
}

#[test]
fn a_task_is_tried_again_when_the_tmux_server_dies() {
    let lost = |world: &mut World| {
        let lost = world.step(Input::TmuxLost { why: "killed".to_owned() });
        lost + "-- and comes back\n" + &world.step(Input::TmuxBack(Vec::new()))
    };
    check(
        lost,
        expect![[r#"
            ## queued -> queued
            t0 retry at once redelivered (boss ended while the message was working: the tmux server ended (killed))
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## intent -> retrying
            t1 retry at once redelivered (boss ended while the message was intent: the tmux server ended (killed))
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## submitted -> retrying
            t1 retry at once redelivered (boss ended while the message was submitted: the tmux server ended (killed))
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## working -> retrying
            t1 retry at once redelivered (boss ended while the message was working: the tmux server ended (killed))
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## in_doubt -> retrying
            t1 retry at once redelivered (boss ended while the message was in_doubt: the tmux server ended (killed))
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## retrying -> retrying
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## held -> held
            boss is lost (the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
            ## waiting -> retrying
            boss is lost and spared (the tmux server ended (killed))
            t1 retry +1000 ms redelivered (boss ended while the message was waiting: the tmux server ended (killed))
            > see off ann
            > see off bob
            > see off boss
            > see off eve
            -- and comes back
            boss is launching
            > launch boss
        "#]],
    );
}

#[test]
fn nothing_is_typed_while_the_stop_file_is_there() {
    let halted = |world: &mut World| {
        let mut text = world.step(Input::Halt(true, None));
        text += &world.crash(&["boss", "ann", "bob", "eve"]);
        text += &world.ready("boss");
        text += &world.pass(2_000);
        assert!(!text.contains("> ring") && !text.contains("> settle"), "{text}");
        text + "-- and is gone\n" + &world.step(Input::Halt(false, None))
    };
    check(
        halted,
        expect![[r#"
        ## queued -> queued
        halted
        boss is adopted
        > await boss t0 #1 task k00005
        -- and is gone
        not halted
        ## intent -> in_doubt
        halted
        boss is adopted
        t1 doubt (the daemon ended between the intent and the receipt)
        -- and is gone
        not halted
        > settle boss t1 #1 task k00005
        ## submitted -> submitted
        halted
        boss is adopted
        > await boss t1 #1 task k00005
        -- and is gone
        not halted
        ## working -> working
        halted
        boss is adopted
        > await boss t1 #1 task k00005
        -- and is gone
        not halted
        ## in_doubt -> in_doubt
        halted
        boss is adopted
        -- and is gone
        not halted
        > settle boss t1 #1 task k00005
        ## retrying -> intent
        halted
        boss is adopted
        -- and is gone
        not halted
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
        ## held -> held
        halted
        boss is adopted
        -- and is gone
        not halted
        ## waiting -> waiting
        halted
        boss is adopted
        -- and is gone
        not halted
        > seek ann
    "#]],
    );
}

#[test]
fn a_deadline_ends_a_task_in_any_stage() {
    let late = |stage: &str| {
        let mut world = world_with(stage, "deadline=5000");
        let before = world.pass(4_999);
        assert!(!before.contains("t1 "), "{stage}: {before}");
        format!("## {stage}\n{}", world.pass(1))
    };
    let text: String = STAGES.iter().map(|stage| late(stage)).collect();
    expect![[r#"
        ## queued
        t1 failed, error m1 from tasuki: its deadline passed while it was queued
        > show finished t1
        ## intent
        t1 failed, error m1 from tasuki: its deadline passed while it was intent
        > interrupt boss t1 #1
        > show finished t1
        ## submitted
        t1 failed, error m1 from tasuki: its deadline passed while it was submitted
        > interrupt boss t1 #1
        > show finished t1
        ## working
        t1 failed, error m1 from tasuki: its deadline passed while it was working
        > interrupt boss t1 #1
        > show finished t1
        ## in_doubt
        t1 failed, error m1 from tasuki: its deadline passed while it was in_doubt
        > interrupt boss t1 #1
        > show finished t1
        ## retrying
        t1 failed, error m1 from tasuki: its deadline passed while it was retrying
        > show finished t1
        ## held
        t1 failed, error m1 from tasuki: its deadline passed while it was held
        > show finished t1
        ## waiting
        t1 failed, error m1 from tasuki: its deadline passed while it was waiting
        t2 cancelled, error m2 from tasuki: t1, of which it was a part, failed
        > show finished t1
        > show finished t2
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_deadline_goes_by_the_wall_and_nothing_else_does() {
    let mut world = world_with("working", "deadline=7200000 timeout=7300000");
    world.wall_ahead_ms = 7_195_000; // it is put right, after a night's sleep say
    assert_eq!(world.engine.deadline().map(|at| at.since(world.now)), Some(7_200_000));
    assert_eq!(world.pass(4_999), "", "the turn goes on: it was not worked at meanwhile");
    assert!(
        world.pass(1).contains("t1 failed, error m1 from tasuki: its deadline passed while it was working")
    );
    let mut world = world_with("working", "deadline=5000 timeout=60000");
    world.wall_ahead_ms = -3_600_000;
    assert_eq!(world.pass(59_999), "", "by the wall there is an hour left");
    assert!(world.pass(1).contains("t1 failed, error m1 from tasuki: timed out"));
}

#[test]
fn no_time_runs_out_for_what_was_said_to_be_over_until_that_is_heard() {
    for (limit, why) in [("timeout=5000", "timed out"), ("deadline=5000", "its deadline passed")] {
        let mut world = world_with("working", limit);
        world.engine.spare([id("t1")].into());
        assert_eq!(world.pass(60_000), "", "{limit}");
        assert!(!world.engine.has_put_off(), "{limit}: it is still to be heard");
        world.engine.spare([].into());
        assert!(world.engine.has_put_off(), "{limit}: it was no end");
        assert!(world.step(Input::Wake).contains(why), "{limit}");
        assert!(!world.engine.has_put_off(), "{limit}: once");
    }
}

#[test]
fn a_deadline_that_the_wall_went_back_behind_is_still_to_come() {
    let mut world = world_with("queued", "");
    world.wall_ahead_ms = 3_600_000;
    assert_eq!(world.step(Input::Wake), "");
    world.wall_ahead_ms = 0;
    let text = world.send("t2 user>boss deadline=60000");
    assert!(text.contains("accepted t2"), "{text}");
    assert_eq!(world.engine.deadline().map(|at| at.since(world.now)), Some(60_000));
    assert!(world.pass(59_999).is_empty());
    assert!(world.pass(1).contains("t2 failed, error m1 from tasuki: its deadline passed"));
}

#[test]
fn a_held_task_is_never_overdue() {
    let mut world = world("held");
    assert_eq!(world.pass(10_000_000), "");
    assert_eq!(world.stage("t1"), "held");
}
