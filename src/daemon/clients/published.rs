//! What the daemon says to whoever looks: how far its journal reaches, and what that does not say.

use crate::io::journal::Extents;
use crate::read::Live;
use tokio::sync::watch;

/// Where the daemon says how far the journal reaches, and what it does not say.
#[derive(Debug, Clone, Default)]
pub struct Published {
    pub extents: watch::Sender<Extents>,
    pub live: watch::Sender<Live>,
    /// How far it reached when the daemon began.
    pub began: watch::Sender<Extents>,
}

impl Published {
    /// Says how far the journal reaches at a start.
    pub fn begin(&self, extents: Extents) {
        self.extents.send_replace(extents);
        let is_first = |began: &Extents| *began == Extents::default();
        self.began.send_if_modified(|began| {
            let first = is_first(began);
            if first {
                *began = extents;
            }
            first
        });
    }
}
