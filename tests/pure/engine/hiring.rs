//! Agents that are hired and dismissed.

use crate::engine::make::{member, name, team};
use crate::engine::world::World;
use expect_test::expect;
use std::collections::BTreeSet;
use tasuki::engine::input::{Command, Input};
use tasuki::engine::message::RequestId;
use tasuki::engine::team::power::{Power, Whose};
use tasuki::engine::team::roster::{HIRED_MAX, Hire, Host, Like, Recipe};
use tasuki::engine::team::{Restart, Team};
use tasuki::engine::words::Digest;

fn like(model: &str) -> Like {
    Like::Member(name(model))
}

fn wanted(own: &str, like: Like) -> Hire {
    let recipe = Recipe { like, cwd: None, model: None, env: Default::default(), host: Host::Local };
    Hire { name: name(own), reports_to: None, phrase: "HAL OK".into(), recipe, flow: None, notes: Vec::new() }
}

fn hire(world: &mut World, own: &str, model: &str) -> String {
    world.ask(Command::Hire(Box::new(wanted(own, like(model)))))
}

fn under(world: &mut World, own: &str, above: &str) -> String {
    let wish = Hire { reports_to: Some(name(above)), ..wanted(own, like("bob")) };
    world.ask(Command::Hire(Box::new(wish)))
}

fn dismiss(world: &mut World, own: &str) -> String {
    world.ask(Command::Dismiss(name(own)))
}

/// With somebody who was hired like bob, and is free.
fn with_hal() -> World {
    let mut world = World::free(team());
    hire(&mut world, "hal", "bob");
    world.start("hal");
    world.ready("hal");
    world
}

fn change(world: &mut World, team: Team) -> String {
    world.step(Input::Team(Box::new(team)))
}

/// The team, and bob is started otherwise.
fn changed_bob() -> Team {
    let mut team = team();
    team.members.get_mut(&name("bob")).unwrap().launch = Digest(7);
    team
}

