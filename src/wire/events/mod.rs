//! The engine's events as the journal holds them: a JSON array on one line, for the daemon to read back and for people
//! to search with grep and jq. `protocol/JOURNAL.md` is the page for those people.
//!
//! Every event is one flat object that begins with its name, `{"event":"moved","id":"msg-1",…}`. Its other members, their
//! names and their order are those of its type, which derives them. What has its default is left out. A body's `content` and
//! `extra` always stand last and at the top, so that [`body_of`] finds them without knowing the event.

mod error;
mod finished;
pub mod long;
mod read;

pub use error::DecodeError;
pub use finished::FinishedScan;

use crate::engine::event::Event;
use crate::engine::message::Body;
use read::{All, BodyAt, Reached};
use serde::de::{Deserializer as _, IgnoredAny};
use serde_json::value::RawValue;
use std::borrow::Borrow;

/// Room for an event without its content, in bytes: an accepted message with all its optional fields has about 500.
const EVENT_BYTES: usize = 512;

/// The events of a step as a JSON array without a raw newline.
#[must_use]
pub fn encode(events: &[Event]) -> String {
    let mut out = String::with_capacity(EVENT_BYTES * events.len().max(1));
    put(&mut out, events);
    out
}

/// The same behind what is there already, one event after the other: of a hundred thousand there need only be one at once.
pub fn put(out: &mut String, events: impl IntoIterator<Item: Borrow<Event>>) {
    let mut written = Vec::with_capacity(EVENT_BYTES);
    out.push('[');
    for (index, event) in events.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        written.clear();
        let result = serde_json::to_writer(&mut written, event.borrow());
        debug_assert!(result.is_ok(), "writing to memory fails only for a map with keys that are not text");
        put_one(out, str::from_utf8(&written).unwrap_or_default(), event.borrow().body());
    }
    out.push(']');
}

/// Appends an event, which its type gives as `{"moved":{"id":"msg-1",…}}`.
fn put_one(out: &mut String, written: &str, body: Option<&Body>) {
    let Some((name, rest)) = written.strip_prefix("{\"").and_then(|rest| rest.split_once('"')) else {
        return;
    };
    let Some(members) = rest.strip_prefix(":{").and_then(|rest| rest.strip_suffix("}}")) else { return };
    for piece in ["{\"event\":\"", name, "\",", members] {
        out.push_str(piece);
    }
    if let Some(body) = body.filter(|body| !body.extra.is_empty()) {
        out.push_str(",\"extra\":");
        if is_object(&body.extra) {
            out.push_str(&body.extra);
        } else {
            out.push_str(&serde_json::Value::from(&*body.extra).to_string());
        }
    }
    out.push('}');
}

/// Whether a text can stand in the line as it is, and be cut out of it again. Another one, which should not be, is kept as a
/// text, so that it cannot break the line.
fn is_object(text: &str) -> bool {
    text.starts_with('{')
        && text.ends_with('}')
        && !text.bytes().any(|byte| byte < b' ')
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Reads what [`encode`] wrote. Members that this version does not know are passed over.
///
/// # Errors
/// [`DecodeError`] says which event is damaged or unknown.
pub fn decode(payload: &str) -> Result<Vec<Event>, DecodeError> {
    let mut reached = Reached::default();
    let mut json = serde_json::Deserializer::from_str(payload);
    let events = json.deserialize_seq(All(&mut reached));
    let events = events.and_then(|events| json.end().map(|()| events));
    events.map_err(|why| match (reached.index, reached.unknown) {
        (None, _) => DecodeError::Payload(why),
        (Some(index), Some(name)) => DecodeError::UnknownEvent { index, name },
        (Some(index), None) => DecodeError::Event { index, why },
    })
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
    #[derive(serde::Deserialize)]
    #[serde(expecting = "an object with `state`")]
    struct Snapshot<'a> {
        #[serde(borrow)]
        state: &'a RawValue,
    }
    let Snapshot { state } = serde_json::from_str(payload).map_err(DecodeError::Payload)?;
    decode(state.get())
}

/// What all events of a step carry, each with its place in it; nothing if the step cannot be read.
#[must_use]
pub fn bodies_of(payload: &str) -> Vec<(u32, Body)> {
    let events = decode(payload).unwrap_or_default();
    let bodies = (0..).zip(events).filter_map(|(index, event)| Some((index, event.body()?.clone())));
    bodies.collect()
}

/// What the event at `index` of a step carries; none if it carries nothing or cannot be read. The other events are
/// passed over unread.
#[must_use]
pub fn body_of(payload: &str, index: u32) -> Option<Body> {
    let mut found = None;
    let read =
        serde_json::Deserializer::from_str(payload).deserialize_seq(BodyAt { index, found: &mut found });
    drop(read); // what comes behind it was not read, which is no matter here
    found
}
