//! What the journal tells of all lives.

use super::flow_rules::FlowsSaid;
use super::wrong::Wrong;
use crate::engine::event::{AgentChange, Answer, Event, Why};
use crate::engine::history;
use crate::engine::life::{Move, TurnKind};
use crate::engine::message::{Message, Outcome};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::journal::{Kind, ReadOrder, scan};
use crate::wire::events;
use crate::wire::time::rfc3339_ms;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

/// All of it.
#[derive(Debug, Default)]
pub(super) struct JournalSays {
    /// Each message, as often as it was accepted.
    pub(super) accepted: BTreeMap<MessageId, Vec<Message>>,
    pub(super) contents: BTreeMap<String, Vec<MessageId>>,
    pub(super) ended: BTreeMap<MessageId, Vec<End>>,
    /// What was said of each in turns without a claim.
    pub(super) said: BTreeMap<MessageId, BTreeSet<String>>,
    /// Of each that is open: what of that counts, since its agent was asked last.
    unclaimed: BTreeMap<MessageId, Vec<(u16, String)>>,
    /// Of each that is open: an answer that came before those of its parts were read.
    early: BTreeMap<MessageId, String>,
    /// Parts that had ended when a turn of their task began.
    pub(super) known: BTreeMap<(MessageId, u16), BTreeSet<MessageId>>,
    /// Claims that were kept to be checked, the newest of each task.
    claimed: BTreeMap<MessageId, String>,
    /// Checks of each task's claims, in order: the number, and whether all was there.
    pub(super) checks: BTreeMap<MessageId, Vec<(u16, bool)>>,
    /// Parts of each that have ended.
    parts: BTreeMap<MessageId, BTreeSet<MessageId>>,
    /// Why each moved, where that was said in words.
    pub(super) reasons: BTreeMap<MessageId, Vec<String>>,
    /// Why agents were stopped, and who had them started.
    pub(super) agents: BTreeSet<String>,
    /// How often each agent was hired, and dismissed by somebody.
    pub(super) hired: BTreeMap<AgentName, u32>,
    pub(super) dismissed: BTreeMap<AgentName, u32>,
    pub(super) flows: FlowsSaid,
    /// Names of files that were refused.
    pub(super) refused: BTreeSet<String>,
    /// What the activity log says of it, and how often.
    pub(super) lines: BTreeMap<String, usize>,
    /// The same of what is in the newest segment alone.
    pub(super) newest: BTreeMap<String, usize>,
}

/// How a message ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) answer: Option<Box<Answer>>,
    pub(super) why: Option<String>,
    /// What its agent had said in turns that it did not claim.
    pub(super) unclaimed: Vec<(u16, String)>,
}

impl JournalSays {
    /// Reads all segments.
    ///
    /// # Errors
    /// In words.
    pub(super) fn read(dir: &Path) -> Result<Self, Wrong> {
        let (mut told, mut wrong) = (Self::default(), None);
        let scanned = scan(dir, 1, ReadOrder::OldestFirst, &mut |entry| {
            match entry.kind {
                Kind::Step => match events::decode(entry.payload) {
                    Ok(events) => told.take_step(entry.at, events),
                    Err(error) => wrong = Some(error.to_string()),
                },
                Kind::Snapshot => told.newest.clear(),
            }
            ControlFlow::Continue(())
        });
        scanned.map_err(|error| error.to_string())?;
        wrong.map_or(Ok(told), Err)
    }

    fn take_step(&mut self, at: Millis, events: Vec<Event>) {
        self.flows.take_line(&events);
        let fails = |event: &Event| match event {
            Event::Ended { id, outcome: Outcome::Failed, .. } => Some(id.clone()),
            _ => None,
        };
        let failed: BTreeSet<MessageId> = events.iter().filter_map(fails).collect();
        for event in events {
            let is_told = !history::is_overtaken(&event, |id| failed.contains(id));
            self.take(at, event, is_told);
        }
    }

