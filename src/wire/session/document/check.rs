//! What must hold between the parts of a document: tasks make a graph, and worktrees and tasks know one another.

use super::error::DocumentError;
use super::form::{AgentSession, SessionTask, WorktreeRef};
use super::words::{SessionStatus, TaskStatus};
use crate::engine::flow::graph::{self, GraphError, StepGraph};
use crate::engine::flow::name::StepName;
use crate::engine::suggest::nearest;
use std::collections::HashMap;

pub(super) fn check(session: &AgentSession) -> Result<(), DocumentError> {
    let steps: Vec<_> =
        session.tasks.iter().map(|task| (task.id.clone(), task.dependencies.clone())).collect();
    let graph = graph::check(&steps).map_err(|wrong| told(wrong, &steps))?;
    let mut known = HashMap::new();
    for (at, worktree) in session.worktrees.iter().enumerate() {
        let path = format!("worktrees[{at}]");
        names_known_tasks(worktree, &path, &graph)?;
        if let Some(first) = known.insert(&worktree.branch_name, (worktree, path.clone())) {
            let why = format!("is `{}`, which `{}` has already", worktree.branch_name, first.1);
            let cure = "keep one of the two: a branch has one worktree".to_owned();
            return Err(DocumentError { path: path + ".branch_name", why, cure });
        }
    }
    for (at, task) in session.tasks.iter().enumerate() {
        let Some(worktree) = &task.assigned_worktree else { continue };
        let path = format!("tasks[{at}].assigned_worktree");
        names_known_tasks(worktree, &path, &graph)?;
        if !worktree.task_ids.contains(&task.id) {
            let why = format!("does not name `{}`, whose worktree it is", task.id);
            return Err(DocumentError { path: path + ".task_ids", why, cure: "add it".to_owned() });
        }
        let (first, place) = known.entry(&worktree.branch_name).or_insert((worktree, path.clone()));
        if first.path != worktree.path {
            let why =
                format!("is not the same as `{place}.path`, and both are of `{}`", worktree.branch_name);
            let cure = "give both the same path: a branch has one worktree".to_owned();
            return Err(DocumentError { path: path + ".path", why, cure });
        }
    }
    Ok(())
}

/// Whether a session is as far as its tasks are: one that is completed has nothing left to do. Documents that are kept are read
/// without this, since whoever wrote them was believed before.
///
/// # Errors
/// The status, with the first task that is not completed.
pub fn check_status(session: &AgentSession) -> Result<(), DocumentError> {
    let is_open = |task: &&SessionTask| task.status != TaskStatus::Completed;
    let mut open = session.tasks.iter().enumerate().filter(|(_, task)| is_open(task));
    let Some((at, task)) = open.next().filter(|_| session.status == SessionStatus::Completed) else {
        return Ok(());
    };
    let more = match open.count() {
        0 => String::new(),
        more => format!(", and {} not completed, too", are(more)),
    };
    let why = format!(
        "is `Completed`, and `tasks[{at}].status` of `{}` is `{}`{more}",
        task.id,
        task.status.word()
    );
    let cure = "write `Paused`, and `tasuki session resume` has done what is open; or give each task that is done `Completed`";
    Err(DocumentError { path: "status".to_owned(), why, cure: cure.to_owned() })
}

fn are(more: usize) -> String {
    if more == 1 { "1 more is".to_owned() } else { format!("{more} more are") }
}

fn names_known_tasks(worktree: &WorktreeRef, path: &str, graph: &StepGraph) -> Result<(), DocumentError> {
    let unknown = worktree.task_ids.iter().enumerate().find(|(_, id)| graph.place(id).is_none());
    match unknown {
        None => Ok(()),
        Some((at, id)) => {
            let names = (0..graph.len()).filter_map(|step| graph.name(step));
            let cure = cure(id, names);
            Err(DocumentError { path: format!("{path}.task_ids[{at}]"), why: no_task(id), cure })
        }
    }
}

/// Where in the document the graph is at fault.
fn told(wrong: GraphError, steps: &[(StepName, Vec<StepName>)]) -> DocumentError {
    let need_at = |step: usize, need: &StepName| {
        let at = steps.get(step).and_then(|(_, needs)| needs.iter().position(|one| one == need));
        format!("tasks[{step}].dependencies[{}]", at.unwrap_or_default())
    };
    let said = wrong.to_string();
    match wrong {
        GraphError::TooManySteps { .. } | GraphError::TooManyEdges { .. } => DocumentError {
            path: "tasks".to_owned(),
            why: format!("is too much: {said}"),
            cure: "part the session into several".to_owned(),
        },
        GraphError::Twice { step, .. } => DocumentError {
            path: format!("tasks[{step}].id"),
            why: format!("is not clear: {said}"),
            cure: "give one of them another number".to_owned(),
        },
        GraphError::UnknownNeed { step, need, .. } => DocumentError {
            path: need_at(step, &need),
            why: no_task(&need),
            cure: cure(&need, steps.iter().map(|(name, _)| name)),
        },
        GraphError::Cycle { step, ref path } => DocumentError {
            path: path.get(1).map(|need| need_at(step, need)).unwrap_or_default(),
            why: format!("closes a circle: {said}"),
            cure: "take one of these dependencies out".to_owned(),
        },
    }
}

fn no_task(id: &StepName) -> String {
    format!("is `{id}`, and there is no such task")
}

/// The task that is probably meant: the one with the same number, or else with a name that is nearly the same.
fn cure<'a>(id: &StepName, names: impl Iterator<Item = &'a StepName> + Clone) -> String {
    let twin = names.clone().find(|name| name.number() == id.number());
    let near = || nearest(id.as_str(), names.map(StepName::as_str));
    match twin.map(StepName::as_str).or_else(near) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name the id of a task of this document".to_owned(),
    }
}
