//! What may not be kept any longer goes, however soon: whole segments, up to the first that open work points at. A copy of each is
//! put by for whoever tells in the end what happened; the daemon has to go on without them, and answers have to say the same.

use super::oracle::anything_lies_there;
use super::state::{Now, Run};
use super::told::JournalSays;
use super::wrong::Wrong;
use crate::daemon::journal::rotation::RotationStage;
use crate::engine::event::Event;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::stage::FlowMove;
use crate::engine::words::{MessageId, Millis};
use crate::io::fake::Machine;
use crate::io::journal::{Kind, ReadOrder, scan};
use crate::wire::events;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Where each message was accepted and ended.
#[derive(Debug, Default)]
struct Places {
    accepted: BTreeMap<MessageId, u32>,
    wholes: BTreeMap<MessageId, MessageId>,
    ended: BTreeMap<MessageId, u32>,
    /// Parts that ended while their tasks were open.
    parts: BTreeMap<MessageId, BTreeSet<MessageId>>,
    /// Flows that are not forgotten: where each was opened, and the messages that its steps were.
    flows: BTreeMap<FlowId, (u32, BTreeMap<StepName, MessageId>)>,
    /// Where the text of a step is that was not planned with its flow.
    texts: BTreeMap<(FlowId, StepName), u32>,
}

impl Places {
    fn read(dir: &Path) -> Result<Self, Wrong> {
        let (mut places, mut wrong) = (Self::default(), None);
        let scanned = scan(dir, 1, ReadOrder::OldestFirst, &mut |entry| {
            match (entry.kind, events::decode(entry.payload)) {
                (Kind::Step, Ok(all)) => {
                    all.into_iter().for_each(|event| places.take(entry.place.segment, event))
                }
                (Kind::Step, Err(error)) => wrong = Some(error.to_string()),
                (Kind::Snapshot, _) => {}
            }
            ControlFlow::Continue(())
        });
        scanned.map_err(|error| error.to_string())?;
        wrong.map_or(Ok(places), Err)
    }

    fn take(&mut self, segment: u32, event: Event) {
        match event {
            Event::Accepted { message, given, .. } => {
                if let Some(whole) = message.part_of() {
                    self.wholes.insert(message.id.clone(), whole.clone());
                }
                if let Some(step) = message.step.as_deref() {
                    let parts = given.into_iter().map(|answer| answer.child);
                    self.parts.entry(message.id.clone()).or_default().extend(parts);
                    // Its content is that of its step.
                    let opened = self.flows.get(&step.flow).map_or(segment, |(at, _)| *at);
                    let text = step.step.clone().and_then(|name| self.texts.get(&(step.flow.clone(), name)));
                    self.accepted.insert(message.id, text.copied().unwrap_or(opened));
                } else {
                    self.accepted.insert(message.id, segment);
                }
            }
            Event::FlowOpened { head, .. } => {
                self.flows.insert(head.id.clone(), (segment, BTreeMap::new()));
            }
            Event::StepPlanned { flow, spec, again: true, .. } => {
                self.texts.insert((flow, spec.name), segment);
            }
            Event::StepMoved { flow, step, answer, .. } => {
                let Some((_, answers)) = self.flows.get_mut(&flow) else { return };
                answers.remove(&step);
                answers.extend(answer.map(|answer| (step, answer.child)));
            }
            Event::FlowMoved { flow, to: FlowMove::Forget, .. } => drop(self.flows.remove(&flow)),
            Event::Ended { id, .. } => {
                self.parts.remove(&id);
                if let Some(whole) = self.wholes.get(&id).filter(|whole| !self.ended.contains_key(*whole)) {
                    self.parts.entry(whole.clone()).or_default().insert(id.clone());
                }
                self.ended.insert(id, segment);
            }
            _ => {}
        }
    }

