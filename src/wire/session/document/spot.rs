//! A value of a document that knows the way to it, and is read as what it must be. The way is written only where something is wrong.

use super::error::DocumentError;
use crate::engine::suggest::nearest;
use crate::wire::yaml::shown;
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;

/// The last step of the way to a value.
#[derive(Clone, Copy)]
enum Way {
    Whole,
    Key(&'static str),
    Item(usize),
}

/// A value and the way to it.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    value: &'a Json,
    up: Option<&'a Spot<'a>>,
    way: Way,
}

impl<'a> Spot<'a> {
    pub(super) fn whole(value: &'a Json) -> Self {
        Self { value, up: None, way: Way::Whole }
    }

    /// The way from the top: `tasks[2].status`.
    fn path(&self) -> String {
        let mut path = self.up.map(Self::path).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = match self.way {
            Way::Whole => Ok(()),
            Way::Key(key) if path.is_empty() => write!(path, "{key}"),
            Way::Key(key) => write!(path, ".{key}"),
            Way::Item(at) => write!(path, "[{at}]"),
        };
        path
    }

    pub(super) fn refuse(&self, why: impl Into<String>, cure: impl Into<String>) -> DocumentError {
        DocumentError { path: self.path(), why: why.into(), cure: cure.into() }
    }

    fn wrong(&self, wanted: &str) -> DocumentError {
        self.refuse(format!("is {}", what(self.value)), format!("it must be {wanted}"))
    }

    /// An object with no other keys than these.
    pub(super) fn object(&'a self, keys: &'static [&'static str]) -> Result<Object<'a>, DocumentError> {
        let Json::Object(map) = self.value else {
            return Err(self.wrong(&format!("an object with the keys {}", keys.join(", "))));
        };
        if let Some(key) = map.keys().find(|key| !keys.contains(&key.as_str())) {
            let cure = match nearest(key, keys.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("take it out; the keys here are {}", keys.join(", ")),
            };
            return Err(self.refuse(format!("has the key {}, which is not known", shown(key)), cure));
        }
        Ok(Object { spot: self, map })
    }

    pub(super) fn list<T>(
        &self,
        item: impl Fn(&Spot<'_>) -> Result<T, DocumentError>,
    ) -> Result<Vec<T>, DocumentError> {
        let Json::Array(items) = self.value else { return Err(self.wrong("a list")) };
        let spot = |(at, value)| Spot { value, up: Some(self), way: Way::Item(at) };
        items.iter().enumerate().map(|found| item(&spot(found))).collect()
    }

    pub(super) fn text(&self) -> Result<&'a str, DocumentError> {
        match self.value {
            Json::String(text) => Ok(text),
            _ => Err(self.wrong("a text")),
        }
    }

    /// A text that is one of something, as `read` says; `wanted` is what it must be.
    pub(super) fn read<T>(&self, read: impl Fn(&str) -> Option<T>, wanted: &str) -> Result<T, DocumentError> {
        let text = self.text()?;
        read(text).ok_or_else(|| self.wrong(wanted))
    }

    /// One of these words, spelt as they are.
    pub(super) fn word<T: Copy>(
        &self,
        all: &[T],
        word: impl Fn(T) -> &'static str,
    ) -> Result<T, DocumentError> {
        let words = || all.iter().map(|one| word(*one));
        let Json::String(text) = self.value else {
            return Err(self.wrong(&format!("one of {}", words().collect::<Vec<_>>().join(", "))));
        };
        let found = all.iter().copied().find(|one| word(*one) == text);
        found.ok_or_else(|| {
            let near = nearest(text, words()).map(|near| format!("; did you mean `{near}`?"));
            let may = words().collect::<Vec<_>>().join(", ");
            self.refuse(format!("is {}", shown(text)), format!("it may be {may}{}", near.unwrap_or_default()))
        })
    }

    pub(super) fn truth(&self) -> Result<bool, DocumentError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    pub(super) fn number<T: TryFrom<u64>>(&self, wanted: &str) -> Result<T, DocumentError> {
        let number = self.value.as_u64().and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.wrong(wanted))
    }

    pub(super) fn json(&self) -> Json {
        self.value.clone()
    }
}

/// An object whose keys are known.
pub(super) struct Object<'a> {
    spot: &'a Spot<'a>,
    map: &'a Map<String, Json>,
}

impl<'a> Object<'a> {
    /// What is under a key that must be there.
    pub(super) fn get(&self, key: &'static str) -> Result<Spot<'a>, DocumentError> {
        let value = self.map.get(key);
        value.map(|value| self.below(key, value)).ok_or_else(|| {
            self.spot.refuse(format!("has no key `{key}`"), "add it; only what may be `null` can be missing")
        })
    }

    /// What is under a key, unless it is `null` or missing.
    pub(super) fn some<T>(
        &self,
        key: &'static str,
        read: impl Fn(&Spot<'_>) -> Result<T, DocumentError>,
    ) -> Result<Option<T>, DocumentError> {
        let there = self.map.get(key).filter(|value| !value.is_null());
        there.map(|value| read(&self.below(key, value))).transpose()
    }

    fn below(&self, key: &'static str, value: &'a Json) -> Spot<'a> {
        Spot { value, up: Some(self.spot), way: Way::Key(key) }
    }
}

/// A value for a sentence, short and without anything that a terminal would obey.
fn what(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) | Json::Number(_) => format!("`{value}`"),
        Json::String(text) if text.is_empty() => "an empty text".to_owned(),
        Json::String(text) => format!("the text {}", shown(text)),
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}
