//! The flow of a debate: a step for each speech. In the first round nobody needs anybody; later everybody needs all who spoke in the
//! rounds before, and goes on if one of them has brought something.

use super::debate::{Debate, DebateRole, name_of};
use super::flow::StepSpec;
use super::head::{FlowHead, FlowKind};
use super::id::FlowId;
use super::opening::Opening;
use super::plan::OnFailure;
use super::tree::{FlowRepository, StepTree};
use super::unmet::Join;
use super::worker::StepHire;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::roster::Like;
use crate::engine::words::AgentName;
use std::collections::BTreeMap;

/// The profile of those who speak: a program that asks another one once.
pub const SPEAKER: &str = "headless";

/// What is told to one role for one speech.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub text: Body,
    /// Variables that its agent gets.
    pub env: BTreeMap<String, String>,
}

impl Opening {
    /// The flow of a debate, of which `told` says what each role is told in each round. `parallel` is how many speak at a time; 0 is
    /// all.
    ///
    /// # Errors
    /// [`Refusal`] if the names of its agents cannot be made.
    pub fn of_debate(
        debate: Debate,
        (id, owner, name): (FlowId, AgentName, String),
        (repository, parallel): (Box<FlowRepository>, u16),
        request: Body,
        mut told: impl FnMut(u8, &DebateRole) -> Told,
    ) -> Result<Self, Refusal> {
        let mut steps = Vec::new();
        for round in 1..=debate.rounds {
            let before = (1..round).flat_map(|round| (0..debate.roles.len()).map(move |role| (round, role)));
            let needs: Vec<_> = before.map(|(round, role)| debate.step(round, role)).collect();
            for (at, role) in debate.roles.iter().enumerate() {
                let name = name_of(&id, round, &role.id);
                let to = AgentName::new(&name)
                    .map_err(|error| Refusal::new(Code::BadName, format!("`{name}` {error}")))?;
                let Told { text, env } = told(round, role);
                let (like, model) = (Some(Like::Profile(SPEAKER.to_owned())), role.model.clone());
                let spec = StepSpec {
                    name: debate.step(round, at),
                    title: format!("Round {round}: {}", role.name),
                    needs: needs.clone(),
                    join: Join::Any,
                    to,
                    hire: Some(Box::new(StepHire { like, model, env })),
                    tree: Some(StepTree::New),
                    touches: Vec::new(),
                    timeout_ms: Some(debate.timeout_ms),
                    expect: None,
                };
                steps.push((spec, text));
            }
        }
        let head = FlowHead {
            id,
            kind: FlowKind::Debate,
            owner,
            master: None,
            name: Some(name),
            on_failure: OnFailure::Skip,
            parallel,
            repository: Some(repository),
            confirm: false,
            pull_requests: false,
            debate: Some(Box::new(debate)),
        };
        Ok(Self { head, request, steps, done: Vec::new(), ask: None })
    }
}
