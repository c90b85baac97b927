//! Flows: steps begin when what they need is there, what came of them decides what follows, and a crash changes none of it.

use super::world::World;
use crate::engine::make::{id, name, team};
use tasuki::engine::event::Event;
use tasuki::engine::flow::flow::StepSpec;
use tasuki::engine::flow::forget::ENDED_STEPS_MAX;
use tasuki::engine::flow::head::{FlowHead, FlowKind};
use tasuki::engine::flow::id::FlowId;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::opening::Opening;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::flow::step::StepMove;
use tasuki::engine::flow::tree::{FlowRepository, StepTree};
use tasuki::engine::flow::unmet::Join;
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::input::{Command, Input};
use tasuki::engine::message::Body;
use tasuki::engine::words::MessageId;

pub(crate) fn flow_id() -> FlowId {
    FlowId::new("a1b2c3d4-e5f6-7890-abcd-ef1234567890").expect("a UUID")
}

pub(crate) fn step(name: &str) -> StepName {
    StepName::new(name).expect("a name")
}

/// A flow from lines: `task-2 ann task-1,task-3 any`.
pub(crate) fn opening(lines: &str, on_failure: OnFailure, parallel: u16) -> Opening {
    let steps = lines.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let needs =
            words.get(2).filter(|needs| **needs != "-").map(|needs| needs.split(',').map(step).collect());
        let spec = StepSpec {
            name: step(words[0]),
            title: format!("the work of {}", words[0]),
            needs: needs.unwrap_or_default(),
            join: if words.get(3) == Some(&"any") { Join::Any } else { Join::All },
            to: name(words[1]),
            hire: None,
            tree: None,
            touches: words.get(4).map(|touches| (*touches).to_owned()).into_iter().collect(),
            timeout_ms: None,
            expect: None,
        };
        (spec, Body { content: format!("do {}", words[0]).into(), extra: "".into() })
    });
    let steps = steps.collect();
    let head = FlowHead {
        id: flow_id(),
        kind: FlowKind::Session,
        owner: name("user"),
        master: None,
        name: Some("a try".to_owned()),
        on_failure,
        parallel,
        repository: None,
        confirm: false,
        pull_requests: false,
        created: None,
        debate: None,
        from_debate: None,
    };
    Opening {
        head,
        request: Body { content: lines.into(), extra: "".into() },
        steps,
        done: Vec::new(),
        ask: None,
        again: false,
    }
}

impl World {
    fn open(&mut self, lines: &str, on_failure: OnFailure, parallel: u16) -> String {
        self.ask(Command::OpenFlow(Box::new(opening(lines, on_failure, parallel))))
    }

    fn wish(&mut self, wish: FlowWish) -> String {
        self.ask(Command::Flow { id: flow_id(), wish })
    }

    /// The same by another name.
    fn open_as(&mut self, id: &FlowId, lines: &str) -> String {
        let mut opening = opening(lines, OnFailure::Stop, 1);
        opening.head.id = id.clone();
        self.ask(Command::OpenFlow(Box::new(opening)))
    }

    /// The flows that are known, in the order of their ids.
    fn known(&self) -> Vec<&'static str> {
        self.engine.state().flows.values().map(|flow| flow.stage.word()).collect()
    }

    /// Where each step is, in order.
    fn steps(&self) -> Vec<&'static str> {
        let flow = &self.engine.state().flows[&flow_id()];
        flow.steps.iter().map(|step| step.stage.word()).collect()
    }

    /// What holds its steps up that need no others.
    fn waits(&self) -> Vec<String> {
        let waits = self.engine.state().flows[&flow_id()].waits();
        waits.iter().map(|(at, wait)| format!("{at}: {wait}")).collect()
    }

    fn flow_stage(&self) -> FlowStage {
        self.engine.state().flows[&flow_id()].stage
    }

    /// The message that a step is.
    fn message(&self, name: &str) -> MessageId {
        let flow = &self.engine.state().flows[&flow_id()];
        let found = flow.steps.iter().find(|found| found.spec.name == step(name)).expect("a step");
        found.message.clone().expect("a message")
    }

    /// An agent does what it has.
    fn work(&mut self, agent: &str) {
        self.give(agent);
        self.claim(agent);
    }
}

