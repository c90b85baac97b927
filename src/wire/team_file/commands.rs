//! `commands:`, what may be run to check a task. A message names one of them and brings none of its own, so whoever may drop a
//! file may not choose what runs.

use super::check;
use super::finding::Book;
use super::values::At;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// More than a team has checks for; all of them are told where an unknown one is named.
const COMMANDS_MAX: usize = 100;
/// How one is written.
const SHAPE: &str = "write one word per item: `test: [cargo, test, --locked]`";

/// A command as it is written: a list of words. A single text is kept too, to be told what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandEntry {
    Words(Vec<String>),
    Text(String),
}

impl<'de> Deserialize<'de> for CommandEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Either)
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = CommandEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CommandEntry, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = items.next_element()? {
            words.push(word);
        }
        Ok(CommandEntry::Words(words))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<CommandEntry, E> {
        Ok(CommandEntry::Text(text.to_owned()))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<CommandEntry, E> {
        Ok(CommandEntry::Text(truth.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<CommandEntry, E> {
        Ok(CommandEntry::Text(number.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<CommandEntry, E> {
        Ok(CommandEntry::Text(number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<CommandEntry, E> {
        Ok(CommandEntry::Text(number.to_string()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<CommandEntry, E> {
        Ok(CommandEntry::Words(Vec::new()))
    }
}

impl JsonSchema for CommandEntry {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Command".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "array", "items": {"type": "string"}, "minItems": 1})
    }
}

/// The commands of the file by name. What is wrong is in `book`.
pub(super) fn commands(
    entries: Option<&BTreeMap<String, At<CommandEntry>>>,
    book: &mut Book,
) -> BTreeMap<String, Vec<String>> {
    let mut commands = BTreeMap::new();
    for (number, (name, entry)) in entries.into_iter().flatten().enumerate() {
        if number == COMMANDS_MAX {
            book.wrong(entry.place, "these are too many commands", format!("use at most {COMMANDS_MAX}"));
        }
        if !is_name(name) {
            let why = format!("`{}` is not a valid name for a command", name.escape_debug());
            book.wrong(entry.place, why, "use `[a-z0-9][a-z0-9_-]{0,63}`");
        }
        if let Some(words) = words(entry, book) {
            commands.insert(name.clone(), words);
        }
    }
    commands
}

/// The words of one command; none of what is no list. What is wrong is in `book`.
pub(super) fn words(entry: &At<CommandEntry>, book: &mut Book) -> Option<Vec<String>> {
    let place = entry.place;
    let words = match &entry.value {
        CommandEntry::Words(words) => words,
        CommandEntry::Text(text) => {
            let list: Vec<&str> = text.split_whitespace().collect();
            let cure = format!("no shell reads a command: write `[{}]`", list.join(", "));
            book.wrong(place, "a command is a list of words", cure);
            return None;
        }
    };
    if words.first().is_none_or(String::is_empty) {
        book.wrong(place, "there is no program to start", SHAPE);
    }
    if words.iter().any(|word| word.chars().any(char::is_control)) {
        let cure = "remove it; put what needs several lines into a script, and name that";
        book.wrong(place, "a word of this command has a control character", cure);
    }
    Some(words.clone())
}

fn is_name(name: &str) -> bool {
    check::is_profile(name) && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}
