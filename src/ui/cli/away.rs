//! A daemon that goes away while somebody follows what it does: one that is started anew is back within seconds. Whoever waits for it is
//! told so.

use super::context::Context;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use std::time::Duration;

/// A daemon that is started anew is back within seconds.
pub(super) const ANEW: Duration = Duration::from_secs(15);
/// Silence that a person wonders about. A daemon that is started anew is often back before.
const TOLD_AFTER: Duration = Duration::from_secs(1);

/// Since when nobody answers, and whether that was told.
pub(super) struct Away<'a> {
    context: &'a Context,
    clock: Clock,
    since: Option<Millis>,
    is_told: bool,
}

impl<'a> Away<'a> {
    /// It answers.
    pub(super) fn not(context: &'a Context) -> Self {
        Self { context, clock: Clock::start(), since: None, is_told: false }
    }

    /// Whether nobody has answered since the last answer.
    pub(super) fn is(&self) -> bool {
        self.since.is_some()
    }

    /// It has answered.
    pub(super) fn back(&mut self) {
        if std::mem::take(&mut self.is_told) {
            self.context.remark("the daemon answers again");
        }
        self.since = None;
    }

    /// It has not answered. Says so once a person wonders, and gives how long that is.
    pub(super) fn silent(&mut self) -> Duration {
        let now = self.clock.now();
        let silence = Duration::from_millis(now.since(*self.since.get_or_insert(now)));
        if silence >= TOLD_AFTER && !std::mem::replace(&mut self.is_told, true) {
            let within = ANEW.as_secs();
            self.context.remark(format!(
                "no daemon answers; `tasuki up` starts it. One that is back within {within} s is followed on"
            ));
        }
        silence
    }
}
