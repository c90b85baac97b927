//! Contents of messages that came a moment ago: what is shown and typed of them first comes from memory, not from the disk.

use crate::engine::event::Event;
use crate::engine::message::{Body, BodyRef};
use crate::engine::words::Seq;
use std::collections::BTreeMap;

/// Contents that are kept, in bytes with what goes with each: four of the longest messages, or thousands of short ones. Of more the
/// newest are kept; the others are read from the journal.
const KEPT_BYTES_MAX: usize = 4 << 20;
/// What one takes besides its text: its place, two counted texts, its part of the map.
const EACH_BYTES: usize = 128;

/// Contents by the place of each, oldest first.
#[derive(Debug, Default)]
pub(super) struct FreshBodies {
    kept: BTreeMap<BodyRef, Body>,
    bytes: usize,
}

impl FreshBodies {
    /// Keeps the contents of the messages that were accepted in a step.
    pub(super) fn keep(&mut self, seq: Seq, events: &[Event]) {
        for (index, event) in (0..).zip(events) {
            if let Event::Accepted { body, .. } = event {
                self.bytes += bytes_of(body);
                self.kept.insert(BodyRef { seq, index }, body.clone());
            }
        }
        while self.bytes > KEPT_BYTES_MAX
            && let Some((_, body)) = self.kept.pop_first()
        {
            self.bytes -= bytes_of(&body);
        }
    }

    /// The content that came at this place, if it is still kept.
    #[must_use]
    pub(super) fn get(&self, place: BodyRef) -> Option<Body> {
        self.kept.get(&place).cloned()
    }

    /// The same, and it is kept no longer.
    pub(super) fn take(&mut self, place: BodyRef) -> Option<Body> {
        let body = self.kept.remove(&place)?;
        self.bytes -= bytes_of(&body);
        Some(body)
    }
}

fn bytes_of(body: &Body) -> usize {
    body.content.len() + body.extra.len() + EACH_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::input::{Input, Moment};
    use crate::engine::message::{RequestId, Source};
    use crate::engine::words::{MessageId, Millis};
    use crate::wire::message::draft;

    /// The events by which a message with this content is accepted.
    fn accepted(long: &str) -> Vec<Event> {
        let mint = &mut || MessageId::new("minted").unwrap();
        let drafts = draft::read(
            b"to: user\ntype: info\ncontent: x\n",
            None,
            &|_| true,
            mint,
            Millis(1),
            &chrono::Utc,
        )
        .unwrap();
        let mut engine = crate::engine::engine::Engine::new(crate::engine::team::Team::default());
        let source = Source::Request(RequestId(1));
        let moment = Moment { now: Millis(1), wall: Millis(1), chance: 0 };
        let mut events = engine.step(moment, Input::Drop { source, drafts, proof: None }).events;
        let Some(Event::Accepted { body, .. }) = events.first_mut() else { panic!("{events:?}") };
        body.content = long.into();
        events
    }

    fn place(seq: u64) -> BodyRef {
        BodyRef { seq: Seq(seq), index: 0 }
    }

    #[test]
    fn the_newest_are_kept_and_never_more_than_fit() {
        let mut bodies = FreshBodies::default();
        let long = "x".repeat(KEPT_BYTES_MAX / 4);
        for seq in 1..=9 {
            bodies.keep(Seq(seq), &accepted(&long));
            assert!(bodies.bytes <= KEPT_BYTES_MAX);
        }
        let kept: Vec<u64> = (1..=9).filter(|seq| bodies.get(place(*seq)).is_some()).collect();
        assert_eq!(kept, [7, 8, 9]);
        assert_eq!(&*bodies.take(place(8)).unwrap().content, &*long);
        assert!(bodies.take(place(8)).is_none() && bodies.take(place(7)).is_some());
        bodies.take(place(9));
        assert_eq!((bodies.bytes, bodies.kept.len()), (0, 0));
    }
}