#[test]
fn whoever_is_hired_is_a_member_like_any_other() {
    let mut world = World::free(team());
    let mut text = hire(&mut world, "hal", "bob");
    text += &world.start("hal");
    text += &world.send("t1 user>hal");
    text += &world.ready("hal");
    world.submitted("hal");
    text += &world.claim("hal");
    expect![[r#"
        hal is hired by user, like bob, reports to boss
        hal is launching
        > launch hal
        > answer hal is hired like bob and is being started
        hal is up in %4
        > seek hal
        accepted t1 task user>hal
        > answer accepted [t1]
        t1 intent #1 task k00005 by hal
        > ring hal t1 #1 task k00005
        t1 claim (marker)
        t1 verify (marker)
        t1 completed, result m1 from hal by marker: done by hal
        > unwatch hal
        > show finished t1
    "#]]
    .assert_eq(&text);
    let hal = world.engine.team().members[&name("hal")].clone();
    assert_eq!((hal.reports_to, hal.phrase.as_str()), (name("boss"), "HAL OK"));
    let free = world.send("t2 boss>hal token=k00001");
    assert!(!free.contains("refused no-route"), "{free}");
}

#[test]
fn who_is_hired_is_there_after_a_crash_and_in_a_new_segment() {
    let mut world = with_hal();
    world.send("t1 user>hal");
    world.crash(&["hal"]);
    assert!(world.runs("hal"), "it is taken up");
    assert_eq!(world.engine.state().open.len(), 1);
    world.turn_segment();
    let hired = world.engine.state().hired.clone();
    world.crash(&["hal"]);
    assert_eq!(world.engine.state().hired, hired);
    assert!(world.engine.team().members.contains_key(&name("hal")));
    dismiss(&mut world, "hal");
    world.crash(&[]);
    assert!(!world.engine.team().members.contains_key(&name("hal")));
}

#[test]
fn what_the_dismissed_worked_on_and_what_waited_for_it_fails() {
    let mut world = with_hal();
    world.send("t1 user>hal\nt2 boss>hal\nt3 user>crew");
    world.submitted("hal");
    expect![[r#"
        t1 failed, error m1 from tasuki: hal ended while the message was submitted: it was dismissed
        hal is dismissed by user
        t2 failed, error m2 from tasuki: hal was dismissed
        accepted m2 error tasuki>boss re t2 verified
        m2 intent #1 info by boss
        > unwatch hal
        > show finished t1
        > close hal
        > show finished t2
        > answer hal is dismissed
        > ring boss m2 #1 info
    "#]]
    .assert_eq(&dismiss(&mut world, "hal"));
    expect![[r#"
        refused unknown-agent from user: there is no agent or pool called hal; the names are: ann, bob, boss, eve, crew, gb, user
        > answer refused unknown-agent at to in 0: there is no agent or pool called hal; the names are: ann, bob, boss, eve, crew, gb, user
    "#]].assert_eq(&world.send("t4 user>hal"));
}

#[test]
fn whoever_reported_to_the_dismissed_reports_to_the_user() {
    let mut world = with_hal();
    under(&mut world, "ida", "hal");
    let above = |world: &World| world.engine.team().members[&name("ida")].reports_to.to_string();
    assert_eq!(above(&world), "hal");
    dismiss(&mut world, "hal");
    assert_eq!(above(&world), "user");
    expect![[r#"
        > answer refused cycle at reports_to in 0: ida reports to hal: the two would report to each other
    "#]]
    .assert_eq(&under(&mut world, "hal", "ida"));
    under(&mut world, "hal", "boss");
    assert_eq!(above(&world), "hal", "as it was hired to");
}

#[test]
fn what_cannot_be_hired_or_dismissed_is_refused() {
    let mut world = with_hal();
    let mut text = String::new();
    for own in ["bob", "gb", "crew", "hal", "user", "tasuki"] {
        text += &hire(&mut world, own, "bob");
    }
    for model in ["hal", "nobody", "crew", "user"] {
        text += &hire(&mut world, "ida", model);
    }
    text += &under(&mut world, "ida", "nobody");
    text += &world.ask(Command::Hire(Box::new(wanted("ida", Like::Profile("none".into())))));
    for own in ["bob", "nobody", "user", "gb"] {
        text += &dismiss(&mut world, own);
    }
    expect![[r#"
        > answer refused name-taken at name in 0: bob is already an agent
        > answer refused name-taken at name in 0: gb is already an alias of boss
        > answer refused name-taken at name in 0: crew is already a pool
        > answer refused name-taken at name in 0: hal is already an agent
        > answer refused name-taken at name in 0: the name user is reserved
        > answer refused name-taken at name in 0: the name tasuki is reserved
        > answer refused unknown-agent at like in 0: hal was hired itself, like bob: hire this one so, too
        > answer refused unknown-agent at like in 0: nobody is not an agent; the agents are: ann, bob, boss, eve, gb
        > answer refused unknown-agent at like in 0: crew is not an agent; the agents are: ann, bob, boss, eve, gb
        > answer refused unknown-agent at like in 0: user is not an agent; the agents are: ann, bob, boss, eve, gb
        > answer refused unknown-agent at reports_to in 0: nobody is not an agent; the agents are: ann, bob, boss, eve, hal, gb
        > answer refused unknown-word at provider in 0: nobody can be made from the profile none: the profiles are scripted
        > answer refused not-hired in 0: bob is an agent of the team file; only those that were hired are dismissed
        > answer refused unknown-agent in 0: nobody is not an agent; the agents are: ann, bob, boss, eve, hal, gb
        > answer refused unknown-agent in 0: user is not an agent; the agents are: ann, bob, boss, eve, hal, gb
        > answer refused not-hired in 0: boss is an agent of the team file; only those that were hired are dismissed
    "#]].assert_eq(&text);
}

#[test]
fn so_many_can_be_hired_and_no_more() {
    let mut world = World::free(team());
    for number in 0..HIRED_MAX {
        let told = hire(&mut world, &format!("h{number}"), "bob");
        assert!(told.contains("is hired"), "{told}");
    }
    expect![[r#"
        > answer refused roster-full in 0: 200 agents of 204 are hired; at most 200 can be, and a team has at most 1000
    "#]].assert_eq(&hire(&mut world, "one-more", "bob"));
    dismiss(&mut world, "h7");
    assert!(hire(&mut world, "one-more", "bob").contains("is hired"));
}

#[test]
fn an_agent_hires_where_the_team_file_lets_it() {
    let mut team = team();
    team.may.insert(name("boss"), [(Power::Agent, Whose::Everybodys)].into());
    team.may.insert(name("ann"), [(Power::Agent, Whose::Of(BTreeSet::from([name("eve")])))].into());
    let mut world = World::free(team);
    let mut text = String::new();
    for by in ["eve", "ann", "boss"] {
        let command = Command::Hire(Box::new(wanted("hal", like("bob"))));
        text += &world.step(Input::Command { request: RequestId(1), by: Some(name(by)), command });
    }
    for by in ["ann", "boss"] {
        let command = Command::Dismiss(name("hal"));
        text += &world.step(Input::Command { request: RequestId(1), by: Some(name(by)), command });
    }
    expect![[r#"
        > answer refused not-yours in 0: eve is an agent and may not use `agent`
        > answer refused not-yours in 0: ann is an agent and may not use `agent`
        hal is hired by boss, like bob, reports to boss
        hal is launching
        > launch hal
        > answer hal is hired like bob and is being started
        > answer refused not-yours in 0: ann is an agent and may not use `agent` for hal
        hal is dismissed by boss
        > close hal
        > answer hal is dismissed
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_hired_follow_their_kind_and_outlive_it() {
    let mut world = World::free(team());
    hire(&mut world, "abe", "bob");
    world.start("abe");
    world.ready("abe");
    let mut text = change(&mut world, changed_bob());
    text += "-- bob is gone\n";
    let mut without = changed_bob();
    without.members.remove(&name("bob"));
    without.pools.values_mut().for_each(|members| members.retain(|member| *member != name("bob")));
    world.start("abe");
    text += &change(&mut world, without);
    text += "-- the daemon comes back\n";
    text += &world.crash(&["abe", "ann", "boss", "eve"]);
    text += "-- bob is back\n";
    text += &change(&mut world, team());
    expect![[r#"
        abe is down as wanted (its settings changed)
        abe is launching
        bob is down as wanted (its settings changed)
        bob is launching
        > close abe
        > launch abe
        > close bob
        > launch bob
        -- bob is gone
        bob is removed
        > close bob
        -- the daemon comes back
        abe is adopted
        ann is lost (it ended with the last daemon, or while none was running)
        ann is launching
        boss is adopted
        eve is adopted
        > see off ann
        > launch ann
        > close ann
        -- bob is back
        bob is launching
        abe is down as wanted (its settings changed)
        abe is launching
        > launch bob
        > close abe
        > launch abe
    "#]]
    .assert_eq(&text);
    assert_eq!(world.engine.team().members[&name("abe")].phrase, "HAL OK");
}

#[test]
fn a_kind_that_is_back_has_those_started_that_failed_without_it() {
    let mut never = team();
    never.members.get_mut(&name("bob")).unwrap().restart = Restart::Never;
    let mut without = never.clone();
    without.members.remove(&name("bob"));
    without.pools.clear();
    let mut world = World::free(never.clone());
    hire(&mut world, "hal", "bob");
    change(&mut world, without);
    world.exit("hal", "exit 1");
    assert!(change(&mut world, never).contains("> launch hal"));
}

#[test]
fn a_profile_alone_makes_an_agent() {
    let mut world = World::free(team());
    let told = world.ask(Command::Hire(Box::new(wanted("hal", Like::Profile("scripted".into())))));
    assert!(told.contains("> launch hal"), "{told}");
    assert_eq!(world.engine.team().members[&name("hal")].reports_to, name("user"));
}

/// The team, and the file has the name of somebody who was hired.
fn with_file_hal() -> Team {
    let mut team = team();
    team.members.insert(name("hal"), member("boss"));
    team
}

#[test]
fn a_file_that_takes_the_name_while_the_daemon_is_away_has_it_with_what_waits() {
    let mut world = with_hal();
    world.send("t1 user>hal\nt2 user>hal");
    world.submitted("hal");
    let pane = world.pane("hal");
    world.change_while_away(with_file_hal());
    expect![[r#"
        t1 retry at once redelivered (hal ended while the message was submitted: its name is an agent of the team file now)
        hal is removed
        ann is lost (it ended with the last daemon, or while none was running)
        ann is launching
        bob is lost (it ended with the last daemon, or while none was running)
        bob is launching
        boss is lost (it ended with the last daemon, or while none was running)
        boss is launching
        eve is lost (it ended with the last daemon, or while none was running)
        eve is launching
        hal is launching
        > close hal
        > see off ann
        > launch ann
        > see off bob
        > launch bob
        > see off boss
        > launch boss
        > see off eve
        > launch eve
        > launch hal
    "#]].assert_eq(&world.recover(&[pane]));
    assert!(world.engine.state().hired.is_empty());
}

#[test]
fn a_file_whose_alias_takes_the_name_dismisses() {
    let mut world = with_hal();
    world.send("t1 user>hal");
    let mut team = team();
    team.aliases.insert(name("hal"), name("bob"));
    expect![[r#"
        t1 failed, error m1 from tasuki: hal ended while the message was intent: its name is an alias of bob of the team file now
        hal is removed
        > unwatch hal
        > show finished t1
        > close hal
    "#]].assert_eq(&change(&mut world, team));
}

#[test]
fn while_tmux_is_gone_the_hired_are_owed_a_start() {
    let mut world = World::free(team());
    world.step(Input::TmuxCut);
    let mut text = hire(&mut world, "hal", "bob");
    text += &world.step(Input::TmuxBack(Vec::new()));
    assert!(text.contains("> launch hal"), "{text}");
}
