//! What waits in queues: the order in which it goes, and the place of each message.

use super::model::Model;
use crate::engine::message::Priority;
use crate::engine::state::Open;
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::wire::message::standing::PlaceInfo;
use crate::wire::message::view::MessageView;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Where a message stands among all that are queued, whoever takes it: as in each queue, the next one first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QueueOrder {
    /// From when on it may go, if that is to come; the largest number for one that depends on others.
    not_before: u64,
    priority: Reverse<Priority>,
    seq: u64,
    index: u32,
}

impl QueueOrder {
    pub(super) fn of(open: &Open, now: Millis) -> Self {
        let not_before = match open.waits() {
            None => u64::MAX,
            Some(at) if at <= now => 0,
            Some(at) => at.0,
        };
        let priority = Reverse(open.message.priority);
        Self { not_before, priority, seq: open.body.seq.0, index: open.body.index }
    }

    /// It as it stands in a `next`.
    pub(super) fn write(&self) -> String {
        let Self { not_before, priority, seq, index } = self;
        let priority = Priority::ALL.iter().position(|one| *one == priority.0).unwrap_or_default();
        format!("q{not_before}.{priority}.{seq}.{index}")
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('q')?.split('.');
        let not_before = parts.next()?.parse().ok()?;
        let priority = Reverse(*Priority::ALL.get(parts.next()?.parse::<usize>().ok()?)?);
        let (seq, index) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        parts.next().is_none().then_some(Self { not_before, priority, seq, index })
    }
}

impl Model {
    /// What waits for an agent or a pool, in the order in which it goes.
    pub(super) fn queue_of(&self, name: &AgentName) -> Vec<&MessageId> {
        let queue = self.engine().state().queues.get(name);
        queue.map(|queue| queue.ids_at(self.now())).unwrap_or_default()
    }

    /// Puts in the places of those that are in a queue.
    pub(super) fn give_places(&self, views: &mut [MessageView]) {
        let mut places = self.places_in_queues(views.iter().map(|view| &view.id));
        for view in views {
            view.place = places.remove(&view.id).or(view.place.take());
        }
    }

    /// The places of those that are in a queue. Each queue is looked through once.
    pub(super) fn places_in_queues<'a>(
        &self,
        ids: impl Iterator<Item = &'a MessageId>,
    ) -> HashMap<MessageId, PlaceInfo> {
        let mut wanted: BTreeMap<&AgentName, HashSet<&MessageId>> = BTreeMap::new();
        for id in ids {
            if let Some(queue) = self.queue_that_has(id) {
                wanted.entry(queue).or_default().insert(id);
            }
        }
        let mut places = HashMap::new();
        for (name, wanted) in wanted {
            let order = self.queue_of(name);
            let of = order.len();
            let found = (1..).zip(order).filter(|(_, id)| wanted.contains(id));
            places
                .extend(found.map(|(nth, id)| (id.clone(), PlaceInfo { nth, of, queue: name.to_string() })));
        }
        places
    }

    /// Whose queue a message is in; none if it is in no one's.
    pub(super) fn queue_that_has(&self, id: &MessageId) -> Option<&AgentName> {
        let open = self.engine().state().open.get(id)?;
        open.waits().map(|_| open.queue())
    }
}
