//! The parts of the screen, a file each.

pub(super) mod answer;
pub(super) mod compose;
pub(super) mod footer;
pub(super) mod header;
pub(super) mod list;
pub(super) mod log;
pub(super) mod pane;
pub(super) mod queue;
pub(super) mod relay;
pub(super) mod story;
pub(super) mod team;
