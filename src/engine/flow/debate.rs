//! A debate: a flow in which several roles speak in rounds. Each speech is a step, in the order of the rounds and in each of the roles, so
//! the number of a step says who speaks and when. Nothing else of it is a state of its own.

use super::id::FlowId;
use super::name::StepName;
use crate::engine::form::{as_text, is_default};
use crate::engine::words::counted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most rounds of a debate.
pub const ROUNDS_MAX: u8 = 5;
/// Most roles of a debate.
pub const ROLES_MAX: usize = 16;
/// Longest id of a role in bytes: with the id of the debate it fits into the name of an agent.
pub const ROLE_BYTES_MAX: usize = 17;

/// What a debate is made of, without its texts: these stand with its steps.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Debate {
    /// In the order in which they speak.
    pub roles: Vec<DebateRole>,
    pub rounds: u8,
    /// Working time of each speech, in ms.
    pub timeout_ms: u64,
    /// Whether the worktrees and their branches stay when it is over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub keep: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: DebateBudget,
    /// Who is asked alone, to compare the debate with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub baseline: Option<Box<DebateRole>>,
}

/// What a whole debate may take: none is no bound. It is looked at before each role speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct DebateBudget {
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens: Option<u64>,
    /// In millionths of a US dollar.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost_micro_usd: Option<u64>,
    /// In ms since it was opened.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ms: Option<u64>,
}

/// A role of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DebateRole {
    pub id: RoleId,
    /// What it is called.
    pub name: String,
    /// The profile of the program that speaks for it.
    pub provider: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: Option<String>,
}

/// The id of a role: a small letter or a digit, then at most 16 more of these, `-` and `_`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(String);

/// A text that is no id of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is no id of a role: that is a small letter or a digit, then at most 16 small letters, digits, `-` and `_`"
)]
pub struct BadRoleId;

impl RoleId {
    /// Checks `text` and makes it an id.
    ///
    /// # Errors
    /// [`BadRoleId`]
    pub fn new(text: &str) -> Result<Self, BadRoleId> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let begins = text.chars().next().is_some_and(is_plain);
        let goes_on = text.chars().all(|c| is_plain(c) || matches!(c, '-' | '_'));
        if begins && goes_on && text.len() <= ROLE_BYTES_MAX {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadRoleId)
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

as_text!(RoleId, "the id of a role", RoleId::new, as_str);

impl fmt::Display for RoleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RoleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A speech: which role speaks in which round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speech<'a> {
    /// The first is 1; 0 is that of whoever is asked alone.
    pub round: u8,
    pub role: &'a DebateRole,
}

impl Debate {
    /// How large it is, in words.
    #[must_use]
    pub fn size(&self) -> String {
        format!("{} in {}", counted(self.roles.len(), "role"), counted(self.rounds.into(), "round"))
    }

    /// The step in which a role, by its place, speaks in a round.
    #[must_use]
    pub fn step(&self, round: u8, role: usize) -> StepName {
        let before = usize::from(round.saturating_sub(1)) * self.roles.len();
        StepName::numbered((before + role) as u64 + 1)
    }

    /// The step of whoever is asked alone: behind all others.
    #[must_use]
    pub fn baseline_step(&self) -> StepName {
        self.step(self.rounds + 1, 0)
    }

    /// Which speech a step is.
    #[must_use]
    pub fn speech(&self, step: &StepName) -> Option<Speech<'_>> {
        if let Some(role) = self.baseline.as_deref().filter(|_| *step == self.baseline_step()) {
            return Some(Speech { round: 0, role });
        }
        let at = usize::try_from(step.number().checked_sub(1)?).ok()?;
        let round = u8::try_from(at.checked_div(self.roles.len())? + 1).ok()?;
        let role = self.roles.get(at % self.roles.len())?;
        (round <= self.rounds).then_some(Speech { round, role })
    }
}

/// How the branch, the agent and the window of a speech are called.
#[must_use]
pub fn name_of(id: &FlowId, round: u8, role: &RoleId) -> String {
    format!("debate-{id}-r{round}-{role}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_the_speech_that_it_was_made_for() {
        let role = |id: &str| DebateRole {
            id: RoleId::new(id).unwrap(),
            name: id.to_owned(),
            provider: "claude".to_owned(),
            model: None,
        };
        let roles = vec![role("architect"), role("qa"), role("security")];
        let (budget, baseline) = (DebateBudget::default(), None);
        let debate = Debate { roles, rounds: 3, timeout_ms: 1, keep: false, budget, baseline };
        for round in 1..=3 {
            for at in 0..3 {
                let step = debate.step(round, at);
                let speech = debate.speech(&step).unwrap();
                assert_eq!((speech.round, &speech.role.id), (round, &debate.roles[at].id), "{step}");
            }
        }
        assert_eq!(debate.step(2, 0).as_str(), "task-4");
        for outside in [0, 10, u64::MAX] {
            assert_eq!(debate.speech(&StepName::numbered(outside)), None, "{outside}");
        }
    }

    #[test]
    fn the_id_of_a_role_fits_beside_that_of_its_debate() {
        for good in ["a", "0", "architect", "a-b_c", "abcdefghijklmnopq"] {
            let id = RoleId::new(good).unwrap();
            let flow = FlowId::new("a1b2c3d4-e5f6-4890-abcd-ef1234567890").unwrap();
            let name = name_of(&flow, 5, &id);
            assert!(crate::engine::words::AgentName::new(&name).is_ok(), "{name}");
            assert!(crate::engine::flow::branch::BranchName::new(&name).is_ok(), "{name}");
        }
        for bad in ["", "-a", "_a", "A", "a b", "é", "役", "abcdefghijklmnopqr", "a/b", "a.b", "a\n", "a\0"]
        {
            assert_eq!(RoleId::new(bad), Err(BadRoleId), "{bad:?}");
        }
    }
}
