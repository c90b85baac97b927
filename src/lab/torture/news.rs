//! What the load and the kills tell while they go on.

use super::record::Note;

#[derive(Debug)]
pub(super) enum News {
    /// This was written down.
    Noted(Note),
    /// So many messages are on their way.
    Open(usize),
}
