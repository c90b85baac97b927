//! The flow of a debate: a step for each speech. In the first round nobody needs anybody; later everybody needs all who spoke in the
//! rounds before, and goes on if one of them has brought something.

use super::debate::{Debate, DebateRole, name_of};
use super::flow::StepSpec;
use super::head::{FlowHead, FlowKind};
use super::id::FlowId;
use super::name::StepName;
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

/// A program that is asked once ends so much before the time of its task is over: two seconds to end, two until all are gone, and two to
/// answer. Otherwise the task would fail without a word from there.
pub const BEFORE_THE_END_MS: u64 = 6_000;

/// What is told to one role for one speech.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub text: Body,
    /// Variables that its agent gets.
    pub env: BTreeMap<String, String>,
}

impl Opening {
    /// The flow of a debate, of which `told` says what each role is told in each round; round 0 is that of whoever is asked alone. `parallel` is how many speak at a time; 0 is
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
                let title = format!("Round {round}: {}", role.name);
                let spec =
                    spec((&id, round, role), (debate.step(round, at), title), time_of(debate.timeout_ms))?;
                steps.push(with((spec, needs.clone()), told(round, role)));
            }
        }
        if let Some(role) = debate.baseline.as_deref() {
            // Who is asked alone has the time of all rounds.
            let ms = time_of(debate.timeout_ms.saturating_mul(debate.rounds.into()));
            let spec = spec((&id, 1, role), (debate.baseline_step(), role.name.clone()), ms)?;
            steps.push(with((spec, Vec::new()), told(0, role)));
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
            created: None,
            debate: Some(Box::new(debate)),
            from_debate: None,
        };
        Ok(Self { head, request, steps, done: Vec::new(), ask: None, again: false })
    }
}

/// The time of the task of a speech whose program may take so long: it is ended before the time of its task is over.
fn time_of(ms: u64) -> u64 {
    ms.saturating_add(ms.min(BEFORE_THE_END_MS))
}

/// A speech by whoever is hired for it, without what it needs.
fn spec(
    (id, round, role): (&FlowId, u8, &DebateRole),
    (step, title): (StepName, String),
    timeout_ms: u64,
) -> Result<StepSpec, Refusal> {
    let name = name_of(id, round, &role.id);
    let to =
        AgentName::new(&name).map_err(|error| Refusal::new(Code::BadName, format!("`{name}` {error}")))?;
    let (like, model) = (Some(Like::Profile(SPEAKER.to_owned())), role.model.clone());
    Ok(StepSpec {
        name: step,
        title,
        needs: Vec::new(),
        join: Join::Any,
        to,
        hire: Some(Box::new(StepHire { like, model, env: BTreeMap::new() })),
        tree: Some(StepTree::New),
        touches: Vec::new(),
        timeout_ms: Some(timeout_ms),
        expect: None,
    })
}

/// The same with what it needs and what it is told.
fn with((mut spec, needs): (StepSpec, Vec<StepName>), Told { text, env }: Told) -> (StepSpec, Body) {
    spec.needs = needs;
    if let Some(hire) = spec.hire.as_deref_mut() {
        hire.env = env;
    }
    (spec, text)
}
