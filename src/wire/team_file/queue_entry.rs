//! An entry of `queues:` as it is written.

use super::values::At;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// How one is written.
pub(super) const SHAPE: &str = "a folder, or `{path: FOLDER, agent: NAME}`";

/// A zone as it is written: its folder alone, or with whose it is.
#[derive(Debug, Clone)]
pub(super) enum QueueEntry {
    Folder(String),
    Zone(Box<ZoneEntry>),
    /// Something else, to be told what it should be.
    Other,
}

impl<'de> Deserialize<'de> for QueueEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Either)
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = QueueEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SHAPE)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<QueueEntry, E> {
        Ok(QueueEntry::Folder(text.to_owned()))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<QueueEntry, E> {
        Ok(QueueEntry::Folder(truth.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<QueueEntry, E> {
        Ok(QueueEntry::Folder(number.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<QueueEntry, E> {
        Ok(QueueEntry::Folder(number.to_string()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<QueueEntry, E> {
        Ok(QueueEntry::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<QueueEntry, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(QueueEntry::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<QueueEntry, A::Error> {
        Deserialize::deserialize(MapAccessDeserializer::new(map)).map(QueueEntry::Zone)
    }
}

impl JsonSchema for QueueEntry {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "QueueEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let zone = generator.subschema_for::<ZoneEntry>();
        json_schema!({"anyOf": [{"type": "string"}, zone]})
    }
}

/// A drop zone besides `queue/`.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Queue")]
pub(super) struct ZoneEntry {
    /// The folder: relative to the team file, absolute, or from `~/`.
    pub(super) path: At<String>,
    /// The agent whose zone it is. What is dropped there is by that agent, and verified: `from:` may be left out, and may name
    /// nobody else. If it is left out: as in `queue/`.
    pub(super) agent: Option<At<String>>,
    /// A folder in which `agents/NAME.yaml` of that agent is written, in addition to the one in `status/`. Default: none
    pub(super) status: Option<At<String>>,
}
