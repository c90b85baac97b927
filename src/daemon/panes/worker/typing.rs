//! What the steps of typing a turn share: how one fails.

use super::session::End;
use crate::engine::input::Verdict;
use crate::engine::life::Receipt;
use crate::io::mux::MuxError;
use std::time::Duration;

/// Between two looks for an echo that makes no sound: what is shown already came with the output before.
pub(super) const ECHO_PAUSE: Duration = Duration::from_millis(10);

/// Said where somebody has typed on behind a line that was not entered yet.
pub(super) const TYPED_BEHIND: &str = "somebody typed after its line in the input: send it or remove it";

/// How a step of the procedure fails.
pub(super) enum Failed {
    Ended(End),
    Verdict(Verdict),
}

/// What is found of a turn after a crash.
pub(super) enum Found {
    Receipt(Receipt),
    /// Its line, as it stands in the input without its Enter.
    Unentered(String),
}

impl From<MuxError> for Failed {
    /// After a call without an answer it cannot be told what was typed; after a refusal nothing was.
    fn from(error: MuxError) -> Self {
        let why = error.to_string();
        match error {
            MuxError::Gone { .. } => Self::Ended(End::Disconnected),
            MuxError::Late { .. } => Self::Verdict(Verdict::Unconfirmed { why }),
            MuxError::InMode { .. } => Self::Verdict(Verdict::Withdrawn { why }),
            _ => Self::Verdict(Verdict::NotDelivered { why }),
        }
    }
}

impl From<End> for Failed {
    fn from(end: End) -> Self {
        Self::Ended(end)
    }
}

/// Nothing was typed, or what was is there yet.
pub(super) fn not_delivered(why: impl Into<String>) -> Failed {
    Failed::Verdict(Verdict::NotDelivered { why: why.into() })
}

pub(super) fn unconfirmed(why: impl Into<String>) -> Failed {
    Failed::Verdict(Verdict::Unconfirmed { why: why.into() })
}

pub(super) fn withdrawn(why: impl Into<String>) -> Failed {
    Failed::Verdict(Verdict::Withdrawn { why: why.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::PaneId;

    #[test]
    fn what_tmux_did_not_answer_is_in_doubt_and_what_it_refused_is_not() {
        let verdict = |error| match Failed::from(error) {
            Failed::Verdict(verdict) => verdict,
            Failed::Ended(end) => panic!("{end:?}"),
        };
        let late = MuxError::Late { command: "paste-buffer", ms: 5_000, sent: true };
        assert!(matches!(verdict(late), Verdict::Unconfirmed { .. }));
        let pane = PaneId(1);
        assert!(matches!(verdict(MuxError::InMode { pane }), Verdict::Withdrawn { .. }));
        assert!(matches!(verdict(MuxError::DeadPane { pane }), Verdict::NotDelivered { .. }));
        assert!(matches!(verdict(MuxError::InputOff { pane }), Verdict::NotDelivered { .. }));
    }
}
