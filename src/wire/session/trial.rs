//! A plan on trial: whether a session could begin by it, and where in the plan not.

use super::plan::{Mistakes, PlanRefusal, Wrong, parse, place_in_task, tasks_alone};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::step;
use crate::engine::flow::plan::PlannedTask;
use crate::engine::flow::tree::FlowRepository;
use crate::engine::flow::trial::trial;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::Team;
use crate::engine::words::AgentName;

/// The id of a session that never begins.
const NO_SESSION: &str = "00000000-0000-4000-8000-000000000000";

/// How many tasks the session would have that a plan begins. Without a team, only what the plan says of itself is checked.
///
/// # Errors
/// [`PlanRefusal`] for all for which it would not begin, each with its line and the cure.
pub fn would_begin(
    bytes: &[u8],
    team: Option<(&Team, AgentName)>,
    repository: Option<FlowRepository>,
) -> Result<usize, PlanRefusal> {
    let has_trees = repository.is_some();
    let read = parse(bytes);
    // What is wrong with the graph, or with other tasks, hides nothing of a task that can be read.
    let tasks = match &read {
        Ok(plan) => plan.tasks.clone(),
        Err(_) => tasks_alone(bytes),
    };
    let wrong = match &team {
        Some((team, master)) => wrong_for(bytes, (team, master), tasks, has_trees),
        None => Vec::new(),
    };
    let mut all = Mistakes::default();
    all.add(wrong);
    let tasks = match read {
        Ok(plan) => plan.tasks.len(),
        Err(Wrong { first, others }) => {
            all.add([first]);
            all.add(others);
            0
        }
    };
    all.told().map_err(|wrong| PlanRefusal::of(wrong, bytes))?;
    Ok(tasks)
}

/// What a team and its repository have not of what these tasks want, each with its place in the plan.
fn wrong_for(
    bytes: &[u8],
    (team, master): (&Team, &AgentName),
    tasks: Vec<PlannedTask>,
    has_trees: bool,
) -> Vec<Refusal> {
    let here = |name: &StepName, refusal: Refusal| {
        let place = place_in_task(bytes, name, refusal.field.unwrap_or_default());
        let (line, column) = place.map(|place| (place.line, place.column)).unzip();
        Refusal { line, column, ..refusal }
    };
    let (mut steps, mut wrong) = (Vec::new(), Vec::new());
    for task in tasks {
        let name = task.id.clone();
        match step(task, has_trees) {
            Ok(step) => steps.push(step),
            Err(refusal) => wrong.push(here(&name, refusal)),
        }
    }
    match FlowId::new(NO_SESSION) {
        Ok(id) => {
            let told = trial(team, (&id, &AgentName::user(), master), steps);
            wrong.extend(told.into_iter().map(|(name, refusal)| here(&name, refusal)));
        }
        Err(error) => wrong.push(Refusal::new(Code::BadId, error.to_string())),
    }
    wrong
}
