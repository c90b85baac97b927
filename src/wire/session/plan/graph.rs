//! The tasks of a plan together: their ids, what they need of one another, and whose worktree each of them is done in.

use super::fields::{Mistakes, Wrong};
use super::task::{Named, TaskWish};
use crate::engine::flow::graph::{self, GraphError, StepGraph};
use crate::engine::flow::name::StepName;
use crate::engine::flow::plan::{PlannedTask, TaskTree};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::suggest::nearest;
use crate::wire::yaml::place::Place;
use std::collections::HashSet;

/// Most worktrees that a refusal names.
const SHOWN_MAX: usize = 5;

/// Makes a graph of the tasks.
pub(super) fn join(wishes: Vec<TaskWish>) -> Result<(Vec<PlannedTask>, StepGraph), Wrong> {
    let ids = ids(&wishes)?;
    let steps = steps(&wishes, &ids);
    let graph = match graph::check(&steps) {
        Ok(graph) => graph,
        Err(first) => {
            let mut wrong = Mistakes::default();
            wrong.add(all_wrong(&wishes, &ids));
            // Whose worktrees are shared is not known without a graph.
            wrong.add(wishes.iter().filter_map(wrong_share));
            wrong.told()?;
            return Err(told(&first, &wishes, &ids).into());
        }
    };
    let mut wrong = Mistakes::default();
    let owners = owners(&wishes, &graph, &mut wrong);
    wrong.told()?;
    let tasks = wishes.into_iter().zip(ids).enumerate().map(|(step, (wish, id))| {
        let of = |step: &usize| graph.name(*step).cloned();
        let owner = owners.get(step).and_then(Option::as_ref).filter(|owner| **owner != step).and_then(of);
        let own = wish.own.then_some(TaskTree::New);
        PlannedTask {
            id,
            name: wish.name,
            description: wish.description,
            dependencies: graph.needs(step).iter().filter_map(of).collect(),
            join: wish.join,
            tree: owner.map(TaskTree::SharedWith).or(own),
            who: wish.who,
            timeout_ms: wish.timeout_ms,
            expect: wish.expect,
            touches: wish.touches,
        }
    });
    Ok((tasks.collect(), graph))
}

fn steps(wishes: &[TaskWish], ids: &[StepName]) -> Vec<(StepName, Vec<StepName>)> {
    let needs = |wish: &TaskWish| wish.dependencies.iter().map(|(name, _)| name.clone()).collect();
    ids.iter().cloned().zip(wishes.iter().map(needs)).collect()
}

/// What is wrong with the graph of tasks that have other mistakes; nothing where it cannot be known how each is called.
pub(super) fn besides(wishes: &[TaskWish]) -> Vec<Refusal> {
    let is_known = wishes.iter().all(|wish| wish.is_named);
    match is_known.then(|| ids(wishes)) {
        None => Vec::new(),
        Some(Err(refusal)) => vec![refusal],
        Some(Ok(ids)) => {
            let mut wrong = Mistakes::default();
            let read = wishes.iter().filter(|wish| wish.are_needs_read);
            match graph::check(&steps(wishes, &ids)) {
                Ok(graph) if wishes.iter().all(|wish| wish.are_needs_read) => {
                    owners(wishes, &graph, &mut wrong);
                }
                _ => wrong.add(read.filter_map(wrong_share)),
            }
            wrong.add(all_wrong(wishes, &ids));
            wrong.into_all()
        }
    }
}

/// All that is wrong with a graph: names, needs and circles.
fn all_wrong(wishes: &[TaskWish], ids: &[StepName]) -> Vec<Refusal> {
    let all = graph::mistakes(&steps(wishes, ids));
    all.iter().map(|wrong| told(wrong, wishes, ids)).collect()
}

/// A wish for somebody's worktree that is wrong whatever the others say.
fn wrong_share(wish: &TaskWish) -> Option<Refusal> {
    match (wish.shared, &wish.share_with) {
        (Some(place), None) if wish.dependencies.is_empty() => Some(shares_with_nobody(place)),
        (Some(_), None) | (None, None) => None,
        _ => tree_of_one_more(wish).err(),
    }
}

fn shares_with_nobody(place: Place) -> Refusal {
    let why = "`worktree_strategy` is Shared, and the task has no `dependencies` to share a worktree with";
    place.refuse(Code::UnknownDependency, why).at("worktree_strategy")
}

