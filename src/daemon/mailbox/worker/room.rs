//! What is taken where there is no room for new messages.

use super::state::{DEFERRED_MS, Worker};
use crate::daemon::mailbox::room::Room;
use crate::engine::message::{Draft, Kind};
use crate::engine::words::USER;
use crate::io::chance::mint_id;
use crate::io::journal::is_short_of_space;
use crate::io::mailbox::{Budget, Sweep};
use crate::wire::message::draft;
use chrono::Local;

/// What is read at a look to tell whether it waits for room.
const LOOKS: Budget = Budget { files: 1_024, bytes: 8 << 20 };
/// Such a look may take this part of the time between two, which is no longer than this.
const LOOKS_SHARE: u64 = 10;
const LOOKS_MS_MAX: u64 = 5_000;

/// Whether this needs no room, but makes some.
fn is_answer(draft: &Draft) -> bool {
    matches!(draft.kind, Kind::Result | Kind::Error)
}

/// Whether these may be answers or parts of what is open, which the loop knows: an agent has sent them.
fn may_be_urgent(drafts: &[Draft]) -> bool {
    let by_agent = |draft: &Draft| {
        let from = draft.from.as_ref().is_some_and(|from| !from.is_user());
        from || draft.token.is_some() || draft.parent.is_some()
    };
    drafts.iter().any(|draft| is_answer(draft) || by_agent(draft))
}

impl Worker {
    /// How much room there is.
    pub(super) fn room(&self) -> Room {
        let room = self.signs.room.get();
        if self.disk.full { room.min(Room::ForParts) } else { room }
    }

    /// What a sweep may take.
    pub(super) fn budget(&self) -> Budget {
        let room = self.room().messages();
        let Budget { files, bytes } = Budget::default();
        Budget { files: files.min(room), bytes: if room == 0 { 0 } else { bytes } }
    }

    /// Whether the disk has no room for new messages; what runs goes on.
    pub(super) fn is_full(&self) -> bool {
        is_short_of_space(&self.disk.folder, self.disk.low_bytes).unwrap_or(false)
    }

    /// Takes what does not wait for room of what a sweep had none for: work that waits for it would never end, and never make
    /// any. Many files may lie there, so it is not done at each look.
    pub(super) fn take_urgent(&mut self, sweep: &mut Sweep) {
        let room = self.room();
        if !sweep.more || room == Room::Shut || room.messages() >= Budget::default().files {
            return self.mailbox.forget_not_priority();
        }
        let now = self.clock.now();
        if now < self.urgent_at && self.sweeps.is_empty() {
            self.look_at = self.look_at.min(self.urgent_at);
            return;
        }
        let (names, wall) = (&self.names, self.clock.wall());
        let knows = |name: &str| name == USER || names.contains(name);
        let whose = self.mailbox.whose();
        let is_urgent = |zone: u32, name: &str, bytes: &[u8]| {
            if whose.get(&zone).is_none_or(Option::is_some) {
                return true; // an agent's own, or only to be refused
            }
            let drafts = draft::read(bytes, Some(name), &knows, &mut mint_id, wall, &Local);
            drafts.map_or(true, |drafts| may_be_urgent(&drafts))
        };
        let more = self.mailbox.take_priority(sweep, LOOKS, now, &is_urgent);
        let took = self.clock.now().since(now);
        self.urgent_at = now.plus((took * LOOKS_SHARE).clamp(DEFERRED_MS, LOOKS_MS_MAX));
        if more {
            self.look_at = self.look_at.min(self.urgent_at);
        }
    }
}
