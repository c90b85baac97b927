//! How the engine's words stand in JSON. The engine knows nothing of serde, so every type that a line holds gets its
//! form here or beside its kin, through one trait; `#[serde(with = "field")]` on a member is all that is needed then.

use crate::engine::message::refusal::Code;
use crate::engine::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, Seq, Token};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Characters of a bad value that are shown in an error.
const SHOWN_CHARS: usize = 80;

/// A type of the engine's that can be written and read. Reading goes through the type's own checks.
pub(super) trait Wire: Sized {
    /// Writes it.
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    /// Reads it.
    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

/// What `with = "field"` calls to write.
pub(super) fn serialize<T: Wire, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.put(to)
}

/// What `with = "field"` calls to read.
pub(super) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::get(from)
}

/// Whether a member is left out.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A value on its way out.
pub(super) struct Put<'a, T>(pub(super) &'a T);

impl<T: Wire> Serialize for Put<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.put(to)
    }
}

/// A value on its way in.
pub(super) struct Got<T>(pub(super) T);

impl<'de, T: Wire> Deserialize<'de> for Got<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::get(from).map(Self)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Put).serialize(to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<Got<T>>::deserialize(from)?.map(|got| got.0))
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Put))
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Vec::<Got<T>>::deserialize(from)?.into_iter().map(|got| got.0).collect())
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        T::put(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::get(from).map(Self::new)
    }
}

impl Wire for MessageId {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the id", |text| Self::new(text).map_err(|error| error.to_string()))
    }
}

impl Wire for AgentName {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the name", |text| Self::new(text).map_err(|error| error.to_string()))
    }
}

impl Wire for Token {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the token", |text| Self::new(text).map_err(|error| error.to_string()))
    }
}

impl Wire for Code {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the code", |text| {
            let known = Self::ALL.iter().find(|code| code.word() == text);
            known.copied().ok_or_else(|| "is not known to this version".to_owned())
        })
    }
}

impl Wire for Digest {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:032x}", { self.0 }))
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the digest", |text| {
            let digits = Some(text).filter(|text| is_hex(text, 32));
            let number = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
            number.map(Self).ok_or_else(|| "is not 32 digits of 0-9a-f".to_owned())
        })
    }
}

impl Wire for Nonce {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the nonce", |text| {
            let digits = Some(text).filter(|text| is_hex(text, 16));
            let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            number.map(Self).ok_or_else(|| "is not 16 digits of 0-9a-f".to_owned())
        })
    }
}

impl Wire for PaneId {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the pane", |text| {
            let digits = text.strip_prefix('%').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            let number = digits.and_then(|digits| digits.parse().ok());
            number.map(Self).ok_or_else(|| "is not tmux's number of a pane, such as %5".to_owned())
        })
    }
}

impl Wire for Millis {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.0)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(Self)
    }
}

impl Wire for Seq {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.0)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(Self)
    }
}

impl Wire for Arc<str> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "the text", |text| Ok(text.into()))
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reads a text without copying it first.
fn text<'de, D: Deserializer<'de>, T>(
    from: D,
    what: &'static str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, D::Error> {
    from.deserialize_str(Text { what, read, made: PhantomData })
}

struct Text<F, T> {
    what: &'static str,
    read: F,
    made: PhantomData<T>,
}

impl<F: FnOnce(&str) -> Result<T, String>, T> Visitor<'_> for Text<F, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).map_err(|why| {
            let shown: String = text.chars().take(SHOWN_CHARS).collect();
            E::custom(format_args!("{} {shown:?} {why}", self.what))
        })
    }
}
