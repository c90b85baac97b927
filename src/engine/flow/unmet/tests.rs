//! Which steps may begin, compared with counting them anew each time.

use super::super::graph::{STEPS_MAX, check};
use super::super::name::StepName;
use super::*;
use proptest::prelude::*;

fn graph(needs: &[Vec<usize>]) -> StepGraph {
    let name = |at: usize| StepName::numbered(at as u64);
    let steps = needs.iter().enumerate();
    let steps: Vec<_> =
        steps.map(|(at, needs)| (name(at), needs.iter().copied().map(name).collect())).collect();
    check(&steps).unwrap()
}

#[test]
fn a_step_begins_when_all_that_it_needs_is_completed() {
    let graph = graph(&[vec![], vec![], vec![0, 1]]);
    let mut unmet = Unmet::new(&graph, &[]);
    assert_eq!(unmet.met().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(unmet.ended(&graph, 0, true), []);
    assert_eq!(unmet.ended(&graph, 0, true), [], "it has ended once");
    assert_eq!(unmet.ended(&graph, 1, true), [(2, Needs::Met)]);
    assert_eq!(unmet.met().collect::<Vec<_>>(), [2]);
    assert_eq!((unmet.ended(&graph, 7, true), unmet.needs(7)), (vec![], Needs::Lost));
}

#[test]
fn any_waits_for_all_to_end_and_needs_one() {
    let graph = graph(&[vec![], vec![], vec![0, 1], vec![]]);
    for (first, second, then) in
        [(false, true, Needs::Met), (true, false, Needs::Met), (false, false, Needs::Lost)]
    {
        let mut unmet = Unmet::new(&graph, &[Join::All, Join::All, Join::Any, Join::Any]);
        assert_eq!(unmet.needs(3), Needs::Met, "it needs nothing");
        assert_eq!(unmet.ended(&graph, 0, first), []);
        assert_eq!(unmet.needs(2), Needs::Open);
        assert_eq!(unmet.ended(&graph, 1, second), [(2, then)]);
    }
}

#[test]
fn what_is_lost_is_told_once_and_comes_back_with_a_retry() {
    let graph = graph(&[vec![], vec![], vec![0, 1]]);
    let mut unmet = Unmet::new(&graph, &[]);
    let fresh = unmet.clone();
    assert_eq!(unmet.ended(&graph, 0, false), [(2, Needs::Lost)], "nobody waits for the other one");
    assert_eq!(unmet.ended(&graph, 1, false), []);
    unmet.reopened(&graph, 0);
    unmet.reopened(&graph, 0);
    assert_eq!(unmet.needs(2), Needs::Lost);
    unmet.reopened(&graph, 1);
    assert_eq!(unmet.counts, fresh.counts);
    unmet.ended(&graph, 0, true);
    assert_eq!(unmet.ended(&graph, 1, true), [(2, Needs::Met)]);
}

/// What the counters must say: counted anew.
fn counted(graph: &StepGraph, joins: &[Join], ends: &[Option<bool>], step: usize) -> Needs {
    let ends: Vec<_> = graph.needs(step).iter().map(|need| ends[*need]).collect();
    let (open, lost) = (ends.contains(&None), ends.contains(&Some(false)));
    match joins[step] {
        Join::All if lost => Needs::Lost,
        _ if open => Needs::Open,
        Join::Any if lost && !ends.contains(&Some(true)) => Needs::Lost,
        _ => Needs::Met,
    }
}

proptest! {
    #[test]
    fn counters_say_what_counting_anew_says(
        needs in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 1..14),
        any_joins in prop::collection::vec(any::<bool>(), 14),
        moves in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(any::<bool>())), 0..60),
    ) {
        // A step needs only those before it, so there is no circle.
        let needs: Vec<Vec<usize>> = needs.iter().enumerate()
            .map(|(at, needs)| needs.iter().filter(|_| at > 0).map(|need| need.index(at)).collect()).collect();
        let joins: Vec<Join> = any_joins.iter().map(|any| if *any { Join::Any } else { Join::All }).collect();
        let graph = graph(&needs);
        let mut unmet = Unmet::new(&graph, &joins);
        let mut ends = vec![None; needs.len()];
        for (step, end) in moves {
            let step = step.index(needs.len());
            let before: Vec<Needs> = (0..needs.len()).map(|step| unmet.needs(step)).collect();
            let told = match end {
                Some(completed) => {
                    ends[step] = ends[step].or(Some(completed));
                    unmet.ended(&graph, step, completed)
                }
                None => {
                    ends[step] = None;
                    unmet.reopened(&graph, step);
                    Vec::new()
                }
            };
            for (step, before) in before.into_iter().enumerate() {
                let now = counted(&graph, &joins, &ends, step);
                prop_assert_eq!(unmet.needs(step), now);
                let changed = end.is_some() && before != now;
                prop_assert_eq!(told.contains(&(step, now)), changed, "step {}: {:?} to {:?}", step, before, now);
            }
        }
    }
}

#[test]
fn a_flow_is_scheduled_in_as_many_touches_as_it_has_needs() {
    let none = |_: usize| Vec::new();
    let chain = |at: usize| at.checked_sub(1).into_iter().collect();
    let star = |at: usize| if at == 0 { vec![] } else { vec![0] };
    let layers =
        |at: usize| (at / 10 * 10).checked_sub(10).into_iter().flat_map(|from| from..from + 10).collect();
    let forms: [&dyn Fn(usize) -> Vec<usize>; 4] = [&none, &chain, &star, &layers];
    for form in forms {
        let needs: Vec<Vec<usize>> = (0..STEPS_MAX).map(form).collect();
        let graph = graph(&needs);
        let mut unmet = Unmet::new(&graph, &[]);
        let mut ready: Vec<usize> = unmet.met().collect();
        let mut done = 0;
        while let Some(step) = ready.pop() {
            done += 1;
            ready.extend(unmet.ended(&graph, step, true).into_iter().map(|(step, _)| step));
        }
        assert_eq!((done, unmet.touched), (STEPS_MAX, needs.iter().map(Vec::len).sum()));
    }
}
