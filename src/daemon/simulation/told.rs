//! What the journal tells of all lives.

use super::run::Wrong;
use crate::engine::event::{AgentChange, Answer, Event, Why};
use crate::engine::message::{Message, Outcome};
use crate::engine::story;
use crate::engine::words::{MessageId, Millis};
use crate::io::clock::rfc3339_ms;
use crate::io::journal::{Kind, Order, scan};
use crate::io::wire::events;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Each message, as often as it was accepted.
    pub(super) accepted: BTreeMap<MessageId, Vec<Message>>,
    /// Which messages have this content.
    pub(super) contents: BTreeMap<String, Vec<MessageId>>,
    /// Ends of each.
    pub(super) ended: BTreeMap<MessageId, Vec<End>>,
    /// Why each moved, where that was said in words.
    pub(super) reasons: BTreeMap<MessageId, Vec<String>>,
    /// Why agents were stopped, and who had them started.
    pub(super) agents: BTreeSet<String>,
    /// Names of files that were refused.
    pub(super) refused: BTreeSet<String>,
    /// What the activity log says of it, and how often.
    pub(super) lines: BTreeMap<String, usize>,
    /// The same of what stands in the newest segment alone.
    pub(super) newest: BTreeMap<String, usize>,
}

/// How a message ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) answer: Option<Box<Answer>>,
    pub(super) why: Option<String>,
}

impl Told {
    /// Reads all segments.
    ///
    /// # Errors
    /// In words.
    pub(super) fn read(dir: &Path) -> Result<Self, Wrong> {
        let (mut told, mut wrong) = (Self::default(), None);
        let scanned = scan(dir, 1, Order::OldestFirst, &mut |entry| {
            match entry.kind {
                Kind::Step => match events::decode(entry.payload) {
                    Ok(events) => events.into_iter().for_each(|event| told.take(entry.at, event)),
                    Err(error) => wrong = Some(error.to_string()),
                },
                Kind::Snapshot => told.newest.clear(),
            }
            ControlFlow::Continue(())
        });
        scanned.map_err(|error| error.to_string())?;
        wrong.map_or(Ok(told), Err)
    }

    fn take(&mut self, at: Millis, event: Event) {
        if let Some(line) = story::tell(&event) {
            let line = format!("{} {}", rfc3339_ms(at), line.text);
            *self.newest.entry(line.clone()).or_default() += 1;
            *self.lines.entry(line).or_default() += 1;
        }
        match event {
            Event::Accepted { message, body, .. } => {
                self.contents.entry(body.content.to_string()).or_default().push(message.id.clone());
                self.accepted.entry(message.id.clone()).or_default().push(*message);
            }
            Event::Ended { id, outcome, answer, why } => {
                self.ended.entry(id).or_default().push(End { outcome, answer, why });
            }
            Event::Moved { id, why: Why::Text(why), .. } => self.reasons.entry(id).or_default().push(why),
            Event::Agent { change: AgentChange::Launching { by: Some(by), .. }, .. } => {
                self.agents.insert(format!("started by {by}"));
            }
            Event::Agent { change: AgentChange::Down { why, .. }, .. } => drop(self.agents.insert(why)),
            Event::Refused { name, .. } => self.refused.extend(name.map(|name| name.to_string())),
            _ => {}
        }
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
