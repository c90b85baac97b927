//! Values of a team file that have a form of their own, and the place that each value had.

use super::finding::Place;
use crate::engine::team::{Delivery, Restart};
use crate::wire::time;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;
use std::borrow::Cow;
use std::time::Duration;

/// A value and where it is.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::deserialize(deserializer)?;
        Ok(Self { value: spanned.value, place: place_of(&spanned.referenced) })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Where a location of the reader points, in bytes.
pub(super) fn place_of(location: &serde_saphyr::Location) -> Place {
    let span = location.span();
    let place = span.byte_offset().zip(span.byte_len());
    let to_usize = |n| usize::try_from(n).unwrap_or(usize::MAX);
    place.map_or_else(Place::default, |(start, len)| Place { start: to_usize(start), len: to_usize(len) })
}

/// How long something lasts: `30m`, `1h 30m`, `100ms`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(
    inline,
    extend(
        "title" = "length of time",
        "pattern" = r"^\s*([0-9]+\s*[a-zA-Zµ]+\s*)+$",
        "examples" = ["100ms", "30s", "1h 30m"],
    )
)]
pub(super) struct Lasting(String);

/// How many bytes: `64MiB`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(
    inline,
    extend(
        "title" = "number of bytes",
        "type" = ["string", "integer"],
        "minimum" = 0,
        "pattern" = "^[0-9]+ ?(B|KiB|MiB|GiB)?$",
        "examples" = ["64MiB"],
    )
)]
pub(super) struct Bytes(String);

/// Columns and rows of a window: `200x50`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(
    inline,
    extend("title" = "columns and rows", "pattern" = "^[0-9]+x[0-9]+$", "examples" = ["200x50"])
)]
pub(super) struct Cells(String);

/// `delivery:`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(super) enum DeliveryWord {
    Doorbell,
    Inline,
}

impl From<DeliveryWord> for Delivery {
    fn from(word: DeliveryWord) -> Self {
        match word {
            DeliveryWord::Doorbell => Self::Doorbell,
            DeliveryWord::Inline => Self::Inline,
        }
    }
}

/// `restart:`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(super) enum RestartWord {
    Always,
    OnFailure,
    Never,
}

impl From<RestartWord> for Restart {
    fn from(word: RestartWord) -> Self {
        match word {
            RestartWord::Always => Self::Always,
            RestartWord::OnFailure => Self::OnFailure,
            RestartWord::Never => Self::Never,
        }
    }
}

impl Lasting {
    /// In milliseconds.
    pub(super) fn ms(&self) -> Result<u64, Wrong> {
        let bare = !self.0.is_empty() && self.0.bytes().all(|b| b.is_ascii_digit());
        match time::parse_duration(&self.0) {
            _ if bare && self.0 != "0" => Err(Wrong {
                why: format!("`{}` has no unit", self.0),
                cure: format!(
                    "write `{0}s` for seconds, `{0}m` for minutes, `{0}ms` for milliseconds",
                    self.0
                ),
            }),
            Ok(duration) => Ok(ms(duration)),
            Err(wrong @ time::BadDuration::Calendar) => {
                Err(Wrong { why: format!("`{}` {wrong}", self.0), cure: time::CALENDAR_CURE.into() })
            }
            Err(_) => Err(Wrong {
                why: format!("`{}` is not a length of time", self.0),
                cure: "write a number and a unit, like `100ms`, `30s`, `30m`, `1h 30m` or `30d`".into(),
            }),
        }
    }
}

impl Bytes {
    /// As a number.
    pub(super) fn count(&self) -> Result<u64, Wrong> {
        const UNITS: [(&str, u64); 4] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
        let split = |(unit, size)| Some((self.0.strip_suffix(unit)?.trim_end(), size));
        let (digits, size) = UNITS.into_iter().find_map(split).unwrap_or((&self.0, 1));
        digits.parse::<u64>().ok().and_then(|n| n.checked_mul(size)).ok_or_else(|| Wrong {
            why: format!("`{}` is not a number of bytes", self.0),
            cure: "write a whole number of bytes, or with one of KiB, MiB, GiB, like `64MiB`".into(),
        })
    }
}

impl Cells {
    /// Columns and rows.
    pub(super) fn size(&self) -> Result<(u16, u16), Wrong> {
        let parsed = self
            .0
            .split_once('x')
            .and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
        parsed.ok_or_else(|| Wrong {
            why: format!("`{}` is not the size of a window", self.0),
            cure: "write columns, an x and rows, like `200x50`".into(),
        })
    }
}

/// What is wrong with a value, before anybody knows where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) why: String,
    pub(super) cure: String,
}

impl Wrong {
    /// An error of the engine that says what is wrong and, after its last colon, what to do.
    pub(super) fn of(error: &impl std::error::Error) -> Self {
        let text = error.to_string();
        let (why, cure) = text.rsplit_once(": ").unwrap_or((&text, "choose another"));
        Self { why: why.into(), cure: cure.into() }
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_units() {
        let read = |text: &str| Lasting(text.into()).ms();
        assert_eq!(read("100ms"), Ok(100));
        assert_eq!(read("1h 30m"), Ok(5_400_000));
        assert_eq!(read("30d"), Ok(2_592_000_000));
        assert_eq!(read("0s"), Ok(0));
        assert_eq!(read("5M").unwrap_err().cure, time::CALENDAR_CURE);
        assert!(read("30").unwrap_err().cure.contains("`30s`"));
        for bad in ["", "soon", "-1s", "1.5h?", "30 parsecs", "9999999999999999999999s"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_whole_and_fit() {
        let read = |text: &str| Bytes(text.into()).count().ok();
        assert_eq!((read("64MiB"), read("1 KiB"), read("7B")), (Some(64 << 20), Some(1024), Some(7)));
        assert_eq!((read("0"), read("4096")), (Some(0), Some(4096)));
        for bad in ["", "64MB", "-1MiB", "1.5GiB", "99999999999GiB", "MiB"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        let cells = |text: &str| Cells(text.into()).size().ok();
        assert_eq!(cells("200x50"), Some((200, 50)));
        for bad in ["200", "x", "200x", "200*50", "99999x1", "1x2x3"] {
            assert_eq!(cells(bad), None, "{bad}");
        }
    }
}
