//! Tells of a workspace in which nothing happens any more before a person does something: once in the activity log, and as a
//! note for as long as it lasts.

use crate::engine::words::Millis;
use std::collections::BTreeSet;

/// After so long without a step of the engine it is asked whether there will be another: a turn is typed within two seconds.
const STILL_MS: u64 = 5_000;

/// How soon after a step it is looked which agents stand still, and whether what was told of all still holds: many steps may come at
/// once.
const STANDS_SOON_MS: u64 = 500;

/// Since when nothing happens, or nothing is typed to an agent.
#[derive(Debug, Default)]
pub struct StallWatch {
    /// When it is looked; none if that was done since the last step.
    pub(in crate::daemon) look_at: Option<Millis>,
    /// What was told last, while it holds.
    pub(in crate::daemon) told: Option<String>,
    /// When it is looked which agents stand still.
    pub(in crate::daemon) agents_at: Option<Millis>,
    /// Those that are told of.
    pub(in crate::daemon) agents: BTreeSet<u16>,
}

impl StallWatch {
    /// Something has happened, be it an event or only seen; a daemon that has nothing open sleeps on.
    pub(in crate::daemon) fn stir(&mut self, now: Millis, is_event: bool, has_open: bool) {
        if has_open || !self.agents.is_empty() {
            let soon = now.plus(STANDS_SOON_MS);
            self.agents_at = Some(self.agents_at.map_or(soon, |at| at.min(soon)));
        }
        if !is_event {
            return;
        }
        // What was told goes away in time, however much happens.
        if self.told.is_some() && self.look_at.is_some() {
            return;
        }
        let still = if self.told.is_some() { STANDS_SOON_MS } else { STILL_MS };
        self.look_at = (has_open || self.told.is_some()).then(|| now.plus(still));
    }

    /// What was found by a look. What is taken back may come to hold again without another step, so it is looked once more.
    /// Returns what is new.
    pub(in crate::daemon) fn found(&mut self, now: Millis, why: Option<String>) -> Option<String> {
        let was_told = self.told.is_some();
        self.look_at = (was_told && why.is_none()).then(|| now.plus(STILL_MS));
        let is_new = why != self.told;
        self.told.clone_from(&why);
        why.filter(|_| is_new)
    }

    /// When it is looked whether anything will happen again.
    pub(in crate::daemon) fn look_at(&self) -> Option<Millis> {
        self.look_at.into_iter().chain(self.agents_at).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_looked_at_again_however_much_happens() {
        let looks = |told: Option<&str>| {
            let mut stillness = StallWatch { told: told.map(str::to_owned), ..StallWatch::default() };
            (0..10).for_each(|second| stillness.stir(Millis(second * 1_000), true, true));
            stillness.look_at
        };
        assert_eq!(looks(Some("nothing moves")), Some(Millis(STANDS_SOON_MS)));
        assert_eq!(looks(None), Some(Millis(9_000 + STILL_MS)), "nothing to be taken back");
    }

    #[test]
    fn what_is_taken_back_soon_is_told_again_where_it_holds_again_without_a_step() {
        let mut stillness = StallWatch { told: Some("nothing moves".to_owned()), ..StallWatch::default() };
        stillness.stir(Millis(1_000), true, true);
        assert_eq!(
            stillness.look_at,
            Some(Millis(1_000 + STANDS_SOON_MS)),
            "it is false for so long at most"
        );
        assert_eq!(stillness.found(Millis(1_500), None), None);
        assert_eq!(stillness.look_at, Some(Millis(1_500 + STILL_MS)));
        let again = Some("nothing moves".to_owned());
        assert_eq!(stillness.found(Millis(6_500), again.clone()), again);
        assert_eq!((stillness.found(Millis(7_000), again), stillness.look_at), (None, None));
    }
}
