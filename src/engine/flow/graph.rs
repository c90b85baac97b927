//! The graph of a flow's steps, checked once where a plan comes in. Each part of the check looks at every step and every need once, and
//! none calls itself, so ten thousand steps in one chain are as good as ten thousand side by side.

use super::name::StepName;
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::DiGraph;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;

/// Most steps of a flow: more than anybody reads, and the state of so many is still small.
pub const STEPS_MAX: usize = 10_000;
/// Most needs of all steps together: ten for each step.
pub const EDGES_MAX: usize = 100_000;
/// Most names of a circle that a sentence has; of a longer one the middle is left out there.
const SHOWN_MAX: usize = 40;

/// Why steps are no graph that can be worked off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// More than [`STEPS_MAX`].
    #[error("there are {found} tasks; at most {STEPS_MAX} are allowed")]
    TooManySteps { found: usize },
    /// More than [`EDGES_MAX`].
    #[error("there are {found} dependencies in all; at most {EDGES_MAX} are allowed")]
    TooManyEdges { found: usize },
    /// A name stands twice, or two names have one number.
    #[error("{}", twice(name, other))]
    Twice {
        /// The one that stands first.
        other: StepName,
        /// The later one, and which step it is, from 0.
        name: StepName,
        step: usize,
    },
    /// A step needs what is not there.
    #[error("`{name}` depends on `{need}`, which is no task here{}", meant(alike.as_ref()))]
    UnknownNeed {
        /// Who needs it, and which step that is, from 0.
        name: StepName,
        step: usize,
        need: StepName,
        /// The step with the same number, which is probably meant.
        alike: Option<StepName>,
    },
    /// Steps need one another.
    #[error("{}", round(path))]
    Cycle {
        /// The whole way round, each before what it needs, from a step back to itself.
        path: Vec<StepName>,
        /// The step that it begins with, from 0.
        step: usize,
    },
}

impl GraphError {
    /// Which step is at fault, from 0, and which of those that it names, if it is about one.
    #[must_use]
    pub fn step(&self) -> Option<(usize, Option<&StepName>)> {
        match self {
            Self::TooManySteps { .. } | Self::TooManyEdges { .. } => None,
            Self::Twice { step, .. } => Some((*step, None)),
            Self::UnknownNeed { step, need, .. } => Some((*step, Some(need))),
            Self::Cycle { step, path } => Some((*step, path.get(1))),
        }
    }
}

fn twice(name: &StepName, other: &StepName) -> String {
    if name == other {
        return format!("two tasks are called `{name}`");
    }
    format!("`{other}` and `{name}` have the same number: nobody could tell which of them is meant")
}

fn meant(alike: Option<&StepName>) -> String {
    alike.map(|alike| format!("; did you mean `{alike}`?")).unwrap_or_default()
}

fn round(path: &[StepName]) -> String {
    match path {
        [name, _] => format!("`{name}` depends on itself, so it could never begin"),
        _ => format!("{} depend on one another, so none of them could begin", written(path)),
    }
}

/// A circle in signs: `task-1 → task-3 → task-1`.
fn written(path: &[StepName]) -> String {
    let left_out = path.len().saturating_sub(SHOWN_MAX);
    let half = SHOWN_MAX / 2;
    let mut text = String::new();
    for (at, name) in path.iter().enumerate() {
        let arrow = if at == 0 { "" } else { " → " };
        let shown = left_out == 0 || at < half || at >= half + left_out;
        // Writing to a string cannot fail.
        let _ = match shown {
            true => write!(text, "{arrow}{name}"),
            false if at == half => write!(text, "{arrow}… ({left_out} more)"),
            false => Ok(()),
        };
    }
    text
}

/// Steps whose needs all exist and close no circle. A step is known by its place in the list that was checked, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepGraph {
    names: Vec<StepName>,
    places: HashMap<StepName, usize>,
    needs: Vec<Vec<usize>>,
    needed_by: Vec<Vec<usize>>,
    order: Vec<usize>,
}

impl StepGraph {
    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a step; none if there is no such step.
    #[must_use]
    pub fn name(&self, step: usize) -> Option<&StepName> {
        self.names.get(step)
    }

