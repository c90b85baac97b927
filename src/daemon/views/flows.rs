//! Which documents of sessions are out of date. One is written whole each time, so a session that changes all the time is written at
//! intervals, longer ones the more tasks it has.

use crate::engine::flow::id::FlowId;
use crate::engine::words::Millis;
use std::collections::{BTreeMap, BTreeSet};

/// Least time between two documents of one session.
const INTERVAL_MS: u64 = 200;
/// Tasks for which that is one ms longer: a document of 10,000 takes a core some 50 ms, and is written once a second.
const TASKS_A_MS: usize = 12;

/// Documents that are to be written.
#[derive(Debug, Default)]
pub struct DirtyFlows {
    due: BTreeSet<FlowId>,
    /// When those that were written lately may be written again.
    not_before: BTreeMap<FlowId, Millis>,
}

impl DirtyFlows {
    /// One is out of date.
    pub fn mark(&mut self, id: FlowId) {
        self.due.insert(id);
    }

    /// The next that is to be written now; with `hurry` nobody waits for the interval.
    pub fn next(&mut self, now: Millis, hurry: bool) -> Option<FlowId> {
        self.not_before.retain(|_, at| *at > now);
        let may_be = |id: &&FlowId| hurry || !self.not_before.contains_key(*id);
        let id = self.due.iter().find(may_be).cloned()?;
        self.due.remove(&id);
        Some(id)
    }

    /// One with so many tasks is being written.
    pub fn written(&mut self, id: FlowId, tasks: usize, now: Millis) {
        let interval = INTERVAL_MS + (tasks / TASKS_A_MS) as u64;
        self.not_before.insert(id, now.plus(interval));
    }

    /// When one may be written that waits for that.
    #[must_use]
    pub fn at(&self) -> Option<Millis> {
        self.due.iter().map(|id| self.not_before.get(id).copied().unwrap_or_default()).min()
    }

    /// Those of `older` as well.
    pub fn absorb(&mut self, older: Self) {
        self.due.extend(older.due);
        self.not_before.extend(older.not_before);
    }

    /// Whether none is out of date.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> FlowId {
        FlowId::new(&"a1b2c3d4-e5f6-4890-abcd-ef1234567890".replace('a', &digit.to_string())).unwrap()
    }

    #[test]
    fn a_document_that_changes_all_the_time_is_written_at_intervals() {
        let mut flows = DirtyFlows::default();
        let mut written = 0;
        for now in (1_000..3_000).map(Millis) {
            flows.mark(id('a'));
            while let Some(id) = flows.next(now, false) {
                flows.written(id, 1_200, now);
                written += 1;
            }
        }
        assert_eq!(written, 7, "every 300 ms");
        assert!(!flows.is_empty() && flows.at() > Some(Millis(3_000)));
        flows.mark(id('b'));
        assert_eq!(flows.next(Millis(3_000), false), Some(id('b')), "the other one need not wait");
        assert_eq!(flows.next(Millis(3_000), false), None);
        assert_eq!(flows.next(Millis(3_000), true), Some(id('a')), "nobody waits when a segment turns");
        assert!(flows.is_empty());
    }
}
