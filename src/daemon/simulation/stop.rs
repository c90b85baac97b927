//! `queue/STOP`, made and removed by people and by the daemon when it is asked to: nothing is typed while it is there.

/// What is known of it.
#[derive(Debug, Default)]
pub(super) struct Stop {
    /// Whether somebody was told that it is there, or gone, and nobody has touched it since.
    pub(super) told: Option<bool>,
    /// Whether whoever touched it last wanted it to be there.
    pub(super) wanted: bool,
    pub(super) touched_ms: u64,
}