    /// Which step has this name.
    #[must_use]
    pub fn place(&self, name: &StepName) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// What a step needs, each once, as it was written.
    #[must_use]
    pub fn needs(&self, step: usize) -> &[usize] {
        self.needs.get(step).map_or(&[], Vec::as_slice)
    }

    /// Which steps need it, in the order of the list.
    #[must_use]
    pub fn needed_by(&self, step: usize) -> &[usize] {
        self.needed_by.get(step).map_or(&[], Vec::as_slice)
    }

    /// All steps, each behind what it needs, and otherwise as they stand in the list.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }
}

/// Checks the steps of a plan, each with what it needs. A need that stands twice counts once.
///
/// # Errors
/// [`GraphError`], for the first step that is at fault.
pub fn check(steps: &[(StepName, Vec<StepName>)]) -> Result<StepGraph, GraphError> {
    if steps.len() > STEPS_MAX {
        return Err(GraphError::TooManySteps { found: steps.len() });
    }
    let edges = steps.iter().map(|(_, needs)| needs.len()).sum();
    if edges > EDGES_MAX {
        return Err(GraphError::TooManyEdges { found: edges });
    }
    let (places, by_number) = places(steps)?;
    let mut needs = Vec::with_capacity(steps.len());
    // Which step has named this one last: a need that it names again is left out.
    let mut named_by = vec![usize::MAX; steps.len()];
    for (step, (name, named)) in steps.iter().enumerate() {
        let mut own = Vec::with_capacity(named.len());
        for need in named {
            let Some(&place) = places.get(need) else {
                let alike = by_number.get(&need.number()).and_then(|place| steps.get(*place));
                let (name, need) = (name.clone(), need.clone());
                return Err(GraphError::UnknownNeed {
                    name,
                    step,
                    need,
                    alike: alike.map(|(name, _)| name.clone()),
                });
            };
            match named_by.get_mut(place) {
                Some(last) if *last == step => {}
                Some(last) => {
                    *last = step;
                    own.push(place);
                }
                None => {}
            }
        }
        needs.push(own);
    }
    let names: Vec<StepName> = steps.iter().map(|(name, _)| name.clone()).collect();
    let needed_by = reversed(&needs);
    let order = order(&needs, &needed_by).map_err(|step| {
        let round = from_first(circle(&needs, step));
        let step = round.first().copied().unwrap_or(step);
        GraphError::Cycle { path: round.iter().filter_map(|step| names.get(*step).cloned()).collect(), step }
    })?;
    Ok(StepGraph { names, places, needs, needed_by, order })
}

/// All that is wrong with steps that [`check`] refuses, where one mistake does not hide others: names that stand twice, needs that are
/// not there, and circles. Circles that have a step in common are one knot, of which one is told.
#[must_use]
pub fn mistakes(steps: &[(StepName, Vec<StepName>)]) -> Vec<GraphError> {
    let mut found = Vec::new();
    let (mut names, mut by_number) = (HashSet::new(), HashMap::<u64, &StepName>::new());
    for (step, (name, _)) in steps.iter().enumerate() {
        names.insert(name);
        match by_number.entry(name.number()) {
            Entry::Occupied(first) => {
                let (other, name) = ((*first.get()).clone(), name.clone());
                found.push(GraphError::Twice { other, name, step });
            }
            Entry::Vacant(place) => {
                place.insert(name);
            }
        }
    }
    for (step, (name, needs)) in steps.iter().enumerate() {
        for need in needs.iter().filter(|need| !names.contains(need)) {
            let alike = by_number.get(&need.number()).map(|name| (*name).clone());
            let (name, need) = (name.clone(), need.clone());
            found.push(GraphError::UnknownNeed { name, step, need, alike });
        }
    }
    // With a name that stands twice, nobody knows what needs what.
    if found.iter().all(|wrong| matches!(wrong, GraphError::UnknownNeed { .. })) {
        found.extend(circles(steps));
    }
    found
}