#[test]
fn steps_begin_as_soon_as_what_they_need_is_done_and_are_told_what_came_of_it() {
    let mut world = World::new(team());
    let said = world.open("task-1 ann\ntask-2 bob\ntask-3 boss task-1,task-2", OnFailure::Stop, 0);
    assert!(said.contains("session a1b2c3d4-e5f6-7890-abcd-ef1234567890 has begun: 3 tasks"), "{said}");
    assert_eq!(world.steps(), ["sent", "sent", "pending"]);
    // The step and its message are one line of the journal.
    let sent = world.message("task-1");
    let (_, _, line) = world.journal.last().expect("a line");
    let both = line.iter().filter(|event| match event {
        Event::Accepted { message, .. } => message.id == sent,
        Event::StepMoved { message, .. } => message.as_ref() == Some(&sent),
        _ => false,
    });
    assert_eq!(both.count(), 2);
    world.work("ann");
    assert_eq!(world.steps(), ["completed", "sent", "pending"]);
    world.work("bob");
    assert_eq!(world.steps(), ["completed", "completed", "sent"]);
    let open = &world.engine.state().open[&world.message("task-3")];
    let given: Vec<_> = open.answers.iter().map(|answer| answer.child.clone()).collect();
    assert_eq!(given, [world.message("task-1"), world.message("task-2")]);
    assert!(open.unread.is_empty() && open.given == 2);
    // What it was given with is no part of its own: it is done when it says so.
    world.work("boss");
    assert_eq!((world.steps(), world.flow_stage()), (vec!["completed"; 3], FlowStage::Completed));
}

#[test]
fn no_more_are_under_way_than_may_be_and_none_while_it_is_paused_or_all_is_stopped() {
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob\ntask-3 eve\ntask-4 boss", OnFailure::Stop, 2);
    assert_eq!(world.steps(), ["sent", "sent", "ready", "ready"]);
    world.give("ann");
    world.wish(FlowWish::Pause);
    world.claim("ann");
    assert_eq!(world.steps(), ["completed", "sent", "ready", "ready"]);
    // What is in a queue and was not begun rests with its session; what has no session goes on.
    let second = world.message("task-2");
    world.ready("bob");
    assert_eq!(world.stage(second.as_str()), "queued");
    assert_eq!(world.engine.waits_for(&second).as_deref(), Some("its session, which is paused"));
    world.send("other user>bob: 他");
    assert_eq!(world.stage("other"), "intent");
    world.delivered("bob");
    world.claim("bob");
    world.ready("bob");
    assert_eq!(world.stage(second.as_str()), "queued");
    world.wish(FlowWish::Resume);
    assert_eq!(world.stage(second.as_str()), "intent", "whoever is free is given it at once");
    assert_eq!(world.steps(), ["completed", "sent", "sent", "ready"]);
    world.delivered("bob");
    world.step(Input::Halt(true, None));
    world.claim("bob");
    assert_eq!(world.steps(), ["completed", "completed", "sent", "ready"]);
    world.step(Input::Halt(false, None));
    assert_eq!(world.steps(), ["completed", "completed", "sent", "sent"]);
}

#[test]
fn a_failure_stops_skips_or_goes_on_as_the_plan_says() {
    let lines = "task-1 ann\ntask-2 bob task-1\ntask-3 eve task-2\ntask-4 boss";
    let after = |on_failure| {
        let mut world = World::new(team());
        world.open(lines, on_failure, 0);
        world.cancel(world.message("task-1").as_str());
        world
    };
    let mut world = after(OnFailure::Stop);
    assert_eq!(world.steps(), ["failed", "pending", "pending", "sent"]);
    assert_eq!(world.flow_stage(), FlowStage::Active, "what is under way ends");
    world.work("boss");
    assert_eq!(world.flow_stage(), FlowStage::Failed);
    let mut world = after(OnFailure::Skip);
    assert_eq!(world.steps(), ["failed", "cancelled", "cancelled", "sent"]);
    world.work("boss");
    assert_eq!(world.flow_stage(), FlowStage::Failed);
    let mut world = after(OnFailure::Continue);
    assert_eq!(world.steps(), ["failed", "sent", "pending", "sent"]);
    let open = &world.engine.state().open[&world.message("task-2")];
    assert_eq!(open.answers.len(), 1, "it is told the error");
    world.work("bob");
    assert_eq!(world.steps(), ["failed", "completed", "sent", "sent"]);
}

