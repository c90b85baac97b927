//! What the command is told, and when. Pure: time and needs are arguments.

use crate::engine::words::{Millis, Seq};
use crate::io::notified_file::Notified;
use crate::read::CompletedTask;
use crate::wire::api::{NeedGroup, NeedInfo, NotifyEventInfo, NotifyKind};
use crate::wire::time::rfc3339_ms;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Least time between two calls about one agent: one that flickers is no more than two notes a minute.
pub(super) const BETWEEN_MS: u64 = 30_000;
/// For how long a need that an earlier daemon told may be missing after a start: agents are taken over first, and their
/// dialogs are read again then.
const CARRIED_MS: u64 = 60_000;
/// Completed tasks that wait for a call. Beyond it the oldest are left out: nobody reads so many notes.
const COMPLETED_MAX: usize = 1_000;

/// For how long a limit or an error may be missing and be the same: its agent is typed to now and then, to see whether it has
/// passed, and is refused again within minutes.
const TRIED_MS: u64 = 5 * 60_000;

/// What was told and may not be told again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Told {
    /// Step of a completed task; 0 for a need.
    seq: u64,
    /// Whether an earlier daemon told it, and this one has not seen it yet.
    is_carried: bool,
    /// Of a limit or an error: since when it lasts, and when it was seen last.
    tried: Option<(String, Millis)>,
}

impl Told {
    fn of(event: &NotifyEventInfo, seq: u64, now: Millis) -> Self {
        let may_be_tried = matches!(event.kind, NotifyKind::Limit | NotifyKind::Error);
        Self { seq, is_carried: false, tried: may_be_tried.then(|| (event.since.clone(), now)) }
    }

    /// Whether this was told, and not an earlier one of the same id.
    fn is(&self, event: &NotifyEventInfo) -> bool {
        self.tried.as_ref().is_none_or(|(since, _)| *since == event.since)
    }
}

/// What waits to be told, and what was.
#[derive(Debug, Default)]
pub(super) struct NotifyPlan {
    on: BTreeSet<NotifyKind>,
    /// Kinds that nobody asked for before this moment (RFC 3339).
    fresh: (BTreeSet<NotifyKind>, String),
    told: BTreeMap<String, Told>,
    /// The last call about each agent, and about none.
    calls: BTreeMap<Option<String>, Millis>,
    /// Needs of the last look that were not told.
    waiting: Vec<NotifyEventInfo>,
    completed: VecDeque<CompletedTask>,
    /// Step up to which completed tasks were looked for.
    reached: u64,
    /// Ids of events for which the command could not be started.
    tried: BTreeSet<String>,
    carried_until: Millis,
}

impl NotifyPlan {
    /// One that goes on where an earlier daemon ended.
    #[must_use]
    pub(super) fn of(notified: Notified, now: Millis) -> Self {
        let carried = |(id, seq): (String, u64)| (id, Told { seq, is_carried: true, tried: None });
        Self {
            on: notified.on,
            told: notified.told.into_iter().map(carried).collect(),
            carried_until: now.plus(CARRIED_MS),
            ..Self::default()
        }
    }

    /// What is asked for from now on. Of a kind that is new here, what began before is told only if work stops for it: a
    /// person who asks for failed tasks does not mean those of yesterday.
    pub(super) fn ask_for(&mut self, on: &BTreeSet<NotifyKind>, now: Millis) {
        self.fresh = (on - &self.on, rfc3339_ms(now));
        self.on.clone_from(on);
        self.tried.clear();
        if !self.on.contains(&NotifyKind::Completed) {
            self.completed.clear();
        }
    }

