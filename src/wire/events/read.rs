//! Events read in one go, from the front to the end of the text: their types do the reading, and what they cannot know of
//! JSON is done here. The name of an event is among its members and says which of them there are; and `extra` is handed
//! on as it is, for reading its numbers and writing them again could change them.

use crate::engine::event::Event;
use crate::engine::message::Body;
use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::Error;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The member that holds an event's name.
pub(super) const EVENT: &str = "event";
/// The member that holds a body's `extra`.
pub(super) const EXTRA: &str = "extra";

/// How far the reading of a list of events has come.
#[derive(Default)]
pub(super) struct Reached {
    /// The place of the event that is being read, if one is.
    pub(super) index: Option<usize>,
    /// Its name, if this version does not have it.
    pub(super) unknown: Option<String>,
}

/// All events of a list.
pub(super) struct All<'a>(pub(super) &'a mut Reached);

impl<'de> Visitor<'de> for All<'_> {
    type Value = Vec<Event>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Event>, A::Error> {
        let mut events = Vec::new();
        while let Some(event) = list.next_element_seed(One { index: events.len(), reached: &mut *self.0 })? {
            events.push(event);
        }
        Ok(events)
    }
}

/// The body of one event of a list: those before it are passed over, and those behind it not looked at.
pub(super) struct BodyAt<'a> {
    pub(super) index: u32,
    pub(super) found: &'a mut Option<Body>,
}

impl<'de> Visitor<'de> for BodyAt<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        for _ in 0..self.index {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        *self.found = list.next_element_seed(BodyAlone)?;
        Ok(())
    }
}

struct BodyAlone;

impl<'de> DeserializeSeed<'de> for BodyAlone {
    type Value = Body;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Body, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BodyAlone {
    type Value = Body;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Body, A::Error> {
        let mut extra = None;
        let members = Members { members, name: None, extra: &mut extra };
        let body = Body::deserialize(MapAccessDeserializer::new(members))?;
        with_extra(body, extra)
    }
}

struct One<'a> {
    index: usize,
    reached: &'a mut Reached,
}

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = Event;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Event, D::Error> {
        self.reached.index = Some(self.index);
        let reached = &mut *self.reached;
        let event = from.deserialize_map(One { index: self.index, reached })?;
        self.reached.index = None;
        Ok(event)
    }
}

impl<'de> Visitor<'de> for One<'_> {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Event, A::Error> {
        // It is in front; what else does is no version's, and passed over.
        while let Some(Key(key)) = members.next_key()? {
            if key != EVENT {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            let Key(name) = members.next_value()?;
            let mut extra = None;
            let members = Members { members, name: Some(&name), extra: &mut extra };
            let named = Named { members: Some(members), unknown: &mut self.reached.unknown };
            let mut event = Event::deserialize(MapAccessDeserializer::new(named))?;
            if let Some(body) = event.body_mut() {
                *body = with_extra(std::mem::take(body), extra)?;
            }
            return Ok(event);
        }
        Err(A::Error::custom("it has no name in `event`"))
    }
}

/// A text that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// An event as its type expects it: `{"accepted":{…}}`.
struct Named<'a, 'de, A> {
    members: Option<Members<'a, 'de, A>>,
    unknown: &'a mut Option<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Named<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(name) = self.members.as_ref().and_then(|members| members.name) else { return Ok(None) };
        let known = seed.deserialize(name.into_deserializer());
        *self.unknown = known.is_err().then(|| name.to_owned());
        known.map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        let members = self.members.take().ok_or_else(|| A::Error::custom("it has only one value"))?;
        seed.deserialize(MapAccessDeserializer::new(members))
    }
}

/// The members of an event but for its name and its `extra`.
struct Members<'a, 'de, A> {
    members: A,
    /// Its name, where it was read: then it may not come again.
    name: Option<&'a str>,
    extra: &'a mut Option<&'de RawValue>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(Key(key)) = self.members.next_key()? {
            if key == EXTRA {
                if self.extra.replace(self.members.next_value()?).is_some() {
                    return Err(twice(EXTRA));
                }
                continue;
            }
            if key == EVENT && self.name.is_some() {
                return Err(twice(EVENT));
            }
            return match key {
                Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
                Cow::Owned(key) => seed.deserialize(key.into_deserializer()),
            }
            .map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.members.next_value_seed(seed)
    }
}

fn twice<E: serde::de::Error>(member: &str) -> E {
    E::custom(format_args!("`{member}` is there twice"))
}

/// An `extra` that is no object was kept as a text.
fn with_extra<E: serde::de::Error>(body: Body, extra: Option<&RawValue>) -> Result<Body, E> {
    let extra = match extra.map(RawValue::get) {
        None => "".into(),
        Some(object) if object.starts_with('{') => object.into(),
        Some(other) => {
            let text: Result<String, Error> = serde_json::from_str(other);
            text.map_err(|error| E::custom(format_args!("`extra`: {error}")))?.into()
        }
    };
    Ok(Body { extra, ..body })
}
