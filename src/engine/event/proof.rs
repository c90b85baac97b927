//! What the end of a task is known by.

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The turn's token was shown, or its agent's key.
    Strong,
    /// Neither was.
    Weak,
    /// A person took what was said for the answer.
    Person,
}

impl Proof {
    /// The contract's word (`proof:`).
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Strong => "token",
            Self::Weak => "weak",
            Self::Person => "person",
        }
    }
}
