//! What the daemon says to whoever looks: how far its journal reaches, what that does not say, and what it is told of them.

use crate::io::journal::Extents;
use crate::read::Live;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::watch;

/// Where the daemon says how far the journal reaches, and what it does not say.
#[derive(Debug, Clone)]
pub struct Published {
    pub extents: watch::Sender<Extents>,
    pub live: watch::Sender<Live>,
    pub followers: Followers,
}

impl Default for Published {
    fn default() -> Self {
        let (extents, live) = (watch::Sender::default(), watch::Sender::default());
        Self { extents, live, followers: Followers::default() }
    }
}

/// How many follow what happens: for them the journal is made durable soon, and not with the next thing that needs it.
#[derive(Debug, Clone, Default)]
pub struct Followers(Arc<AtomicUsize>);

impl Followers {
    /// Whether there are any.
    #[must_use]
    pub fn are_there(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// One more, until it is dropped.
    pub(in crate::daemon) fn one_more(&self) -> Follower {
        self.0.fetch_add(1, Ordering::Relaxed);
        Follower(self.clone())
    }
}

/// Somebody who follows, until it is dropped.
#[derive(Debug)]
pub struct Follower(Followers);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
