//! The people at a pane.

/// A person at a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    /// Time since a key was last pressed by anybody who looks at the pane. It is counted in whole seconds: this is
    /// the lower bound.
    pub idle_ms: u64,
}

/// What is known of the people at a pane. Times are the multiplexer's own, in whole seconds since the
/// Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct People {
    /// Whoever looks at the pane: of several, the one who typed last.
    pub here: Option<Person>,
    /// When one of them last pressed a key, if any has since they came.
    pub typed_at: Option<u64>,
    /// When one of them came who may have pressed a key in that same second, and has not since.
    pub came_at: Option<u64>,
    /// When somebody was last at the session who has left it: which pane they typed into, if any, is not known.
    pub left_at: Option<u64>,
    /// Whether anybody is at a session of the server.
    pub anybody: bool,
    /// When this was asked.
    pub now: u64,
}
