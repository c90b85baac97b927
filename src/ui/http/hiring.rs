//! The addresses at which agents are hired and dismissed.

use super::gate::{Gate, JsonAnswer};
use super::given::{Given, Key, Word};
use super::refused::Refused;
use crate::engine::input::Command;
use crate::engine::words::AgentName;
use crate::wire::api::{Done, HireBody};
use crate::wire::hire::wanted;
use axum::extract::State;

pub(super) async fn hire(
    State(gate): State<Gate>,
    key: Key,
    Given(body): Given<HireBody>,
) -> JsonAnswer<Done> {
    let wanted = wanted(body).map_err(Refused::of_problem)?;
    gate.command(key, Command::Hire(Box::new(wanted))).await
}

pub(super) async fn dismiss(
    State(gate): State<Gate>,
    key: Key,
    Word(name): Word<AgentName>,
) -> JsonAnswer<Done> {
    gate.command(key, Command::Dismiss(name)).await
}