    fn take(&mut self, at: Millis, event: Event, is_told: bool) {
        if let Some(line) = history::tell(&event, None).filter(|_| is_told) {
            let line = format!("{} {}", rfc3339_ms(at), line.text);
            *self.newest.entry(line.clone()).or_default() += 1;
            *self.lines.entry(line).or_default() += 1;
        }
        match event {
            Event::Accepted { message, body, .. } => {
                let of = message.step.as_deref();
                let of_step = of.and_then(|of| self.flows.text(&of.flow, of.step.as_ref()?));
                let content = of_step.unwrap_or(&body.content).to_owned();
                self.contents.entry(content).or_default().push(message.id.clone());
                self.accepted.entry(message.id.clone()).or_default().push(*message);
            }
            Event::Ended { id, outcome, answer, why } => {
                let unclaimed = self.unclaimed_of(&id);
                self.ended.entry(id).or_default().push(End { outcome, answer, why, unclaimed });
            }
            Event::Based { id, .. } => drop(self.claimed.remove(&id)),
            Event::Claimed { id, claim, .. } => {
                drop((self.unclaimed.remove(&id), self.early.remove(&id)));
                self.claimed.insert(id, claim.text.to_string());
            }
            Event::Checked { id, made, evidence } => {
                let passed = evidence.iter().all(|found| found.passed);
                self.checks.entry(id).or_default().push((made, passed));
            }
            Event::Said { id, turn: 0, text, .. } => drop(self.early.insert(id, text.to_string())),
            Event::Said { id, turn, text, .. } => {
                self.said.entry(id.clone()).or_default().insert(text.to_string());
                let all = self.unclaimed.entry(id).or_default();
                all.retain(|(other, _)| *other != turn);
                all.push((turn, text.to_string()));
            }
            Event::Moved { id, to: Move::Intend(turn), .. } => {
                let mut parts = self.parts.get(&id).cloned().unwrap_or_default();
                parts.extend(self.flows.given.get(&id).into_iter().flatten().cloned());
                // One that is typed again may be read as it was typed first.
                self.known.entry((id.clone(), turn.number)).or_insert(parts);
                if turn.kind != TurnKind::Reminder {
                    self.unclaimed.remove(&id);
                }
                if turn.kind == TurnKind::Task {
                    self.early.remove(&id);
                }
            }
            Event::Moved { id, why: Why::Text(why), .. } => self.reasons.entry(id).or_default().push(why),
            Event::Agent { change: AgentChange::Launching { by: Some(by), .. }, .. } => {
                self.agents.insert(format!("started by {by}"));
            }
            Event::Agent { name, change: AgentChange::Hired(_) } => {
                *self.hired.entry(name).or_default() += 1;
            }
            Event::Agent { name, change: AgentChange::Removed { by: Some(_) } } => {
                *self.dismissed.entry(name).or_default() += 1;
            }
            Event::Agent { change: AgentChange::Down { why, .. }, .. } => drop(self.agents.insert(why)),
            Event::Refused { name, .. } => self.refused.extend(name.map(|name| name.to_string())),
            _ => {}
        }
    }

    /// It ends: what its agent said that is in no claim, with the turn.
    fn unclaimed_of(&mut self, id: &MessageId) -> Vec<(u16, String)> {
        let whole = self.accepted.get(id).and_then(|all| all[0].part_of());
        if let Some(whole) = whole.filter(|whole| !self.ended.contains_key(*whole)) {
            self.parts.entry(whole.clone()).or_default().insert(id.clone());
        }
        let mut unclaimed = self.unclaimed.remove(id).unwrap_or_default();
        let early = self.early.remove(id);
        if unclaimed.iter().all(|(_, text)| text.trim().is_empty()) {
            unclaimed.extend(early.map(|text| (0, text)));
        }
        let claimed = self.claimed.remove(id);
        if unclaimed.iter().all(|(_, text)| text.trim().is_empty()) {
            unclaimed.extend(claimed.map(|text| (u16::MAX, text)));
        }
        unclaimed
    }

    /// How many messages have this content.
    pub(super) fn times(&self, content: &str) -> usize {
        self.contents.get(content).map_or(0, Vec::len)
    }

    /// All answers.
    pub(super) fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.ended.values().flatten().filter_map(|end| end.answer.as_deref())
    }
}
