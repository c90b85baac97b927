//! The picture of status and needs that was made last, for several who look at the same time.

use super::live::Live;
use crate::engine::words::{Millis, Seq};
use crate::wire::api::{NeedsInfo, StatusInfo};
use std::sync::Arc;

/// For how long it is the same for all who look, where no step has come: a page is shown no more often what has changed.
const SAME_MS: u64 = 50;

/// A picture, and of what it was made.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) seq: Seq,
    pub(super) live: Arc<Live>,
    pub(super) at: Millis,
    pub(super) status: Arc<StatusInfo>,
    pub(super) needs: Arc<NeedsInfo>,
}

impl Picture {
    /// Whether it would be made again as it is.
    pub(super) fn is_as_of(&self, seq: Seq, live: &Arc<Live>, now: Millis) -> bool {
        self.seq == seq && Arc::ptr_eq(&self.live, live) && now.since(self.at) < SAME_MS
    }
}
