//! Graphs right and wrong, at the limits, and what chance makes of them.

use super::*;
use expect_test::expect;
use proptest::prelude::*;

fn name(number: usize) -> StepName {
    StepName::numbered(number as u64)
}

/// `1: 2 3; 2:` as steps with their needs.
fn steps(text: &str) -> Vec<(StepName, Vec<StepName>)> {
    let named = |text: &str| StepName::new(&format!("task-{text}")).unwrap();
    let step = |step: &str| {
        let (name, needs) = step.split_once(':').unwrap();
        (named(name.trim()), needs.split_whitespace().map(named).collect())
    };
    text.split(';').map(step).collect()
}

fn wrong(text: &str) -> String {
    check(&steps(text)).expect_err("it is wrong").to_string()
}

#[test]
fn needs_come_before_what_needs_them() {
    let graph = check(&steps("1: 3 2 3; 2: 3; 3:; 4: 1")).unwrap();
    assert_eq!(graph.needs(0), [2, 1], "each once, as written");
    assert_eq!(graph.needed_by(2), [0, 1]);
    assert_eq!(graph.order(), [2, 1, 0, 3]);
    let beside = check(&steps("1: 4; 2:; 3: 5; 4:; 5:")).unwrap();
    assert_eq!(beside.order(), [1, 3, 0, 4, 2], "otherwise as they are listed");
    assert_eq!(graph.place(&name(3)), Some(2));
    assert_eq!((graph.len(), graph.name(3)), (4, Some(&name(4))));
    assert_eq!((graph.needs(9), graph.needed_by(9), graph.name(9)), (&[][..], &[][..], None));
    assert!(check(&[]).unwrap().is_empty());
}