#[test]
fn what_failed_is_tried_again_and_what_was_cancelled_for_it_waits_again() {
    let lines = "task-1 ann\ntask-2 bob task-1\ntask-3 eve task-2";
    let mut world = World::new(team());
    world.open(lines, OnFailure::Skip, 0);
    world.cancel(world.message("task-1").as_str());
    assert_eq!(
        (world.steps(), world.flow_stage()),
        (vec!["failed", "cancelled", "cancelled"], FlowStage::Failed)
    );
    assert!(world.wish(FlowWish::Retry(step("task-2"))).contains("refused wrong-stage"));
    let said = world.wish(FlowWish::Retry(step("task-1")));
    assert_eq!(world.steps(), ["sent", "pending", "pending"], "{said}");
    for agent in ["ann", "bob", "eve"] {
        world.work(agent);
    }
    assert_eq!(world.flow_stage(), FlowStage::Completed);
    // The same by letting a failed one go on; and one that stops there.
    let mut world = World::new(team());
    world.open(lines, OnFailure::Stop, 0);
    world.cancel(world.message("task-1").as_str());
    assert_eq!(world.flow_stage(), FlowStage::Failed);
    // Also by another daemon, which has only the journal.
    world.crash(&["boss", "ann", "bob", "eve"]);
    world.wish(FlowWish::Resume);
    assert_eq!((world.steps(), world.flow_stage()), (vec!["sent", "pending", "pending"], FlowStage::Active));
}

#[test]
fn what_is_ready_waits_while_what_it_needs_is_tried_again() {
    let lines = "task-1 ann\ntask-2 bob\ntask-3 boss task-1,task-2 any";
    let mut world = World::new(team());
    world.open(lines, OnFailure::Stop, 0);
    world.work("ann");
    world.cancel(world.message("task-2").as_str());
    assert_eq!(
        (world.steps(), world.flow_stage()),
        (vec!["completed", "failed", "ready"], FlowStage::Failed)
    );
    world.crash(&["boss", "ann", "bob", "eve"]);
    world.wish(FlowWish::Resume);
    assert_eq!(world.steps(), ["completed", "sent", "ready"], "it is told what comes of both");
    world.work("bob");
    assert_eq!(world.steps(), ["completed", "completed", "sent"]);
    assert_eq!(world.engine.state().open[&world.message("task-3")].given, 2);
    // The same where a flow goes on.
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob\ntask-3 boss task-1", OnFailure::Continue, 1);
    world.cancel(world.message("task-1").as_str());
    assert_eq!(world.steps(), ["failed", "sent", "ready"]);
    world.wish(FlowWish::Retry(step("task-1")));
    world.work("bob");
    assert_eq!(world.steps(), ["sent", "completed", "ready"]);
    world.work("ann");
    assert_eq!(world.steps(), ["completed", "completed", "sent"]);
}

#[test]
fn one_of_several_that_failed_is_tried_again_by_itself() {
    let failed = || {
        let mut world = World::new(team());
        world.open("task-1 ann\ntask-2 bob\ntask-3 boss task-1", OnFailure::Stop, 0);
        world.cancel(world.message("task-1").as_str());
        world.cancel(world.message("task-2").as_str());
        assert_eq!(
            (world.steps(), world.flow_stage()),
            (vec!["failed", "failed", "pending"], FlowStage::Failed)
        );
        world
    };
    let mut world = failed();
    let said = world.wish(FlowWish::Retry(step("task-1")));
    assert_eq!(
        (world.steps(), world.flow_stage()),
        (vec!["sent", "failed", "pending"], FlowStage::Active),
        "{said}"
    );
    world.work("ann");
    // The other one is not done, and it stops there.
    assert_eq!(
        (world.steps(), world.flow_stage()),
        (vec!["completed", "failed", "ready"], FlowStage::Failed)
    );
    // While all is stopped it waits, and is not given up.
    let mut world = failed();
    world.step(Input::Halt(true, None));
    world.wish(FlowWish::Retry(step("task-2")));
    assert_eq!((world.steps(), world.flow_stage()), (vec!["failed", "ready", "pending"], FlowStage::Active));
    world.crash(&["boss", "ann", "bob", "eve"]);
    world.step(Input::Halt(false, None));
    assert_eq!(world.steps(), ["failed", "sent", "pending"]);
}

