//! The addresses at which agents are hired and dismissed.

use super::gate::{Gate, JsonAnswer};
use super::given::{Given, Key, Word};
use super::refused::Refused;
use crate::engine::input::Command;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::roster::{Hire, Host, Like, Recipe};
use crate::engine::words::AgentName;
use crate::wire::api::{Done, HireBody};
use crate::wire::team_file::{NoLaunch, phrase_of};
use axum::extract::State;
use axum::http::StatusCode;

pub(super) async fn hire(
    State(gate): State<Gate>,
    key: Key,
    Given(body): Given<HireBody>,
) -> JsonAnswer<Done> {
    gate.command(key, Command::Hire(Box::new(wanted(body)?))).await
}

pub(super) async fn dismiss(
    State(gate): State<Gate>,
    key: Key,
    Word(name): Word<AgentName>,
) -> JsonAnswer<Done> {
    gate.command(key, Command::Dismiss(name)).await
}

/// What is wanted, in the words of the engine.
fn wanted(body: HireBody) -> Result<Hire, Refused> {
    let HireBody { name, like, provider, reports_to, cwd, model, env, marker } = body;
    let name = word("name", &name)?;
    let like = match (like, provider) {
        (Some(like), None) => Like::Member(word("like", &like)?),
        (None, Some(provider)) => Like::Profile(provider),
        _ => {
            let why = "exactly one of `like` and `provider` says what the agent is made from";
            return Err(Refused::bad_request(why));
        }
    };
    let reports_to = reports_to.map(|above| word("reports_to", &above)).transpose()?;
    let phrase = phrase_of(&name, marker.as_deref());
    let phrase = phrase.map_err(|NoLaunch { why, cure }| {
        Refused::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-recipe", why, cure)
    })?;
    let recipe = Recipe { like, cwd, model, env, host: Host::Local };
    Ok(Hire { name, reports_to, phrase, recipe, flow: None, notes: Vec::new() })
}

fn word(field: &'static str, text: &str) -> Result<AgentName, Refused> {
    AgentName::new(text).map_err(|wrong| {
        let why = format!("`{}` {wrong}", text.escape_debug());
        Refusal::new(Code::BadName, why).at(field).into()
    })
}
