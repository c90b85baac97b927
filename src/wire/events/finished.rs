//! What a closed segment has to be remembered by: of each message that ended in it, what was accepted and how it ended.
//! The daemon has that in its state when it closes a segment; this finds it again from the segment alone, for a
//! fingerprint file that is missing.

use super::error::DecodeError;
use crate::engine::message::{Known, Outcome};
use crate::engine::words::{Digest, MessageId};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Goes through a segment from its snapshot on. An event says only that a message ended, not what it was, so the
/// digests of what is open are kept from line to line.
#[derive(Debug, Default)]
pub struct FinishedScan {
    open: BTreeMap<MessageId, Digest>,
    strangers: u64,
}

impl FinishedScan {
    /// Takes the snapshot at the segment's beginning.
    ///
    /// # Errors
    /// [`DecodeError`] if it is damaged.
    pub fn snapshot(&mut self, payload: &str) -> Result<(), DecodeError> {
        let Snapshot { state } = serde_json::from_str(payload).map_err(DecodeError::Payload)?;
        self.take(state, |_, _| ());
        Ok(())
    }

    /// Takes a step, and names each message that ended in it.
    ///
    /// # Errors
    /// [`DecodeError`] if it is damaged; nothing of it is taken then.
    pub fn step(&mut self, payload: &str, found: impl FnMut(MessageId, Known)) -> Result<(), DecodeError> {
        self.take(serde_json::from_str(payload).map_err(DecodeError::Payload)?, found);
        Ok(())
    }

    /// How many messages ended whose acceptance was not seen: the line that had it is damaged.
    #[must_use]
    pub fn strangers(&self) -> u64 {
        self.strangers
    }

    fn take(&mut self, events: Vec<Glance<'_>>, mut found: impl FnMut(MessageId, Known)) {
        for event in events {
            match (event.event.as_ref(), event.id, event.digest, event.outcome) {
                ("accepted" | "kept_open", Some(id), Some(digest), _) => {
                    self.open.insert(id, digest);
                }
                ("ended", Some(id), _, Some(outcome)) => match self.open.remove(&id) {
                    Some(digest) => found(id, Known { digest, outcome }),
                    None => self.strangers += 1,
                },
                _ => {}
            }
        }
    }
}

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow)]
    state: Vec<Glance<'a>>,
}

/// As much of an event as is needed here.
#[derive(Deserialize)]
struct Glance<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(default)]
    id: Option<MessageId>,
    #[serde(default)]
    digest: Option<Digest>,
    #[serde(default)]
    outcome: Option<Outcome>,
}
