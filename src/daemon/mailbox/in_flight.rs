//! Messages that were told and that the loop has not taken in yet: a draft takes 600 bytes and its content, twice what is kept
//! of the message once it is accepted, so that files stay where they are while there are many.

use super::mail::Dropped;
use std::sync::atomic::{AtomicUsize, Ordering};

/// From so many on nothing more is read: eight looks at files of one message each, which the loop is busy with for longer than
/// the next one takes.
const IN_FLIGHT_MAX: usize = 2_048;

/// How many there are.
#[derive(Debug, Default)]
pub(super) struct InFlight(AtomicUsize);

impl InFlight {
    /// These are told.
    pub(super) fn add(&self, drops: &[Dropped]) {
        self.0.fetch_add(count(drops), Ordering::AcqRel);
    }

    /// The loop has taken these in; whether there is room again since then.
    pub(super) fn remove(&self, drops: &[Dropped]) -> bool {
        let count = count(drops);
        let before = self.0.fetch_sub(count, Ordering::AcqRel);
        before >= IN_FLIGHT_MAX && before.saturating_sub(count) < IN_FLIGHT_MAX
    }

    /// Whether nothing more is to be read.
    pub(super) fn is_full(&self) -> bool {
        self.0.load(Ordering::Acquire) >= IN_FLIGHT_MAX
    }
}

fn count(drops: &[Dropped]) -> usize {
    let each = |dropped: &Dropped| match dropped {
        Dropped::Drafts { drafts, .. } => drafts.len(),
        Dropped::Bad { .. } => 1,
    };
    drops.iter().map(each).sum()
}
