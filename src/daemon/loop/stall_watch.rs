//! Tells of a workspace in which nothing happens any more before a person does something: once in the activity log, and as a
//! note for as long as it lasts.

use crate::daemon::health::About;
use crate::daemon::r#loop::run::Daemon;
use crate::engine::words::Millis;
use std::collections::BTreeSet;

/// After so long without a step of the engine it is asked whether there will be another: a turn is typed within two seconds.
const STILL_MS: u64 = 5_000;

/// How soon after a step it is looked which agents stand still: many steps may come at once.
const STANDS_SOON_MS: u64 = 500;

/// Since when nothing happens, or nothing is typed to an agent.
#[derive(Debug, Default)]
pub struct Stillness {
    /// When it is looked; none if that was done since the last step.
    look_at: Option<Millis>,
    /// What was told last, while it holds.
    told: Option<String>,
    /// When it is looked which agents stand still.
    agents_at: Option<Millis>,
    /// Those that are told of.
    agents: BTreeSet<u16>,
}

impl Stillness {
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
        self.look_at = (has_open || self.told.is_some()).then(|| now.plus(STILL_MS));
    }

    /// When it is looked whether anything will happen again.
    pub(in crate::daemon) fn look_at(&self) -> Option<Millis> {
        self.look_at.into_iter().chain(self.agents_at).min()
    }
}

impl Daemon {
    /// Looks whether anything will happen again, if it is time.
    pub(in crate::daemon) fn look_whether_it_stands_still(&mut self, now: Millis) {
        self.look_who_stands_still(now);
        if self.stillness.look_at.is_none_or(|at| at > now) {
            return;
        }
        self.stillness.look_at = None;
        let why = self.engine.standstill();
        self.note(About::Standstill, why.clone());
        if why != self.stillness.told {
            self.stillness.told.clone_from(&why);
            if let Some(why) = why {
                self.views.tell(now, None, why);
            }
        }
    }
}

impl Daemon {
    /// Looks which agents stand still, if it is time: each is a note for as long as that lasts, and a line in the log.
    fn look_who_stands_still(&mut self, now: Millis) {
        if self.stillness.agents_at.is_none_or(|at| at > now) {
            return;
        }
        self.stillness.agents_at = self.engine.more_standing_at(now);
        let standing = self.engine.standing(now);
        let now_told: BTreeSet<u16> = standing.iter().map(|(at, _)| *at).collect();
        let before = std::mem::replace(&mut self.stillness.agents, now_told.clone());
        for gone in before.difference(&now_told) {
            self.note(About::Stands(*gone), None);
        }
        for (at, text) in standing {
            if !before.contains(&at) {
                self.views.tell(now, None, text.clone());
            }
            self.note(About::Stands(at), Some(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_looked_at_again_however_much_happens() {
        let looks = |told: Option<&str>| {
            let mut stillness = Stillness { told: told.map(str::to_owned), ..Stillness::default() };
            (0..10).for_each(|second| stillness.stir(Millis(second * 1_000), true, true));
            stillness.look_at
        };
        assert_eq!(looks(Some("nothing moves")), Some(Millis(STILL_MS)));
        assert_eq!(looks(None), Some(Millis(9_000 + STILL_MS)), "nothing to be taken back");
    }
}
