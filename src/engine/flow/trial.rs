//! Whether a session could begin so: what the engine asks when one is opened, without opening it.

use super::flow::StepSpec;
use super::id::FlowId;
use super::name::StepName;
use crate::engine::engine::{Engine, Work};
use crate::engine::message::Body;
use crate::engine::message::refusal::Refusal;
use crate::engine::moment::Moment;
use crate::engine::team::Team;
use crate::engine::words::{AgentName, Millis};

/// Tries each step that a flow of this id, owner and master would have with this team, which stays as it is: the steps that cannot be
/// given to whom they name, or expect what the team has not.
#[must_use]
pub fn trial(
    team: &Team,
    (id, owner, master): (&FlowId, &AgentName, &AgentName),
    steps: Vec<(StepSpec, Body)>,
) -> Vec<(StepName, Refusal)> {
    let mut engine = Engine::new(team.clone());
    let work = Work::new(&mut engine, Moment { now: Millis(0), wall: Millis(0), chance: 0 });
    let refused = |(mut spec, body): (StepSpec, Body)| {
        let name = spec.name.clone();
        let checked = work.check_step((id, owner, master), &mut spec, &body);
        checked.err().map(|refusal| (name, refusal))
    };
    steps.into_iter().filter_map(refused).collect()
}
