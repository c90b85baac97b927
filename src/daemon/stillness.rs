//! Tells of a workspace in which nothing happens any more before a person does something: once in the activity log, and as a
//! note for as long as it lasts.

use crate::daemon::notes::About;
use crate::daemon::run::Daemon;
use crate::engine::words::Millis;

/// After so long without a step of the engine it is asked whether there will be another: a turn is typed within two seconds.
const STILL_MS: u64 = 5_000;

/// Since when nothing happens.
#[derive(Debug, Default)]
pub struct Stillness {
    /// When it is looked; none if that was done since the last step.
    look_at: Option<Millis>,
    /// What was told last, while it holds.
    told: Option<String>,
}

impl Stillness {
    /// Something has happened; a daemon that has nothing open sleeps on.
    pub(super) fn stir(&mut self, now: Millis, has_open: bool) {
        // What was told goes away in time, however much happens.
        if self.told.is_some() && self.look_at.is_some() {
            return;
        }
        self.look_at = (has_open || self.told.is_some()).then(|| now.plus(STILL_MS));
    }

    /// When it is looked whether anything will happen again.
    pub(super) fn look_at(&self) -> Option<Millis> {
        self.look_at
    }
}

impl Daemon {
    /// Looks whether anything will happen again, if it is time.
    pub(super) fn look_whether_it_stands_still(&mut self, now: Millis) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_looked_at_again_however_much_happens() {
        let looks = |told: Option<&str>| {
            let mut stillness = Stillness { look_at: None, told: told.map(str::to_owned) };
            (0..10).for_each(|second| stillness.stir(Millis(second * 1_000), true));
            stillness.look_at()
        };
        assert_eq!(looks(Some("nothing moves")), Some(Millis(STILL_MS)));
        assert_eq!(looks(None), Some(Millis(9_000 + STILL_MS)), "nothing to be taken back");
    }
}
