//! Agents that are started, die, are started again, given up, stopped; and the tmux server under them.

use crate::engine::make::{name, team};
use crate::engine::world::World;
use expect_test::expect;
use tasuki::engine::input::{Command, Input, Report};
use tasuki::engine::team::Restart;

#[test]
fn a_team_is_started_and_greeted() {
    let mut world = World::asleep(team());
    let mut text = world.recover(&[]);
    text += &world.start("boss");
    text += &world.ready("boss");
    expect![[r#"
        ann is launching
        bob is launching
        boss is launching
        eve is launching
        > launch ann
        > launch bob
        > launch boss
        > launch eve
        boss is up in %2
        > seek boss
    "#]]
    .assert_eq(&text);
    let states =
        world.names().into_iter().map(|own| world.engine.agent(&name(&own)).expect("a member").state);
    assert_eq!(states.collect::<Vec<_>>(), ["starting", "starting", "idle", "starting"]);
}

#[test]
fn an_agent_that_keeps_dying_does_not_wait_for_ever_longer() {
    let mut team = team();
    (team.limits.restart_delay_ms, team.limits.restart_delay_ms_max) = (3_000, 7_000);
    let mut world = World::new(team);
    for wait in ["+3000 ms", "+6000 ms", "+7000 ms", "+7000 ms"] {
        let text = world.exit("boss", "exit 1");
        assert!(text.contains(&format!("again {wait} ")), "{wait}: {text}");
        world.pass(7_000);
        world.start("boss");
    }
}

#[test]
fn an_agent_that_keeps_dying_is_started_five_times_and_given_up() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    let mut text = String::new();
    for _ in 0..6 {
        world.give("boss");
        text += &world.exit("boss", "killed by signal 9");
        world.pass(60_000);
        world.start("boss");
    }
    expect![[r#"
        t1 retry +1000 ms redelivered (boss ended while the message was working: killed by signal 9)
        boss is down, again +1000 ms (killed by signal 9)
        > close boss
        t1 retry +2000 ms redelivered (boss ended while the message was working: killed by signal 9)
        boss is down, again +2000 ms (killed by signal 9)
        > close boss
        t1 retry +4000 ms redelivered (boss ended while the message was working: killed by signal 9)
        boss is down, again +4000 ms (killed by signal 9)
        > close boss
        t1 failed, error m1 from tasuki: given up after 4 tries; the last failure: boss ended while the message was working: killed by signal 9
        boss is down, again +8000 ms (killed by signal 9)
        > unwatch boss
        > show finished t1
        > close boss
        boss is down, again +16000 ms (killed by signal 9)
        > close boss
        boss is down (killed by signal 9; it ended too often and is not started again: `tasuki agent start boss`)
        > close boss
    "#]].assert_eq(&text);
    let seen = world.engine.agent(&name("boss")).expect("a member");
    assert_eq!((seen.state, seen.counts.restarts), ("error", 5));
}

#[test]
fn an_agent_that_is_to_be_started_again_at_once_is_each_time() {
    let mut team = team();
    (team.limits.restart_delay_ms, team.limits.restarts_max) = (0, 3);
    let mut world = World::new(team);
    let mut text = String::new();
    // It ends again in the very moment in which it was started again.
    for _ in 0..2 {
        text += &world.exit("boss", "exit 1");
        let due = world.engine.wake_at().expect("a restart that is still to come");
        text += &world.pass(due.since(world.now));
        text += &world.start("boss");
    }
    expect![[r#"
        boss is down, again +1 ms (exit 1)
        > close boss
        boss is launching
        > launch boss
        boss is up in %2
        > seek boss
        boss is down, again +1 ms (exit 1)
        > close boss
        boss is launching
        > launch boss
        boss is up in %2
        > seek boss
    "#]]
    .assert_eq(&text);
    assert_eq!(world.engine.wake_at(), None, "and nothing wakes it again");
}

#[test]
fn a_task_of_an_agent_that_is_given_up_fails_and_what_is_queued_waits() {
    let mut team = team();
    team.limits.restarts_max = 0;
    let mut world = World::new(team);
    world.send("t1 user>boss\nt2 user>boss");
    world.give("boss");
    let mut text = world.exit("boss", "exit 1");
    text += "-- a person starts it\n";
    text += &world.ask(Command::Start(Some(name("boss"))));
    text += &world.start("boss");
    text += &world.ready("boss");
    expect![[r#"
        t1 failed, error m1 from tasuki: boss ended while the message was working: exit 1; it ended too often and is not started again: `tasuki agent start boss`
        boss is down (exit 1; it ended too often and is not started again: `tasuki agent start boss`)
        > unwatch boss
        > show finished t1
        > close boss
        -- a person starts it
        boss is launching
        > launch boss
        > answer 1 agent started
        boss is up in %2
        > seek boss
        t2 intent #1 task k00006 by boss
        > ring boss t2 #1 task k00006
    "#]].assert_eq(&text);
}

#[test]
fn an_agent_is_started_again_as_its_policy_says() {
    let mut text = String::new();
    for restart in [Restart::Always, Restart::OnFailure, Restart::Never] {
        for (how, work) in [("exit 0", false), ("exit 0", true), ("exit 1", false)] {
            let mut team = team();
            team.members.get_mut(&name("boss")).expect("a member").restart = restart;
            let mut world = World::new(team);
            if work {
                world.send("t1 user>boss");
                world.give("boss");
            }
            world.exit("boss", how);
            let state = world.engine.agent(&name("boss")).expect("a member").state;
            let task = if work { world.stage("t1") } else { "-" };
            text += &format!("{restart:?}, {how}: {state}, its task {task}\n");
        }
    }
    expect![[r#"
        Always, exit 0: starting, its task -
        Always, exit 0: starting, its task retrying
        Always, exit 1: starting, its task -
        OnFailure, exit 0: stopped, its task -
        OnFailure, exit 0: starting, its task retrying
        OnFailure, exit 1: starting, its task -
        Never, exit 0: stopped, its task -
        Never, exit 0: stopped, its task failed
        Never, exit 1: error, its task -
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_agent_that_could_not_be_started_is_tried_again() {
    let mut world = World::asleep(team());
    world.recover(&[]);
    let mut text =
        world.report("boss", Report::StartFailed { why: "no such program: install it".to_owned() });
    text += &world.pass(1_000);
    expect![[r#"
        boss is down, again +1000 ms (could not be started: no such program: install it)
        > close boss
        boss is launching
        > launch boss
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_stopped_agent_is_not_typed_to_whatever_its_pane_still_says() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.ask(Command::Stop(name("boss")));
    assert_eq!(world.ready("boss"), "");
    assert_eq!(world.start("boss"), "");
    assert_eq!(world.exit("boss", "exit 0"), "");
    let mut text = world.send("t2 user>boss");
    text += &world.ask(Command::Start(None));
    expect![[r#"
        accepted t2 task user>boss
        > answer accepted [t2]
        boss is launching
        > launch boss
        > answer 1 agent started
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_agent_that_is_stopped_while_it_starts_stays_stopped() {
    let mut world = World::asleep(team());
    world.recover(&[]);
    let mut text = world.ask(Command::Stop(name("boss")));
    text += &world.start("boss");
    expect![[r#"
        boss is down as wanted (stopped by user)
        > close boss
        > answer boss is stopped; its messages wait
    "#]]
    .assert_eq(&text);
    assert!(!world.runs("boss"));
}

#[test]
fn a_restart_is_a_stop_and_a_start() {
    let mut world = World::new(team());
    expect![[r#"
        boss is down as wanted (restarted by user)
        boss is launching
        > close boss
        > launch boss
        > answer boss is being started
    "#]]
    .assert_eq(&world.ask(Command::Restart(name("gb"))));
    expect![[r#"
        > answer refused unknown-agent in 0: crew is not an agent; the agents are: ann, bob, boss, eve, gb
    "#]]
    .assert_eq(&world.ask(Command::Restart(name("crew"))));
}

#[test]
fn whoever_is_restarted_goes_on_with_what_it_had_begun_before_what_waits() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss");
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("working", "queued"));
    world.ask(Command::Restart(name("boss")));
    world.start("boss");
    world.give("boss");
    assert_eq!((world.stage("t1"), world.stage("t2")), ("working", "queued"));
}

#[test]
fn what_was_asked_while_there_was_no_tmux_is_done_when_it_is_back() {
    let mut world = World::new(team());
    world.ask(Command::Stop(name("boss")));
    world.exit("ann", "exit 1");
    world.step(Input::TmuxLost { why: "killed".to_owned() });
    let mut text = world.ask(Command::Start(Some(name("boss"))));
    let mut bigger = team();
    bigger.members.insert(name("new"), crate::engine::make::member("boss"));
    text += &world.step(Input::Team(Box::new(bigger)));
    text += &world.pass(5_000);
    text += "-- and it is back\n";
    text += &world.step(Input::TmuxBack(Vec::new()));
    expect![[r#"
        boss is lost (there is no tmux server; one will be started with it)
        > answer 1 agent started
        new is lost (there is no tmux server; one will be started with it)
        -- and it is back
        bob is launching
        boss is launching
        eve is launching
        new is launching
        ann is launching
        > launch bob
        > launch boss
        > launch eve
        > launch new
        > launch ann
    "#]]
    .assert_eq(&text);
}

#[test]
fn reports_of_an_older_launch_are_no_news() {
    let mut world = World::new(team());
    let old = world.nonce("boss");
    world.send("t1 user>boss");
    world.exit("boss", "exit 1");
    world.pass(1_000);
    world.start("boss");
    for report in [
        Report::Exited { how: "exit 1".to_owned(), clean: false },
        Report::Ready { fresh: crate::engine::make::token(77) },
        Report::StartFailed { why: "late".to_owned() },
    ] {
        let text = world.step(Input::Report { agent: name("boss"), nonce: old, report });
        assert_eq!(text, "");
    }
    assert!(world.runs("boss"));
}

#[test]
fn who_looks_at_the_team_sees_what_waits_what_is_held_and_since_when_each_is_up() {
    let mut world = World::new(team());
    world.send("t1 user>boss\nt2 user>boss\nt3 user>ann hold\nt4 user>bob");
    world.give("boss");
    world.ready("ann");
    world.unconfirmed("ann");
    let state = world.engine.state();
    assert_eq!((state.open.len(), state.tally.pending, state.tally.held), (4, 2, 1));
    let boss = world.engine.agent(&name("boss")).expect("boss");
    assert_eq!((boss.queued, boss.up_since.is_some(), boss.pid.is_some()), (1, true, true));
    world.exit("boss", "exit 1");
    let boss = world.engine.agent(&name("boss")).expect("boss");
    assert_eq!((boss.up_since, boss.pid, boss.pane), (None, None, None), "it is up no more");
}

#[test]
fn an_agent_that_is_started_again_for_years_is_no_burden_on_the_snapshot() {
    let mut team = team();
    team.limits.restarts_max = u8::MAX;
    let mut world = World::new(team);
    let mut sizes = Vec::new();
    for number in 1..=600 {
        world.exit("boss", "exit 1");
        world.pass(3_600_000);
        world.start("boss");
        if number % 300 == 0 {
            sizes.push(format!("{:?}", world.engine.state().agents.get(&name("boss"))).len());
        }
    }
    assert!(world.runs("boss"));
    assert!(sizes[1] < sizes[0] + 100, "what is known of it grows for ever: {sizes:?}");
}

/// tmux dies and comes back; whoever is started runs by then.
fn tmux_dies(world: &mut World) -> String {
    let text = world.step(Input::TmuxLost { why: "killed".to_owned() });
    let back = world.step(Input::TmuxBack(Vec::new()));
    for agent in ["ann", "boss"] {
        if back.contains(&format!("launch {agent}")) {
            world.start(agent);
        }
    }
    text
}

#[test]
fn nobodys_tries_are_spent_by_a_death_of_tmux_that_anybody_may_have_brought_about() {
    let mut world = World::new(team());
    for (id, agent) in [("t1", "ann"), ("t2", "boss")] {
        world.send(&format!("{id} user>{agent}"));
        world.give(agent);
    }
    for _ in 0..10 {
        let text = tmux_dies(&mut world);
        for agent in ["ann", "boss"] {
            let lost = format!("{agent} is lost and spared (the tmux server ended (killed))");
            assert!(text.contains(&lost), "{text}");
        }
        assert!(text.contains("eve is lost (the tmux server"), "it had nothing: {text}");
        world.pass(60_000);
        for agent in ["ann", "boss"] {
            let given = world.give(agent);
            assert!(given.contains("redelivered"), "{given}");
        }
        assert_eq!((world.attempts("t1"), world.attempts("t2")), (1, 1));
    }
}

#[test]
fn an_agent_that_ends_tmux_in_each_of_its_turns_is_found_out_and_the_others_go_on() {
    let mut world = World::new(team());
    for (id, agent) in [("t1", "ann"), ("t2", "boss")] {
        world.send(&format!("{id} user>{agent}"));
        world.give(agent);
    }
    let mut deaths = 0;
    let last = loop {
        // The boss does it as soon as it has its turn; ann works for long.
        let text = tmux_dies(&mut world);
        deaths += 1;
        if world.stage("t2") == "failed" {
            break text;
        }
        assert!(deaths < 10, "it is never found out: {text}");
        for _ in 0..40 {
            world.pass(1_000);
            for agent in ["ann", "boss"] {
                // Nothing is typed before its time.
                if world.runs(agent) && world.ready(agent).contains("> ring") {
                    world.delivered(agent);
                }
            }
            if world.stage("t2") == "working" {
                break;
            }
        }
    };
    assert!(deaths <= 6, "{deaths} deaths");
    let why = "the tmux server ended (killed) each time that boss had this turn, 3 times in a row";
    assert!(last.contains(why), "{last}");
    let why = "boss is down (the tmux server ended (killed) in its turns, 3 times in a row; it is not started again: `tasuki agent start boss`)";
    assert!(last.contains(why), "{last}");
    assert!(!world.runs("boss"));
    world.pass(60_000);
    world.give("ann");
    assert!(world.attempts("t1") <= 1, "its tries were spent: {}", world.attempts("t1"));
    let text = world.claim("ann");
    assert_eq!(world.stage("t1"), "completed", "{text}");
    let text = world.ask(Command::Start(Some(name("boss"))));
    assert!(text.contains("launch boss"), "{text}");
}

#[test]
fn a_turn_that_came_to_its_end_clears_who_had_it() {
    let mut world = World::new(team());
    for number in 0..5 {
        world.send(&format!("t{number} user>boss"));
        world.give("boss");
        tmux_dies(&mut world);
        world.pass(5_000);
        world.give("boss");
        let text = world.claim("boss");
        assert_eq!(world.stage(&format!("t{number}")), "completed", "{text}");
    }
}
