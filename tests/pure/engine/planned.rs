//! Plans of masters: none begins without a yes where one is wanted, whatever comes between.

use super::world::World;
use crate::engine::flowing::{flow_id, opening};
use crate::engine::make::{name, team};
use tasuki::engine::flow::flow::Flow;
use tasuki::engine::flow::opening::FoundPlan;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::input::Command;
use tasuki::engine::job::{Found, JobId};
use tasuki::engine::message::Body;

const ALL: [&str; 4] = ["boss", "ann", "bob", "eve"];

/// A goal that boss is at work to split, whose plan waits for a yes.
fn asked() -> World {
    let mut world = World::new(team());
    let mut opening = opening("", OnFailure::Stop, 0);
    (opening.head.confirm, opening.head.master) = (true, Some(name("boss")));
    opening.ask = Some(Body { content: "家計簿".into(), extra: "".into() });
    world.ask(Command::OpenFlow(Box::new(opening)));
    world.give("boss");
    world
}

/// It answers with a plan.
fn plan(world: &mut World, pull_requests: bool) {
    world.claim("boss");
    let check = world.jobs.keys().find(|id| matches!(id, JobId::Check { .. })).cloned().expect("a check");
    let steps = opening("task-1 ann\ntask-2 bob task-1", OnFailure::Stop, 0).steps;
    let (name, on_failure, parallel) = (None, OnFailure::Stop, 0);
    let plan = FoundPlan { name, on_failure, parallel, pull_requests, steps };
    world.job((check, Found::Plan(Ok(Box::new(plan)))));
}

fn flow(world: &World) -> &Flow {
    &world.engine.state().flows[&flow_id()]
}

/// How it stands: whether it waits for a yes, its stage, and those of its steps.
fn stands(world: &World) -> (bool, FlowStage, Vec<&'static str>) {
    let flow = flow(world);
    (flow.waits_for_yes(), flow.stage, flow.steps.iter().map(|step| step.stage.word()).collect())
}

fn wish(world: &mut World, wish: FlowWish) -> String {
    world.ask(Command::Flow { id: flow_id(), wish })
}

#[test]
fn a_plan_begins_with_a_yes_alone_also_where_it_was_called_off_or_paused_before() {
    let waits = (true, FlowStage::Paused, vec!["ready", "pending"]);
    let begun = (false, FlowStage::Active, vec!["sent", "pending"]);
    let mut world = asked();
    plan(&mut world, false);
    assert_eq!(stands(&world), waits);
    wish(&mut world, FlowWish::Cancel);
    assert_eq!(stands(&world), (false, FlowStage::Failed, vec!["cancelled"; 2]));
    // Also by another daemon, which has only a snapshot of it.
    world.turn_segment();
    world.crash(&ALL);
    let said = wish(&mut world, FlowWish::Resume);
    assert!(said.contains("nobody has said yes") && said.contains("resume it again"), "{said}");
    assert_eq!(stands(&world), waits);
    world.crash(&ALL);
    assert_eq!(stands(&world), waits);
    let said = wish(&mut world, FlowWish::Resume);
    assert!(said.contains("goes on"), "{said}");
    assert_eq!(stands(&world), begun);
    // Who has said yes is not asked again.
    wish(&mut world, FlowWish::Cancel);
    wish(&mut world, FlowWish::Resume);
    assert_eq!(stands(&world), begun);

    // Paused while it was made: whoever resumes that has not seen it.
    let mut world = asked();
    wish(&mut world, FlowWish::Pause);
    plan(&mut world, false);
    assert_eq!((stands(&world).0, flow(&world).stage), (false, FlowStage::Paused));
    wish(&mut world, FlowWish::Resume);
    assert_eq!(stands(&world), waits);
    wish(&mut world, FlowWish::Resume);
    assert_eq!(stands(&world), begun);
}

#[test]
fn a_master_asks_for_pull_requests_and_orders_none() {
    for asks in [false, true] {
        let mut world = asked();
        plan(&mut world, asks);
        world.turn_segment();
        world.crash(&ALL);
        let planning = flow(&world).planning.as_ref().expect("a planning");
        assert_eq!((planning.asks_for_pulls, flow(&world).head.pull_requests), (asks, false));
    }
}
