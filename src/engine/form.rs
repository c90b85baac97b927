//! How words stand in a line of the journal: as their text, read through their own checks.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Characters of a bad value that are shown in an error.
const SHOWN_CHARS: usize = 80;

/// Gives a type the form of a text: what this method gives, or else its `Display`. `$read` makes it from that, and its error
/// says what is wrong.
macro_rules! as_text {
    ($type:ty, $what:literal, $read:expr) => {
        as_text!(@ $type, $what, $read, self, to, to.collect_str(self));
    };
    ($type:ty, $what:literal, $read:expr, $method:ident) => {
        as_text!(@ $type, $what, $read, self, to, to.serialize_str(self.$method()));
    };
    (@ $type:ty, $what:literal, $read:expr, $self:ident, $to:ident, $write:expr) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&$self, $to: S) -> Result<S::Ok, S::Error> {
                $write
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                crate::engine::form::text(from, $what, $read)
            }
        }
    };
}
pub(in crate::engine) use as_text;

/// Whether a member is left out.
pub(in crate::engine) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The number behind `digits` hexadecimal digits, as ids of fixed width have it.
pub(in crate::engine) fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

/// For `with`: a text that many hold.
pub(in crate::engine) mod shared {
    use super::{Arc, Deserializer, Serializer};

    pub(in crate::engine) fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub(in crate::engine) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        super::text(from, "the text", |text| Ok::<_, &str>(text.into()))
    }
}

/// For `with`: what many hold, if it is there.
pub(in crate::engine) mod shared_option {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::engine) fn serialize<T: Serialize + ?Sized, S: Serializer>(
        value: &Option<Arc<T>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_deref().serialize(to)
    }

    pub(in crate::engine) fn deserialize<'de, T: ?Sized, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Arc<T>>, D::Error>
    where
        Box<T>: Deserialize<'de>,
    {
        Ok(Option::<Box<T>>::deserialize(from)?.map(Arc::from))
    }
}

/// Reads a text without copying it first.
pub(in crate::engine) fn text<'de, D: Deserializer<'de>, T, W: fmt::Display>(
    from: D,
    what: &'static str,
    read: impl FnOnce(&str) -> Result<T, W>,
) -> Result<T, D::Error> {
    from.deserialize_str(Text { what, read, made: PhantomData })
}

struct Text<F, T> {
    what: &'static str,
    read: F,
    made: PhantomData<T>,
}

impl<F: FnOnce(&str) -> Result<T, W>, T, W: fmt::Display> Visitor<'_> for Text<F, (T, W)> {
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