#[test]
fn what_rests_with_its_session_says_what_has_it_go_on() {
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob\ntask-3 eve", OnFailure::Skip, 0);
    world.cancel(world.message("task-1").as_str());
    world.work("eve");
    world.wish(FlowWish::Pause);
    // In one that is paused a task that is done again waits with all the others.
    for (wish, name) in [(FlowWish::Retry(step("task-1")), "task-1"), (edit("task-3", "x"), "task-3")] {
        let said = world.wish(wish);
        let waits = format!("stays paused: {name} waits until `tasuki session resume {}`", flow_id());
        assert!(said.contains(&waits), "{said}");
    }
    assert_eq!((world.steps(), world.flow_stage()), (vec!["ready", "sent", "ready"], FlowStage::Paused));
    let add = |name: &str| {
        let (added, body) = opening(&format!("{name} eve"), OnFailure::Stop, 0).steps.remove(0);
        FlowWish::Add(Box::new((added, body)))
    };
    let rests = |more: &str| format!("rests until `tasuki session resume {}`{more}", flow_id());
    let said = world.wish(add("task-4"));
    assert!(said.contains(&rests("")) && !said.contains("retried"), "{said}");
    world.wish(FlowWish::Resume);
    world.work("ann");
    world.wish(FlowWish::Cancel);
    // One that was called off is opened by a task that is done again as well, and then all of it goes on.
    let said = world.wish(add("task-5"));
    assert!(said.contains(&rests(", or until a task of it is retried")), "{said}");
    assert!(said.contains("which is cancelled"), "{said}");
    assert_eq!(world.steps()[4], "ready");
    let said = world.wish(edit("task-1", "もう一度"));
    assert!(said.contains("goes on from there"), "{said}");
    assert_eq!((world.steps()[4], world.flow_stage()), ("sent", FlowStage::Active));
}

#[test]
fn each_step_is_tried_again_once_though_it_stands_behind_several() {
    let mut world = World::new(team());
    let lines = "task-1 ann\ntask-2 bob task-1,task-3\ntask-3 eve task-1";
    world.open(lines, OnFailure::Skip, 0);
    world.cancel(world.message("task-1").as_str());
    assert_eq!(world.steps(), ["failed", "cancelled", "cancelled"]);
    world.wish(FlowWish::Resume);
    let (_, _, line) = world.journal.last().expect("a line");
    let retried = line.iter().filter(|event| matches!(event, Event::StepMoved { to: StepMove::Retry, .. }));
    assert_eq!(retried.count(), 3, "{line:#?}");
}

#[test]
fn what_cannot_go_on_or_begin_is_not_said_to() {
    let mut world = World::new(team());
    world.open("task-1 ann", OnFailure::Stop, 0);
    world.wish(FlowWish::Cancel);
    for wish in [FlowWish::Retry(step("task-1")), edit("task-1", "x")] {
        let said = world.wish(wish);
        assert!(
            said.contains("refused wrong-stage") && said.contains("`tasuki session resume a1b"),
            "{said}"
        );
    }
    world.wish(FlowWish::Resume);
    world.work("ann");
    let said = world.wish(FlowWish::Resume);
    assert!(said.contains("refused wrong-stage") && said.contains("is completed"), "{said}");
    let mut world = World::new(team());
    world.engine.disk_is_full(true);
    let said = world.open("task-1 ann", OnFailure::Stop, 0);
    assert!(said.contains("refused disk-full") && world.engine.state().flows.is_empty(), "{said}");
}

