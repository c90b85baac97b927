//! Whether a session could begin so: what the engine asks when one is opened, without opening it.

use super::flow::FlowHead;
use super::name::StepName;
use super::opening::Opening;
use crate::engine::engine::{Engine, Work};
use crate::engine::message::refusal::Refusal;
use crate::engine::moment::Moment;
use crate::engine::team::Team;
use crate::engine::words::Millis;

/// Tries each step of an opening with this team, which stays as it is.
///
/// # Errors
/// The first step that cannot be given to whom it names, or expects what the team has not.
pub fn trial(team: &Team, opening: Opening) -> Result<(), (StepName, Refusal)> {
    let mut engine = Engine::new(team.clone());
    let work = Work::new(&mut engine, Moment { now: Millis(0), wall: Millis(0), chance: 0 });
    let FlowHead { id, owner, master, .. } = opening.head;
    let master = master.unwrap_or_else(|| owner.clone());
    for (mut spec, body) in opening.steps {
        let name = spec.name.clone();
        work.check_step((&id, &owner, &master), &mut spec, &body).map_err(|refusal| (name, refusal))?;
    }
    Ok(())
}
