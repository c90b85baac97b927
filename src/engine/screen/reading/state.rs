//! The states that a screen may tell of.

/// The state of a program, as far as its screen tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ScreenState {
    /// It waits for a line, and nothing is in its input box.
    Ready,
    /// It works.
    Busy,
    /// It waits, and somebody's words stand in its input box.
    Draft,
    /// It asks for something that only a person should answer: a permission, trust, a choice.
    WaitingInput,
    /// Its provider takes no more requests for a while.
    RateLimited,
    /// It cannot work: its login is not valid any more, or its last turn ended with an error.
    Error,
    /// No rule knows this screen.
    #[default]
    Unknown,
}

impl ScreenState {
    /// Every state, in the order in which they are listed for people.
    pub const ALL: [Self; 7] = [
        Self::Ready,
        Self::Busy,
        Self::Draft,
        Self::WaitingInput,
        Self::RateLimited,
        Self::Error,
        Self::Unknown,
    ];

    /// Its name in profiles and for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Busy => "busy",
            Self::Draft => "draft",
            Self::WaitingInput => "waiting_input",
            Self::RateLimited => "rate_limited",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}
