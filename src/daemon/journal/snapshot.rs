//! What a new segment begins with, and the list of what ended in the one before.

use crate::daemon::mailbox::handled::Handled;
use crate::engine::engine::Engine;
use crate::engine::event::Event;
use crate::engine::message::Outcome;
use crate::engine::words::{MessageId, Seq};
use crate::io::journal::{Fingerprint, IdHash, Location};
use crate::read::put_places;
use crate::wire::events;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What an open message takes in a snapshot: room for so much is asked for at once, since a text that grows is there twice.
const OPEN_BYTES: usize = 256;

/// Everything that is open, and where its bodies are, as a snapshot's payload; and what has ended, where its views are owed.
#[must_use]
pub fn encode(
    engine: &Engine,
    places: &BTreeMap<Seq, Location>,
    decided: &Handled,
    owed: &BTreeSet<MessageId>,
) -> String {
    let needed = engine.needed_steps();
    let mut text = String::with_capacity(engine.state().open.len() * OPEN_BYTES);
    text.push('{');
    put_places(&mut text, places, &needed);
    text.push_str(",\"claims\":");
    let claims: Vec<&str> = decided.taken.iter().map(AsRef::as_ref).collect();
    text.push_str(serde_json::to_string(&claims).as_deref().unwrap_or("[]"));
    if !decided.earlier.is_empty() {
        let earlier: Vec<&str> = decided.earlier.iter().map(AsRef::as_ref).collect();
        text.push_str(",\"earlier\":");
        text.push_str(serde_json::to_string(&earlier).as_deref().unwrap_or("[]"));
    }
    text.push_str(",\"refused\":");
    events::put(&mut text, decided.refusals());
    text.push_str(",\"state\":");
    let finished = owed.iter().filter_map(|id| engine.state().finished.get(id));
    let kept = finished.map(|finished| Event::KeptFinished(Box::new(finished.clone())));
    events::put(&mut text, engine.state().snapshot().chain(kept));
    text.push('}');
    text
}

/// What becomes of dropped files, by a snapshot's payload; why it cannot be read.
pub(in crate::daemon) fn handled(payload: &str) -> Result<Handled, String> {
    #[derive(serde::Deserialize)]
    struct Claims {
        claims: Vec<String>,
        /// None where there are none.
        #[serde(default)]
        earlier: Vec<String>,
        /// None in snapshots of older versions.
        #[serde(default)]
        refused: Vec<serde_json::Value>,
    }
    let Claims { claims, earlier, refused } =
        serde_json::from_str(payload).map_err(|error| error.to_string())?;
    let taken: BTreeSet<Arc<str>> = claims.into_iter().map(Into::into).collect();
    let mut earlier: BTreeSet<Arc<str>> = earlier.into_iter().map(Into::into).collect();
    earlier.retain(|claim| taken.contains(claim));
    let mut decided = Handled { taken, earlier, ..Handled::default() };
    let refused = serde_json::to_string(&refused).map_err(|error| error.to_string())?;
    let refused = events::decode(&refused).map_err(|error| error.to_string())?;
    refused.iter().for_each(|event| decided.take(event));
    Ok(decided)
}

/// What ended in the segment, for the list beside it; `earlier` ended before it began, and is in another list.
#[must_use]
pub fn fingerprints(engine: &Engine, earlier: &BTreeSet<MessageId>) -> Vec<Fingerprint> {
    let finished = engine.state().finished.iter().filter(|(id, _)| !earlier.contains(*id));
    let print = |(id, finished): (&_, &crate::engine::state::Finished)| Fingerprint {
        id: IdHash::of(id),
        seq: finished.seq,
        digest: finished.message.digest,
        outcome: outcome_number(finished.outcome),
    };
    finished.map(print).collect()
}

/// The number of an outcome in a fingerprint.
#[must_use]
pub fn outcome_number(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Completed => 0,
        Outcome::Failed => 1,
        Outcome::Cancelled => 2,
    }
}

/// The outcome of a number in a fingerprint.
#[must_use]
pub fn outcome_of(number: u8) -> Outcome {
    match number {
        0 => Outcome::Completed,
        1 => Outcome::Failed,
        _ => Outcome::Cancelled,
    }
}