    /// Takes in what waits now, and the tasks that were completed since the last look, up to the step `reached`.
    pub(super) fn look(
        &mut self,
        now: Millis,
        needs: &[NeedInfo],
        completed: Vec<CompletedTask>,
        reached: Seq,
    ) {
        self.reached = reached.0;
        let is_new = |task: &CompletedTask| !self.told.contains_key(&task.event.id);
        let completed = completed.into_iter().filter(is_new);
        self.completed.extend(completed);
        while self.completed.len() > COMPLETED_MAX {
            self.completed.pop_front();
        }
        let behind = self.told_up_to();
        let present: BTreeSet<String> = needs.iter().map(|need| NotifyEventInfo::from(need).id).collect();
        self.told.retain(|id, told| match told.seq {
            0 if present.contains(id) => {
                told.is_carried = false;
                told.tried.iter_mut().for_each(|(_, seen)| *seen = now);
                true
            }
            0 if told.tried.as_ref().is_some_and(|(_, seen)| now.since(*seen) < TRIED_MS) => true,
            0 => told.is_carried && now < self.carried_until,
            seq => seq > behind,
        });
        self.waiting.clear();
        for need in needs {
            let event = NotifyEventInfo::from(need);
            let is_old = need.group != NeedGroup::Stops
                && self.fresh.0.contains(&event.kind)
                && need.since < self.fresh.1;
            if is_old {
                self.told.insert(event.id.clone(), Told::of(&event, 0, now));
            } else if self.on.contains(&event.kind) && !self.is_told(&event) {
                self.waiting.push(event);
            }
        }
        self.fresh.0.clear();
        let waits = |id: &String| self.events().any(|event| event.id == *id);
        let tried: BTreeSet<String> = self.tried.iter().filter(|id| waits(id)).cloned().collect();
        self.tried = tried;
    }

    /// What is to be told now, in one call; it counts as told from here on. Nothing, if the command could not be started
    /// for all of it.
    pub(super) fn due(&mut self, now: Millis) -> Vec<NotifyEventInfo> {
        self.calls.retain(|_, at| now.since(*at) < BETWEEN_MS);
        let is_free = |event: &&NotifyEventInfo| !self.calls.contains_key(&event.agent);
        let mut due: Vec<NotifyEventInfo> = self.events().filter(is_free).cloned().collect();
        if due.iter().all(|event| self.tried.contains(&event.id)) {
            return Vec::new();
        }
        due.sort_by(|one, other| (&one.since, &one.id).cmp(&(&other.since, &other.id)));
        let seqs: BTreeMap<&str, u64> =
            self.completed.iter().map(|task| (task.event.id.as_str(), task.seq)).collect();
        for event in &due {
            let seq = seqs.get(event.id.as_str()).copied().unwrap_or(0);
            self.told.insert(event.id.clone(), Told::of(event, seq, now));
            self.calls.insert(event.agent.clone(), now);
        }
        let told = &self.told;
        self.waiting.retain(|event| !told.get(&event.id).is_some_and(|told| told.is(event)));
        self.completed.retain(|task| !self.told.contains_key(&task.event.id));
        due
    }

    /// These were not told after all, since the command could not be started. It is tried again with the next event.
    pub(super) fn put_back(&mut self, events: Vec<NotifyEventInfo>) {
        for event in events {
            self.calls.remove(&event.agent);
            self.tried.insert(event.id.clone());
            match self.told.remove(&event.id) {
                Some(Told { seq: seq @ 1.., .. }) => self.completed.push_back(CompletedTask { seq, event }),
                _ => self.waiting.push(event),
            }
        }
    }

    /// When something that waits may be told; none if nothing does.
    #[must_use]
    pub(super) fn next_at(&self) -> Option<Millis> {
        let untried = self.events().filter(|event| !self.tried.contains(&event.id));
        let at = |event: &NotifyEventInfo| self.calls.get(&event.agent).map(|at| at.plus(BETWEEN_MS));
        untried.map(|event| at(event).unwrap_or_default()).min()
    }

    /// What an earlier daemon has to know of this one.
    #[must_use]
    pub(super) fn notified(&self) -> Notified {
        let seq = self.on.contains(&NotifyKind::Completed).then(|| self.told_up_to());
        let told = self.told.iter().map(|(id, told)| (id.clone(), told.seq)).collect();
        Notified { on: self.on.clone(), seq, told }
    }

    /// The step up to which every completed task was told.
    fn told_up_to(&self) -> u64 {
        let first = self.completed.iter().map(|task| task.seq.saturating_sub(1)).min();
        first.unwrap_or(self.reached).min(self.reached)
    }

    fn is_told(&self, event: &NotifyEventInfo) -> bool {
        self.told.get(&event.id).is_some_and(|told| told.is(event))
    }

    fn events(&self) -> impl Iterator<Item = &NotifyEventInfo> {
        self.waiting.iter().chain(self.completed.iter().map(|task| &task.event))
    }
}

#[cfg(test)]
mod tests;
