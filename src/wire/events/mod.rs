//! The engine's events as the journal holds them: a JSON array on one line, for the daemon to read back and for people
//! to search with grep and jq. `protocol/JOURNAL.md` is the page for those people.
//!
//! Every event is one flat object that begins with its name, `{"event":"moved","id":"msg-1",…}`. Its members come from
//! *parts*, each a plain struct whose members are laid side by side: so `id`, `from` and `to` stand in the same place
//! whether a message is accepted or kept, and a part is read by itself, without a detour over a generic value. What
//! has its default is left out. A body's `content` and `extra` always stand last and at the top, so that
//! [`body_of`] finds them without knowing the event.

mod agent;
mod error;
mod event;
mod field;
mod finished;
mod kept;
mod life;
mod message;
mod object;
mod open;
mod span;

pub use error::DecodeError;
pub use finished::FinishedScan;

use crate::engine::event::Event;
use crate::engine::message::Body;
use span::{List, flaw, members};
use std::borrow::Borrow;

/// Room for an event without its content, in bytes: an accepted message with all its optional fields has about 500.
const EVENT_BYTES: usize = 512;

/// The member of a snapshot that holds its events.
const STATE: &str = "state";

/// The events of a step as a JSON array without a raw newline.
#[must_use]
pub fn encode(events: &[Event]) -> String {
    let mut out = String::with_capacity(EVENT_BYTES * events.len().max(1));
    put(&mut out, events);
    out
}

/// The same behind what stands there already, one event after the other: of a hundred thousand there need only be one at once.
pub fn put(out: &mut String, events: impl IntoIterator<Item: Borrow<Event>>) {
    out.push('[');
    for (index, event) in events.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        event::write(out, event.borrow());
    }
    out.push(']');
}

/// Reads what [`encode`] wrote. Members that this version does not know are passed over.
///
/// # Errors
/// [`DecodeError`] says which event is damaged or unknown.
pub fn decode(payload: &str) -> Result<Vec<Event>, DecodeError> {
    let mut events = Vec::new();
    let mut list = List::array(payload).map_err(DecodeError::Payload)?;
    while let Some(text) = list.item().map_err(DecodeError::Payload)? {
        events.push(event::read(events.len(), text)?);
    }
    Ok(events)
}

/// The events of a snapshot as a JSON object without a raw newline.
#[must_use]
pub fn encode_snapshot(events: &[Event]) -> String {
    let mut out = String::with_capacity(EVENT_BYTES * events.len().max(1));
    out.push_str("{\"state\":");
    put(&mut out, events);
    out.push('}');
    out
}

/// Reads what [`encode_snapshot`] wrote.
///
/// # Errors
/// [`DecodeError`], as [`decode`].
pub fn decode_snapshot(payload: &str) -> Result<Vec<Event>, DecodeError> {
    let [state] = members(payload, [STATE]).map_err(DecodeError::Payload)?;
    decode(state.ok_or_else(|| DecodeError::Payload(flaw("there is no `state`")))?)
}

/// What the event at `index` of a step carries; none if it carries nothing or cannot be read. The other events are
/// passed over unread.
#[must_use]
pub fn body_of(payload: &str, index: u32) -> Option<Body> {
    let mut list = List::array(payload).ok()?;
    for _ in 0..index {
        list.item().ok()??;
    }
    let text = list.item().ok()??;
    let [extra] = members(text, [object::EXTRA]).ok()?;
    object::body(text, extra).ok()
}
