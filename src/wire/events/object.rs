//! One event as a flat object: parts side by side, and the body last.

use crate::engine::message::Body;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Error;
use std::sync::Arc;

/// The member that holds a body's `extra`.
pub(super) const EXTRA: &str = "extra";

/// An event being written.
pub(super) struct Object<'a> {
    out: &'a mut String,
}

impl<'a> Object<'a> {
    /// Begins an event of this name.
    pub(super) fn begin(out: &'a mut String, event: &str) -> Self {
        out.push_str("{\"event\":\"");
        out.push_str(event);
        out.push('"');
        Self { out }
    }

    /// Adds the members of a struct.
    pub(super) fn part(self, part: &impl Serialize) -> Self {
        let written = serde_json::to_string(part);
        debug_assert!(written.is_ok(), "writing to memory fails only for a map with keys that are not text");
        let text = written.unwrap_or_default();
        if let Some(members) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'))
            && !members.is_empty()
        {
            self.out.push(',');
            self.out.push_str(members);
        }
        self
    }

    /// Adds a body, its `extra` as it is: reading its numbers and writing them again could change them.
    pub(super) fn body(self, body: &Body) -> Self {
        let object = self.part(&Content { content: body.content.clone() });
        if body.extra.is_empty() {
            return object;
        }
        if !is_object(&body.extra) {
            return object.part(&Quoted { extra: body.extra.clone() });
        }
        object.out.push_str(",\"extra\":");
        object.out.push_str(&body.extra);
        object
    }

    /// Ends the event.
    pub(super) fn end(self) {
        self.out.push('}');
    }
}

/// Reads one part of an event; the members of the others are passed over.
pub(super) fn part<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text)
}

/// Reads the body of an event, of which `extra` was found before.
pub(super) fn body(text: &str, extra: Option<&str>) -> Result<Body, Error> {
    let Content { content } = part(text)?;
    let extra = match extra {
        None => "".into(),
        Some(object) if object.starts_with('{') => object.into(),
        Some(_) => part::<Quoted>(text)?.extra,
    };
    Ok(Body { content, extra })
}

#[derive(Serialize, Deserialize)]
struct Content {
    #[serde(with = "super::field")]
    content: Arc<str>,
}

/// An `extra` that is not an object on one line, which should not be; kept as a text so that it cannot break the line.
#[derive(Serialize, Deserialize)]
struct Quoted {
    #[serde(with = "super::field")]
    extra: Arc<str>,
}

/// Whether a text can stand in the line as it is, and be cut out of it again.
fn is_object(text: &str) -> bool {
    text.starts_with('{')
        && text.ends_with('}')
        && !text.bytes().any(|byte| byte < b' ')
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