#[test]
fn what_has_ended_is_kept_as_long_as_it_may_be_tried_again_and_then_goes() {
    let ids =
        ["a", "b", "c"].map(|digit| FlowId::new(&flow_id().as_str().replace('f', digit)).expect("a UUID"));
    let [completed, failed, open] = &ids;
    let all = ["boss", "ann", "bob", "eve"];
    let mut world = World::new(team());
    world.open_as(completed, "task-1 ann");
    world.work("ann");
    world.open_as(failed, "task-1 bob");
    let sent = world.engine.state().flows[failed].steps[0].message.clone().expect("a message");
    world.cancel(sent.as_str());
    world.open_as(open, "task-1 eve\ntask-2 eve");
    let ended = world.now;
    for _ in 0..2 {
        world.turn_segment();
        world.crash(&all);
    }
    assert_eq!(world.known(), ["completed", "failed", "active"]);
    assert!(world.open_as(completed, "task-1 ann").contains("refused id-conflict"));
    assert!(world.engine.needed_steps().contains(&world.engine.state().flows[failed].request.seq));
    // Those that ended before a moment go, and so does what is needed of them.
    world.step(Input::ForgetFlows(ended));
    assert_eq!(world.known(), ["completed", "failed", "active"]);
    world.step(Input::ForgetFlows(ended.plus(1)));
    assert_eq!(world.known(), ["active"]);
    world.turn_segment();
    world.crash(&all);
    assert_eq!(world.known(), ["active"]);
    assert!(
        world.ask(Command::Flow { id: failed.clone(), wish: FlowWish::Resume }).contains("refused not-open")
    );
    assert!(world.open_as(completed, "task-1 ann").contains("has begun"));
}

#[test]
fn a_failed_one_is_tried_again_by_a_daemon_that_has_only_a_snapshot_of_it() {
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob task-1", OnFailure::Skip, 0);
    world.cancel(world.message("task-1").as_str());
    world.turn_segment();
    world.crash(&["boss", "ann", "bob", "eve"]);
    assert_eq!((world.steps(), world.flow_stage()), (vec!["failed", "cancelled"], FlowStage::Failed));
    let said = world.wish(FlowWish::Retry(step("task-1")));
    assert_eq!((world.steps(), world.flow_stage()), (vec!["sent", "pending"], FlowStage::Active), "{said}");
    world.work("ann");
    world.work("bob");
    assert_eq!(world.flow_stage(), FlowStage::Completed);
}

#[test]
fn of_too_many_that_have_ended_the_largest_go_then_those_that_are_completed_and_then_the_oldest() {
    let lines: String = (1..=ENDED_STEPS_MAX / 4).map(|number| format!("task-{number} ann\n")).collect();
    let ids = (1..=9).map(|number| FlowId::new(&format!("{number:08x}-e5f6-7890-abcd-ef1234567890")));
    let ids: Vec<FlowId> = ids.map(|id| id.expect("a UUID")).collect();
    let mut world = World::new(team());
    world.open_as(&ids[0], &lines);
    world.ask(Command::Flow { id: ids[0].clone(), wish: FlowWish::Cancel });
    world.open_as(&ids[1], "task-1 bob");
    world.work("bob");
    for id in &ids[2..6] {
        world.open_as(id, &lines);
        world.pass(1);
        world.ask(Command::Flow { id: id.clone(), wish: FlowWish::Cancel });
    }
    let left = |world: &World| world.engine.state().flows.keys().cloned().collect::<Vec<_>>();
    // The completed one is younger than the first, and went: it cannot be tried again.
    assert_eq!(left(&world), [&ids[..1], &ids[2..6]].concat());
    world.open_as(&ids[6], "task-1 bob");
    world.ask(Command::Flow { id: ids[6].clone(), wish: FlowWish::Cancel });
    assert_eq!(left(&world), ids[2..7]);
    // One of very many steps takes no place of others, and goes first.
    let lines: String = (1..=ENDED_STEPS_MAX + 1).map(|number| format!("task-{number} ann\n")).collect();
    world.open_as(&ids[7], &lines);
    world.ask(Command::Flow { id: ids[7].clone(), wish: FlowWish::Cancel });
    assert_eq!(left(&world), ids[3..8]);
    world.pass(1);
    world.open_as(&ids[8], "task-1 bob");
    world.ask(Command::Flow { id: ids[8].clone(), wish: FlowWish::Cancel });
    assert_eq!(left(&world), [&ids[3..7], &ids[8..]].concat());
}

