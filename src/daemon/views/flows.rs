//! Which documents of sessions are out of date. One is written whole each time, so a session that changes all the time is written at
//! intervals, longer ones the more work its document is.

use crate::engine::flow::id::FlowId;
use crate::engine::words::Millis;
use std::collections::{BTreeMap, BTreeSet};

/// Least time between two documents of one session.
const INTERVAL_MS: u64 = 200;
/// As many times as long as the last one took nobody writes the next: no session takes more than a twentieth of a processor for this.
const REST: u64 = 19;

/// Documents that are to be written.
#[derive(Debug, Default)]
pub struct DirtyFlows {
    due: BTreeSet<FlowId>,
    /// When those that were written lately may be written again.
    not_before: BTreeMap<FlowId, Millis>,
    /// Those that are being written, and since when.
    writing: Vec<(FlowId, Millis)>,
}

impl DirtyFlows {
    /// One is out of date.
    pub fn mark(&mut self, id: FlowId) {
        self.due.insert(id);
    }

    /// The next that is to be written now. One that must not wait does not wait for the interval.
    pub fn next(&mut self, now: Millis, must_not_wait: impl Fn(&FlowId) -> bool) -> Option<FlowId> {
        self.not_before.retain(|_, at| *at > now);
        let may_be = |id: &&FlowId| !self.not_before.contains_key(*id) || must_not_wait(id);
        let id = self.due.iter().find(may_be).cloned()?;
        self.due.remove(&id);
        self.not_before.insert(id.clone(), now.plus(INTERVAL_MS));
        self.writing.push((id.clone(), now));
        Some(id)
    }

    /// Those that were being written are written now.
    pub fn written(&mut self, now: Millis) {
        for (id, since) in std::mem::take(&mut self.writing) {
            let rest = (now.since(since).saturating_mul(REST)).max(INTERVAL_MS);
            self.not_before.insert(id, now.plus(rest));
        }
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
            while flows.next(now, |_| false).is_some() {
                flows.written(now);
                written += 1;
            }
        }
        assert_eq!(written, 10, "every 200 ms");
        assert!(!flows.is_empty());
        flows.mark(id('b'));
        assert_eq!(flows.next(Millis(3_000), |_| false), Some(id('a')));
        assert_eq!(flows.next(Millis(3_000), |_| false), Some(id('b')), "the other one need not wait");
        flows.mark(id('a'));
        flows.written(Millis(3_100));
        assert_eq!(flows.at(), Some(Millis(5_000)), "one that takes 100 ms is written every two seconds");
        assert_eq!(flows.next(Millis(4_999), |_| false), None);
        assert_eq!(flows.next(Millis(4_999), |_| true), Some(id('a')), "one that has ended does not wait");
        assert!(flows.is_empty());
    }
}
