//! The actions that need no turn.

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};

use super::action::Action;

/// Actions that may be played before there is a turn: no `claim`, no `reply`, no `fail`.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(transparent)]
pub(super) struct StartActions(pub(super) Vec<Action>);

impl<'de> Deserialize<'de> for StartActions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let actions = Vec::<Action>::deserialize(deserializer)?;
        let turn_needed = |action: &Action| match action {
            Action::Claim(_) => Some("claim"),
            Action::Reply(_) => Some("reply"),
            Action::Fail(_) => Some("fail"),
            _ => None,
        };
        match actions.iter().find_map(turn_needed) {
            Some(name) => Err(Error::custom(format!(
                "`at_start` has a `{name}`, but there is no turn yet: put it into a rule"
            ))),
            None => Ok(Self(actions)),
        }
    }
}