#[test]
fn any_waits_until_all_have_ended_and_goes_on_with_those_that_were_done() {
    let lines = "task-1 ann\ntask-2 bob\ntask-3 eve task-1,task-2 any";
    let mut world = World::new(team());
    world.open(lines, OnFailure::Skip, 0);
    world.work("ann");
    assert_eq!(world.steps(), ["completed", "sent", "pending"]);
    world.cancel(world.message("task-2").as_str());
    assert_eq!(world.steps(), ["completed", "failed", "sent"]);
    let mut world = World::new(team());
    world.open(lines, OnFailure::Skip, 0);
    world.cancel(world.message("task-1").as_str());
    world.cancel(world.message("task-2").as_str());
    assert_eq!(world.steps(), ["failed", "failed", "cancelled"]);
}

#[test]
fn one_that_is_cancelled_calls_off_what_is_open() {
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob task-1", OnFailure::Stop, 0);
    let sent = world.message("task-1");
    let said = world.wish(FlowWish::Cancel);
    assert_eq!((world.steps(), world.flow_stage()), (vec!["cancelled"; 2], FlowStage::Failed), "{said}");
    assert_eq!(world.stage(sent.as_str()), "cancelled");
    assert!(world.wish(FlowWish::Cancel).contains("refused wrong-stage"));
}

#[test]
fn one_that_is_called_off_goes_on_with_what_was_open_when_somebody_resumes_it() {
    let lines = "task-1 ann\ntask-2 bob task-1\ntask-3 eve\ntask-4 eve task-2,task-3";
    let all = ["boss", "ann", "bob", "eve"];
    let mut world = World::new(team());
    world.open(lines, OnFailure::Stop, 0);
    world.work("ann");
    let first = world.message("task-2");
    world.wish(FlowWish::Cancel);
    assert_eq!(world.steps(), ["completed", "cancelled", "cancelled", "cancelled"]);
    // Also by another daemon, which has only a snapshot of it.
    world.turn_segment();
    world.crash(&all);
    let said = world.wish(FlowWish::Resume);
    assert!(said.contains("goes on"), "{said}");
    let resumed = (vec!["completed", "sent", "sent", "pending"], FlowStage::Active);
    assert_eq!((world.steps(), world.flow_stage()), resumed);
    assert_ne!(world.message("task-2"), first);
    world.crash(&all);
    assert_eq!((world.steps(), world.flow_stage()), resumed, "the journal says the same");
    for agent in ["bob", "eve", "eve"] {
        world.work(agent);
    }
    assert_eq!((world.steps(), world.flow_stage()), (vec!["completed"; 4], FlowStage::Completed));

    // Where something has failed before, and is tried again by itself, the rest waits for a resume.
    for on_failure in [OnFailure::Stop, OnFailure::Skip, OnFailure::Continue] {
        let mut world = World::new(team());
        world.open("task-1 ann\ntask-2 bob task-1\ntask-3 eve", on_failure, 0);
        world.cancel(world.message("task-1").as_str());
        let skips = world.steps()[1];
        world.wish(FlowWish::Cancel);
        assert_eq!(world.steps(), ["failed", "cancelled", "cancelled"], "{skips}");
        world.wish(FlowWish::Retry(step("task-1")));
        world.work("ann");
        if on_failure == OnFailure::Skip {
            assert_eq!(world.steps(), ["completed", "sent", "cancelled"], "it was skipped before");
            world.work("bob");
        }
        assert_eq!((world.steps()[2], world.flow_stage()), ("cancelled", FlowStage::Failed));
        world.wish(FlowWish::Resume);
        if on_failure != OnFailure::Skip {
            world.work("bob");
        }
        world.work("eve");
        assert_eq!((world.steps(), world.flow_stage()), (vec!["completed"; 3], FlowStage::Completed));
    }
    // What goes on so is no second try: it stops at a failure like what never began.
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob", OnFailure::Stop, 0);
    world.wish(FlowWish::Cancel);
    world.step(Input::Halt(true, None));
    world.wish(FlowWish::Resume);
    let began =
        world.engine.state().flows[&flow_id()].steps.iter().map(|step| step.began).collect::<Vec<_>>();
    assert_eq!((world.steps(), began), (vec!["ready"; 2], vec![None, None]));
}