    /// The first segment that is needed: with the content of what is open, or of what ended in the newest, or with the answer to a
    /// part of what is open.
    fn first_needed(&self, newest: u32) -> u32 {
        let open = self.accepted.iter().filter(|(id, _)| self.ended.get(*id).is_none_or(|at| *at == newest));
        let of_flows = self.flows.values().flat_map(|(_, answers)| answers.values());
        let parts = self.parts.values().flatten().chain(of_flows).map(|part| &self.ended[part]);
        let flows = self.flows.values().map(|(at, _)| at);
        open.map(|(_, at)| at).chain(parts).chain(flows).copied().min().unwrap_or(newest)
    }
}

impl Run {
    /// Where all segments can be read.
    pub(super) fn segments(&self) -> PathBuf {
        all_segments(&self.root.join(".tasuki/journal"), self.attic.path())
    }

    /// What the journal tells now; nothing if it cannot be read.
    pub(super) fn told(&self) -> Option<JournalSays> {
        JournalSays::read(&self.segments()).ok()
    }

    /// What is old goes, where nobody may yet ask for it by its id.
    pub(super) fn retain(&mut self) -> Result<(), Wrong> {
        let dir = self.root.join(".tasuki/journal");
        let is_quiet = !anything_lies_there(&self.root) && self.callers.are_quiet();
        let full = Machine::with(|machine| machine.faults.full);
        let Now::Alive(life) = &mut self.now else { return Ok(()) };
        let is_idle =
            life.daemon.journal.is_idle() && life.daemon.journal.rotation.stage == RotationStage::No;
        if !is_quiet || full || !is_idle || !life.daemon.journal.rotation.closed.is_empty() {
            return Ok(());
        }
        let before = segments(&dir);
        let (Some(newest), Some(last)) = (before.last(), before.iter().rev().nth(1)) else { return Ok(()) };
        let places = Places::read(&all_segments(&dir, self.attic.path()))?;
        let first = places.first_needed(*newest).min(*last);
        for segment in &before {
            let name = format!("{segment:06}.jsonl");
            fs::copy(dir.join(&name), self.attic.path().join(&name)).map_err(|error| error.to_string())?;
        }
        fs::remove_file(self.attic.path().join(format!("{newest:06}.jsonl")))
            .map_err(|error| error.to_string())?;
        let refused = Machine::with(|machine| machine.faults.refused);
        life.daemon.trim(Millis(u64::MAX));
        life.daemon.journal.submit().map_err(|error| error.to_string())?;
        life.write(false);
        let after = segments(&dir);
        if let Some(lost) = before.range(first..).find(|segment| !after.contains(segment)) {
            return Err(format!("segment {lost} is gone, and {first} and what follows is needed"));
        }
        let failed = Machine::with(|machine| machine.faults.dead || machine.faults.refused > refused);
        if let Some(kept) = after.iter().find(|segment| **segment < first).filter(|_| !failed) {
            return Err(format!("segment {kept} is kept, and nothing before {first} is needed"));
        }
        let gone = before.iter().filter(|segment| !after.contains(segment)).count() as u64;
        self.people.forget(&|id| {
            let ended = MessageId::new(id).ok().and_then(|id| places.ended.get(&id).copied());
            ended.is_some_and(|segment| !after.contains(&segment))
        });
        self.trace.count("segments taken away", gone);
        self.trace.count("segments kept for open work", before.range(first..*last).count() as u64);
        self.tell(&format!("{gone} segments are taken away, {first} is needed"));
        Ok(())
    }
}

fn segments(dir: &Path) -> BTreeSet<u32> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(".jsonl")?.parse().ok()).collect()
}

/// A folder with all segments there ever were: those of the journal, and copies of those that were taken away.
pub(super) fn all_segments(dir: &Path, attic: &Path) -> PathBuf {
    let (there, away) = (segments(dir), segments(attic));
    if away.is_subset(&there) {
        return dir.to_owned();
    }
    let all = attic.join("all");
    let _ = fs::remove_dir_all(&all);
    fs::create_dir_all(&all).expect("a folder");
    for segment in there.union(&away) {
        let name = format!("{segment:06}.jsonl");
        let from = if there.contains(segment) { dir } else { attic };
        fs::copy(from.join(&name), all.join(&name)).expect("a copy of a segment");
    }
    all
}
