//! The journal, read whole, by message.

use super::super::record::digest;
use super::findings::{FindingKind, Findings};
use crate::engine::event::{AgentChange, Event};
use crate::engine::life::Move;
use crate::engine::message::{Kind, Message, Outcome};
use crate::io::journal::{Kind as Line, ReadOrder, scan};
use crate::io::workspace::Workspace;
use crate::wire::events::decode;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;

/// All that the journal says.
#[derive(Debug, Default)]
pub(in super::super) struct Book {
    pub(in super::super) messages: BTreeMap<String, History>,
    /// Names of refused files, each with its code.
    pub(super) refused: Vec<(String, &'static str)>,
    /// Turn tokens, each with the message that it is of.
    pub(super) tokens: BTreeMap<String, String>,
    /// Turns that began although everything was held, or their agent did not run.
    pub(super) untimely: Vec<String>,
    halted: bool,
    /// Agents that run.
    up: BTreeSet<String>,
}

/// What it says of one message.
#[derive(Debug, Default)]
pub(in super::super) struct History {
    pub(super) accepted: Vec<Accepted>,
    /// Names of files that brought it again.
    pub(super) again: Vec<String>,
    pub(super) ended: Vec<Ended>,
    /// Each time it was about to be typed.
    pub(super) intents: Vec<Intent>,
    /// Who works on it.
    agent: Option<String>,
}

#[derive(Debug)]
pub(super) struct Accepted {
    /// The step, and the place in it.
    pub(super) place: (u64, usize),
    pub(super) message: Box<Message>,
    /// Digest of its content.
    pub(super) content: String,
    /// Name of the file that it came in; none if it came on the socket.
    pub(super) name: Option<String>,
}

#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) why: Option<String>,
}

#[derive(Debug)]
pub(super) struct Intent {
    pub(super) place: (u64, usize),
    pub(super) token: Option<String>,
}

impl Book {
    /// Reads every segment. A line that cannot be understood is a finding.
    pub(in super::super) fn read(workspace: &Workspace, findings: &mut Findings) -> io::Result<Self> {
        let mut book = Self::default();
        scan(&workspace.journal(), 1, ReadOrder::OldestFirst, &mut |entry| {
            // A snapshot repeats what the steps before it said.
            if entry.kind == Line::Step {
                match decode(entry.payload) {
                    Ok(events) => {
                        let places = (0..).map(|index| (entry.seq.0, index));
                        places.zip(events).for_each(|(place, event)| book.take(place, event));
                    }
                    Err(error) => findings.add(FindingKind::Wrong, format!("step {}: {error}", entry.seq.0)),
                }
            }
            ControlFlow::Continue(())
        })
        .map_err(io::Error::other)?;
        Ok(book)
    }

    /// Messages that were accepted and have not ended.
    pub(in super::super) fn open(&self) -> usize {
        self.messages
            .values()
            .filter(|history| !history.accepted.is_empty() && history.ended.is_empty())
            .count()
    }

    /// Messages that have ended.
    pub(in super::super) fn ended(&self) -> usize {
        self.messages.values().filter(|history| !history.ended.is_empty()).count()
    }

    /// Messages that were accepted.
    pub(in super::super) fn accepted(&self) -> usize {
        self.messages.values().filter(|history| !history.accepted.is_empty()).count()
    }

    /// Lines typed again, marked as such.
    pub(in super::super) fn redelivered(&self) -> usize {
        let again = |history: &History| {
            let mut tokens: Vec<&Option<String>> =
                history.intents.iter().map(|intent| &intent.token).collect();
            tokens.sort_unstable();
            tokens.dedup();
            history.intents.len() - tokens.len()
        };
        self.messages.values().map(again).sum()
    }

    fn take(&mut self, place: (u64, usize), event: Event) {
        match event {
            Event::Accepted { message, body, name, .. } => {
                let content = digest(body.content.as_bytes());
                let name = name.map(|claim| dropped_name(&claim));
                let history = self.messages.entry(message.id.to_string()).or_default();
                history.accepted.push(Accepted { place, message, content, name });
            }
            Event::Duplicate { id, name } => {
                let history = self.messages.entry(id.to_string()).or_default();
                history.again.extend(name.map(|claim| dropped_name(&claim)));
            }
            Event::Refused { name, code, .. } => {
                self.refused.extend(name.map(|name| (dropped_name(&name), code.word())));
            }
            Event::Moved { id, to: Move::Intend(turn), agent, .. } => {
                let token = turn.token.map(|token| token.to_string());
                if let Some(token) = &token {
                    self.tokens.insert(token.clone(), id.to_string());
                }
                let history = self.messages.entry(id.to_string()).or_default();
                history.intents.push(Intent { place, token });
                history.agent = agent.map(|name| name.to_string()).or(history.agent.take());
                let runs = history.agent.as_ref().is_none_or(|name| self.up.contains(name));
                if self.halted || !runs {
                    let why = if self.halted { "everything was held" } else { "its agent did not run" };
                    self.untimely.push(format!("{id} was to be typed in step {} while {why}", place.0));
                }
            }
            Event::Halted { since, .. } => self.halted = since.is_some(),
            Event::Agent { name, change: AgentChange::Up { .. } | AgentChange::Adopted } => {
                self.up.insert(name.to_string());
            }
            Event::Agent {
                name,
                change:
                    AgentChange::Down { .. }
                    | AgentChange::Lost { .. }
                    | AgentChange::Launching { .. }
                    | AgentChange::Removed { .. },
            } => {
                self.up.remove(name.as_str());
            }
            Event::Ended { id, outcome, why, .. } => {
                self.messages.entry(id.to_string()).or_default().ended.push(Ended { outcome, why });
            }
            _ => {}
        }
    }
}

impl History {
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.ended.first().map(|ended| ended.outcome)
    }

    /// Whether it has an answer when it has ended.
    pub(super) fn is_task(&self) -> bool {
        self.accepted.first().is_some_and(|accepted| accepted.message.kind == Kind::Task)
    }
}

/// The name that a claimed file (`SEQ-ZONE-NAME`) was dropped under.
fn dropped_name(claim: &str) -> String {
    let is_claim = claim.len() > 32 && claim.bytes().take(32).all(|byte| byte.is_ascii_hexdigit());
    if is_claim { claim.splitn(3, ['-', '~']).nth(2).unwrap_or(claim).to_owned() } else { claim.to_owned() }
}
