//! Room for new messages: how much there is.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What is taken from the drop zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// Nothing: the end is near.
    Shut,
    /// What does not wait for room: answers, parts of what is open, and what is only to be refused.
    ForParts,
    /// So many new messages, and what does not wait for room.
    For(usize),
}

impl Room {
    /// For new messages.
    pub(in crate::daemon) fn messages(self) -> usize {
        match self {
            Self::Shut | Self::ForParts => 0,
            Self::For(messages) => messages,
        }
    }
}

/// [`Room`], as one thread tells another.
#[derive(Debug)]
pub(super) struct SharedRoom(AtomicUsize);

impl SharedRoom {
    pub(super) fn new(room: Room) -> Self {
        Self(AtomicUsize::new(code(room)))
    }

    /// Says how much there is; how much there was.
    pub(super) fn swap(&self, room: Room) -> Room {
        decode(self.0.swap(code(room), Ordering::Relaxed))
    }

    pub(super) fn get(&self) -> Room {
        decode(self.0.load(Ordering::Relaxed))
    }
}

fn code(room: Room) -> usize {
    match room {
        Room::Shut => 0,
        Room::ForParts => 1,
        Room::For(messages) => messages.saturating_add(1),
    }
}

fn decode(code: usize) -> Room {
    match code {
        0 => Room::Shut,
        1 => Room::ForParts,
        more => Room::For(more - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_told_from_thread_to_thread_as_it_is() {
        let all = [Room::Shut, Room::ForParts, Room::For(1), Room::For(7), Room::For(usize::MAX - 1)];
        assert!(all.is_sorted());
        let told = SharedRoom::new(Room::Shut);
        for room in all {
            told.swap(room);
            assert_eq!(told.get(), room);
        }
        told.swap(Room::For(0));
        assert_eq!(told.get(), Room::ForParts, "for no message");
        told.swap(Room::For(usize::MAX));
        assert!(told.get().messages() > 1_000_000);
    }
}
