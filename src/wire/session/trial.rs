//! A plan on trial: whether a session could begin by it, and where in the plan not.

use super::plan::{PlanRefusal, Wrong, place_in_task, read};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::{Opening, step};
use crate::engine::flow::tree::FlowRepository;
use crate::engine::flow::trial::trial;
use crate::engine::message::refusal::Refusal;
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
    let plan = read(bytes)?;
    let tasks = plan.tasks.len();
    let Some((team, master)) = team else { return Ok(tasks) };
    let here = |name: &StepName, refusal: Refusal| {
        let place = place_in_task(bytes, name, refusal.field.unwrap_or_default());
        let (line, column) = place.map(|place| (place.line, place.column)).unzip();
        Refusal { line, column, ..refusal }
    };
    let told = |wrong: Vec<Refusal>| {
        let mut wrong = wrong.into_iter();
        wrong
            .next()
            .map_or(Ok(()), |first| Err(PlanRefusal::of(Wrong { first, others: wrong.collect() }, bytes)))
    };
    let has_trees = repository.is_some();
    let treeless = plan
        .tasks
        .iter()
        .filter_map(|task| step(task.clone(), has_trees).err().map(|refusal| here(&task.id, refusal)));
    told(treeless.collect())?;
    let whole = |refusal: Refusal| PlanRefusal::of(refusal, bytes);
    let id = FlowId::new(NO_SESSION).map_err(|error| {
        whole(Refusal::new(crate::engine::message::refusal::Code::BadId, error.to_string()))
    })?;
    let opening =
        Opening::of_plan(plan, (id, AgentName::user(), master), repository.map(Box::new)).map_err(whole)?;
    told(trial(team, opening).into_iter().map(|(name, refusal)| here(&name, refusal)).collect())?;
    Ok(tasks)
}
