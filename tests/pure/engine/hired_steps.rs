//! Agents that are hired for steps: they go with their steps, and a step does not wait for one that cannot be started.

use super::world::World;
use crate::engine::flowing::{flow_id, opening, step};
use crate::engine::make::{name, team};
use tasuki::engine::flow::id::FlowId;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::flow::worker::StepHire;
use tasuki::engine::input::{Command, Report};
use tasuki::engine::team::roster::Like;
use tasuki::engine::team::{Restart, Team};
use tasuki::wire::session::prompt::prompt;

/// Who is hired for the first step.
const HAND: &str = "task-1-34567890";

/// A flow whose first step is done by somebody who is hired like ann; the second needs it, and the third does not.
fn world(team: Team, on_failure: OnFailure) -> World {
    let mut world = World::new(team);
    let mut opening = opening("task-1 ann\ntask-2 bob task-1\ntask-3 eve", on_failure, 0);
    let like = Some(Like::Member(name("ann")));
    opening.steps[0].0.hire = Some(Box::new(StepHire { like, ..StepHire::default() }));
    let said = world.ask(Command::OpenFlow(Box::new(opening)));
    assert!(said.contains("has begun"), "{said}");
    world
}

fn stages(world: &World) -> Vec<&'static str> {
    world.engine.state().flows[&flow_id()].steps.iter().map(|step| step.stage.word()).collect()
}

fn not_started(world: &mut World) -> String {
    world.report(HAND, Report::StartFailed { why: "no such program: install it".to_owned() })
}

#[test]
fn a_step_fails_by_itself_when_its_agent_is_given_up() {
    let mut team = team();
    team.limits.restarts_max = 1;
    let mut world = world(team, OnFailure::Skip);
    not_started(&mut world);
    assert_eq!(stages(&world), ["sent", "pending", "sent"], "it is tried again");
    world.pass(1_000);
    let said = not_started(&mut world);
    let why = "task-1-34567890, which was hired for it, is given up: could not be started: no such program: install it; it ended too \
               often and is not started again";
    assert!(said.contains(why) && !said.contains("tasuki agent start"), "{said}");
    assert_eq!(stages(&world), ["failed", "cancelled", "sent"], "the plan decides what follows");
    assert!(world.engine.agent(&name(HAND)).is_none(), "it is dismissed");
    let retry = FlowWish::Retry(step("task-1"));
    world.ask(Command::Flow { id: flow_id(), wish: retry });
    assert_eq!(stages(&world), ["sent", "pending", "sent"]);
    world.start(HAND);
    for agent in [HAND, "bob", "eve"] {
        world.give(agent);
        world.claim(agent);
    }
    assert_eq!(world.engine.state().flows[&flow_id()].stage, FlowStage::Completed);
    assert!(world.engine.state().hired.is_empty());
}

#[test]
fn a_step_fails_with_its_agent_however_that_ends_for_good() {
    let mut hasty = team();
    hasty.limits.restarts_max = 0;
    let mut never = team();
    never.members.get_mut(&name("ann")).expect("ann").restart = Restart::Never;
    for (team, is_typed, how) in [
        (&hasty, true, "exit 1"),
        (&hasty, false, "exit 127"),
        (&never, false, "exit 0"),
        (&never, true, "exit 0"),
    ] {
        let mut world = world(team.clone(), OnFailure::Stop);
        world.start(HAND);
        if is_typed {
            world.give(HAND);
        }
        let said = world.exit(HAND, how);
        assert!(said.contains(how), "{said}");
        assert_eq!(stages(&world), ["failed", "pending", "sent"], "{said}");
        assert!(
            world.engine.state().hired.is_empty() && !world.engine.state().queues.contains_key(&name(HAND))
        );
    }
    // One that a person has stopped is that person's affair.
    let mut world = world(hasty, OnFailure::Stop);
    world.start(HAND);
    world.ask_stop(HAND);
    assert_eq!(stages(&world), ["sent", "pending", "sent"]);
}

#[test]
fn whoever_is_hired_for_a_step_is_given_no_step_of_another() {
    let mut world = world(team(), OnFailure::Stop);
    let other = FlowId::new(&flow_id().as_str().replace('f', "0")).expect("a UUID");
    let mut plan = opening(&format!("task-1 {HAND}"), OnFailure::Stop, 0);
    plan.head.id = other.clone();
    let said = world.ask(Command::OpenFlow(Box::new(plan)));
    let why = format!("task-1: {HAND} is hired for task-1 of session {} and goes when that ends", flow_id());
    assert!(said.contains("refused not-yours") && said.contains(&why), "{said}");
    let (added, body) = opening(&format!("task-4 {HAND}"), OnFailure::Stop, 0).steps.remove(0);
    let said = world.ask(Command::Flow { id: flow_id(), wish: FlowWish::Add(Box::new((added, body))) });
    assert!(said.contains("refused not-yours") && said.contains("task-4: "), "{said}");
    // It is no name that is offered in place of another one.
    let mut plan = opening("task-1 nobody", OnFailure::Stop, 0);
    plan.head.id = other;
    let said = world.ask(Command::OpenFlow(Box::new(plan)));
    assert!(said.contains("the names are: ann, bob, boss, eve") && !said.contains(HAND), "{said}");
    let asked = prompt(world.engine.team(), &name("boss"), "x");
    assert!(asked.contains("- ann\n") && !asked.contains(HAND), "{asked}");
}

#[test]
fn agents_are_made_of_their_masters_profile_or_are_copies_where_that_says_nothing_of_its_program() {
    for (is_any_program, is_commandless, like) in [
        (false, false, Like::Profile("scripted".to_owned())),
        (true, false, Like::Member(name("ann"))),
        (false, true, Like::Member(name("ann"))),
    ] {
        let mut team = team();
        team.any_program.extend(is_any_program.then(|| "scripted".to_owned()));
        team.commandless.extend(is_commandless.then(|| "scripted".to_owned()));
        let mut world = World::new(team);
        let mut opening = opening("task-1 ann", OnFailure::Stop, 0);
        opening.head.master = Some(name("ann"));
        opening.steps[0].0.hire = Some(Box::default());
        world.ask(Command::OpenFlow(Box::new(opening)));
        assert_eq!(world.engine.state().hired[&name(HAND)].recipe.like, like);
        // Whoever asks for it by name is told at once, and no agent fails to start later.
        let mut plan = crate::engine::flowing::opening("task-1 ann", OnFailure::Stop, 0);
        plan.head.id = FlowId::new("b1b2c3d4-e5f6-4890-abcd-ef1234567891").expect("an id");
        let like = Some(Like::Profile("scripted".to_owned()));
        plan.steps[0].0.hire = Some(Box::new(StepHire { like, ..StepHire::default() }));
        let said = world.ask(Command::OpenFlow(Box::new(plan)));
        let why = "task-1: nobody can be made from the profile scripted alone: it says no command";
        assert_eq!(said.contains("refused unknown-word") && said.contains(why), is_commandless, "{said}");
    }
}
