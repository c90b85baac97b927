//! Dropped files of which the journal knows what becomes of them. They lie in `.tasuki/claim/` until the mailbox has dealt with
//! them, or are put back there by a power cut: a start must not read them as if they were new.

use crate::daemon::mailbox::mail::Rejected;
use crate::engine::event::Event;
use crate::engine::message::refusal::Refusal;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the journal says of dropped files, by their names in `.tasuki/claim/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handled {
    /// What these say is in the journal: they are to be removed.
    pub taken: BTreeSet<Arc<str>>,
    /// These are to be set aside, for these reasons: their senders were told.
    pub refused: BTreeMap<Arc<str>, Rejected>,
    /// Which of those taken were claimed before the machine was started last: no other can have been put back by a power cut.
    pub earlier: BTreeSet<Arc<str>>,
}

impl Handled {
    /// Takes up what an event says of a dropped file. The place in a refused file is not in the journal: only its class and
    /// why.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Accepted { name: Some(claim), .. } | Event::Duplicate { name: Some(claim), .. } => {
                self.refused.remove(claim);
                self.taken.insert(claim.clone());
            }
            Event::Refused { name: Some(claim), from, code, why } => {
                let refusal = Refusal::new(*code, why.clone());
                self.refuse(Rejected { claim: claim.clone(), from: from.clone(), refusal });
            }
            _ => {}
        }
    }

    /// The machine was started since an event was written.
    pub fn age(&mut self, event: &Event) {
        if let Event::Accepted { name: Some(claim), .. } | Event::Duplicate { name: Some(claim), .. } = event
        {
            self.earlier.insert(claim.clone());
        }
    }

    /// This one is to be set aside.
    pub fn refuse(&mut self, rejected: Rejected) {
        self.taken.remove(&rejected.claim);
        self.earlier.remove(&rejected.claim);
        self.refused.insert(rejected.claim.clone(), rejected);
    }

    /// These are dealt with.
    pub fn forget(&mut self, claims: &[Arc<str>]) {
        for claim in claims {
            self.taken.remove(claim);
            self.earlier.remove(claim);
            self.refused.remove(claim);
        }
    }

    /// All of them.
    #[must_use]
    pub fn names(&self) -> BTreeSet<Arc<str>> {
        self.taken.iter().chain(self.refused.keys()).cloned().collect()
    }

    /// Forgets the others.
    pub fn keep(&mut self, keep: impl Fn(&Arc<str>) -> bool) {
        self.taken.retain(&keep);
        self.earlier.retain(&keep);
        self.refused.retain(|claim, _| keep(claim));
    }

    /// Those that are to be set aside, as events.
    #[must_use]
    pub fn refusals(&self) -> Vec<Event> {
        let event = |file: &Rejected| Event::Refused {
            name: Some(file.claim.clone()),
            from: file.from.clone(),
            code: file.refusal.code,
            why: file.refusal.why.clone(),
        };
        self.refused.values().map(event).collect()
    }
}
