//! The actions that reach beyond the terminal, as data: messages for others, and programs.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::values::Pause;

/// How long a program may take unless the script says otherwise: `tasuki send` and `reply` need a moment, and one that
/// hangs must not keep an agent from its next turn for ever.
const RUN_TIME: Duration = Duration::from_secs(30);

/// A message for another agent.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delegate {
    /// An agent, an alias, a pool, or `user`.
    pub to: String,
    /// What it says. More than a message may hold is cut.
    pub content: String,
    /// Its id; tasuki makes one if it is not said. Made from `{id}`, it is the same when the turn is given again, and the
    /// second drop a duplicate. A long one is shortened in the same way each time.
    pub id: Option<String>,
    /// Who claims to send it. Not said: nobody, the token speaks. Another's name: a forgery.
    pub from: Option<String>,
    /// `task` (which it is if this is not said) or `info`.
    #[serde(rename = "type")]
    pub form: Option<DropForm>,
    /// Ids of messages that must be completed first; of parts in the same file too.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// One message, or a list of messages that are dropped in one file: all of them are accepted, or none.
#[derive(Debug, Clone)]
pub(super) struct Delegates(pub(super) Vec<Delegate>);

/// A program to run.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// The program and its arguments. `tasuki` is the one that plays the script. Placeholders are filled in, each within
    /// its own argument.
    #[serde(deserialize_with = "argv")]
    pub argv: Vec<String>,
    /// What it reads from its standard input; nothing if it is not said.
    pub stdin: Option<String>,
    /// How long it may take; 30 s if it is not said.
    #[serde(default = "run_time")]
    pub within: Pause,
}

/// The form of a dropped message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DropForm {
    /// Something to do.
    Task,
    /// Something to know.
    Info,
}

impl<'de> Deserialize<'de> for Delegates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMany)
    }
}

/// Reads one message or a list of them; an error is that of the form that was chosen, with its own line.
struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Delegates;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message with `to` and `content`, or a list of such messages")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Delegates, A::Error> {
        Delegate::deserialize(MapAccessDeserializer::new(map)).map(|one| Delegates(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Delegates, A::Error> {
        let many = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
        if many.is_empty() { Err(Error::custom("`delegate` has no message")) } else { Ok(Delegates(many)) }
    }
}

impl JsonSchema for Delegates {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Delegates".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<Delegate>();
        schemars::json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

fn argv<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err(D::Error::custom("`argv` has no program")),
    }
}

fn run_time() -> Pause {
    Pause::exactly(RUN_TIME)
}