/// A task that is added to those with these names. Without an id it has the number behind the largest.
pub(super) fn one_more(wish: TaskWish, names: &[StepName]) -> Result<PlannedTask, Wrong> {
    let id = match &wish.id {
        Some((id, place)) => match names.iter().find(|name| name.number() == id.number()) {
            Some(there) => {
                let why = format!("`id`: there is a {there} already");
                return Err(place.refuse(Code::IdConflict, why).at("id").into());
            }
            None => id.clone(),
        },
        None => StepName::numbered(names.iter().map(StepName::number).max().unwrap_or_default() + 1),
    };
    let mut wrong = Mistakes::default();
    for (need, place) in &wish.dependencies {
        if *need == id {
            let why = format!("{id} depends on itself, so it could never begin: {id} → {id}");
            wrong.add([place.refuse(Code::Cycle, why).at("dependencies")]);
        } else if !names.contains(need) {
            let near = nearest(need.as_str(), names.iter().map(StepName::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let why = format!("{id} depends on {need}, and there is no such task{near}");
            wrong.add([place.refuse(Code::UnknownDependency, why).at("dependencies")]);
        }
    }
    let tree = wrong.keep(tree_of_one_more(&wish)).flatten();
    wrong.told()?;
    let mut dependencies: Vec<StepName> = Vec::new();
    for (need, _) in &wish.dependencies {
        if !dependencies.contains(need) {
            dependencies.push(need.clone());
        }
    }
    let TaskWish { name, description, join, who, timeout_ms, expect, touches, .. } = wish;
    Ok(PlannedTask { id, name, description, dependencies, join, tree, who, timeout_ms, expect, touches })
}

/// A task of a plan without what it needs of others.
pub(super) fn alone(wish: TaskWish, at: usize) -> PlannedTask {
    let id = wish.id.map_or_else(|| StepName::numbered(at as u64 + 1), |(id, _)| id);
    let (dependencies, tree) = (Vec::new(), wish.own.then_some(TaskTree::New));
    let TaskWish { name, description, join, who, timeout_ms, expect, touches, .. } = wish;
    PlannedTask { id, name, description, dependencies, join, tree, who, timeout_ms, expect, touches }
}

/// In whose worktree a task is done that is added.
fn tree_of_one_more(wish: &TaskWish) -> Result<Option<TaskTree>, Refusal> {
    let mut needs = wish.dependencies.iter().map(|(need, _)| need);
    match (wish.shared, &wish.share_with) {
        (None, None) => Ok(wish.own.then_some(TaskTree::New)),
        (None, Some((_, place))) => {
            let why = "`share_with` is there, and `worktree_strategy` is not Shared";
            Err(place.refuse(Code::NotYours, why).at("share_with"))
        }
        (Some(_), Some((with, place))) => match needs.any(|need| need == with) {
            true => Ok(Some(TaskTree::SharedWith(with.clone()))),
            false => {
                let why = format!("`share_with`: `{with}` is none of the `dependencies` of this task");
                Err(place.refuse(Code::UnknownDependency, why).at("share_with"))
            }
        },
        (Some(place), None) => match wish.dependencies.as_slice() {
            [(need, _)] => Ok(Some(TaskTree::SharedWith(need.clone()))),
            _ => {
                let why = "`worktree_strategy` is Shared: name the dependency whose worktree it has in `share_with`";
                Err(place.refuse(Code::UnknownDependency, why).at("share_with"))
            }
        },
    }
}

/// The ids as they are written; a task without one has the number of its place, from 1.
fn ids(wishes: &[TaskWish]) -> Result<Vec<StepName>, Refusal> {
    let written: HashSet<u64> =
        wishes.iter().filter_map(|wish| wish.id.as_ref()).map(|(id, _)| id.number()).collect();
    let id = |(at, wish): (usize, &TaskWish)| match &wish.id {
        Some((id, _)) => Ok(id.clone()),
        None => {
            let number = at as u64 + 1;
            if written.contains(&number) {
                let why =
                    format!("this task has no `id` and would be task-{number}, as another one is called");
                return Err(wish.place.refuse(Code::IdConflict, why).at("id"));
            }
            Ok(StepName::numbered(number))
        }
    };
    wishes.iter().enumerate().map(id).collect()
}

/// Where in the plan the graph is at fault.
fn told(wrong: &GraphError, wishes: &[TaskWish], ids: &[StepName]) -> Refusal {
    let wish = wrong.step().and_then(|(step, need)| Some((wishes.get(step)?, need)));
    let place = wish.map_or(Place::default(), |(wish, need)| {
        let need = need.and_then(|need| wish.dependencies.iter().find(|(name, _)| name == need));
        need.or(wish.id.as_ref()).map_or(wish.place, |(_, place)| *place)
    });
    let said = wrong.to_string();
    match wrong {
        GraphError::TooManySteps { .. } | GraphError::TooManyEdges { .. } => {
            place.refuse(Code::GraphTooLarge, said)
        }
        GraphError::Twice { .. } => place.refuse(Code::IdConflict, said).at("id"),
        GraphError::UnknownNeed { name, need, alike: None, .. } => {
            let others = ids.iter().filter(|id| *id != name);
            let near = nearest(need.as_str(), others.map(StepName::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            place.refuse(Code::UnknownDependency, said + &near).at("dependencies")
        }
        GraphError::UnknownNeed { .. } => place.refuse(Code::UnknownDependency, said).at("dependencies"),
        GraphError::Cycle { .. } => place.refuse(Code::Cycle, said).at("dependencies"),
    }
}

/// For each task the one that has its worktree: itself, or the one that shares it; none where that is a mistake.
fn owners(wishes: &[TaskWish], graph: &StepGraph, wrong: &mut Mistakes) -> Vec<Option<usize>> {
    let mut owners: Vec<Option<usize>> = (0..wishes.len()).map(Some).collect();
    // What a task needs comes before it, so whose worktree that has is known by then.
    for &step in graph.order() {
        let Some(wish) = wishes.get(step) else { continue };
        let needs = graph.needs(step);
        let owner = match (wish.shared, &wish.share_with) {
            (None, None) => Ok(Some(step)),
            (None, Some((_, place))) => {
                let why = "`share_with` is there, and `worktree_strategy` is not Shared";
                Err(place.refuse(Code::NotYours, why).at("share_with"))
            }
            (Some(_), Some(with)) => named_owner(with, needs, &owners, graph),
            // Whose worktree is not known may be the same one.
            (Some(_), None) if needs.iter().any(|need| owners.get(*need) == Some(&None)) => Ok(None),
            (Some(place), None) => only_owner(place, needs, &owners, graph).map(Some),
        };
        if let Some(own) = owners.get_mut(step) {
            *own = wrong.keep(owner).flatten();
        }
    }
    owners
}

/// The worktree of the dependency that `share_with` names.
fn named_owner(
    (name, place): &Named,
    needs: &[usize],
    owners: &[Option<usize>],
    graph: &StepGraph,
) -> Result<Option<usize>, Refusal> {
    let with = needs.iter().find(|need| graph.name(**need) == Some(name));
    with.and_then(|with| owners.get(*with)).copied().ok_or_else(|| {
        let why = format!("`share_with`: `{name}` is none of the `dependencies` of this task");
        place.refuse(Code::UnknownDependency, why).at("share_with")
    })
}

/// The worktree that all dependencies have.
fn only_owner(
    place: Place,
    needs: &[usize],
    owners: &[Option<usize>],
    graph: &StepGraph,
) -> Result<usize, Refusal> {
    let mut found: Vec<usize> = Vec::new();
    for owner in needs.iter().filter_map(|need| owners.get(*need)?.as_ref()) {
        if found.len() <= SHOWN_MAX && !found.contains(owner) {
            found.push(*owner);
        }
    }
    let refuse = |why: String, field| Err(place.refuse(Code::UnknownDependency, why).at(field));
    match found.as_slice() {
        [owner] => Ok(*owner),
        [] => Err(shares_with_nobody(place)),
        several => {
            let names = several.iter().take(SHOWN_MAX).filter_map(|owner| graph.name(*owner));
            let mut names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            if several.len() > SHOWN_MAX {
                names += " and others";
            }
            let why = format!(
                "`worktree_strategy` is Shared, and the dependencies have several worktrees, those of {names}"
            );
            refuse(why, "share_with")
        }
    }
}