#[test]
fn what_is_wrong_is_said_with_the_whole_way_round() {
    let said = [
        "1: 1",
        "1: 3; 2:; 3: 1",
        "5: 4; 4: 3; 3: 5; 9: 5",
        "1: 2; 2: 3; 3: 4; 4: 2; 5: 1",
        "1:; 2:; 1:",
        "1:; 001:",
        "1:; 2: 7",
        "001:; 2: 1",
    ]
    .map(wrong)
    .join("\n");
    expect![[r#"
        `task-1` depends on itself, so it could never begin
        task-1 → task-3 → task-1 depend on one another, so none of them could begin
        task-5 → task-4 → task-3 → task-5 depend on one another, so none of them could begin
        task-2 → task-3 → task-4 → task-2 depend on one another, so none of them could begin
        two tasks are called `task-1`
        `task-1` and `task-001` have the same number: nobody could tell which of them is meant
        `task-2` depends on `task-7`, which is no task here
        `task-2` depends on `task-1`, which is no task here; did you mean `task-001`?"#]]
    .assert_eq(&said);
}

#[test]
fn a_fault_names_the_step_and_the_need() {
    let place = |text: &str| {
        let wrong = check(&steps(text)).expect_err("it is wrong");
        wrong.step().map(|(step, need)| (step, need.map(ToString::to_string)))
    };
    assert_eq!(place("4:; 1: 3; 3: 1"), Some((1, Some("task-3".into()))));
    assert_eq!(place("1: 7"), Some((0, Some("task-7".into()))));
    assert_eq!(place("1:; 1:"), Some((1, None)));
}

#[test]
fn the_limits_are_those_that_are_named() {
    let side_by_side = |count: usize| (0..count).map(|at| (name(at), Vec::new())).collect::<Vec<_>>();
    assert_eq!(check(&side_by_side(STEPS_MAX)).unwrap().len(), STEPS_MAX);
    let found = STEPS_MAX + 1;
    assert_eq!(check(&side_by_side(found)), Err(GraphError::TooManySteps { found }));
    let mut dense = side_by_side(STEPS_MAX);
    dense.iter_mut().skip(11).for_each(|(_, needs)| needs.extend((0..10).map(name)));
    assert!(check(&dense).is_ok());
    dense[STEPS_MAX - 1].1.extend((0..200).map(|_| name(1)));
    assert!(matches!(check(&dense), Err(GraphError::TooManyEdges { found }) if found > EDGES_MAX));
}

/// On a stack of a few frames: nothing may call itself for each step.
fn on_a_small_stack(steps: Vec<(StepName, Vec<StepName>)>) -> Result<StepGraph, GraphError> {
    let small = std::thread::Builder::new().stack_size(256 << 10);
    small.spawn(move || check(&steps)).unwrap().join().unwrap()
}

#[test]
fn ten_thousand_steps_of_any_form_need_no_stack() {
    let chain = |ends: Option<usize>| {
        let needs =
            |at: usize| if at == 0 { ends.into_iter().map(name).collect() } else { vec![name(at - 1)] };
        (0..STEPS_MAX).map(|at| (name(at), needs(at))).collect::<Vec<_>>()
    };
    assert_eq!(on_a_small_stack(chain(None)).unwrap().order(), (0..STEPS_MAX).collect::<Vec<_>>());
    let Err(GraphError::Cycle { path, step: 0 }) = on_a_small_stack(chain(Some(STEPS_MAX - 1))) else {
        panic!("the chain bites its own tail")
    };
    assert_eq!((path.len(), &path[0], &path[1]), (STEPS_MAX + 1, &name(0), &name(STEPS_MAX - 1)));
    let said = GraphError::Cycle { path, step: 0 }.to_string();
    assert!(
        said.len() < 1_000 && said.contains(" → … (9961 more) → ") && said.contains("task-1 → task-0 "),
        "{said}"
    );

    let all_on_one = (0..STEPS_MAX).map(|at| (name(at), if at == 0 { vec![] } else { vec![name(0)] }));
    assert_eq!(on_a_small_stack(all_on_one.collect()).unwrap().needed_by(0).len(), STEPS_MAX - 1);
    let one_on_all = (0..STEPS_MAX)
        .map(|at| (name(at), if at == 0 { (1..STEPS_MAX).map(name).collect() } else { vec![] }));
    assert_eq!(on_a_small_stack(one_on_all.collect()).unwrap().order().last(), Some(&0));
    // Layers of ten, each on all of the layer before.
    let layer = |at: usize| {
        (at / 10 * 10).checked_sub(10).into_iter().flat_map(|from| (from..from + 10).map(name)).collect()
    };
    let layers = (0..STEPS_MAX).map(|at| (name(at), layer(at)));
    assert_eq!(on_a_small_stack(layers.collect()).unwrap().needs(STEPS_MAX - 1).len(), 10);
}

/// Whether the needs close a circle, found as a person would: strike out what needs nothing more until nothing is left.
fn closes_a_circle(needs: &[Vec<usize>]) -> bool {
    let mut left: Vec<usize> = (0..needs.len()).collect();
    loop {
        let before = left.len();
        let there = left.clone();
        left.retain(|step| needs[*step].iter().any(|need| there.contains(need)));
        if left.len() == before {
            return !left.is_empty();
        }
    }
}

proptest! {
    #[test]
    fn chance_makes_graphs_and_circles(needs in (1usize..24).prop_flat_map(|count| {
        prop::collection::vec(prop::collection::vec(0..count, 0..3), count)
    })) {
        let steps: Vec<_> =
            needs.iter().enumerate().map(|(at, needs)| (name(at), needs.iter().copied().map(name).collect())).collect();
        match check(&steps) {
            Ok(graph) => {
                prop_assert!(!closes_a_circle(&needs));
                let mut rank = vec![usize::MAX; needs.len()];
                graph.order().iter().enumerate().for_each(|(at, step)| rank[*step] = at);
                for (step, needs) in needs.iter().enumerate() {
                    prop_assert!(rank[step] < needs.len().max(24));
                    prop_assert!(needs.iter().all(|need| rank[*need] < rank[step]));
                    prop_assert!(needs.iter().all(|need| graph.needed_by(*need).contains(&step)));
                }
            }
            Err(GraphError::Cycle { path, step }) => {
                prop_assert!(path.len() >= 2 && path.first() == path.last() && path[0] == name(step));
                for pair in path.windows(2) {
                    prop_assert!(needs[pair[0].number() as usize].contains(&(pair[1].number() as usize)), "{:?}", path);
                }
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
