//! What the load and the kills tell while they go on.

use std::time::Duration;

/// What the load and the kills tell while they go on.
#[derive(Debug)]
pub(super) enum News {
    /// So many messages were given.
    Given(u64),
    /// So many are on their way.
    Open(usize),
    /// Something was struck.
    Struck { deadly: bool },
    /// The daemon was started.
    Started { took: Duration, slow: bool },
    /// Something that must not be.
    Odd(String),
}
