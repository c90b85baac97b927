//! Steps in worktrees: from which commit on the work is theirs, and what becomes of a merge of their branches.

use super::world::World;
use crate::engine::flowing::{flow_id, opening, step};
use crate::engine::make::team;
use tasuki::engine::flow::flow::FlowStep;
use tasuki::engine::flow::in_tree::WorkSum;
use tasuki::engine::flow::merge::MergeStage;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::flow::tree::{FlowRepository, StepTree};
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::input::Command;
use tasuki::engine::job::{Found, Job, JobId};
use tasuki::engine::message::Body;

/// A flow of two steps in a repository; the second needs the first, and is done in its worktree or in one of its own.
fn two(second: StepTree) -> World {
    let mut world = World::new(team());
    let mut opening = opening("task-1 ann\ntask-2 bob task-1", OnFailure::Skip, 0);
    let (root, base, branch) = ("/家".to_owned(), "base".to_owned(), None);
    opening.head.repository = Some(Box::new(FlowRepository { root, base, branch }));
    for ((spec, _), tree) in opening.steps.iter_mut().zip([StepTree::New, second]) {
        spec.tree = Some(tree);
    }
    world.ask(Command::OpenFlow(Box::new(opening)));
    world
}

fn wish(world: &mut World, wish: FlowWish) -> String {
    world.ask(Command::Flow { id: flow_id(), wish })
}

fn again(world: &mut World, name: &str) -> String {
    wish(world, FlowWish::Edit(step(name), Body { content: "別の".into(), extra: "".into() }))
}

fn of<'w>(world: &'w World, name: &str) -> &'w FlowStep {
    let flow = &world.engine.state().flows[&flow_id()];
    flow.steps.iter().find(|found| found.spec.name == step(name)).expect("a step")
}

/// The worktree of a step is there at this commit, with what is needed merged into it.
fn made(world: &mut World, owner: &str, head: &str) {
    let (path, base, note) = (format!("/家/{owner}").into(), "base".into(), None);
    let id = JobId::Tree { flow: flow_id(), tree: step(owner) };
    world.job((id, Found::Tree { path, base, head: head.into(), note }));
}

/// A step is done, and somebody has looked: it ended at this commit.
fn done(world: &mut World, (name, agent): (&str, &str), head: &str) {
    world.give(agent);
    world.claim(agent);
    looked(world, name, head);
}

fn looked(world: &mut World, name: &str, head: &str) {
    let sum = WorkSum { head: Some(head.into()), commits: 1, ..WorkSum::default() };
    let id = JobId::Work { flow: flow_id(), step: step(name), tries: of(world, name).tries };
    world.job((id, Found::Work { sum, text: "{}".into() }));
    assert_eq!(of(world, name).in_tree.work.as_ref().and_then(|work| work.sum.head.as_deref()), Some(head));
}

/// Since which commit a step's work counts, and up to which.
fn span(world: &World, name: &str) -> (Option<String>, Option<String>) {
    let tree = &of(world, name).in_tree;
    (tree.from.as_deref().map(str::to_owned), tree.until.as_deref().map(str::to_owned))
}

fn since(commit: &str) -> (Option<String>, Option<String>) {
    (Some(commit.to_owned()), None)
}

#[test]
fn what_others_have_brought_into_a_worktree_is_not_the_work_of_the_step_that_is_done_again() {
    // In one worktree: the owner is done again, and then the other one.
    let mut world = two(StepTree::SharedWith(step("task-1")));
    made(&mut world, "task-1", "a0");
    done(&mut world, ("task-1", "ann"), "a1");
    made(&mut world, "task-1", "a1");
    done(&mut world, ("task-2", "bob"), "a2");
    again(&mut world, "task-1");
    made(&mut world, "task-1", "a2");
    done(&mut world, ("task-1", "ann"), "a3");
    assert_eq!(span(&world, "task-1").0.as_deref(), Some("a2"), "what the other did there is not its own");
    made(&mut world, "task-1", "a3");
    assert_eq!(span(&world, "task-2"), since("a3"), "nor is what the owner did that of the other");
    done(&mut world, ("task-2", "bob"), "a4");

    // In two: what is needed is merged into the second before it begins again, also where a crash comes between.
    let mut world = two(StepTree::New);
    made(&mut world, "task-1", "a0");
    done(&mut world, ("task-1", "ann"), "a1");
    made(&mut world, "task-2", "a1");
    done(&mut world, ("task-2", "bob"), "b1");
    again(&mut world, "task-1");
    made(&mut world, "task-1", "a1");
    assert_eq!(span(&world, "task-1"), since("a0"), "nobody else was there, so it goes on with what it did");
    done(&mut world, ("task-1", "ann"), "a2");
    world.turn_segment();
    world.crash(&["boss", "ann", "bob", "eve"]);
    made(&mut world, "task-2", "merged");
    assert_eq!(span(&world, "task-2"), since("merged"));
    done(&mut world, ("task-2", "bob"), "b2");
    // It alone once more: what it did since that merge stays its own.
    again(&mut world, "task-2");
    made(&mut world, "task-2", "b2");
    assert_eq!(span(&world, "task-2"), since("merged"));
}

#[test]
fn a_merge_fails_with_the_step_that_cannot_be_done_again_and_with_what_is_nobodys() {
    let mut world = two(StepTree::New);
    made(&mut world, "task-1", "a0");
    done(&mut world, ("task-1", "ann"), "a1");
    made(&mut world, "task-2", "a1");
    done(&mut world, ("task-2", "bob"), "b1");
    let asked = |world: &mut World| {
        let said = wish(world, FlowWish::Merge(None));
        assert!(said.contains("job merge the branch of"), "{said}");
    };
    let merge = |world: &World| world.engine.state().flows[&flow_id()].merge.clone().expect("a merge");
    let found = |world: &mut World, name: &str, found: Found| {
        world.job((JobId::Merge { flow: flow_id(), step: step(name) }, found));
    };
    let clash = || Found::NotMerged { text: "直す".into(), why: "conflict".to_owned() };
    asked(&mut world);
    let job = world.jobs.get(&JobId::Merge { flow: flow_id(), step: step("task-1") });
    let Some(Job::MergeBranch(job)) = job else { panic!("{job:?}") };
    assert_eq!(job.ended_at.as_deref(), Some("a1"), "where the branch is gone its commit is known");

    // The branch onto which all come is no matter of the step's.
    found(&mut world, "task-1", Found::NotGathered("it is checked out".to_owned()));
    assert_eq!(
        (merge(&world).stage, merge(&world).note.as_deref()),
        (MergeStage::Failed, Some("it is checked out"))
    );

    // The first is done again for the merge, and fails. The second cannot be done again without it.
    asked(&mut world);
    found(&mut world, "task-1", clash());
    made(&mut world, "task-1", "a1");
    let first = of(&world, "task-1").message.clone().expect("a message");
    world.cancel(first.as_str());
    assert_eq!((of(&world, "task-1").stage.word(), merge(&world).stage), ("failed", MergeStage::Failed));
    asked(&mut world);
    found(&mut world, "task-2", clash());
    let why = "task-2: conflict; it cannot be done again: a task that it needs is not completed";
    assert_eq!((merge(&world).stage, merge(&world).note.as_deref()), (MergeStage::Failed, Some(why)));
    assert_eq!(of(&world, "task-2").stage.word(), "completed", "it keeps what it has");
    assert_eq!(world.engine.state().flows[&flow_id()].stage, FlowStage::Failed);
}
