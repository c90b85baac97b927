//! A queue: what waits for one agent or pool, in the order in which it goes.

use crate::engine::message::{BodyRef, Priority};
use crate::engine::words::{MessageId, Millis, Seq};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Place in a queue: priority, then order of acceptance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueKey {
    priority: Reverse<Priority>,
    // Where its body is, apart, so that the priority takes no bytes.
    seq: Seq,
    index: u32,
    pub id: MessageId,
}

impl QueueKey {
    /// The place of a message with this priority, accepted with this body.
    #[must_use]
    pub fn new(priority: Priority, body: BodyRef, id: MessageId) -> Self {
        let BodyRef { seq, index } = body;
        Self { priority: Reverse(priority), seq, index, id }
    }
}

/// Messages that wait for one agent or pool. Those whose moment has not come stand apart, so that finding the first
/// of a hundred thousand takes no search; which of them are ripe is only a matter of time and of when one looked, so
/// two queues are equal if the same messages wait in them.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    ripe: BTreeSet<QueueKey>,
    later: BTreeSet<(Millis, QueueKey)>,
}

impl Queue {
    /// Puts a message in; it may go from `not_before` on.
    pub fn insert(&mut self, not_before: Millis, key: QueueKey) {
        if not_before == Millis(0) {
            self.ripe.insert(key);
        } else {
            self.later.insert((not_before, key));
        }
    }

    /// Takes a message out.
    pub fn remove(&mut self, not_before: Millis, key: QueueKey) {
        if !self.ripe.remove(&key) {
            self.later.remove(&(not_before, key));
        }
    }

    /// The message that would go first if all of them might.
    #[must_use]
    pub fn head(&self) -> Option<&MessageId> {
        self.ripe.first().or_else(|| self.later.first().map(|(_, key)| key)).map(|key| &key.id)
    }

    /// All that wait, in the order in which they go.
    pub fn ids(&self) -> impl Iterator<Item = &MessageId> {
        self.ripe.iter().chain(self.later.iter().map(|(_, key)| key)).map(|key| &key.id)
    }

    /// The same at a moment: what may go by then has its place, though nobody has looked since.
    #[must_use]
    pub fn ids_at(&self, now: Millis) -> Vec<&MessageId> {
        let (due, later): (Vec<_>, Vec<_>) = self.later.iter().partition(|(at, _)| *at <= now);
        let mut ripe: Vec<&QueueKey> = self.ripe.iter().chain(due.into_iter().map(|(_, key)| key)).collect();
        ripe.sort(); // which is quick where nothing has come between
        ripe.into_iter().chain(later.into_iter().map(|(_, key)| key)).map(|key| &key.id).collect()
    }

    /// The first message that may go now, of those that are `meant`.
    pub fn first(&mut self, now: Millis, meant: impl Fn(&MessageId) -> bool) -> Option<&QueueKey> {
        while self.later.first().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, key)) = self.later.pop_first() {
                self.ripe.insert(key);
            }
        }
        self.ripe.iter().find(|key| meant(&key.id))
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ripe.len() + self.later.len()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ripe.is_empty() && self.later.is_empty()
    }

    fn keys(&self) -> BTreeSet<&QueueKey> {
        self.ripe.iter().chain(self.later.iter().map(|(_, key)| key)).collect()
    }
}

impl PartialEq for Queue {
    fn eq(&self, other: &Self) -> bool {
        self.keys() == other.keys()
    }
}

impl Eq for Queue {}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> QueueKey {
        let id = MessageId::new(&format!("t{number}")).expect("an id");
        QueueKey::new(Priority::Normal, BodyRef { seq: Seq(number), index: 0 }, id)
    }

    #[test]
    fn what_ripens_takes_its_old_place() {
        let mut queue = Queue::default();
        queue.insert(Millis(5), key(1));
        queue.insert(Millis(0), key(2));
        assert_eq!(queue.len(), 2, "both wait");
        let order = |now| queue.ids_at(Millis(now)).into_iter().map(MessageId::as_str).collect::<Vec<_>>();
        assert_eq!((order(4), order(5)), (vec!["t2", "t1"], vec!["t1", "t2"]));
        assert_eq!(queue.first(Millis(4), |_| true), Some(&key(2)));
        assert_eq!(queue.first(Millis(5), |_| true), Some(&key(1)));
        assert_eq!(queue.first(Millis(5), |id| id.as_str() != "t1"), Some(&key(2)));
        let mut again = Queue::default();
        again.insert(Millis(0), key(2));
        again.insert(Millis(5), key(1));
        assert_eq!(queue, again, "ripe or not, the same messages wait");
        queue.remove(Millis(5), key(1));
        again.remove(Millis(5), key(1));
        assert_eq!((queue.len(), again.len()), (1, 1));
        assert_ne!(queue, Queue::default());
    }
}