#[test]
fn the_time_in_a_queue_is_no_part_of_the_work() {
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 ann", OnFailure::Stop, 0);
    let typed = |world: &World| -> Vec<_> {
        world.engine.state().flows[&flow_id()].steps.iter().map(|step| step.typed).collect()
    };
    assert_eq!((world.steps(), typed(&world)), (vec!["sent"; 2], vec![None; 2]));
    world.pass(1_000);
    let first = world.now;
    world.give("ann");
    assert_eq!(typed(&world), [Some(first), None]);
    world.pass(5_000);
    world.claim("ann");
    let second = world.now;
    world.give("ann");
    assert_eq!(typed(&world)[0], Some(first), "it stays when it has ended");
    assert!(typed(&world)[1].is_some_and(|at| at >= second));
    let before = typed(&world);
    world.crash(&["boss", "ann", "bob", "eve"]);
    assert_eq!(typed(&world), before);
    // Who tries again is waited for anew.
    world.cancel(world.message("task-2").as_str());
    world.wish(FlowWish::Retry(step("task-2")));
    assert_eq!((world.steps(), typed(&world)), (vec!["completed", "sent"], vec![Some(first), None]));
}

#[test]
fn a_crash_at_any_step_changes_nothing_and_sends_nothing_twice() {
    let mut world = World::new(team());
    world.open("task-1 ann\ntask-2 bob task-1\ntask-3 eve task-2\ntask-4 boss", OnFailure::Stop, 1);
    let all = ["boss", "ann", "bob", "eve"];
    for (agent, turns) in [("ann", false), ("bob", true), ("eve", false), ("boss", true)] {
        world.crash(&all);
        if turns {
            world.turn_segment();
            world.crash(&all);
        }
        let before = world.steps();
        world.crash(&all);
        assert_eq!(world.steps(), before);
        world.give(agent);
        world.crash(&all);
        world.claim(agent);
    }
    // With one at a time, in the order of the plan.
    assert_eq!((world.steps(), world.flow_stage()), (vec!["completed"; 4], FlowStage::Completed));
    let sent = world.engine.state().flows[&flow_id()].steps.iter().map(|step| step.tries).collect::<Vec<_>>();
    assert_eq!(sent, [1; 4]);
}

#[test]
fn whom_nobody_may_task_is_no_ones_step_and_a_member_that_is_gone_fails_it() {
    let mut world = World::new(team());
    for (lines, why) in [("task-1 nobody", "task-1: "), ("task-1 user", "no task of a plan is for `user`")] {
        let said = world.open(lines, OnFailure::Stop, 0);
        assert!(said.contains("refused") && said.contains(why), "{said}");
        assert!(world.engine.state().flows.is_empty());
    }
    world.open("task-1 ann\ntask-2 eve task-1", OnFailure::Stop, 0);
    assert!(world.open("task-1 ann", OnFailure::Stop, 0).contains("refused id-conflict"));
    let mut smaller = team();
    smaller.members.remove(&name("eve"));
    world.step(Input::Team(Box::new(smaller)));
    world.work("ann");
    assert_eq!((world.steps(), world.flow_stage()), (vec!["completed", "failed"], FlowStage::Failed));
    // Answers of steps are the flow's, and nobody is typed them.
    assert!(world.engine.state().open.is_empty());
    assert_eq!(world.stage(id("nothing").as_str()), "unknown");
}

#[test]
fn steps_that_may_change_the_same_files_are_not_under_way_together() {
    let mut world = World::new(team());
    let lines = "task-1 ann - all src/**\ntask-2 bob - all src/a.rs\ntask-3 eve - all web/**";
    world.open(lines, OnFailure::Stop, 0);
    assert_eq!(world.steps(), ["sent", "ready", "sent"], "the second waits for the first");
    assert_eq!(world.waits(), ["1: waits for task-1, which touches the same files (src/a.rs)"]);
    world.work("ann");
    assert_eq!(world.steps(), ["completed", "sent", "sent"]);
    assert!(world.waits().is_empty());
}

#[test]
fn what_a_step_waits_for_that_needs_no_other_is_told() {
    let mut world = World::new(team());
    let mut opening = opening("task-1 ann\ntask-2 bob", OnFailure::Stop, 0);
    opening.head.repository =
        Some(Box::new(FlowRepository { root: "/r".to_owned(), base: "abc".to_owned(), branch: None }));
    opening.steps[0].0.tree = Some(StepTree::New);
    opening.steps[1].0.tree = Some(StepTree::SharedWith(step("task-1")));
    world.ask(Command::OpenFlow(Box::new(opening)));
    assert_eq!(world.steps(), ["preparing", "ready"]);
    let making = ["0: its worktree is being made", "1: waits for task-1, which works in the same worktree"];
    assert_eq!(world.waits(), making);
    world.wish(FlowWish::Pause);
    assert!(world.waits().is_empty(), "nothing begins");
}

