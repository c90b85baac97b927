//! The end of a turn without a claim: the agent waits for input again, as it did before its turn.

use std::time::Duration;
use tokio::time::Instant;

/// After how long a silence it is looked whether the turn is over: a few times, less and less often, and then no more until
/// the agent prints something, so that whoever works in silence costs nothing.
const SILENCES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16), Duration::from_secs(64)];
/// How much later it must look the same: between two steps of a script all may wait for a moment.
const AGAIN: Duration = Duration::from_secs(1);

/// How far the watch for the end of a turn is.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnEnd {
    /// Which silence is waited for.
    next: usize,
    /// Since when it seems to be over.
    since: Option<Instant>,
    /// Whether its end was reported.
    told: bool,
}

/// What follows from a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndStep {
    /// Nothing until it prints something.
    Rest,
    LookBy(Instant),
    /// It is over. `first` is whether that was not reported before.
    Over {
        first: bool,
    },
}

impl TurnEnd {
    /// Nothing was looked at yet.
    pub(super) const fn new() -> Self {
        Self { next: 0, since: None, told: false }
    }

    /// It printed something.
    pub(super) const fn again(self) -> Self {
        Self { told: self.told, ..Self::new() }
    }

    /// Its end was reported: until it prints something, there is no more to be said.
    const fn spent() -> Self {
        Self { next: SILENCES.len(), since: None, told: true }
    }

    /// Looks whether the turn is over, if it is time. `waits` is whether its program waits for input.
    pub(super) fn step(&mut self, waits: impl FnOnce() -> bool, printed: Instant, now: Instant) -> EndStep {
        let Some(silence) = SILENCES.get(self.next) else { return EndStep::Rest };
        let at = self.since.map_or(printed + *silence, |since| since + AGAIN);
        if now < at {
            return EndStep::LookBy(at);
        }
        match (waits(), self.since) {
            (true, Some(_)) => {
                let first = !self.told;
                *self = Self::spent();
                EndStep::Over { first }
            }
            (true, None) => {
                self.since = Some(now);
                EndStep::LookBy(now + AGAIN)
            }
            (false, _) => {
                (self.next, self.since) = (self.next + 1, None);
                SILENCES.get(self.next).map_or(EndStep::Rest, |silence| EndStep::LookBy(printed + *silence))
            }
        }
    }
}