/// A circle of each knot of steps that need one another.
fn circles(steps: &[(StepName, Vec<StepName>)]) -> Vec<GraphError> {
    let places: HashMap<&StepName, usize> =
        steps.iter().enumerate().map(|(at, (name, _))| (name, at)).collect();
    let needs = |named: &Vec<StepName>| named.iter().filter_map(|need| places.get(need).copied()).collect();
    let mut needs: Vec<Vec<usize>> = steps.iter().map(|(_, named)| needs(named)).collect();
    let mut knot_of = vec![0; steps.len()];
    let knots = kosaraju_scc(&drawn(&needs));
    for (knot, of) in knots.iter().enumerate() {
        for step in of {
            if let Some(own) = knot_of.get_mut(step.index()) {
                *own = knot;
            }
        }
    }
    // No circle leaves its knot, so all of them together are looked for once in each need.
    for (step, own) in needs.iter_mut().enumerate() {
        own.retain(|need| knot_of.get(*need) == knot_of.get(step));
    }
    let first = knots.iter().filter_map(|of| of.iter().map(|step| step.index()).min());
    let first = first.filter(|step| needs.get(*step).is_some_and(|needs| !needs.is_empty()));
    let named = |step: &usize| steps.get(*step).map(|(name, _)| name.clone());
    first
        .map(|step| GraphError::Cycle { path: circle(&needs, step).iter().filter_map(named).collect(), step })
        .collect()
}

type Places = (HashMap<StepName, usize>, HashMap<u64, usize>);

/// Where each name stands, and each number.
fn places(steps: &[(StepName, Vec<StepName>)]) -> Result<Places, GraphError> {
    let mut places = HashMap::with_capacity(steps.len());
    let mut by_number = HashMap::with_capacity(steps.len());
    for (step, (name, _)) in steps.iter().enumerate() {
        if let Some(first) = by_number.insert(name.number(), step) {
            let other = steps.get(first).map_or(name, |(name, _)| name).clone();
            return Err(GraphError::Twice { other, name: name.clone(), step });
        }
        places.insert(name.clone(), step);
    }
    Ok((places, by_number))
}

/// All steps, each behind what it needs; or one that stands on a circle.
fn order(needs: &[Vec<usize>], needed_by: &[Vec<usize>]) -> Result<Vec<usize>, usize> {
    toposort(&drawn(needs), None).map_err(|cycle| cycle.node_id().index())?;
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let first = open.iter().enumerate().filter(|(_, open)| **open == 0);
    // Of several that may come next, the one that stands first in the list.
    let mut next: BinaryHeap<Reverse<usize>> = first.map(|(step, _)| Reverse(step)).collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(Reverse(step)) = next.pop() {
        order.push(step);
        for &by in needed_by.get(step).into_iter().flatten() {
            let Some(open) = open.get_mut(by) else { continue };
            *open -= 1;
            if *open == 0 {
                next.push(Reverse(by));
            }
        }
    }
    Ok(order)
}

fn drawn(needs: &[Vec<usize>]) -> DiGraph<(), (), usize> {
    let edges =
        needs.iter().enumerate().flat_map(|(step, needs)| needs.iter().map(move |need| (*need, step)));
    let mut graph = DiGraph::with_capacity(needs.len(), edges.clone().count());
    needs.iter().for_each(|_| {
        graph.add_node(());
    });
    graph.extend_with_edges(edges);
    graph
}

/// The shortest way from a step on a circle back to itself, along what each one needs.
fn circle(needs: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut came_from = vec![None; needs.len()];
    let mut next = VecDeque::from([start]);
    while let Some(step) = next.pop_front() {
        for &need in needs.get(step).into_iter().flatten() {
            if need == start {
                let mut path = vec![start];
                let mut at = step;
                while at != start {
                    path.push(at);
                    at = came_from.get(at).copied().flatten().unwrap_or(start);
                }
                path.push(start);
                path.reverse();
                return path;
            }
            if let Some(from @ None) = came_from.get_mut(need) {
                *from = Some(step);
                next.push_back(need);
            }
        }
    }
    vec![start, start]
}

/// The same way round from the step that stands first in the list.
fn from_first(mut path: Vec<usize>) -> Vec<usize> {
    path.pop();
    let first = path.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(at, _)| at);
    path.rotate_left(first);
    path.extend(path.first().copied());
    path
}

fn reversed(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut needed_by = vec![Vec::new(); needs.len()];
    for (step, needs) in needs.iter().enumerate() {
        for &need in needs {
            if let Some(by) = needed_by.get_mut(need) {
                by.push(step);
            }
        }
    }
    needed_by
}

#[cfg(test)]
mod tests;
