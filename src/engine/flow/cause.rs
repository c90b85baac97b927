//! What a step met that was not completed, for programs. It is said where it is known; nobody reads it out of words.

use crate::engine::form::as_text;

/// Why a step was not completed, as far as tasuki knows it itself. What its agent says of it stands in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureCause {
    /// Its worktree could not be made or entered.
    Worktree,
    /// Its agent could not be started or typed to.
    Tmux,
    /// Its time was over.
    TimedOut,
    /// Its agent ended, and was not started again.
    Crashed,
    /// What its flow may take was taken before it began.
    Budget,
    /// Somebody cancelled its message.
    CalledOff,
}

impl FailureCause {
    /// Every one of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Worktree, Self::Tmux, Self::TimedOut, Self::Crashed, Self::Budget, Self::CalledOff];

    /// The word for it in the journal.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Worktree => "worktree",
            Self::Tmux => "tmux",
            Self::TimedOut => "timed_out",
            Self::Crashed => "crashed",
            Self::Budget => "budget",
            Self::CalledOff => "called_off",
        }
    }
}

as_text!(
    FailureCause,
    "the cause of a failure",
    |text| {
        let found = FailureCause::ALL.into_iter().find(|cause| cause.word() == text);
        found.ok_or("is not known to this version")
    },
    word
);