/// Another text for a step.
fn edit(name: &str, text: &str) -> FlowWish {
    FlowWish::Edit(step(name), Body { content: text.into(), extra: "".into() })
}

#[test]
fn a_step_that_has_ended_is_done_again_with_another_text_and_what_needs_it_waits_for_that() {
    let mut world = World::new(team());
    let lines = "task-1 ann\ntask-2 bob task-1\ntask-3 eve\ntask-4 boss task-2,task-3";
    world.open(lines, OnFailure::Skip, 0);
    assert!(
        world
            .wish(edit("task-1", "x"))
            .contains("task-1 is under way: wait until it has ended, or `tasuki cancel")
    );
    assert!(world.wish(edit("task-2", "x")).contains("task-2 has not begun"));
    for agent in ["ann", "eve", "bob"] {
        world.work(agent);
    }
    let first = world.message("task-1");
    let said = world.wish(edit("task-1", "x"));
    assert!(said.contains("refused wrong-stage") && said.contains("task-4 is under way"), "{said}");
    world.work("boss");
    assert_eq!((world.steps(), world.flow_stage()), (vec!["completed"; 4], FlowStage::Completed));
    assert!(world.wish(FlowWish::Retry(step("task-1"))).contains("only with another text"));
    // Also by another daemon, which has only a snapshot of it.
    world.turn_segment();
    world.crash(&["boss", "ann", "bob", "eve"]);
    world.wish(edit("task-1", "次は青く"));
    assert_eq!(
        (world.steps(), world.flow_stage()),
        (vec!["sent", "pending", "completed", "pending"], FlowStage::Active)
    );
    let second = world.message("task-1");
    assert_ne!(first, second);
    let text = world.engine.state().open[&second].body;
    let (_, _, line) = world.journal.last().expect("a line");
    assert_eq!(line[text.index as usize].body().map(|body| &*body.content), Some("次は青く"));
    // It fails this time, and once more it has another text.
    world.cancel(second.as_str());
    assert_eq!(world.steps(), ["failed", "cancelled", "completed", "cancelled"]);
    assert!(world.wish(edit("task-2", "x")).contains("task-2 was cancelled since something that it needs"));
    world.wish(edit("task-1", "赤く"));
    for agent in ["ann", "bob", "boss"] {
        world.work(agent);
    }
    assert_eq!((world.steps(), world.flow_stage()), (vec!["completed"; 4], FlowStage::Completed));
    assert_eq!(world.engine.state().flows[&flow_id()].steps[0].tries, 3);
}

#[test]
fn one_open_session_carries_out_the_plan_of_a_debate_and_another_one_where_that_is_wanted() {
    let mut world = World::new(team());
    let debate = || FlowId::new("9d2c41aa-0000-4000-8000-000000000001").ok();
    let carry_out = |world: &mut World, id: &str, again: bool| {
        let mut opening = opening("task-1 ann", OnFailure::Stop, 1);
        opening.head.id = FlowId::new(id).expect("a UUID");
        opening.head.from_debate = debate();
        opening.again = again;
        world.ask(Command::OpenFlow(Box::new(opening)))
    };
    let ids = ["a1b2c3d4-e5f6-7890-abcd-ef1234567890", "b1b2c3d4-e5f6-7890-abcd-ef1234567890"];
    assert!(carry_out(&mut world, ids[0], false).contains("has begun"));
    let said = carry_out(&mut world, ids[1], false);
    assert!(said.contains("handed over before") && said.contains(ids[0]), "{said}");
    assert!(carry_out(&mut world, ids[1], true).contains("has begun"));
    world.wish(FlowWish::Cancel);
    assert!(carry_out(&mut world, "c1b2c3d4-e5f6-7890-abcd-ef1234567890", false).contains(ids[1]));
    assert_eq!(world.known(), ["failed", "active"]);
}
