//! The drop zones as the mailbox's thread has them: which are watched, and what is told of them.

use super::state::Worker;
use crate::io::folder::FolderError;
use crate::io::mailbox::{Found, MAIN_ZONE};
use crate::wire::clean::escape;
use crate::wire::layout::plain;
use crate::wire::zone::ZoneSpec;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A zone that cannot be opened is looked at again this soon: a drive was put in, or a folder made, of which nobody tells.
const HEALS_MS: u64 = 5_000;

impl Worker {
    /// Has these swept besides `queue/`; what is to be told of it.
    pub(super) fn set_zones(&mut self, specs: &[ZoneSpec]) -> Vec<String> {
        let before: BTreeSet<PathBuf> = self.mailbox.places().into_iter().collect();
        self.mailbox.set_zones(specs);
        let after: BTreeSet<PathBuf> = self.mailbox.places_wanted().collect();
        self.mailbox.forget_not_priority(); // whose a zone is may have made it one
        self.look_at = self.clock.now();
        let new = after.difference(&before).map(|place| format!("{} is a drop zone now", plain(place)));
        let gone = before.difference(&after).map(|place| {
            format!("{} is no drop zone any more: what is in it and was not taken stays there", plain(place))
        });
        new.chain(gone).collect()
    }

    /// Watches what is swept, and nothing else. Watched first, listed then: what comes in between is told twice, and nothing is
    /// missed.
    pub(super) fn follow(&mut self) {
        self.mailbox.update_zones();
        let places = self.mailbox.places();
        if places != self.followed {
            for place in self.followed.iter().filter(|place| !places.contains(place)) {
                self.watch.leave(place);
            }
            for place in places.iter().filter(|place| !self.followed.contains(place)) {
                self.watch.follow(place);
            }
            self.followed = places;
        }
        self.watch.check();
    }

    /// When a zone that cannot be swept is tried again.
    pub(super) fn heals_in_ms(&self) -> u64 {
        if self.mailbox.has_trouble() { HEALS_MS } else { u64::MAX }
    }

    /// What is worth a line in the activity log.
    pub(super) fn note(&self, found: Found) -> String {
        match found {
            Found::Later { name, refusal, .. } => format!("{name} is left where it is: {}", refusal.why),
            Found::Hint { name, is_folder: true, zone } => {
                let place = self.shown(zone);
                format!("files in {place}{name}/ are not taken: only files directly in {place} are")
            }
            Found::Hint { name, zone, .. } => {
                format!("{}{name} is not taken: its name must end in .yaml", self.shown(zone))
            }
            Found::Trouble { error, .. } => trouble(&error),
            Found::Healed { zone } => format!("what is dropped into {} is taken again", self.shown(zone)),
            Found::Read { name, .. } | Found::Bad { name, .. } => format!("{name} was taken"),
        }
    }

    /// A zone for a person, with a slash at its end.
    fn shown(&self, zone: u32) -> String {
        match self.mailbox.place(zone).filter(|_| zone != MAIN_ZONE) {
            Some(place) => format!("{}/", plain(place)),
            None => "queue/".to_owned(),
        }
    }
}

fn trouble(error: &FolderError) -> String {
    format!("the drop zone cannot be looked at: {}", escape(&error.to_string()))
}
